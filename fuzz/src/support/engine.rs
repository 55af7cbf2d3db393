//! Everything of the engine that the targets use, in one place.

pub use superword::corpus::{
    CorpusError, DocumentSink, Format, OnError, ReadError, ReadOptions, ReadReport, Source, frame,
    read_parallel,
};
pub use superword::count::{
    BigramBounds, CandidateCounts, CountFileError, Counts, NamedCandidates, Partition,
    PretokenCounts, TokenColumn, numbers,
};
pub use superword::encode::{Encoder, OffsetUnit};
pub use superword::imports::tiktoken::Encoding;
pub use superword::imports::{Kind, Options, Source as Content, byte_chars, open};
pub use superword::model::{
    AddedToken, Alphabet, Event, MAGIC, Method, Model, ModelParts, Normalizer, PickySplit,
};
pub use superword::observe::{Phase, Silent};
pub use superword::text::{
    Matcher, PRESETS, PatternError, Pretokenizer, PretokenizerConfig, ScriptPattern, SplitError,
};
pub use superword::token::{Symbol, TokenId};
pub use superword::train::{
    Boundary, GreedySplit, Picky, Resources, TrainOptions, train, train_documents,
};

/// A pretokenizer that never uses a scanner written for a preset, only the regex engine.
pub fn generic_pretokenizer(config: PretokenizerConfig) -> Result<Pretokenizer, PatternError> {
    Pretokenizer::new_generic(config)
}
