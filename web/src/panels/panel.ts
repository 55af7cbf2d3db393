// One panel: a model, its numbers, and the text as its tokens.

import { fillSelect, h } from "../dom";
import { tokenFacts } from "../engine";
import { showDone, showError, showProblem } from "../notices";
import { changed, modelOf, state, type PanelChoice, type PanelView } from "../state";
import { openToken } from "../dialogs/token";
import { ChunkView, chunkBounds } from "./chunks";
import { drawCut } from "./cut";
import { link, onLink, tokensIn, type Link } from "./linking";
import { TokenTable } from "./table";
import { breaksBefore, describeToken, drawId, drawText, type Drawn } from "./tokens";
import { drawTotals } from "./totals";

const VIEWS: [PanelView, string][] = [
  ["text", "Text and ids"],
  ["table", "Table"],
];

export class Panel {
  readonly element: HTMLElement;
  private readonly model = h("select", { "aria-label": "Model" });
  private readonly kinds: HTMLInputElement[];
  private readonly totals = h("div", { class: "totals" });
  private readonly cut = h("div", { class: "cut", hidden: true });
  private readonly readout = h("p", { class: "readout" });
  private readonly tabs: HTMLButtonElement[];
  private readonly pages: Record<PanelView, HTMLElement>;
  private readonly text: ChunkView;
  private readonly ids: ChunkView;
  private readonly table: TokenTable;
  private readonly title = h("h2");
  private readonly unlink: () => void;
  private drawn: Drawn | null = null;
  private tableIsOld = true;

  constructor(
    readonly choice: PanelChoice,
    remove: () => void,
  ) {
    const { key } = choice;
    const actions = {
      point: (i: number | null) => this.point(i),
      open: (i: number) => this.open(i),
    };
    this.text = new ChunkView(`text${key}`, "Tokens in the text", "as-text", actions);
    this.ids = new ChunkView(`ids${key}`, "Ids", "as-ids", actions);
    this.table = new TokenTable("Tokens with their ids, bytes and offsets", actions);
    for (const { element } of [this.text, this.ids]) {
      element.addEventListener("copy", (event) => this.copySelection(event, element));
    }
    this.kinds = [false, true].map((superwords) => this.kindRadio(superwords));
    this.tabs = VIEWS.map(([view, name]) => this.tab(view, name));
    this.pages = {
      text: this.page("text", this.text.element, this.ids.element),
      table: this.page("table", this.table.element),
    };
    this.model.addEventListener("change", () => this.chooseModel(Number(this.model.value)));
    this.element = h(
      "section",
      { class: "panel", "aria-labelledby": `panel${key}` },
      h(
        "header",
        {},
        this.title,
        h("button", { type: "button", class: "icon remove", "aria-label": "Remove this panel", title: "Remove this panel", onclick: remove, text: "×" }),
        this.model,
        h(
          "fieldset",
          { class: "segments" },
          h("legend", { class: "hidden", text: "Tokens" }),
          ...this.kinds.flatMap((radio, i) => [radio, h("label", { for: radio.id, text: i ? "superwords" : "words" })]),
        ),
      ),
      this.totals,
      this.cut,
      h(
        "div",
        { class: "views" },
        h("div", { class: "tabs", role: "tablist", "aria-label": "View" }, ...this.tabs),
        h("button", { type: "button", class: "copy-ids", onclick: () => void this.copyIds(), text: "Copy ids" }),
      ),
      this.pages.text,
      this.pages.table,
      this.readout,
    );
    this.title.id = `panel${key}`;
    this.unlink = onLink((to) => this.showLink(to));
    this.showView();
    this.showReadout(null);
  }

  /** Frees what outlives the element. */
  dispose(): void {
    this.unlink();
  }

  /** Shows which model and which tokens are chosen. */
  showChoice(index: number): void {
    const { model, superwords } = this.choice;
    this.title.textContent = `Panel ${index + 1}`;
    fillSelect(
      this.model,
      state.models.map(({ id, name }) => ({ value: String(id), label: name })),
      String(model),
    );
    this.model.title = modelOf(model)?.name ?? "";
    const none = !modelOf(model)?.facts.superwords;
    this.kinds.forEach((radio, i) => {
      radio.checked = superwords === Boolean(i);
      radio.disabled = none && Boolean(i);
    });
    this.kinds[1]!.nextElementSibling?.setAttribute("title", none ? "This model has no superwords" : "");
    const only = state.panels.length < 2;
    this.element.querySelector<HTMLButtonElement>(".remove")!.hidden = only;
  }

  /** Draws the encoding that belongs to this panel. */
  showEncoding(index: number): void {
    const { text, encoded, cuts } = state.shown;
    const encoding = encoded?.encodings[index];
    if (!encoded || !encoding) return;
    const drawn: Drawn = { text, encoding, cut: state.options.cut ? cuts[index] : undefined };
    this.drawn = drawn;
    this.totals.replaceChildren(...drawTotals(encoded, index));
    this.cut.hidden = !drawn.cut;
    this.cut.replaceChildren(...drawCut(drawn));
    const bounds = chunkBounds(text, encoding.starts, encoding.ends);
    this.text.show({
      bounds,
      width: (first, end) => encoding.ends[end - 1]! - encoding.starts[first]!,
      draw: (i) => drawText(drawn, i),
      breaksBefore: (i) => breaksBefore(drawn, i),
    });
    this.ids.show({
      bounds,
      width: (first, end) => (end - first) * 5,
      draw: (i) => drawId(drawn, i),
      breaksBefore: () => true,
    });
    this.tableIsOld = true;
    this.showTable();
    this.showReadout(null);
  }

