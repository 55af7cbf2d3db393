// What the page shows, and who wants to know when it changes.

import type { Cut, EncodedText, ModelFacts, ModelId, ModelSource } from "./worker/protocol";

export interface OpenModel {
  id: ModelId;
  name: string;
  facts: ModelFacts;
  source: ModelSource;
  /** Made in this page and not saved yet. */
  trained: boolean;
}

export type PanelView = "text" | "table";

export interface PanelChoice {
  key: number;
  model: ModelId;
  superwords: boolean;
  view: PanelView;
}

export type Colours = "turn" | "id" | "superwords";

export interface Options {
  whitespace: boolean;
  special: boolean;
  cut: boolean;
  colours: Colours;
}

export const MOST_PANELS = 3;

export const state = {
  models: [] as OpenModel[],
  panels: [] as PanelChoice[],
  options: { whitespace: true, special: false, cut: false, colours: "turn" } as Options,
  presets: [] as string[],
  /** The text that the encodings below belong to. */
  shown: { text: "", encoded: null as EncodedText | null, cuts: [] as Cut[] },
};

/**
 * `models`: opened or closed. `panels`: added, removed or changed. `text`: edited. `options`: how
 * tokens look. `special`: what is encoded. `encoded`: new encodings arrived. `cursor`: it moved.
 * `cut`: the cuts arrived.
 */
export type Change = "models" | "panels" | "text" | "options" | "special" | "encoded" | "cursor" | "cut";

const listeners = new Map<Change, (() => void)[]>();

export function on(changes: Change[], call: () => void): void {
  for (const change of changes) {
    listeners.set(change, [...(listeners.get(change) ?? []), call]);
  }
}

export function changed(change: Change): void {
  for (const call of listeners.get(change) ?? []) call();
}

let nextKey = 1;

export function addPanel(model: ModelId, superwords: boolean): void {
  state.panels.push({ key: nextKey++, model, superwords, view: "text" });
}

export function modelOf(id: ModelId): OpenModel | undefined {
  return state.models.find((model) => model.id === id);
}

/** Shows one model: its words beside its superwords, if it has superwords. */
export function showModel({ id, facts }: OpenModel): void {
  state.panels = [];
  addPanel(id, false);
  if (facts.superwords > 0) addPanel(id, true);
}

/** The panels of a page that just opened. */
export function defaultPanels(): void {
  const [first, ...others] = state.models;
  if (!first) return;
  if (!others.length) {
    showModel(first);
    return;
  }
  state.panels = [];
  for (const model of state.models.slice(0, MOST_PANELS)) {
    addPanel(model.id, model.facts.superwords > 0);
  }
}

/** Returns a name that no other model has. */
export function freeName(name: string): string {
  const taken = new Set(state.models.map((model) => model.name));
  let free = name;
  for (let i = 2; taken.has(free); i++) free = `${name} (${i})`;
  return free;
}
