// Search in the vocabulary of a model.

import { byId, closable, debounce, fillSelect, h } from "../dom";
import { ask } from "../engine";
import { counted, number } from "../format";
import { showError } from "../notices";
import { tokenLabel } from "../panels/tokens";
import { modelOf, state } from "../state";
import { EngineError } from "../worker/client";
import type { Found, Query } from "../worker/protocol";
import { openToken } from "./token";

const PAGE = 50;

export function setUpVocabulary(): void {
  const dialog = byId<HTMLDialogElement>("vocabulary-dialog");
  const model = byId<HTMLSelectElement>("vocabulary-model");
  const text = byId<HTMLInputElement>("vocabulary-text");
  const regex = byId<HTMLInputElement>("vocabulary-regex");
  const superwords = byId<HTMLInputElement>("vocabulary-superwords");
  const order = byId<HTMLSelectElement>("vocabulary-order");
  const results = byId("vocabulary-results");
  const status = byId("vocabulary-status");
  const previous = byId<HTMLButtonElement>("vocabulary-previous");
  const next = byId<HTMLButtonElement>("vocabulary-next");
  let offset = 0;
  let asked = 0;

  function query(): Query {
    return {
      text: text.value,
      regex: regex.checked,
      only_superwords: superwords.checked,
      order: order.value as Query["order"],
      offset,
      limit: PAGE,
    };
  }

  async function search(): Promise<void> {
    const question = ++asked;
    const id = Number(model.value);
    try {
      const found = await ask("search", { model: id, query: query() });
      // Only the answer to the last question counts.
      if (question === asked) show(id, found);
    } catch (error) {
      if (question !== asked) return;
      if (!(error instanceof EngineError) || error.fatal) {
        showError(error);
        return;
      }
      // A half-typed pattern is no reason for an alert.
      results.replaceChildren();
      status.textContent = [error.message, error.hint].filter(Boolean).join(" ");
      previous.disabled = next.disabled = true;
    }
  }

  function show(id: number, { total, tokens }: Found): void {
    const end = offset + tokens.length;
    status.textContent = total
      ? `${number(offset + 1)}–${number(end)} of ${counted(total, "token")}`
      : "No token matches.";
    previous.disabled = offset === 0;
    next.disabled = end >= total;
    const counts = modelOf(id)?.facts.counts_known ?? false;
    const names = counts ? ["id", "token", "bytes", "count"] : ["id", "token", "bytes"];
    results.replaceChildren(
      h("thead", {}, h("tr", {}, ...names.map((name) => h("th", { scope: "col", text: name })))),
      h(
        "tbody",
        {},
        ...tokens.map((token) =>
          h(
            "tr",
            {},
            h("td", { text: String(token.id) }),
            h(
              "td",
              {},
              h("button", { type: "button", class: "token-button", onclick: () => openToken(id, token.id) }, tokenLabel(token)),
            ),
            h("td", { text: String(token.bytes.length) }),
            counts ? h("td", { text: token.count === null ? "–" : number(token.count) }) : null,
          ),
        ),
      ),
    );
    results.parentElement!.scrollTop = 0;
  }

  function again(): void {
    offset = 0;
    void search();
  }

  function showModel(): void {
    const opened = modelOf(Number(model.value));
    superwords.disabled = !opened?.facts.superwords;
    if (superwords.disabled) superwords.checked = false;
    const frequent = order.querySelector<HTMLOptionElement>("[value=frequent]")!;
    frequent.disabled = !opened?.facts.counts_known;
    frequent.textContent = frequent.disabled ? "Most frequent (no counts known)" : "Most frequent";
    if (frequent.disabled && order.value === "frequent") order.value = "id";
  }

  closable(dialog);
  const soon = debounce(120, again);
  text.addEventListener("input", soon);
  model.addEventListener("change", () => {
    showModel();
    again();
  });
  for (const control of [regex, superwords, order]) control.addEventListener("change", again);
  previous.addEventListener("click", () => {
    offset = Math.max(0, offset - PAGE);
    void search();
  });
  next.addEventListener("click", () => {
    offset += PAGE;
    void search();
  });
  byId("open-vocabulary").addEventListener("click", () => {
    fillSelect(model, state.models.map(({ id, name }) => ({ value: String(id), label: name })));
    if (!modelOf(Number(model.value))) model.selectedIndex = 0;
    showModel();
    dialog.showModal();
    text.focus();
    again();
  });
}
