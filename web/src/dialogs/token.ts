// The dialog about one token: its bytes, how it was made, and what is made from it.

import { byId, closable, h } from "../dom";
import { ask } from "../engine";
import { counted, hex, number } from "../format";
import { showError } from "../notices";
import { tokenLabel } from "../panels/tokens";
import { modelOf } from "../state";
import type { Found, ModelId, TreeNode } from "../worker/protocol";
import { drawTree } from "./tree";

const FIRST_USES = 40;
const MORE_USES = 400;

const KINDS: Record<string, string> = {
  byte: "a single byte",
  merge: "made by a merge",
  superword: "a superword, made by a supermerge",
  special: "a special token",
  added: "an added token",
  unmade: "no merge makes it",
};

/** The tokens looked at before this one, for going back. */
const before: [ModelId, number][] = [];
let shown: [ModelId, number] | null = null;

const dialog = (): HTMLDialogElement => byId<HTMLDialogElement>("token-dialog");

/** Shows a token of a model. */
export function openToken(model: ModelId, id: number): void {
  if (!dialog().open) before.length = 0;
  else if (shown) before.push(shown);
  void show(model, id).catch(showError);
}

async function show(model: ModelId, id: number): Promise<void> {
  const [tree, uses] = await Promise.all([
    ask("tree", { model, id }),
    ask("usedIn", { model, id, limit: FIRST_USES }),
  ]);
  shown = [model, id];
  const back = byId<HTMLButtonElement>("token-back");
  back.hidden = before.length === 0;
  byId("token-title").replaceChildren(tokenLabel(tree));
  byId("token-body").replaceChildren(
    facts(model, tree),
    h("h3", { text: "How it was made" }),
    h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Tree of merges" }, drawTree(tree, (other) => openToken(model, other))),
    ...drawUses(model, id, uses),
  );
  if (!dialog().open) dialog().showModal();
  byId("token-body").scrollTop = 0;
}

function facts(model: ModelId, token: TreeNode): HTMLElement {
  const opened = modelOf(model);
  const rows: [string, string][] = [
    ["id", String(token.id ?? "deleted")],
    ["kind", KINDS[token.kind] ?? token.kind],
    ["bytes", `${hex(token.bytes)} (${token.bytes.length})`],
  ];
  if (token.words > 1) rows.push(["words", number(token.words)]);
  if (token.count !== null) rows.push(["count in training", number(token.count)]);
  if (token.text === null) rows.push(["characters", "not whole characters"]);
  if (opened) rows.push(["model", opened.name]);
  return h(
    "dl",
    { class: "facts" },
    ...rows.flatMap(([name, value]) => [h("dt", { text: name }), h("dd", { text: value })]),
  );
}

function drawUses(model: ModelId, id: number, uses: Found): HTMLElement[] {
  const title = h("h3", { text: "Used in" });
  if (!uses.total) return [title, h("p", { class: "quiet", text: "No other token is made from it." })];
  const list = h("ul", { class: "uses" });
  const fill = (found: Found): void =>
    list.replaceChildren(
      ...found.tokens.map((token) =>
        h(
          "li",
          {},
          h(
            "button",
            { type: "button", class: "use", onclick: () => openToken(model, token.id) },
            tokenLabel(token),
            h("span", { class: "node-id", text: String(token.id) }),
          ),
        ),
      ),
    );
  fill(uses);
  const parts: HTMLElement[] = [title, h("p", { class: "quiet", text: `${counted(uses.total, "token")}.` }), list];
  if (uses.total > uses.ids.length) {
    const more = h("button", { type: "button", text: `Show up to ${number(Math.min(uses.total, MORE_USES))}` });
    more.addEventListener("click", () => {
      more.remove();
      ask("usedIn", { model, id, limit: MORE_USES }).then(fill).catch(showError);
    });
    parts.push(more);
  }
  return parts;
}

export function setUpTokenDialog(): void {
  closable(dialog());
  byId("token-back").addEventListener("click", () => {
    const last = before.pop();
    if (last) void show(...last).catch(showError);
    if (!before.length) byId("token-close").focus();
  });
}
