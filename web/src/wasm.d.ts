// The interface of the engine, as crates/superword-wasm exports it. The build resolves the module
// name "engine" to the generated file in web/engine/.
declare module "engine" {
  export default function init(options: { module_or_path: BufferSource }): Promise<unknown>;

  export class Model {
    static open(name: string, file: Uint8Array, options: string): Model;
    static train(
      documents: string[],
      options: string,
      progress: (phase: string, done: number, total: number | undefined) => void,
    ): Model;
    describe(): string;
    save(): Uint8Array;
    encode(text: string, superwords: boolean, special: boolean): Encoded;
    token(id: number): string;
    tree(id: number): string;
    used_in(id: number, limit: number): string;
    search(query: string): string;
    free(): void;
  }

  export class Encoded {
    readonly ids: Uint32Array;
    readonly starts: Uint32Array;
    readonly ends: Uint32Array;
    readonly byte_starts: Uint32Array;
    readonly byte_ends: Uint32Array;
    readonly kinds: Uint8Array;
    free(): void;
  }

  export function presets(): string[];
  export function version(): string;
}
