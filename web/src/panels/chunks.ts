// A long list of tokens of which only the visible part is in the page.
//
// Tokens are grouped into chunks. Each chunk is one element; those near the visible part are
// filled, the others are empty and as high as they were, or as they probably will be. For a screen
// reader the whole is a list box with one active option.

import { h } from "../dom";

/** A chunk has at most this many tokens; in a very long text more, so that there are not too many chunks. */
const MOST = 300;
const MOST_CHUNKS = 1000;
/** So many linked tokens are marked at most. */
const MOST_LINKED = 300;
const LINE_PX = 30;
const CHARACTER_PX = 9;

/** Where chunks start, and the number of tokens at the end. A chunk ends at a line end if it can. */
export function chunkBounds(text: string, starts: Uint32Array, ends: Uint32Array): number[] {
  const bounds = [0];
  const count = starts.length;
  const most = Math.max(MOST, Math.ceil(count / MOST_CHUNKS));
  let first = 0;
  while (count - first > most) {
    let next = first + most;
    for (let i = first + (most >> 1); i < first + most; i++) {
      if (text.charCodeAt(ends[i]! - 1) === 10) {
        next = i + 1;
        break;
      }
    }
    // A character that is split into several tokens stays in one chunk.
    while (next < count && starts[next]! < ends[next - 1]! && next - first < 2 * most) next++;
    bounds.push(next);
    first = next;
  }
  if (count) bounds.push(count);
  return bounds;
}

interface Chunk {
  element: HTMLElement;
  /** The drawn tokens, or none while the chunk is empty. */
  tokens: HTMLElement[];
}

export interface ChunkContent {
  bounds: number[];
  /** How many characters the tokens of a chunk take, for guessing its height. */
  width: (first: number, end: number) => number;
  draw: (i: number) => HTMLElement;
  breaksBefore: (i: number) => boolean;
}

export class ChunkView {
  readonly element: HTMLElement;
  private readonly chunks: Chunk[] = [];
  private readonly observer: IntersectionObserver;
  private content: ChunkContent = { bounds: [0], width: () => 0, draw: () => h("span"), breaksBefore: () => false };
  private linked: HTMLElement[] = [];
  private links: [number, number] = [0, 0];
  private active = -1;

  /** `prefix` makes the ids of options unique in the page. */
  constructor(
    private readonly prefix: string,
    label: string,
    className: string,
    private readonly actions: {
      point: (i: number | null) => void;
      open: (i: number) => void;
    },
  ) {
    this.element = h("div", { class: `chunks ${className}`, tabindex: 0, "aria-label": label });
    this.observer = new IntersectionObserver((entries) => this.seen(entries), {
      root: this.element,
      rootMargin: "500px 0px",
    });
    this.element.addEventListener("pointerover", (event) => this.actions.point(this.indexOf(event.target)));
    this.element.addEventListener("pointerleave", () => this.actions.point(null));
    this.element.addEventListener("click", (event) => {
      const i = this.indexOf(event.target);
      if (i === null || !window.getSelection()?.isCollapsed) return;
      this.activate(i, false);
      this.actions.open(i);
    });
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("focus", () => {
      if (this.active < 0 && this.count) this.activate(this.firstVisible(), false);
    });
    this.element.addEventListener("blur", () => this.actions.point(null));
  }

  get count(): number {
    return this.content.bounds.at(-1) ?? 0;
  }

  /** Shows other tokens. Chunks that were visible stay where they are. */
  show(content: ChunkContent): void {
    this.content = content;
    const wanted = content.bounds.length - 1;
    while (this.chunks.length > wanted) {
      const { element } = this.chunks.pop()!;
      this.observer.unobserve(element);
      element.remove();
    }
    const added: HTMLElement[] = [];
    const perLine = Math.max(20, this.element.clientWidth / CHARACTER_PX);
    for (let c = 0; c < wanted; c++) {
      const known = this.chunks[c];
      if (known) {
        if (known.tokens.length) this.fill(c);
        continue;
      }
      const element = h("div", { class: "chunk", role: "presentation" });
      const width = content.width(content.bounds[c]!, content.bounds[c + 1]!);
      element.style.height = `${Math.ceil(width / perLine) * LINE_PX}px`;
      element.dataset["c"] = String(c);
      this.chunks.push({ element, tokens: [] });
      added.push(element);
    }
    this.element.append(...added);
    for (const element of added) this.observer.observe(element);
    // The first chunk is drawn at once, so that a short text never flickers.
    if (added.length && added[0] === this.chunks[0]?.element) this.fill(0);
    // An empty list box would be wrong for a screen reader.
    if (wanted > 0) this.element.setAttribute("role", "listbox");
    else this.element.removeAttribute("role");
    this.active = this.active < this.count ? this.active : -1;
    this.mark();
  }

  /** Marks the tokens from `first` up to `end` as linked. */
  link(first: number, end: number): void {
    this.links = [first, end];
    this.mark();
  }

