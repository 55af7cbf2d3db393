// Trains a model on the text of the page. A second worker does it, so the page stays usable, and
// stopping is ending that worker.

import { byId, closable, fillSelect } from "../dom";
import { newWorker, openModel } from "../engine";
import { counted, number } from "../format";
import { currentText } from "../input/text";
import { showDone, showError } from "../notices";
import { changed, showModel, state } from "../state";
import { EngineError, Stopped, type EngineWorker } from "../worker/client";
import type { Progress, TrainOptions } from "../worker/protocol";

/** Each way to make documents from the text. Superwords and words never cross their ends. */
const DOCUMENTS: Record<string, (text: string) => string[]> = {
  whole: (text) => [text],
  paragraphs: (text) => text.split(/(?:\r?\n){2,}/),
  lines: (text) => text.split(/\r?\n/),
};

/** The default of `superword train`. */
const DEFAULT_PRESET = "gpt4o-portable";

let trainer: EngineWorker | null = null;

const form = (): HTMLFormElement => byId<HTMLFormElement>("train-form");

function read(): { documents: string[]; options: TrainOptions } {
  const data = new FormData(form());
  const method = String(data.get("method"));
  const options: TrainOptions = {
    method,
    vocab_size: Number(data.get("vocab_size")),
    pretokenizer: String(data.get("pretokenizer")),
  };
  if (method === "superbpe") options.supermerges = Number(data.get("supermerges"));
  const documents = DOCUMENTS[String(data.get("documents"))]!(currentText());
  return { documents: documents.filter((document) => document !== ""), options };
}

function showProgress({ phase, done, total }: Progress): void {
  const bar = byId<HTMLProgressElement>("train-bar");
  if (total) {
    bar.max = total;
    bar.value = done;
  } else {
    bar.removeAttribute("value");
  }
  byId("train-phase").textContent = total ? `${phase}: ${number(done)} of ${number(total)}` : phase;
}

function showRunning(running: boolean): void {
  byId("train-progress").hidden = !running;
  byId<HTMLFieldSetElement>("train-fields").disabled = running;
  byId<HTMLButtonElement>("train-start").hidden = running;
  byId<HTMLButtonElement>("train-stop").hidden = !running;
}

function showFailure(error: unknown): void {
  const place = byId("train-error");
  const hint = error instanceof EngineError ? error.hint : undefined;
  place.textContent = [error instanceof Error ? error.message : String(error), hint].filter(Boolean).join(" ");
  place.hidden = false;
}

async function train(): Promise<void> {
  const { documents, options } = read();
  byId("train-error").hidden = true;
  if (!documents.length) {
    showFailure("There is no text to train on.");
    return;
  }
  showRunning(true);
  showProgress({ phase: "Starting", done: 0, total: undefined });
  const started = newWorker();
  trainer = started.worker;
  try {
    await started.ready;
    const file = await trainer.call("train", { documents, options }, showProgress);
    const name = `trained-${options.method}-${options.vocab_size}`;
    const model = await openModel({ name, file, options: {} }, true);
    showModel(model);
    changed("models");
    byId<HTMLDialogElement>("train-dialog").close();
    showDone(
      `Trained ${model.name} on ${counted(documents.length, "document")}: ${counted(model.facts.n_vocab, "token")}, ${counted(model.facts.superwords, "superword")}. Save it under “Models”.`,
    );
  } catch (error) {
    if (!(error instanceof Stopped)) showFailure(error);
  } finally {
    trainer?.stop();
    trainer = null;
    showRunning(false);
  }
}

function showMethod(): void {
  const method = String(new FormData(form()).get("method"));
  const supermerges = byId<HTMLInputElement>("train-supermerges");
  supermerges.disabled = method !== "superbpe";
  supermerges.required = method === "superbpe";
}

/** A vocabulary that a text of this length can fill. */
function likelySize(length: number): number {
  return Math.max(300, Math.min(8000, 260 + Math.round(length / 40 / 10) * 10));
}

export function setUpTrain(): void {
  const dialog = byId<HTMLDialogElement>("train-dialog");
  closable(dialog);
  form().addEventListener("submit", (event) => {
    event.preventDefault();
    void train().catch(showError);
  });
  form().addEventListener("change", showMethod);
  byId("train-stop").addEventListener("click", () => trainer?.stop());
  byId("open-train").addEventListener("click", () => {
    const text = currentText();
    const preset = byId<HTMLSelectElement>("train-preset");
    const chosen = preset.value || DEFAULT_PRESET;
    fillSelect(preset, state.presets.map((value) => ({ value, label: value })), chosen);
    const size = byId<HTMLInputElement>("train-size");
    const supermerges = byId<HTMLInputElement>("train-supermerges");
    if (!size.value) size.value = String(likelySize(text.length));
    if (!supermerges.value) supermerges.value = String(Math.max(10, Math.round((Number(size.value) - 256) / 5)));
    byId("train-text").textContent = `The text of this page: ${counted(text.length, "character")}.`;
    byId("train-error").hidden = true;
    showMethod();
    dialog.showModal();
  });
}
