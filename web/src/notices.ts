// Messages to the user. Errors stay until they are dismissed.

import { byId, h } from "./dom";
import { EngineError, Stopped } from "./worker/client";

const DONE_AFTER_MS = 5000;

function show(kind: "error" | "info", message: string, hint?: string, button?: HTMLElement): HTMLElement {
  const notice = h(
    "div",
    { class: `notice ${kind}`, role: kind === "error" ? "alert" : "status" },
    h("div", { class: "notice-text" }, h("p", { text: message }), hint ? h("p", { class: "hint", text: hint }) : null),
    button,
    h("button", {
      type: "button",
      class: "icon",
      "aria-label": "Dismiss this message",
      onclick: () => notice.remove(),
      text: "×",
    }),
  );
  const list = byId("notices");
  // Everything outside an open dialog is out of reach, so the messages go into it.
  const dialog = document.activeElement?.closest("dialog[open]");
  if (dialog && list.parentElement !== dialog) {
    dialog.append(list);
    dialog.addEventListener("close", () => document.body.append(list), { once: true });
  }
  list.append(notice);
  return notice;
}

/**
 * Shows an error with its hint, after the name of what it is about if it does not name it itself. A
 * worker that was stopped on purpose is no error.
 */
export function showError(error: unknown, before = ""): void {
  if (error instanceof Stopped) return;
  const message = error instanceof Error ? error.message : String(error);
  show("error", before && !message.includes(before) ? `${before}: ${message}` : message, error instanceof EngineError ? error.hint : undefined);
}

export function showProblem(message: string, hint?: string): void {
  show("error", message, hint);
}

/** Says that something worked. The message goes away by itself. */
export function showDone(message: string): void {
  const notice = show("info", message);
  setTimeout(() => notice.remove(), DONE_AFTER_MS);
}

/** Offers an action until the returned function is called. */
export function offer(message: string, label: string, action: () => void): () => void {
  const notice = show(
    "info",
    message,
    undefined,
    h("button", { type: "button", onclick: () => { notice.remove(); action(); }, text: label }),
  );
  return () => notice.remove();
}
