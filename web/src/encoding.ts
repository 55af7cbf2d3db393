// Keeps the encodings of the page up to date: asks the worker after an edit, one question at a
// time, and drops answers to questions that are no longer asked.

import { ask } from "./engine";
import { currentText, cursor } from "./input/text";
import { showError } from "./notices";
import { changed, on, state } from "./state";
import { byId, debounce } from "./dom";

const TYPING_MS = 40;
const LONG_TYPING_MS = 400;
const LONG_TEXT = 200_000;

/** Runs one task at a time. If it is wanted again while it runs, it runs once more at the end. */
function oneAtATime(task: () => Promise<void>, done = (): void => {}): () => void {
  let running = false;
  let again = false;
  return async function run(): Promise<void> {
    again = true;
    if (running) return;
    running = true;
    while (again) {
      again = false;
      try {
        await task();
      } catch (error) {
        showError(error);
      }
    }
    running = false;
    done();
  };
}

function sides(): { model: number; superwords: boolean }[] {
  return state.panels.map(({ model, superwords }) => ({ model, superwords }));
}

export function setUpEncoding(): void {
  const panels = byId("panels");
  const unsettled = (): void => panels.setAttribute("aria-busy", "true");
  const settle = (): void => {
    const old = state.shown.encoded !== null && state.shown.text !== currentText();
    panels.setAttribute("aria-busy", String(old));
  };

  const encode = oneAtATime(async () => {
    const wanted = sides();
    if (!wanted.length) {
      state.shown = { text: "", encoded: null, cuts: [] };
      changed("encoded");
      return;
    }
    const text = currentText();
    const encoded = await ask("encode", { text, sides: wanted, special: state.options.special });
    // A panel may have been changed or removed in the meantime; then the next answer is right.
    if (JSON.stringify(wanted) !== JSON.stringify(sides())) return;
    state.shown = { text, encoded, cuts: [] };
    changed("encoded");
    cut();
  }, settle);

  const cut = oneAtATime(async () => {
    const { text, encoded } = state.shown;
    if (!state.options.cut || !encoded) return;
    const at = cursor();
    const wanted = sides();
    const cuts = await ask("cut", { text, at, sides: wanted, special: state.options.special });
    if (state.shown.text !== text || JSON.stringify(wanted) !== JSON.stringify(sides())) return;
    state.shown.cuts = cuts;
    changed("cut");
  });

  const soon = debounce(TYPING_MS, encode);
  const later = debounce(LONG_TYPING_MS, encode);
  on(["text", "models", "panels", "special"], unsettled);
  on(["text"], () => (currentText().length > LONG_TEXT ? later() : soon()));
  on(["models", "panels", "special"], encode);
  on(["cursor"], debounce(TYPING_MS, cut));
}
