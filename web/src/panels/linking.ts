// Links what belongs together: the token under the pointer, its id, its row, and the tokens of the
// other panels and the text that it covers.

import { byId } from "../dom";
import type { Encoding } from "../worker/protocol";

export interface Link {
  /** The characters that are linked. */
  start: number;
  end: number;
  /** The token and the panel that the pointer is on, if it is on one. */
  panel: number | null;
  token: number | null;
}

type Listener = (link: Link | null) => void;
const listeners = new Set<Listener>();

export function onLink(call: Listener): () => void {
  listeners.add(call);
  return () => listeners.delete(call);
}

export function link(to: Link | null): void {
  for (const call of listeners) call(to);
}

/** The tokens that hold a part of the characters from `start` to `end`, as first and end. */
export function tokensIn(encoding: Encoding, start: number, end: number): [number, number] {
  const { starts, ends } = encoding;
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]! <= start) low = middle + 1;
    else high = middle;
  }
  let stop = low;
  while (stop < starts.length && starts[stop]! < end) stop++;
  return [low, stop];
}

/** Longer texts are not marked in the text field: drawing them twice would be slow. */
const MOST_MARKED = 20_000;

/** Marks the linked characters in the text field, by a copy of the text behind it. */
export function markInput(input: HTMLTextAreaElement, offsetOf: (at: number) => number): void {
  const copy = byId("text-marks");
  onLink((to) => {
    if (!to || to.panel === null || input.value.length > MOST_MARKED) {
      copy.replaceChildren();
      return;
    }
    const mark = document.createElement("mark");
    const [start, end] = [offsetOf(to.start), offsetOf(to.end)];
    mark.textContent = input.value.slice(start, end);
    copy.replaceChildren(input.value.slice(0, start), mark, input.value.slice(end) + "\n");
    copy.scrollTop = input.scrollTop;
  });
  input.addEventListener("scroll", () => (copy.scrollTop = input.scrollTop));
}
