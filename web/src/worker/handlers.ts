// The requests that the worker answers, each by one call of the engine or a few.

import init, { Model, presets, version } from "engine";
import { decodeInline } from "./inline";
import type {
  Cut,
  EncodedText,
  Encoding,
  Found,
  ModelFacts,
  ModelId,
  Progress,
  RequestName,
  Requests,
  Side,
  TokenFacts,
  TreeNode,
} from "./protocol";
import { PARTIAL } from "./protocol";

type Handlers = {
  [N in RequestName]: (
    args: Requests[N]["args"],
    report: (progress: Progress) => void,
  ) => Requests[N]["answer"] | Promise<Requests[N]["answer"]>;
};

/** A list of changed tokens is for reading, so a few are enough. */
const MOST_CHANGED = 40;

const models = new Map<ModelId, Model>();

function model(id: ModelId): Model {
  const found = models.get(id);
  if (!found) throw new Error("This model is no longer open.");
  return found;
}

function facts(of: Model, ids: Iterable<number>): TokenFacts[] {
  return Array.from(ids, (id) => JSON.parse(of.token(id)) as TokenFacts);
}

function found(of: Model, json: string): Found {
  const { total, ids } = JSON.parse(json) as { total: number; ids: number[] };
  return { total, ids, tokens: facts(of, ids) };
}

/** The ids of the last encoded text, so that moving the cursor does not encode all of it again. */
const last = { text: "", special: false, encodings: new Map<string, Encoding>() };

function encodeSide(text: string, side: Side, special: boolean): Encoding {
  if (last.text !== text || last.special !== special) {
    last.text = text;
    last.special = special;
    last.encodings.clear();
  }
  const key = `${side.model} ${side.superwords}`;
  const known = last.encodings.get(key);
  if (known) return known;
  const of = model(side.model);
  const encoded = of.encode(text, side.superwords, special);
  const { ids, kinds } = encoded;
  const partial = new Map<number, number[]>();
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i]!;
    if (kinds[i]! & PARTIAL && !partial.has(id)) {
      partial.set(id, (JSON.parse(of.token(id)) as TokenFacts).bytes);
    }
  }
  const encoding: Encoding = {
    ...side,
    ids,
    kinds,
    starts: encoded.starts,
    ends: encoded.ends,
    byteStarts: encoded.byte_starts,
    byteEnds: encoded.byte_ends,
    partial,
    wordCount: ids.length,
  };
  encoded.free();
  last.encodings.set(key, encoding);
  if (side.superwords) {
    encoding.wordCount = encodeSide(text, { ...side, superwords: false }, special).ids.length;
  }
  return encoding;
}

function measure(text: string): { bytes: number; characters: number } {
  let bytes = 0;
  let characters = 0;
  for (let i = 0; i < text.length; i++) {
    const point = text.codePointAt(i)!;
    characters++;
    if (point > 0xffff) i++;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return { bytes, characters };
}

function encode({ text, sides, special }: Requests["encode"]["args"]): EncodedText {
  return { ...measure(text), encodings: sides.map((side) => encodeSide(text, side, special)) };
}

function cutSide(text: string, at: number, side: Side, special: boolean): Cut {
  const whole = encodeSide(text, side, special);
  const of = model(side.model);
  const encoded = of.encode(text.slice(0, at), side.superwords, special);
  const ids = encoded.ids;
  encoded.free();
  let same = 0;
  while (same < ids.length && ids[same] === whole.ids[same] && whole.ends[same]! <= at) same++;
  let after = same;
  let bridge = -1;
  while (after < whole.ids.length && whole.starts[after]! < at) {
    if (whole.ends[after]! > at) bridge = after;
    after++;
  }
  const instead = Array.from(ids.subarray(same, same + MOST_CHANGED));
  return {
    ...side,
    at,
    same,
    after,
    bridge,
    instead: { ids: instead, tokens: facts(of, instead), total: ids.length - same },
  };
}

export const handlers: Handlers = {
  async start({ engine }) {
    await init({ module_or_path: await decodeInline(engine) });
    return { version: version(), presets: presets() };
  },
  async open({ model: id, source }) {
    const file = typeof source.file === "string" ? await decodeInline(source.file) : source.file;
    const opened = Model.open(source.name, file, JSON.stringify(source.options));
    models.set(id, opened);
    return JSON.parse(opened.describe()) as ModelFacts;
  },
  close({ model: id }) {
    const closed = models.get(id);
    models.delete(id);
    last.encodings.clear();
    closed?.free();
    return null;
  },
  encode,
  cut: ({ text, at, sides, special }) => sides.map((side) => cutSide(text, at, side, special)),
  tokens: ({ model: id, ids }) => facts(model(id), ids),
  tree: ({ model: id, id: token }) => JSON.parse(model(id).tree(token)) as TreeNode,
  usedIn: ({ model: id, id: token, limit }) => found(model(id), model(id).used_in(token, limit)),
  search: ({ model: id, query }) => found(model(id), model(id).search(JSON.stringify(query))),
  save: ({ model: id }) => new Uint8Array(model(id).save()),
  train({ documents, options }, report) {
    const trained = Model.train(documents, JSON.stringify(options), (phase, done, total) =>
      report({ phase, done, total }),
    );
    const bytes = new Uint8Array(trained.save());
    trained.free();
    return bytes;
  },
};
