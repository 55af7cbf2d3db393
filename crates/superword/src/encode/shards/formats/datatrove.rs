//! Shards as the tokenized files of datatrove, which nanotron trains on too.
//!
//! `shard-00000.ds` holds the ids, and `shard-00000.ds.index` the end of each document, counted in
//! tokens, as `u64`. `shard-00000.ds.metadata` is text: the name of the tokenizer and the bytes of
//! an id, the number of tokens, and the same number for people.

use std::io::Write;

use super::{NewShard, ShardFiles, Sizes};
use crate::disk::Replacement;
use crate::encode::shards::ShardError;

/// How much of the checksum of a model is part of its name.
const NAME_DIGITS: usize = 16;

pub(super) fn sizes(ids: u64, documents: u64) -> Option<Sizes> {
    // The metadata is text, so its size depends on the numbers in it.
    Some(vec![Some(ids), Some(documents.checked_mul(8)?), None])
}

/// `shard-00000.ds`, `shard-00000.ds.index` and `shard-00000.ds.metadata`.
pub(super) struct DatatroveShard {
    ids: Replacement,
    index: Replacement,
    metadata: Replacement,
    /// The first line of the metadata.
    tokenizer: String,
    tokens: u64,
}

impl DatatroveShard {
    pub(super) fn create(shard: &NewShard<'_>) -> Result<DatatroveShard, ShardError> {
        // A model has no name, so a part of its checksum identifies it.
        let digits = shard.model_sha256.get(..NAME_DIGITS);
        let digits = digits.unwrap_or(shard.model_sha256);
        Ok(DatatroveShard {
            ids: Replacement::begin_own(&shard.path(".ds"))?,
            index: Replacement::begin_own(&shard.path(".ds.index"))?,
            metadata: Replacement::begin_own(&shard.path(".ds.metadata"))?,
            tokenizer: format!("superword-{digits}|{}", shard.dtype.size()),
            tokens: 0,
        })
    }
}

impl ShardFiles for DatatroveShard {
    fn append(&mut self, ids: &[u8], tokens: u64) -> Result<(), ShardError> {
        self.append_all(ids, &[tokens], 0)
    }

    fn append_all(&mut self, ids: &[u8], lengths: &[u64], _size: u64) -> Result<(), ShardError> {
        self.ids.append(ids)?;
        for tokens in lengths {
            self.tokens += tokens;
            self.index.append(&self.tokens.to_le_bytes())?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<Replacement>, ShardError> {
        let (tokenizer, tokens) = (&self.tokenizer, self.tokens);
        let text = format!("{tokenizer}\n{tokens}\n{}", for_people(tokens));
        self.metadata
            .write(|file| file.write_all(text.as_bytes()))?;
        Ok(vec![self.ids, self.index, self.metadata])
    }
}

/// A number of tokens with three digits, as datatrove shows it.
///
/// `for_people(12_345)` is `"12.3 kT"`.
fn for_people(tokens: u64) -> String {
    let digits = tokens.checked_ilog10().unwrap_or(0);
    let thousands = digits / 3;
    let prefix = ["", "k", "M", "G", "T", "P", "E"]
        .get(thousands as usize)
        .unwrap_or(&"");
    let shown = tokens as f64 / 1000f64.powi(thousands as i32);
    let decimals = 2 - (digits % 3) as usize;
    format!("{shown:.decimals$} {prefix}T")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_datatrove_does() {
        // The right side is what `humanize.metric(n, unit="T")` returns.
        for (tokens, shown) in [
            (0, "0.00 T"),
            (7, "7.00 T"),
            (42, "42.0 T"),
            (999, "999 T"),
            (1000, "1.00 kT"),
            (12_345, "12.3 kT"),
            (999_999, "1000 kT"),
            (100_000_123, "100 MT"),
            (7_500_000_000, "7.50 GT"),
            (u64::MAX, "18.4 ET"),
        ] {
            assert_eq!(for_people(tokens), shown);
        }
    }
}
