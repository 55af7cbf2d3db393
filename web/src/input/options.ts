// The switches above the panels, and light or dark.

import { byId } from "../dom";
import { changed, state, type Change, type Colours, type Options } from "../state";

type Switch = "whitespace" | "special" | "cut";
const SWITCHES: [Switch, Change][] = [
  ["whitespace", "options"],
  ["special", "special"],
  ["cut", "options"],
];

/** Sets the switches to the options, for example to those of a link. */
export function showOptions(options: Partial<Options>): void {
  Object.assign(state.options, options);
  for (const [name] of SWITCHES) byId<HTMLInputElement>(name).checked = state.options[name];
  byId<HTMLSelectElement>("colours").value = state.options.colours;
}

export function setUpOptions(): void {
  for (const [name, change] of SWITCHES) {
    const box = byId<HTMLInputElement>(name);
    box.addEventListener("change", () => {
      state.options[name] = box.checked;
      changed(change);
      if (name === "cut") {
        byId("text").focus();
        changed("cursor");
      }
    });
  }
  const colours = byId<HTMLSelectElement>("colours");
  colours.addEventListener("change", () => {
    state.options.colours = colours.value as Colours;
    changed("options");
  });
  showOptions({});
}

const THEMES = ["system", "light", "dark"] as const;
const STORED = "superword-playground-theme";

function stored(): string | null {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null; // Some browsers keep nothing for files.
  }
}

export function setUpTheme(): void {
  const select = byId<HTMLSelectElement>("theme");
  const show = (theme: string): void => {
    document.documentElement.dataset["theme"] = theme;
    select.value = theme;
  };
  show(THEMES.find((theme) => theme === stored()) ?? "system");
  select.addEventListener("change", () => {
    show(select.value);
    try {
      localStorage.setItem(STORED, select.value);
    } catch {
      // The choice then lasts until the page is closed.
    }
  });
}