  /** Scrolls a token into view and makes it the active option. */
  activate(i: number, scroll: boolean): void {
    const c = this.chunkOf(i);
    if (c < 0) return;
    if (!this.chunks[c]!.tokens.length) this.fill(c);
    this.active = i;
    if (scroll) this.find(i)?.scrollIntoView({ block: "nearest" });
    this.mark();
  }

  private find(i: number): HTMLElement | undefined {
    const c = this.chunkOf(i);
    return c < 0 ? undefined : this.chunks[c]!.tokens[i - this.content.bounds[c]!];
  }

  private chunkOf(i: number): number {
    const { bounds } = this.content;
    if (i < 0 || i >= this.count) return -1;
    let low = 0;
    let high = bounds.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (bounds[middle]! <= i) low = middle;
      else high = middle;
    }
    return low;
  }

  private indexOf(target: EventTarget | null): number | null {
    const token = target instanceof Element ? target.closest<HTMLElement>("[data-i]") : null;
    return token ? Number(token.dataset["i"]) : null;
  }

  private fill(c: number): void {
    const { bounds, draw, breaksBefore } = this.content;
    const chunk = this.chunks[c]!;
    const parts = document.createDocumentFragment();
    chunk.tokens = [];
    for (let i = bounds[c]!; i < bounds[c + 1]!; i++) {
      const token = draw(i);
      token.dataset["i"] = String(i);
      token.id = `${this.prefix}-${i}`;
      token.setAttribute("role", "option");
      token.setAttribute("aria-selected", "false");
      if (breaksBefore(i)) parts.append(document.createElement("wbr"));
      parts.append(token);
      chunk.tokens.push(token);
    }
    chunk.element.replaceChildren(parts);
    chunk.element.style.height = "";
  }

  private seen(entries: IntersectionObserverEntry[]): void {
    for (const entry of entries) {
      const c = Number((entry.target as HTMLElement).dataset["c"]);
      const chunk = this.chunks[c];
      if (!chunk) continue;
      if (entry.isIntersecting) {
        if (!chunk.tokens.length) this.fill(c);
      } else if (chunk.tokens.length && c > 0) {
        // A hidden view has no height, and says nothing about what is visible.
        if (!entry.rootBounds?.height) continue;
        chunk.element.style.height = `${entry.boundingClientRect.height}px`;
        chunk.element.replaceChildren();
        chunk.tokens = [];
      }
    }
    this.mark();
  }

  /** Sets the classes of linked and active tokens on what is in the page. */
  private mark(): void {
    for (const element of this.linked) {
      element.classList.remove("linked", "active");
      element.setAttribute("aria-selected", "false");
    }
    this.linked = [];
    const [first, end] = this.links;
    for (let i = first; i < Math.min(end, first + MOST_LINKED); i++) {
      const element = this.find(i);
      if (!element) continue;
      element.classList.add("linked");
      this.linked.push(element);
    }
    const active = this.find(this.active);
    if (active) {
      active.classList.add("active");
      active.setAttribute("aria-selected", "true");
      this.linked.push(active);
      this.element.setAttribute("aria-activedescendant", active.id);
    } else {
      this.element.removeAttribute("aria-activedescendant");
    }
  }

  private firstVisible(): number {
    const top = this.element.getBoundingClientRect().top;
    for (const { tokens } of this.chunks) {
      for (const token of tokens) {
        if (token.getBoundingClientRect().bottom > top) return Number(token.dataset["i"]);
      }
    }
    return 0;
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.count) return;
    const to = this.target(event.key);
    if (event.key === "Enter" || event.key === " ") {
      if (this.active >= 0) this.actions.open(this.active);
    } else if (to !== null) {
      this.activate(Math.max(0, Math.min(this.count - 1, to)), true);
      this.actions.point(this.active);
    } else {
      return;
    }
    event.preventDefault();
  }

  private target(key: string): number | null {
    switch (key) {
      case "ArrowLeft":
        return this.active - 1;
      case "ArrowRight":
        return this.active + 1;
      case "ArrowUp":
        return this.onNextLine(-1);
      case "ArrowDown":
        return this.onNextLine(1);
      case "PageUp":
        return this.active - 50;
      case "PageDown":
        return this.active + 50;
      case "Home":
        return 0;
      case "End":
        return this.count - 1;
      default:
        return null;
    }
  }

  /** The token above or below the active one, as it looks on the screen. */
  private onNextLine(step: 1 | -1): number {
    const from = this.find(this.active)?.getClientRects()[0];
    if (!from) return this.active + step;
    let best = this.active + step;
    let line: number | undefined;
    let nearest = Infinity;
    for (let i = this.active + step; i >= 0 && i < this.count; i += step) {
      const box = this.find(i)?.getClientRects()[0];
      if (!box) break;
      if (Math.abs(box.top - from.top) < 4) continue;
      line ??= box.top;
      if (Math.abs(box.top - line) > 4) break;
      const distance = Math.abs(box.left - from.left);
      if (distance < nearest) {
        nearest = distance;
        best = i;
      }
    }
    return best;
  }
}
