//! Everything of the engine that the targets use, in one place.

pub use superword::corpus::{
    CorpusError, DocumentSink, Format, OnError, ReadError, ReadOptions, ReadReport, Source,
    read_parallel,
};
pub use superword::count::{BigramBounds, CandidateCounts, PretokenCounts};
pub use superword::encode::shards::{PackedError, PackedIds};
pub use superword::encode::{Encoder, OffsetUnit};
pub use superword::imports::tiktoken::Encoding;
pub use superword::imports::{Kind, Options, Source as Content, open};
pub use superword::internal::{
    CountFileError, Counts, NamedCandidates, Partition, TokenColumn, byte_chars, frame,
    generic_pretokenizer, numbers,
};
pub use superword::model::{
    AddedToken, Alphabet, Event, MAGIC, Method, Model, ModelParts, Normalizer, PickySplit,
};
pub use superword::observe::{Phase, Silent};
pub use superword::text::{
    Matcher, PRESETS, Pretokenizer, PretokenizerConfig, ScriptPattern, SplitError,
};
pub use superword::token::{Symbol, TokenId};
pub use superword::train::{
    Boundary, GreedySplit, Picky, Resources, TrainOptions, train, train_documents,
};
