// All panels, side by side.

import { byId } from "../dom";
import { addPanel, changed, modelOf, MOST_PANELS, on, state } from "../state";
import { Panel } from "./panel";
import { announceTotals } from "./totals";

export function setUpPanels(): void {
  const area = byId("panels");
  const add = byId<HTMLButtonElement>("add-panel");
  const empty = byId("empty");
  const say = announceTotals(byId("spoken"));
  let panels: Panel[] = [];

  function addOne(): void {
    const last = state.panels.at(-1);
    const unused = state.models.find(({ id }) => !state.panels.some((panel) => panel.model === id));
    const model = unused ?? modelOf(last?.model ?? -1) ?? state.models[0];
    if (!model) return;
    const superwords = model.facts.superwords > 0;
    const taken = state.panels.some((panel) => panel.model === model.id && panel.superwords === superwords);
    addPanel(model.id, superwords && !taken);
    changed("panels");
    panels.at(-1)?.element.querySelector("select")?.focus();
  }

  function remove(key: number): void {
    const index = state.panels.findIndex((panel) => panel.key === key);
    state.panels = state.panels.filter((panel) => panel.key !== key);
    changed("panels");
    panels[Math.max(0, index - 1)]?.element.querySelector("select")?.focus();
  }

  /** Keeps the panels that are still chosen, so that their focus and scroll position stay. */
  function arrange(): void {
    const kept = new Map(panels.map((panel) => [panel.choice, panel]));
    const before = panels;
    panels = state.panels.map(
      (choice) => kept.get(choice) ?? new Panel(choice, () => remove(choice.key)),
    );
    for (const panel of before) {
      if (panels.includes(panel)) continue;
      panel.dispose();
      panel.element.remove();
    }
    panels.forEach((panel, i) => {
      if (area.children[i] !== panel.element) area.insertBefore(panel.element, area.children[i] ?? null);
      panel.showChoice(i);
    });
    add.hidden = !panels.length || panels.length >= MOST_PANELS;
    empty.hidden = state.models.length > 0;
  }

  add.addEventListener("click", addOne);
  on(["models", "panels"], arrange);
  on(["encoded", "options", "cut"], () => panels.forEach((panel, i) => panel.showEncoding(i)));
  on(["encoded"], say);
}
