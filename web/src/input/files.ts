// Files that are dropped on the page or chosen: models, and texts.

import { askForPattern } from "../dialogs/pattern";
import { byId } from "../dom";
import { openModel } from "../engine";
import { showDone, showError, showProblem } from "../notices";
import { addPanel, changed, MOST_PANELS, showModel, state, type OpenModel } from "../state";
import { EngineError } from "../worker/client";
import type { ModelSource, OpenOptions } from "../worker/protocol";
import { displayName, droppedFiles } from "./dropped";
import { setText } from "./text";

const LARGEST_TEXT = 20_000_000;

const isText = (file: File): boolean => /\.(txt|text|md|markdown|rst|tsv)$/i.test(file.name);
const isConfig = (file: File): boolean => /^tokenizer_config.*\.json$/i.test(file.name);
/** The description beside a .tiktoken file has the name of that file and ".json". */
const isSidecar = (file: File, files: File[]): boolean =>
  file.name.toLowerCase().endsWith(".json") &&
  files.some(({ name }) => `${name}.json` === file.name || name.replace(/\.tiktoken$/i, ".json") === file.name && name !== file.name);

/** If there is a tokenizer.json or a tekken.json, other files such as merges.txt say nothing new. */
function wanted(files: File[]): File[] {
  const main = files.find(({ name }) => name === "tokenizer.json") ?? files.find(({ name }) => name === "tekken.json");
  if (!main) return files;
  return files.filter((file) => file === main || isConfig(file) || /\.(superword|tiktoken)$/i.test(file.name));
}

/** Opens a model, and asks for the pattern if the file does not have one. */
async function open(source: ModelSource): Promise<OpenModel | null> {
  try {
    return await openModel(source);
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "pattern-needed") throw error;
    const pattern = await askForPattern(source.name, error.message);
    if (pattern === null) return null;
    return open({ ...source, options: { ...source.options, pattern } });
  }
}

async function openFile(file: File, files: File[]): Promise<OpenModel | null> {
  const options: OpenOptions = {};
  const config = files.find(isConfig);
  const sidecar = files.find((other) => other.name !== file.name && isSidecar(other, [file]));
  if (config) options.config = await config.text();
  if (sidecar) options.sidecar = await sidecar.text();
  return open({ name: displayName(file), file: new Uint8Array(await file.arrayBuffer()), options });
}

/** Puts new models into the panels: alone if there was nothing, else beside what is there. */
function place(opened: OpenModel[]): void {
  if (opened.length === 1 && !state.panels.length) {
    showModel(opened[0]!);
  } else {
    for (const { id, facts } of opened) {
      if (state.panels.length === MOST_PANELS) state.panels.pop();
      addPanel(id, facts.superwords > 0);
    }
  }
}

async function take(given: File[]): Promise<void> {
  const files = wanted(given);
  const texts = files.filter(isText);
  const models = files.filter((file) => !isText(file) && !isConfig(file) && !isSidecar(file, files));
  if (!models.length && !texts.length && files.length) {
    showProblem(
      `${files[0]!.name} only describes a model.`,
      "Drop it together with the model file that it belongs to.",
    );
  }
  for (const text of texts.slice(0, 1)) {
    if (text.size > LARGEST_TEXT) showProblem(`${text.name} is too large for this page.`, "Texts up to 20 MB can be shown.");
    else setText(await text.text());
  }
  const opened: OpenModel[] = [];
  for (const file of models) {
    try {
      const model = await openFile(file, files);
      if (model) opened.push(model);
    } catch (error) {
      showError(error, displayName(file));
    }
  }
  if (!opened.length) return;
  place(opened);
  changed("models");
  showDone(`Opened ${opened.map(({ name }) => name).join(", ")}.`);
}

export function setUpFiles(): void {
  const chooser = byId<HTMLInputElement>("file");
  const cover = byId("drop");
  for (const button of document.querySelectorAll("[data-open]")) {
    button.addEventListener("click", () => chooser.click());
  }
  chooser.addEventListener("change", () => {
    const files = [...(chooser.files ?? [])];
    chooser.value = "";
    void take(files).catch(showError);
  });
  const hasFiles = (event: DragEvent): boolean => [...(event.dataTransfer?.types ?? [])].includes("Files");
  let inside = 0;
  const show = (change: number | null): void => {
    inside = change === null ? 0 : Math.max(0, inside + change);
    cover.hidden = inside === 0;
  };
  window.addEventListener("dragenter", (event) => hasFiles(event) && show(1));
  window.addEventListener("dragleave", (event) => hasFiles(event) && show(-1));
  window.addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
  window.addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    show(null);
    if (event.dataTransfer) void droppedFiles(event.dataTransfer).then(take).catch(showError);
  });
}
