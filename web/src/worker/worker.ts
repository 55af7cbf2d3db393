// The worker: answers requests one after the other. All heavy work happens here.

import { handlers } from "./handlers";
import type { Problem, Progress, Reply, Request } from "./protocol";

const scope = self as unknown as DedicatedWorkerGlobalScope;
/** Progress more often than this would only cost time. */
const PROGRESS_EVERY_MS = 50;

function problemOf(error: unknown): Problem {
  if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
    return {
      message: `The engine stopped unexpectedly: ${error.message}`,
      hint: "This can happen if memory runs out. Try a shorter text or a smaller model.",
      fatal: true,
    };
  }
  const details = error as { message?: unknown; hint?: unknown; code?: unknown };
  const problem: Problem = { message: String(details?.message ?? error), fatal: false };
  if (typeof details?.hint === "string" && details.hint) problem.hint = details.hint;
  if (typeof details?.code === "string") problem.code = details.code;
  return problem;
}

function send(reply: Reply): void {
  scope.postMessage(reply);
}

let before: Promise<void> = Promise.resolve();

async function answer({ number, name, args }: Request): Promise<void> {
  let reported = 0;
  const report = (progress: Progress): void => {
    const now = performance.now();
    if (now - reported < PROGRESS_EVERY_MS) return;
    reported = now;
    send({ number, progress });
  };
  try {
    const handler = handlers[name] as (args: unknown, report: unknown) => unknown;
    send({ number, answer: await handler(args, report) });
  } catch (error) {
    send({ number, problem: problemOf(error) });
  }
}

scope.onmessage = (event: MessageEvent<Request>) => {
  before = before.then(() => answer(event.data));
};
