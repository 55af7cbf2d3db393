// Draws single tokens: as a coloured part of the text, or as an id.

import { h } from "../dom";
import { hex, partsOfBytes, partsOfText, spoken, type Part } from "../format";
import { state } from "../state";
import { ADDED, PARTIAL, SPECIAL, SUPERWORD, type Cut, type Encoding, type TokenFacts } from "../worker/protocol";

const HUES = 6;
const SIGNS: Partial<Record<Part["kind"], string>> = { space: "·", newline: "⏎", tab: "→" };

/** What a panel draws: one encoding of one text. */
export interface Drawn {
  text: string;
  encoding: Encoding;
  cut: Cut | undefined;
}

export function partsAt(drawn: Drawn, i: number): Part[] {
  const { text, encoding } = drawn;
  if (!(encoding.kinds[i]! & PARTIAL)) return partsOfText(text.slice(encoding.starts[i], encoding.ends[i]));
  const parts = partsOfBytes(encoding.partial.get(encoding.ids[i]!) ?? []);
  const split = splitCharacter(drawn, i);
  if (split) parts.splice(-1, 0, { kind: "split", text: split });
  return parts;
}

/** The character that starts in this token and ends in a later one, or "". */
function splitCharacter({ text, encoding }: Drawn, i: number): string {
  const { starts, ends } = encoding;
  if (i + 1 >= starts.length || starts[i + 1]! >= ends[i]!) return "";
  const character = [...text.slice(starts[i], ends[i])].at(-1) ?? "";
  const startsHere = i === 0 || ends[i - 1]! <= ends[i]! - character.length;
  const [part] = partsOfText(character);
  return startsHere && part ? part.text : "";
}

export function partsOfToken(token: Pick<TokenFacts, "text" | "bytes">): Part[] {
  return token.text === null ? partsOfBytes(token.bytes) : partsOfText(token.text);
}

/** Adds the parts of a token to an element. `breaks` also starts new lines where the text does. */
export function appendParts(element: HTMLElement, parts: Part[], breaks: boolean): void {
  for (const { kind, text } of parts) {
    if (kind === "text") {
      element.append(text);
    } else if (kind === "sign" || kind === "bytes" || kind === "split") {
      element.append(h("span", { class: kind, text }));
    } else {
      const visible = !breaks || state.options.whitespace;
      if (visible) element.append(h("span", { class: "ws", text: SIGNS[kind]! }));
      if (breaks && kind !== "space") element.append(text);
      else if (!visible) element.append(text);
    }
  }
}

/** A token on one line, with every white space visible. */
export function tokenLabel(token: Pick<TokenFacts, "text" | "bytes" | "kind">, extra = ""): HTMLElement {
  const label = h("span", { class: `t ${token.kind} ${extra}`.trim(), dir: "auto" });
  appendParts(label, partsOfToken(token), false);
  return label;
}

const KINDS: Record<number, string> = { [SUPERWORD]: "superword", [SPECIAL]: "special", [ADDED]: "added" };

function hue({ encoding }: Drawn, i: number): string {
  const kind = encoding.kinds[i]! & 7;
  if (state.options.colours === "superwords") return kind === SUPERWORD ? "h0" : "plain";
  const from = state.options.colours === "id" ? Math.imul(encoding.ids[i]!, 0x9e3779b1) >>> 16 : i;
  return `h${from % HUES}`;
}

/** The classes of a token, which the text and the ids share. */
function classes(drawn: Drawn, i: number): string {
  const { encoding, cut } = drawn;
  const kind = encoding.kinds[i]!;
  const names = ["t", hue(drawn, i)];
  if (KINDS[kind & 7]) names.push(KINDS[kind & 7]!);
  if (kind & PARTIAL) names.push("partial");
  if (cut) {
    if (i === cut.bridge) names.push("bridge");
    else if (i >= cut.after) names.push("after");
    else if (i >= cut.same) names.push("moved");
  }
  return names.join(" ");
}

const CUT_NAMES: Record<string, string> = {
  bridge: "bridges the cut",
  moved: "changes at the cut",
};

function label(drawn: Drawn, i: number, parts: Part[]): string {
  const { encoding, cut } = drawn;
  const kind = KINDS[encoding.kinds[i]! & 7];
  const names = [spoken(parts), `id ${encoding.ids[i]}`];
  if (kind) names.push(kind);
  if (encoding.kinds[i]! & PARTIAL) names.push("part of a character");
  if (cut && i === cut.bridge) names.push(CUT_NAMES["bridge"]!);
  else if (cut && i >= cut.same && i < cut.after) names.push(CUT_NAMES["moved"]!);
  return names.join(", ");
}

/** A token as a part of the text. */
export function drawText(drawn: Drawn, i: number): HTMLElement {
  const parts = partsAt(drawn, i);
  const element = h("span", { class: classes(drawn, i), "aria-label": label(drawn, i, parts) });
  appendParts(element, parts, true);
  return element;
}

/** A token on one line, as in the text otherwise. */
export function drawInline(drawn: Drawn, i: number): HTMLElement {
  const element = h("span", { class: classes(drawn, i) });
  appendParts(element, partsAt(drawn, i), false);
  return element;
}

/** A token as its id. */
export function drawId(drawn: Drawn, i: number): HTMLElement {
  return h("span", {
    class: classes(drawn, i),
    "aria-label": label(drawn, i, partsAt(drawn, i)),
    text: String(drawn.encoding.ids[i]),
  });
}

/** Whether a line may end before this token: words stay whole, white space starts a new one. */
export function breaksBefore({ text, encoding }: Drawn, i: number): boolean {
  const at = encoding.starts[i]!;
  return /\s/.test(text[at] ?? "") || /\s/.test(text[at - 1] ?? "");
}

/** One line about a token, for the line under the panel. */
export function describeToken(drawn: Drawn, i: number, facts: TokenFacts | undefined): string {
  const { encoding } = drawn;
  const names = [
    `token ${i + 1}`,
    `id ${encoding.ids[i]}`,
    `characters ${encoding.starts[i]}–${encoding.ends[i]}`,
    `bytes ${encoding.byteStarts[i]}–${encoding.byteEnds[i]}`,
  ];
  if (facts) names.push(hex(facts.bytes.slice(0, 24)) + (facts.bytes.length > 24 ? " …" : ""));
  return names.join(" · ");
}
