// How numbers, bytes and characters are written for people.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const two = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const one = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export const number = (value: number): string => whole.format(value);
export const ratio = (value: number): string => (Number.isFinite(value) ? two.format(value) : "–");
export const percent = (share: number): string => `${one.format(share * 100)}%`;

export function counted(value: number, singular: string, plural = `${singular}s`): string {
  return `${number(value)} ${value === 1 ? singular : plural}`;
}

export const hex = (bytes: Iterable<number>): string =>
  Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");

/**
 * A part of a token: characters, one character that has to be made visible, bytes, or the character
 * that these bytes begin.
 */
export interface Part {
  kind: "text" | "space" | "newline" | "tab" | "sign" | "bytes" | "split";
  text: string;
}

/** Characters that draw nothing or change the direction: control, format and odd spaces. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|(?! )\p{Zs}/u;
/** An emoji joined from several needs its joiner and its variation selector. */
const JOINS = new Set(["\u200d", "\u200c"]);

function sign(character: string): string {
  const point = character.codePointAt(0)!;
  if (character === "\r") return "CR";
  return `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Splits text into runs of ordinary characters and single characters that need a sign. */
export function partsOfText(text: string): Part[] {
  const parts: Part[] = [];
  let plain = "";
  const flush = (): void => {
    if (plain) parts.push({ kind: "text", text: plain });
    plain = "";
  };
  if (/^\p{M}/u.test(text)) plain = "\u25cc";
  for (const character of text) {
    if (character === " ") {
      flush();
      parts.push({ kind: "space", text: character });
    } else if (character === "\n") {
      flush();
      parts.push({ kind: "newline", text: character });
    } else if (character === "\t") {
      flush();
      parts.push({ kind: "tab", text: character });
    } else if (JOINS.has(character) && plain && text.length > 1) {
      plain += character;
    } else if (HIDDEN.test(character)) {
      flush();
      parts.push({ kind: "sign", text: sign(character) });
    } else {
      plain += character;
    }
  }
  flush();
  return parts;
}

/** How many bytes the character that starts with this byte has, or 0. */
function lengthFrom(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte >= 0xc2 && byte < 0xe0) return 2;
  if (byte >= 0xe0 && byte < 0xf0) return 3;
  return byte >= 0xf0 && byte < 0xf5 ? 4 : 0;
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Splits bytes into whole characters and the bytes that are none. */
export function partsOfBytes(bytes: number[]): Part[] {
  const parts: Part[] = [];
  let text = "";
  let odd: number[] = [];
  const flush = (): void => {
    if (text) parts.push(...partsOfText(text));
    if (odd.length) parts.push({ kind: "bytes", text: hex(odd) });
    text = "";
    odd = [];
  };
  for (let i = 0; i < bytes.length; ) {
    const length = lengthFrom(bytes[i]!);
    let character = "";
    if (length && i + length <= bytes.length) {
      try {
        character = strict.decode(Uint8Array.from(bytes.slice(i, i + length)));
      } catch {
        character = "";
      }
    }
    if (character) {
      if (odd.length) flush();
      text += character;
      i += length;
    } else {
      if (text) flush();
      odd.push(bytes[i]!);
      i++;
    }
  }
  flush();
  return parts;
}

const SPOKEN: Partial<Record<Part["kind"], string>> = {
  space: "␣",
  newline: "line end",
  tab: "tab",
};

/** A token in one line, for tooltips and screen readers. */
export function spoken(parts: Part[]): string {
  return parts.map(({ kind, text }) => SPOKEN[kind] ?? text).join("");
}
