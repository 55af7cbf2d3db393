// Asks how a .tiktoken file splits text, because the file does not say it.

import { byId, closable, fillSelect } from "../dom";
import { state } from "../state";

const CUSTOM = "custom";

/** Returns the name of a preset or a pattern, or `null` if the user does not want to open the file. */
export function askForPattern(name: string, message: string): Promise<string | null> {
  const dialog = byId<HTMLDialogElement>("pattern-dialog");
  const preset = byId<HTMLSelectElement>("pattern-preset");
  const custom = byId<HTMLInputElement>("pattern-custom");
  byId("pattern-message").textContent = message;
  byId("pattern-file").textContent = name;
  fillSelect(preset, [
    ...state.presets.map((value) => ({ value, label: value })),
    { value: CUSTOM, label: "Custom pattern" },
  ]);
  const showCustom = (): void => {
    custom.disabled = preset.value !== CUSTOM;
    custom.required = !custom.disabled;
  };
  preset.onchange = () => {
    showCustom();
    if (!custom.disabled) custom.focus();
  };
  showCustom();
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onclose = () => {
      const chosen = preset.value === CUSTOM ? custom.value : preset.value;
      resolve(dialog.returnValue === "open" ? chosen : null);
    };
  });
}

export function setUpPatternDialog(): void {
  closable(byId<HTMLDialogElement>("pattern-dialog"));
}
