// Starts the page.

import { setUpModels } from "./dialogs/models";
import { setUpPatternDialog } from "./dialogs/pattern";
import { setUpTokenDialog } from "./dialogs/token";
import { setUpTrain } from "./dialogs/train";
import { setUpVocabulary } from "./dialogs/vocabulary";
import { byId } from "./dom";
import { setUpEncoding } from "./encoding";
import { openModel, startEngine } from "./engine";
import { setUpFiles } from "./input/files";
import { setUpOptions, setUpTheme } from "./input/options";
import { readAddress, setUpShare } from "./input/share";
import { setText, setUpText } from "./input/text";
import { showError, showProblem } from "./notices";
import { setUpPanels } from "./panels/panels";
import { changed, defaultPanels } from "./state";

const EXAMPLE = `Superwords are tokens that span more than one word. This text shows where they end.

A tokenizer splits text into tokens, and each token has an id. Most tokenizers never join two words, even if they always stand together: in the same way, of the, one of the, as well as.

Größe, naïve café, 東京都, สวัสดี, مرحبا بالعالم, 👩‍🚀 – every script is welcome.
\tdef area(width, height): return width * height
`;

/** Returns the data that was put into the page, or `otherwise` if the page is not assembled. */
function data<T>(id: string, otherwise: T): T {
  const text = byId(id).textContent ?? "";
  return text.startsWith("@") ? otherwise : (JSON.parse(text) as T);
}

async function openInlineModels(): Promise<void> {
  for (const { name, file } of data<{ name: string; file: string }[]>("models", [])) {
    try {
      await openModel({ name, file, options: {} });
    } catch (error) {
      showError(error, name);
    }
  }
}

async function start(): Promise<void> {
  const { text } = data<{ text?: string }>("start", {});
  setText(text || EXAMPLE);
  const { version } = await startEngine();
  byId("version").textContent = `superword ${version}`;
  await openInlineModels();
  defaultPanels();
  changed("models");
  await readAddress();
  document.documentElement.dataset["ready"] = "";
}

window.addEventListener("error", (event) => showProblem(event.message));
window.addEventListener("unhandledrejection", (event) => showError(event.reason));
setUpTheme();
setUpOptions();
setUpText();
setUpPanels();
setUpEncoding();
setUpFiles();
setUpShare();
setUpTokenDialog();
setUpVocabulary();
setUpPatternDialog();
setUpTrain();
setUpModels();
start().catch((error) => showError(error, "The engine did not start"));
