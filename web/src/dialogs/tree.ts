// The tree of merges that made a token.

import { h } from "../dom";
import { number } from "../format";
import { tokenLabel } from "../panels/tokens";
import type { TreeNode } from "../worker/protocol";

/** Draws a tree. Inside a superword, the words are closed at first. */
export function drawTree(root: TreeNode, open: (id: number) => void): HTMLElement {
  return h("ul", { class: "tree" }, drawNode(root, open, true, false));
}

function drawNode(node: TreeNode, open: (id: number) => void, isRoot: boolean, inSuperword: boolean): HTMLElement {
  const box = h(
    "button",
    {
      type: "button",
      class: `node ${node.kind}`,
      disabled: isRoot || node.id === null,
      title: isRoot ? "" : node.id === null ? "Deleted during training" : `Look at token ${node.id}`,
      onclick: () => node.id !== null && open(node.id),
    },
    tokenLabel(node),
    h("span", { class: "node-id", text: node.id === null ? "deleted" : String(node.id) }),
    node.count === null ? null : h("span", { class: "node-count", text: `×${number(node.count)}` }),
  );
  const item = h("li", {}, box);
  const children = [node.left, node.right].filter((child) => child !== null);
  if (!children.length) return item;
  const list = h("ul", {}, ...children.map((child) => drawNode(child, open, false, node.kind === "superword")));
  const closed = inSuperword && node.kind !== "superword";
  const toggle = h("button", { type: "button", class: "toggle" });
  const show = (isOpen: boolean): void => {
    list.hidden = !isOpen;
    toggle.textContent = isOpen ? "−" : "+";
    toggle.setAttribute("aria-expanded", String(isOpen));
    toggle.setAttribute("aria-label", `${isOpen ? "Hide" : "Show"} what ${node.id === null ? "it" : `token ${node.id}`} is made of`);
  };
  toggle.addEventListener("click", () => show(list.hidden === true));
  show(!closed);
  if (!isRoot) item.append(toggle);
  item.append(list);
  return item;
}
