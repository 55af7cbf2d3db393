// The table of tokens. Only the visible rows are in the page.

import { h } from "../dom";
import { tokenFacts } from "../engine";
import { hex } from "../format";
import { showError } from "../notices";
import { modelOf } from "../state";
import { appendParts, partsAt, type Drawn } from "./tokens";
import type { TokenFacts } from "../worker/protocol";

const ROW_PX = 30;
/** Browsers cannot draw elements higher than about 33 million pixels. */
const HIGHEST_PX = 15_000_000;
const COLUMNS = ["#", "id", "token", "bytes", "characters", "byte offsets"];
const SPARE = 6;

export class TokenTable {
  readonly element: HTMLElement;
  private readonly body: HTMLElement;
  private readonly space: HTMLElement;
  private drawn: Drawn | null = null;
  private linked: [number, number] = [0, 0];
  private rows: HTMLElement[] = [];
  private first = 0;
  private waiting = false;

  constructor(
    label: string,
    private readonly actions: {
      point: (i: number | null) => void;
      open: (i: number) => void;
    },
  ) {
    const header = h(
      "div",
      { class: "row head", role: "row", "aria-rowindex": 1 },
      ...COLUMNS.map((name) => h("span", { role: "columnheader", text: name })),
    );
    this.body = h("div", { class: "rows", role: "rowgroup" });
    this.space = h("div", { class: "space", role: "presentation" }, this.body);
    this.element = h(
      "div",
      { class: "table", role: "table", "aria-label": label, tabindex: 0 },
      h("div", { role: "rowgroup", class: "heads" }, header),
      this.space,
    );
    this.element.addEventListener("scroll", () => this.later(), { passive: true });
    this.element.addEventListener("pointerover", (event) => {
      const row = (event.target as Element).closest<HTMLElement>("[data-i]");
      this.actions.point(row ? Number(row.dataset["i"]) : null);
    });
    this.element.addEventListener("pointerleave", () => this.actions.point(null));
    new ResizeObserver(() => this.later()).observe(this.element);
  }

  show(drawn: Drawn): void {
    this.drawn = drawn;
    this.element.setAttribute("aria-rowcount", String(drawn.encoding.ids.length + 1));
    this.draw();
  }

  link(first: number, end: number): void {
    this.linked = [first, end];
    this.mark();
  }

  private later(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  private draw(): void {
    const { drawn, element } = this;
    if (!drawn || !element.clientHeight) return;
    const count = drawn.encoding.ids.length;
    const height = Math.min(count * ROW_PX, HIGHEST_PX);
    this.space.style.height = `${height}px`;
    const fits = Math.ceil(element.clientHeight / ROW_PX);
    // In a table that is too high to draw in full, the scroll position stands for a share of it.
    const exact = (element.scrollTop / Math.max(1, height)) * count;
    const top = Math.max(0, Math.min(count - fits, Math.floor(exact)));
    this.first = Math.max(0, top - SPARE);
    const end = Math.min(count, top + fits + SPARE);
    const shift = count * ROW_PX === height ? this.first * ROW_PX : element.scrollTop - (top - this.first) * ROW_PX;
    this.body.style.transform = `translateY(${shift}px)`;
    this.rows = [];
    for (let i = this.first; i < end; i++) this.rows.push(this.row(drawn, i));
    this.body.replaceChildren(...this.rows);
    this.mark();
    void this.addBytes(drawn, this.first, end);
  }

  private row(drawn: Drawn, i: number): HTMLElement {
    const { encoding } = drawn;
    const token = h("button", {
      type: "button",
      class: "t token-button",
      dir: "auto",
      "aria-haspopup": "dialog",
      onclick: () => this.actions.open(i),
    });
    if (encoding.kinds[i]! === 1) token.classList.add("superword");
    appendParts(token, partsAt(drawn, i), false);
    const cells = [
      String(i + 1),
      String(encoding.ids[i]),
      token,
      "",
      `${encoding.starts[i]}–${encoding.ends[i]}`,
      `${encoding.byteStarts[i]}–${encoding.byteEnds[i]}`,
    ];
    return h(
      "div",
      { class: "row", role: "row", "aria-rowindex": i + 2, "data-i": i },
      ...cells.map((cell) => h("span", { role: "cell" }, cell)),
    );
  }

  private async addBytes(drawn: Drawn, first: number, end: number): Promise<void> {
    const { ids, model } = drawn.encoding;
    let facts: Map<number, TokenFacts>;
    try {
      facts = await tokenFacts(model, Array.from(ids.subarray(first, end)));
    } catch (error) {
      // If the model was closed, the panel goes away as well.
      if (modelOf(model)) showError(error);
      return;
    }
    if (this.drawn !== drawn || this.first !== first) return;
    this.rows.forEach((row, at) => {
      const token = facts.get(ids[first + at]!);
      const cell = row.children[3];
      if (!token || !cell) return;
      cell.textContent = hex(token.bytes);
      cell.setAttribute("title", cell.textContent);
    });
  }

  private mark(): void {
    const [first, end] = this.linked;
    this.rows.forEach((row, at) => {
      const i = this.first + at;
      row.classList.toggle("linked", i >= first && i < end);
    });
  }
}
