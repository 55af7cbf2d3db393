//! What each kept file depends on, in one place.
//!
//! The stages of a run build on each other:
//!
//! ```text
//! sample plan ─ pieces of counts ─ words ─ pieces of candidates ─ model
//! ```
//!
//! The key of a file is a hash of everything that its content depends on. If something is missing
//! from a key, a run silently uses stale work and gives a wrong model. So [`Keys::new`] takes the
//! option structs apart without `..`: a new option does not compile until someone has decided here
//! which stage depends on it.

use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_128;

use super::super::extent::Extent;
use super::super::{Resources, TrainOptions};
use crate::corpus::{ReadOptions, Sample, Weight};
use crate::text::PretokenizerConfig;

/// Makes the keys of a run.
#[derive(Debug)]
pub(in crate::train) struct Keys {
    /// The identity of each source.
    sources: Vec<String>,
    /// By source: the weight of its documents.
    weights: Vec<String>,
    /// By source: true if its weight is 0.
    left_out: Vec<bool>,
    /// How documents are read.
    reading: Value,
    /// How documents are split.
    pretokenizer: Value,
    sample: Option<Value>,
    /// What phase 1 depends on, apart from the counts.
    words: Value,
    /// What the model depends on, apart from the words and the candidates.
    model: Value,
}

impl Keys {
    /// `sources` has the identity of each source.
    pub(in crate::train) fn new(
        sources: Vec<String>,
        read: &ReadOptions,
        pretokenizer: &PretokenizerConfig,
        options: &TrainOptions,
        resources: &Resources,
    ) -> Keys {
        let ReadOptions {
            text_field,
            on_error,
            groups,
            // Derived from the sample options below.
            sample: _,
            threads: _,
            block_size: _,
            // Decides between an error and a model, not between models.
            allow_empty: _,
            document_memory: _,
        } = read;
        let TrainOptions {
            method,
            vocab_size,
            supermerges,
            alphabet,
            min_count,
            picky,
            greedy_split,
            max_words,
            same_script,
            boundary,
            veto,
            special_tokens,
            sample,
        } = options;
        // None of these changes any result. The size of a sketch depends on `max_memory` and is
        // added to the keys that need it.
        let Resources {
            work_dir: _,
            max_memory: _,
            piece_bytes: _,
            cutting: _,
        } = resources;
        let groups = groups.as_ref();
        let all = 0..sources.len();
        let weight = |source| groups.map(|groups| groups.weight_of(source));
        let group_of = |source| groups.and_then(|groups| groups.group_of(source));
        Keys {
            weights: all
                .clone()
                .map(|source| format!("{:?}", weight(source)))
                .collect(),
            left_out: all
                .clone()
                .map(|source| weight(source).is_some_and(Weight::is_zero))
                .collect(),
            reading: json!([
                env!("CARGO_PKG_VERSION"),
                text_field,
                format!("{on_error:?}")
            ]),
            pretokenizer: json!(format!("{pretokenizer:?}")),
            sample: sample.map(|Sample { max_bytes, seed }| json!([max_bytes, seed])),
            words: json!([
                options.word_tokens(),
                alphabet.name(),
                min_count,
                format!("{picky:?}"),
            ]),
            model: json!([
                method.name(),
                vocab_size,
                supermerges,
                format!("{greedy_split:?}"),
                max_words,
                same_script,
                format!("{boundary:?}"),
                veto,
                special_tokens,
                // The facts of the model name the groups.
                groups.map(|groups| &groups.groups[..]),
                all.map(group_of).collect::<Vec<_>>(),
            ]),
            sources,
        }
    }

    /// The files of the sample. A sample depends on the whole text, but on no weight except 0.
    pub(in crate::train) fn sample(&self) -> SampleNames {
        SampleNames::new(&self.sample_key())
    }

    fn sample_key(&self) -> String {
        hash(&json!([
            "sample",
            self.reading,
            self.sources,
            self.left_out,
            self.sample
        ]))
    }

    /// What counting a part of the input depends on, whatever is counted.
    fn text(&self, extent: &Extent) -> Value {
        let (text, weights) = match extent {
            Extent::Sources(range) => (
                json!(self.sources[range.clone()]),
                &self.weights[range.clone()],
            ),
            Extent::Section { source, bytes } => (
                json!([self.sources[*source], [bytes.start, bytes.end]]),
                &self.weights[*source..=*source],
            ),
            // The documents of a chunk come from any sources.
            Extent::Sample { chunks: _, hash } => {
                (json!(format!("sample {hash:032x}")), &self.weights[..])
            }
        };
        json!([
            self.reading,
            self.pretokenizer,
            text,
            weights,
            self.sample.as_ref().map(|_| self.sample_key()),
        ])
    }

    /// The key of the pretoken counts of a piece, with a sketch of `sketch_size` counters.
    pub(in crate::train) fn counts(&self, piece: &Extent, sketch_size: Option<usize>) -> String {
        hash(&json!(["count", self.text(piece), sketch_size]))
    }

    /// The key of the words that are learned from the pieces of these keys.
    pub(in crate::train) fn words(&self, pieces: &[String]) -> String {
        hash(&json!(["words", pieces, self.words]))
    }

    /// The key of the candidates of a piece. They depend on the words of the key `words`, and on
    /// the early cut: its threshold and the size of its sketch.
    pub(in crate::train) fn candidates(
        &self,
        piece: &Extent,
        words: &str,
        early_cut: Option<(u64, usize)>,
    ) -> String {
        hash(&json!(["candidates", self.text(piece), words, early_cut]))
    }

    /// The key of the model that is learned from the words of the key `words`.
    pub(in crate::train) fn model(&self, words: &str) -> String {
        hash(&json!(["model", words, self.model]))
    }
}

/// The names of the files of a sample.
#[derive(Debug)]
pub(in crate::train) struct SampleNames {
    /// Which documents are in it.
    pub(in crate::train) plan: String,
    /// Their texts.
    pub(in crate::train) texts: String,
    /// What the file of texts holds, and what was skipped.
    pub(in crate::train) record: String,
}

impl SampleNames {
    pub(in crate::train) fn new(key: &str) -> SampleNames {
        SampleNames {
            plan: format!("sample-{key}.plan"),
            texts: format!("sample-{key}.texts"),
            record: format!("sample-{key}.json"),
        }
    }
}

fn hash(value: &Value) -> String {
    format!("{:032x}", xxh3_128(value.to_string().as_bytes()))
}
