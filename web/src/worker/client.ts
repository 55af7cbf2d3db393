// The page's side of the worker.

import type { Problem, Progress, Reply, RequestName, Requests } from "./protocol";

/** A problem that a person can read, with a hint and a code where there is one. */
export class EngineError extends Error {
  readonly hint: string | undefined;
  readonly code: string | undefined;
  readonly fatal: boolean;

  constructor(problem: Problem) {
    super(problem.message);
    this.hint = problem.hint;
    this.code = problem.code;
    this.fatal = problem.fatal;
  }
}

/** Rejects the requests that were waiting when a worker was stopped on purpose. */
export class Stopped extends Error {}

interface Waiting {
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
  progress: ((progress: Progress) => void) | undefined;
}

/** One worker with the engine in it. */
export class EngineWorker {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private next = 1;
  /** Called if the worker can no longer be used. */
  onbroken: (error: EngineError) => void = () => {};

  constructor(code: string) {
    const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    this.worker = new Worker(address);
    this.worker.onmessage = (event: MessageEvent<Reply>) => this.receive(event.data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.fail(event.message || "The worker did not start.");
    };
    this.worker.onmessageerror = () => this.fail("The worker sent something unreadable.");
  }

  call<N extends RequestName>(
    name: N,
    args: Requests[N]["args"],
    progress?: (progress: Progress) => void,
  ): Promise<Requests[N]["answer"]> {
    const number = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(number, {
        resolve: resolve as (answer: unknown) => void,
        reject,
        progress,
      });
      this.worker.postMessage({ number, name, args });
    });
  }

  /** Ends the worker, whatever it is doing. Requests that are waiting fail with `Stopped`. */
  stop(): void {
    this.worker.terminate();
    this.rejectAll(new Stopped("Stopped."));
  }

  private receive(reply: Reply): void {
    const waiting = this.waiting.get(reply.number);
    if (!waiting) return;
    if ("progress" in reply) {
      waiting.progress?.(reply.progress);
      return;
    }
    this.waiting.delete(reply.number);
    if ("answer" in reply) {
      waiting.resolve(reply.answer);
      return;
    }
    const error = new EngineError(reply.problem);
    waiting.reject(error);
    if (error.fatal) this.broken(error);
  }

  private fail(message: string): void {
    this.broken(new EngineError({ message, fatal: true }));
  }

  private broken(error: EngineError): void {
    this.worker.terminate();
    this.rejectAll(error);
    this.onbroken(error);
  }

  private rejectAll(error: Error): void {
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const one of waiting) one.reject(error);
  }
}
