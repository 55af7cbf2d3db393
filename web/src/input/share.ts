// A link that contains the text and the choice of panels. The part of an address after "#" never
// leaves the browser.

import { byId, closable } from "../dom";
import { showDone, showError, showProblem } from "../notices";
import { addPanel, changed, MOST_PANELS, state, type Options } from "../state";
import { number } from "../format";
import { showOptions } from "./options";
import { currentText, setText } from "./text";

/** Longer links break in mail programs, chats and some browsers. */
const LONGEST = 16_000;
const MARK = "#s=";

interface Shared {
  text: string;
  panels: { model: string; superwords: boolean }[];
  options: Partial<Options>;
}

async function pipe(bytes: Uint8Array<ArrayBuffer>, through: GenericTransformStream): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(through as ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function pack(shared: Shared): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(shared));
  const packed = await pipe(bytes, new CompressionStream("deflate-raw"));
  let binary = "";
  for (let i = 0; i < packed.length; i += 8192) {
    binary += String.fromCharCode(...packed.subarray(i, i + 8192));
  }
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpack(packed: string): Promise<Shared> {
  const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const json = new TextDecoder().decode(await pipe(bytes, new DecompressionStream("deflate-raw")));
  const shared = JSON.parse(json) as Partial<Shared>;
  if (typeof shared.text !== "string") throw new Error("There is no text in it.");
  return { text: shared.text, panels: shared.panels ?? [], options: shared.options ?? {} };
}

function current(): Shared {
  const panels = state.panels.map(({ model, superwords }) => ({
    model: state.models.find(({ id }) => id === model)?.name ?? "",
    superwords,
  }));
  return { text: currentText(), panels, options: state.options };
}

/** Takes only known options of the right type from a link. */
function known(options: Partial<Options>): Partial<Options> {
  const taken: Partial<Options> = {};
  for (const name of ["whitespace", "special", "cut"] as const) {
    if (typeof options[name] === "boolean") taken[name] = options[name];
  }
  if (["turn", "id", "superwords"].includes(options.colours ?? "")) taken.colours = options.colours!;
  return taken;
}

/** Shows what the address of the page contains, if it contains something. */
export async function readAddress(): Promise<boolean> {
  if (!location.hash.startsWith(MARK)) return false;
  let shared: Shared;
  try {
    shared = await unpack(location.hash.slice(MARK.length));
  } catch {
    showProblem("The text in the address of this page cannot be read.", "The link may have been cut off. Copy it again.");
    return false;
  }
  const panels = shared.panels.slice(0, MOST_PANELS).flatMap(({ model, superwords }) => {
    const found = state.models.find(({ name }) => name === model);
    return found ? [{ id: found.id, superwords: Boolean(superwords) && found.facts.superwords > 0 }] : [];
  });
  if (panels.length) {
    state.panels = [];
    for (const { id, superwords } of panels) addPanel(id, superwords);
  }
  showOptions(known(shared.options));
  setText(shared.text);
  changed("panels");
  return true;
}

async function copyLink(): Promise<void> {
  const packed = await pack(current());
  if (packed.length > LONGEST) {
    showProblem(
      `The link would be too long: ${number(packed.length)} characters.`,
      `Links up to ${number(LONGEST)} characters work everywhere. Shorten the text.`,
    );
    return;
  }
  const address = location.href.split("#")[0] + MARK + packed;
  history.replaceState(null, "", MARK + packed);
  try {
    await navigator.clipboard.writeText(address);
    showDone("The link is copied. It contains the text.");
  } catch {
    // Without permission for the clipboard, the link is shown for copying by hand.
    const dialog = byId<HTMLDialogElement>("link-dialog");
    byId<HTMLTextAreaElement>("link").value = address;
    dialog.showModal();
    byId<HTMLTextAreaElement>("link").select();
  }
}

export function setUpShare(): void {
  closable(byId<HTMLDialogElement>("link-dialog"));
  byId("copy-link").addEventListener("click", () => void copyLink().catch(showError));
  window.addEventListener("hashchange", () => void readAddress());
}
