// The text field.

import { byId } from "../dom";
import { counted } from "../format";
import { showDone } from "../notices";
import { link, markInput } from "../panels/linking";
import { changed, on, state } from "../state";

/** A text field has only line feeds. This says what the engine gets for them. */
let crlf = false;
let cached: string | null = null;

const input = (): HTMLTextAreaElement => byId<HTMLTextAreaElement>("text");

/** The text as the engine gets it. */
export function currentText(): string {
  cached ??= crlf ? input().value.replaceAll("\n", "\r\n") : input().value;
  return cached;
}

/** A place in the text field as a place in the text. */
function toText(at: number): number {
  return crlf ? at + (input().value.slice(0, at).match(/\n/g)?.length ?? 0) : at;
}

/** A place in the text as a place in the text field. */
function toField(at: number): number {
  return crlf ? at - (currentText().slice(0, at).match(/\r/g)?.length ?? 0) : at;
}

/** Where the cursor is in the text. */
export function cursor(): number {
  return toText(input().selectionEnd);
}

/** Replaces the whole text. */
export function setText(text: string): void {
  const ends = text.match(/\r\n|\r|\n/g) ?? [];
  crlf = ends.length > 0 && ends.every((end) => end === "\r\n");
  if (!crlf && text.includes("\r")) {
    showDone("The text mixed several kinds of line ends. They are all line feeds now.");
  }
  byId<HTMLSelectElement>("line-ends").value = crlf ? "crlf" : "lf";
  input().value = text;
  cached = null;
  changed("text");
}

export function setUpText(): void {
  const field = input();
  const ends = byId<HTMLSelectElement>("line-ends");
  field.addEventListener("input", () => {
    cached = null;
    changed("text");
  });
  ends.addEventListener("change", () => {
    crlf = ends.value === "crlf";
    cached = null;
    changed("text");
  });
  document.addEventListener("selectionchange", () => {
    if (document.activeElement !== field) return;
    changed("cursor");
    // Only a settled selection is linked: while someone types, the offsets are not known yet.
    const { text } = state.shown;
    if (text.length !== currentText().length) return;
    const [start, end] = [toText(field.selectionStart), toText(field.selectionEnd)];
    link({ start: start === end ? Math.max(0, start - 1) : start, end: Math.max(end, 1), panel: null, token: null });
  });
  field.addEventListener("blur", () => link(null));
  markInput(field, toField);
  on(["encoded"], () => {
    const { text, encoded } = state.shown;
    byId("text-facts").textContent = encoded
      ? `${counted(encoded.characters, "character")} · ${counted(encoded.bytes, "byte")}`
      : counted(text.length, "character");
  });
}
