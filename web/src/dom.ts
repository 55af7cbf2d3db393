// Small helpers for building elements. Text always becomes a text node, so nothing in a model or a
// text can become markup.

type Value = string | number | boolean | undefined | ((event: never) => void);
type Child = Node | string | null | undefined | false;

/**
 * Makes an element. `class`, `text` and `on…` are special; `false` and `undefined` leave an
 * attribute out.
 *
 *     h("button", { type: "button", onclick: close }, "Close")
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Value> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") {
      element.addEventListener(name.slice(2), value as EventListener);
    } else if (name === "text") {
      element.textContent = String(value);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/** Returns the element with this id. The page is built from one file, so it is always there. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no element "${id}".`);
  return element as T;
}

/** Calls a function when no further call came for a while. */
export function debounce(milliseconds: number, call: () => void): () => void {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = window.setTimeout(call, milliseconds);
  };
}

/** Offers bytes as a file to save. */
export function download(name: string, bytes: Uint8Array<ArrayBuffer>): void {
  const address = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Fills a select with options and keeps the choice if it is still there. */
export function fillSelect(
  select: HTMLSelectElement,
  options: { value: string; label: string }[],
  chosen = select.value,
): void {
  select.replaceChildren(
    ...options.map(({ value, label }) =>
      h("option", { value, selected: value === chosen }, label),
    ),
  );
}

/** Closes a dialog by its close button and by a click beside it. Escape works by itself. */
export function closable(dialog: HTMLDialogElement): void {
  for (const button of dialog.querySelectorAll("[data-close]")) {
    button.addEventListener("click", () => dialog.close());
  }
  dialog.addEventListener("pointerdown", (event) => {
    if (event.target === dialog) dialog.close();
  });
}
