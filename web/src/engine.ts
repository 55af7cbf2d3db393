// The engine behind the page: the worker that encodes, the models in it, and what happens if it
// has to be replaced.

import { byId } from "./dom";
import { offer, showError } from "./notices";
import { freeName, state, type OpenModel } from "./state";
import { EngineWorker } from "./worker/client";
import type { ModelId, ModelSource, RequestName, Requests, TokenFacts } from "./worker/protocol";

/** The code of the worker; the build puts it here. */
declare const WORKER_CODE: string;
const LONG_MS = 5000;

let worker: EngineWorker;
/** Settles when the worker has started and has opened the models of the page. */
let ready: Promise<Requests["start"]["answer"]>;
let nextModel: ModelId = 1;
let running = 0;

/** Starts a worker with the engine of this page. */
export function newWorker(): { worker: EngineWorker; ready: Promise<Requests["start"]["answer"]> } {
  const engine = byId("engine").textContent ?? "";
  const started = new EngineWorker(WORKER_CODE);
  return { worker: started, ready: started.call("start", { engine }) };
}

/**
 * Starts the engine, the first time or again. What the panels show stays: encoding the same text
 * again might be what broke the engine.
 */
export function startEngine(): Promise<Requests["start"]["answer"]> {
  const { worker: started, ready: answering } = newWorker();
  worker = started;
  ready = answering.then(async (answer) => {
    for (const { id, source } of state.models) await started.call("open", { model: id, source });
    state.presets = answer.presets;
    // A worker that never got this far would break again.
    started.onbroken = restart;
    return answer;
  });
  return ready;
}

function restart(): void {
  startEngine().catch((error) => showError(error, "The engine did not start again. Reload the page"));
}

/** Asks the engine, and shows that it is busy until it answers. */
export async function ask<N extends RequestName>(
  name: N,
  args: Requests[N]["args"],
): Promise<Requests[N]["answer"]> {
  busy(1);
  try {
    await ready;
    return await worker.call(name, args);
  } finally {
    busy(-1);
  }
}

let long = 0;
let withdraw: (() => void) | undefined;

function busy(change: number): void {
  running += change;
  document.documentElement.toggleAttribute("data-busy", running > 0);
  if (running > 0 && !long) {
    long = window.setTimeout(() => {
      withdraw = offer("The engine is still working.", "Stop it", () => {
        worker.stop();
        restart();
      });
    }, LONG_MS);
  } else if (running === 0) {
    clearTimeout(long);
    long = 0;
    withdraw?.();
    withdraw = undefined;
  }
}

/** Opens a model. On an error nothing changes. */
export async function openModel(source: ModelSource, trained = false): Promise<OpenModel> {
  const id = nextModel++;
  const facts = await ask("open", { model: id, source });
  const model: OpenModel = { id, name: freeName(source.name), facts, source, trained };
  state.models.push(model);
  return model;
}

export async function closeModel(id: ModelId): Promise<void> {
  state.models = state.models.filter((model) => model.id !== id);
  state.panels = state.panels.filter((panel) => panel.model !== id);
  known.delete(id);
  await ask("close", { model: id });
}

const known = new Map<ModelId, Map<number, TokenFacts>>();

/** Returns what is known about tokens, and asks the engine only for new ones. */
export async function tokenFacts(model: ModelId, ids: number[]): Promise<Map<number, TokenFacts>> {
  const tokens = known.get(model) ?? new Map<number, TokenFacts>();
  known.set(model, tokens);
  const missing = [...new Set(ids)].filter((id) => !tokens.has(id));
  if (missing.length) {
    for (const token of await ask("tokens", { model, ids: missing })) tokens.set(token.id, token);
  }
  return tokens;
}
