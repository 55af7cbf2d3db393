// What the cut at the cursor does to the tokens of one panel.

import { h } from "../dom";
import { counted } from "../format";
import type { Cut } from "../worker/protocol";
import { drawInline, tokenLabel, type Drawn } from "./tokens";

const MOST_SHOWN = 12;

function verdict(cut: Cut): string {
  if (cut.bridge < 0 && cut.same === cut.after && !cut.instead.total) {
    return "No token changes: the text can be cut here.";
  }
  const changed = cut.after - cut.same;
  const bridge = cut.bridge >= 0 ? "A token bridges the cut. " : "";
  return `${bridge}${counted(changed, "token")} would become ${counted(cut.instead.total, "other")}.`;
}

/** Draws the tokens before the cut as they are, and as they would be. */
export function drawCut(drawn: Drawn): HTMLElement[] {
  const { cut } = drawn;
  if (!cut) return [];
  const parts: HTMLElement[] = [h("p", { class: "verdict", text: verdict(cut) })];
  if (cut.same === cut.after && !cut.instead.total) return parts;
  const whole = h("dd");
  for (let i = cut.same; i < Math.min(cut.after, cut.same + MOST_SHOWN); i++) {
    whole.append(drawInline(drawn, i));
  }
  if (cut.after - cut.same > MOST_SHOWN) whole.append("…");
  const alone = h("dd");
  for (const token of cut.instead.tokens.slice(0, MOST_SHOWN)) alone.append(tokenLabel(token, "plain"));
  if (cut.instead.total > MOST_SHOWN) alone.append("…");
  if (!cut.instead.total) alone.append("nothing");
  parts.push(h("dl", {}, h("dt", { text: "whole text" }), whole, h("dt", { text: "cut here" }), alone));
  return parts;
}
