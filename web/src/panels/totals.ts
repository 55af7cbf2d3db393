// The numbers of a panel, and the sentence about all panels for screen readers.

import { h } from "../dom";
import { counted, number, percent, ratio } from "../format";
import { modelOf, state } from "../state";
import type { EncodedText, Encoding } from "../worker/protocol";

/** How many tokens fewer (or, if negative, more) than before, as a share. */
function saved(before: number, now: number): number {
  return before ? (before - now) / before : 0;
}

function difference(share: number): string {
  if (Math.abs(share) < 0.0005) return "As many tokens as panel 1.";
  return `${percent(Math.abs(share))} ${share > 0 ? "fewer" : "more"} tokens than panel 1.`;
}

interface Comparison {
  text: string;
  /** Whether there are fewer tokens. */
  better: boolean;
}

/** The sentences that compare a panel with the words of its model and with the first panel. */
function comparisons(encoding: Encoding, first: Encoding | undefined): Comparison[] {
  const sentences: Comparison[] = [];
  const count = encoding.ids.length;
  if (encoding.superwords && modelOf(encoding.model)?.facts.superwords) {
    const share = saved(encoding.wordCount, count);
    const text = `Superwords save ${percent(share)}: ${number(encoding.wordCount)} → ${counted(count, "token")}.`;
    sentences.push({ text, better: share > 0 });
  }
  const told = first && first.model === encoding.model && !first.superwords && encoding.superwords;
  if (first && first !== encoding && !told) {
    const share = saved(first.ids.length, count);
    sentences.push({ text: difference(share), better: share > 0 });
  }
  return sentences;
}

export function drawTotals(encoded: EncodedText, index: number): HTMLElement[] {
  const encoding = encoded.encodings[index]!;
  const count = encoding.ids.length;
  const superwords = encoding.superwords ? countSuperwords(encoding) : 0;
  const facts = [
    `${ratio(encoded.bytes / count)} bytes per token`,
    `${ratio(encoded.characters / count)} characters per token`,
  ];
  if (superwords) facts.push(counted(superwords, "superword"));
  return [
    h(
      "p",
      { class: "count" },
      h("strong", { class: "tokens-total", text: number(count) }),
      ` token${count === 1 ? "" : "s"}`,
    ),
    h("p", { class: "rates", text: facts.join(" · ") }),
    ...comparisons(encoding, index ? encoded.encodings[0] : undefined).map(({ text, better }) =>
      h("p", { class: better ? "saving better" : "saving", text }),
    ),
  ];
}

function countSuperwords({ kinds }: Encoding): number {
  let count = 0;
  for (const kind of kinds) if ((kind & 7) === 1) count++;
  return count;
}

/** The totals of all panels in words. */
export function spokenTotals(encoded: EncodedText): string {
  return encoded.encodings
    .map((encoding, i) => {
      const name = modelOf(encoding.model)?.name ?? "";
      const what = encoding.superwords ? "superwords" : "words";
      const more = comparisons(encoding, i ? encoded.encodings[0] : undefined)
        .map(({ text }) => text)
        .join(" ");
      return `Panel ${i + 1}, ${name}, ${what}: ${counted(encoding.ids.length, "token")}. ${more}`;
    })
    .join(" ");
}

/** Says the totals aloud when they have not changed for a moment. */
export function announceTotals(region: HTMLElement): () => void {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      const { encoded } = state.shown;
      region.textContent = encoded ? spokenTotals(encoded) : "";
    }, 1000);
  };
}
