// The list of open models: what they are, saving and closing them.

import { byId, closable, download, h } from "../dom";
import { ask, closeModel } from "../engine";
import { counted, number } from "../format";
import { showError } from "../notices";
import { changed, defaultPanels, on, showModel, state, type OpenModel } from "../state";

function describe({ facts, trained }: OpenModel): string {
  const parts = [
    facts.method,
    counted(facts.n_vocab, "token"),
    counted(facts.superwords, "superword"),
  ];
  if (facts.special_tokens.length) parts.push(counted(facts.special_tokens.length, "added token"));
  if (facts.normalizer) parts.push(`normalizer ${facts.normalizer}`);
  if (trained) parts.push("trained in this page");
  return parts.join(" · ");
}

/** Everything else that the model knows about itself, as text. */
function details({ facts }: OpenModel): HTMLElement {
  const { pretokenizer, facts: recorded, settings, special_tokens: added } = facts;
  const lines = JSON.stringify({ pretokenizer, special_tokens: added.slice(0, 50), settings, facts: recorded }, null, 2);
  return h("details", {}, h("summary", { text: "Details" }), h("pre", { tabindex: 0, text: lines }));
}

function saveName(name: string): string {
  const safe = name.replace(/[^\p{L}\p{N}._() -]+/gu, "-").replace(/\.(superword|json|tiktoken)$/i, "");
  return `${safe || "model"}.superword`;
}

function row(model: OpenModel, redraw: () => void): HTMLElement {
  const save = async (): Promise<void> => {
    download(saveName(model.name), await ask("save", { model: model.id }));
    model.trained = false;
  };
  const close = async (): Promise<void> => {
    // The page shows at once that it is closed, and does not wait for the engine.
    const closed = closeModel(model.id);
    if (!state.panels.length) defaultPanels();
    changed("models");
    redraw();
    byId("models-close").focus();
    await closed;
  };
  const show = (): void => {
    showModel(model);
    changed("panels");
    byId<HTMLDialogElement>("models-dialog").close();
  };
  return h(
    "li",
    { class: "model" },
    h("h3", { text: model.name }),
    h("p", { class: "quiet", text: describe(model) }),
    h(
      "p",
      { class: "buttons" },
      h("button", { type: "button", onclick: show, text: "Show", "aria-label": `Show ${model.name}` }),
      h("button", { type: "button", onclick: () => void save().catch(showError), text: "Save as .superword", "aria-label": `Save as .superword: ${model.name}` }),
      h("button", { type: "button", onclick: () => void close().catch(showError), text: "Close", "aria-label": `Close ${model.name}` }),
    ),
    details(model),
  );
}

export function setUpModels(): void {
  const dialog = byId<HTMLDialogElement>("models-dialog");
  const draw = (): void => {
    const rows = state.models.map((model) => row(model, draw));
    byId("models-list").replaceChildren(...(rows.length ? rows : [h("li", { class: "quiet", text: "No model is open." })]));
  };
  closable(dialog);
  byId("open-models").addEventListener("click", () => {
    draw();
    dialog.showModal();
  });
  on(["models"], () => {
    byId("models-count").textContent = number(state.models.length);
    byId<HTMLButtonElement>("open-vocabulary").disabled = !state.models.length;
    if (dialog.open) draw();
  });
  window.addEventListener("beforeunload", (event) => {
    if (state.models.some(({ trained }) => trained)) event.preventDefault();
  });
}
