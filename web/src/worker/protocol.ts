// What the page and its worker say to each other.

export type ModelId = number;

/** A model as the page received it. The page keeps it, so that a restarted worker can open it again. */
export interface ModelSource {
  name: string;
  /** The bytes of the file, or base64 of the gzipped bytes for a model inside the page. */
  file: Uint8Array<ArrayBuffer> | string;
  options: OpenOptions;
}

export interface OpenOptions {
  config?: string;
  sidecar?: string;
  pattern?: string;
}

export interface SpecialToken {
  text: string;
  id: number;
  special: boolean;
}

export interface ModelFacts {
  method: string;
  n_vocab: number;
  alphabet: unknown;
  pretokenizer: unknown;
  merges: number;
  supermerges: number;
  superwords: number;
  special_tokens: SpecialToken[];
  normalizer: string | null;
  facts: unknown;
  settings: unknown;
  counts_known: boolean;
}

export type TokenKind = "byte" | "merge" | "superword" | "special" | "added" | "unmade";

export interface TokenFacts {
  id: number;
  bytes: number[];
  text: string | null;
  kind: TokenKind;
  count: number | null;
  left: number | null;
  right: number | null;
  words: number;
}

export interface TreeNode extends Omit<TokenFacts, "id" | "left" | "right"> {
  /** A token that was deleted after it was used has none. */
  id: number | null;
  left: TreeNode | null;
  right: TreeNode | null;
}

/** The ids of a search or of "used in": a page of them, and how many there are. */
export interface Found {
  total: number;
  ids: number[];
  tokens: TokenFacts[];
}

export interface Query {
  text?: string;
  regex?: boolean;
  only_superwords?: boolean;
  order: "id" | "longest" | "frequent";
  offset: number;
  limit: number;
}

/** What a panel shows: a model, with its superwords or only with its words. */
export interface Side {
  model: ModelId;
  superwords: boolean;
}

export interface Encoding extends Side {
  ids: Uint32Array;
  starts: Uint32Array;
  ends: Uint32Array;
  byteStarts: Uint32Array;
  byteEnds: Uint32Array;
  kinds: Uint8Array;
  /** The bytes of each token in the text that is not made of whole characters, by id. */
  partial: Map<number, number[]>;
  /** How many tokens the words of the same model give. */
  wordCount: number;
}

export const SUPERWORD = 1;
export const SPECIAL = 2;
export const ADDED = 3;
export const PARTIAL = 8;

export interface EncodedText {
  bytes: number;
  characters: number;
  encodings: Encoding[];
}

/** How the tokens before the cursor change if the text ends there. */
export interface Cut extends Side {
  /** Where the text is cut, in UTF-16 code units. */
  at: number;
  /** This many tokens at the start are the same. */
  same: number;
  /** The first token of the whole text that starts at or after the cut. */
  after: number;
  /** The token of the whole text that lies on both sides of the cut, or -1. */
  bridge: number;
  /** The tokens that take the place of `same` to `after` in the cut text, at most a few. */
  instead: { ids: number[]; tokens: TokenFacts[]; total: number };
}

export interface TrainOptions {
  method: string;
  vocab_size: number;
  supermerges?: number;
  pretokenizer?: string;
}

/** Each request with its arguments and its answer. */
export interface Requests {
  start: { args: { engine: string }; answer: { version: string; presets: string[] } };
  open: { args: { model: ModelId; source: ModelSource }; answer: ModelFacts };
  close: { args: { model: ModelId }; answer: null };
  encode: { args: { text: string; sides: Side[]; special: boolean }; answer: EncodedText };
  cut: { args: { text: string; at: number; sides: Side[]; special: boolean }; answer: Cut[] };
  tokens: { args: { model: ModelId; ids: number[] }; answer: TokenFacts[] };
  tree: { args: { model: ModelId; id: number }; answer: TreeNode };
  usedIn: { args: { model: ModelId; id: number; limit: number }; answer: Found };
  search: { args: { model: ModelId; query: Query }; answer: Found };
  save: { args: { model: ModelId }; answer: Uint8Array<ArrayBuffer> };
  train: { args: { documents: string[]; options: TrainOptions }; answer: Uint8Array<ArrayBuffer> };
}

export type RequestName = keyof Requests;

export interface Request<N extends RequestName = RequestName> {
  number: number;
  name: N;
  args: Requests[N]["args"];
}

export interface Problem {
  message: string;
  hint?: string;
  code?: string;
  /** The engine's memory may be damaged: the worker has to be replaced. */
  fatal: boolean;
}

export interface Progress {
  phase: string;
  done: number;
  total: number | undefined;
}

export type Reply =
  | { number: number; answer: unknown }
  | { number: number; problem: Problem }
  | { number: number; progress: Progress };