  private showTable(): void {
    if (this.choice.view !== "table" || !this.tableIsOld || !this.drawn) return;
    this.table.show(this.drawn);
    this.tableIsOld = false;
  }

  private chooseModel(model: number): void {
    this.choice.model = model;
    if (!modelOf(model)?.facts.superwords) this.choice.superwords = false;
    changed("panels");
  }

  private kindRadio(superwords: boolean): HTMLInputElement {
    const { key } = this.choice;
    return h("input", {
      type: "radio",
      name: `kind${key}`,
      id: `kind${key}-${superwords}`,
      onchange: () => {
        this.choice.superwords = superwords;
        changed("panels");
      },
    });
  }

  private tab(view: PanelView, name: string): HTMLButtonElement {
    const { key } = this.choice;
    return h("button", {
      type: "button",
      role: "tab",
      id: `tab${key}-${view}`,
      "aria-controls": `page${key}-${view}`,
      onclick: () => this.chooseView(view),
      onkeydown: (event: KeyboardEvent) => {
        if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
        this.chooseView(view === "text" ? "table" : "text");
        this.tabs.find((tab) => tab.tabIndex === 0)?.focus();
      },
      text: name,
    });
  }

  private page(view: PanelView, ...content: HTMLElement[]): HTMLElement {
    const { key } = this.choice;
    return h(
      "div",
      { role: "tabpanel", id: `page${key}-${view}`, "aria-labelledby": `tab${key}-${view}` },
      ...content,
    );
  }

  private chooseView(view: PanelView): void {
    this.choice.view = view;
    this.showView();
    this.showTable();
  }

  private showView(): void {
    VIEWS.forEach(([view], i) => {
      const chosen = view === this.choice.view;
      this.tabs[i]!.setAttribute("aria-selected", String(chosen));
      this.tabs[i]!.tabIndex = chosen ? 0 : -1;
      this.pages[view].hidden = !chosen;
    });
  }

  private point(i: number | null): void {
    const { drawn } = this;
    if (i === null || !drawn) {
      link(null);
      return;
    }
    const { starts, ends } = drawn.encoding;
    link({ start: starts[i]!, end: ends[i]!, panel: this.choice.key, token: i });
  }

  private open(i: number): void {
    if (this.drawn) openToken(this.drawn.encoding.model, this.drawn.encoding.ids[i]!);
  }

  private showLink(to: Link | null): void {
    if (!this.drawn) return;
    const own = to?.panel === this.choice.key ? to.token : null;
    let range: [number, number] = [0, 0];
    if (own !== null) range = [own, own + 1];
    else if (to) range = tokensIn(this.drawn.encoding, to.start, to.end);
    this.text.link(...range);
    this.ids.link(...range);
    this.table.link(...range);
    this.showReadout(range[1] > range[0] ? range : null);
  }

  private showReadout(range: [number, number] | null): void {
    const { drawn } = this;
    this.readout.classList.toggle("empty", !range);
    if (!range || !drawn) {
      this.readout.textContent = "Point at a token to see it everywhere. Click it to see how it was made.";
      return;
    }
    const [first, end] = range;
    if (end - first > 1) {
      this.readout.textContent = `tokens ${first + 1}–${end} · ids ${drawn.encoding.ids.subarray(first, Math.min(end, first + 12)).join(" ")}${end - first > 12 ? " …" : ""}`;
      return;
    }
    const id = drawn.encoding.ids[first]!;
    this.readout.textContent = describeToken(drawn, first, undefined);
    const text = this.readout.textContent;
    tokenFacts(drawn.encoding.model, [id])
      .then((facts) => {
        if (this.readout.textContent === text) {
          this.readout.textContent = describeToken(drawn, first, facts.get(id));
        }
      })
      .catch(showError);
  }

  /** Copies what the tokens stand for: the text without signs, or the ids with spaces. */
  private copySelection(event: ClipboardEvent, view: HTMLElement): void {
    const selection = window.getSelection();
    if (!this.drawn || !selection?.rangeCount) return;
    const range = selection.getRangeAt(0);
    const chosen = [...view.querySelectorAll<HTMLElement>("[data-i]")].filter((token) => range.intersectsNode(token));
    if (!chosen.length) return;
    const first = Number(chosen[0]!.dataset["i"]);
    const last = Number(chosen.at(-1)!.dataset["i"]);
    const { text, encoding } = this.drawn;
    const copied =
      view === this.ids.element
        ? encoding.ids.subarray(first, last + 1).join(" ")
        : text.slice(encoding.starts[first], encoding.ends[last]);
    event.clipboardData?.setData("text/plain", copied);
    event.preventDefault();
  }

  private async copyIds(): Promise<void> {
    if (!this.drawn) return;
    try {
      await navigator.clipboard.writeText(`[${this.drawn.encoding.ids.join(", ")}]`);
      showDone("The ids are copied.");
    } catch {
      showProblem("This browser does not let the page copy.", "Select the ids and copy them with the keyboard.");
    }
  }
}
