//! What the bindings of this project share with the engine. **Not part of the public API**: it may change in
//! any release, and the promises about versions do not apply to it.

use crate::text::{PatternError, Pretokenizer, PretokenizerConfig};

#[cfg(feature = "files")]
pub use crate::corpus::format::frame;
pub use crate::count::columns::{ColumnError, Columns, TokenColumn, numbers};
pub use crate::count::file::{CountFileError, Counts};
pub use crate::count::named::{NamedCandidates, NamedError as CandidatesError};
pub use crate::count::partition::{Checksum, Dropped, Partition, partition_of, pretoken_hash};
#[cfg(feature = "files")]
pub use crate::disk::{Identity, Replacement, create_directory, identity, replace};
pub use crate::encode::batch::{
    NotUnicode, Placed, SourceError, TextSource, count_source, encode_source, encode_to_place,
    make_room, push_utf8,
};
pub use crate::encode::offsets::offsets_source;
pub use crate::imports::byte_chars::byte_chars;
pub use crate::model::facts::read_facts;
pub use crate::text::presets::DEEPSEEK_SPLITS;
pub use crate::text::script::{Script, is_real};
pub use crate::text::shapes::Shape;
pub use crate::threads::MAX as MAX_THREADS;

/// A pretokenizer that never uses a scanner written for a preset, only the regex engine.
pub fn generic_pretokenizer(config: PretokenizerConfig) -> Result<Pretokenizer, PatternError> {
    Pretokenizer::new_generic(config)
}

/// The string at `field` of a line of JSON, as the reader of JSON Lines finds it.
#[cfg(feature = "files")]
pub fn jsonl_text(line: &str, field: &str) -> Result<String, crate::corpus::CorpusError> {
    crate::corpus::jsonl_text(line, field)
}

/// The same for any line with `serde_json` alone, as a reference for [`jsonl_text`].
#[cfg(feature = "files")]
pub fn jsonl_text_slowly(line: &str, field: &str) -> Result<String, crate::corpus::CorpusError> {
    crate::corpus::jsonl_text_slowly(line, field)
}
