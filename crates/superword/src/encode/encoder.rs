//! The encoder of a model: text → ids, ids → bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::cache::CACHE_BYTES;
use super::pretokens::{self, Workspace};
use super::shelf::Shelf;
use super::tables::Tables;
use crate::memory;
use crate::model::Model;
use crate::prepare::{Part, Preparation, Preparations};
use crate::text::{PatternError, Pretokenizer, SplitError};
use crate::token::TokenId;

/// Encodes with one model. Can be used from many threads at once.
///
/// ```
/// use superword::{Encoder, Method, Pretokenizer, PretokenizerConfig, TrainOptions};
/// # use superword::{observe::Silent, train_documents};
/// let pretokenizer = Pretokenizer::new(PretokenizerConfig::default())?;
/// let options = TrainOptions::new(Method::Bpe, 259);
/// let (model, _) = train_documents(&["low lower lowest"], &pretokenizer, &options, &Silent)?;
/// let encoder = Encoder::new(model)?;
/// let ids = encoder.encode("low")?;
/// assert_eq!(encoder.decode(&ids)?, b"low");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Encoder {
    model: Arc<Model>,
    tables: Tables,
    preparations: Preparations,
    /// Workspaces that are not in use. A call borrows one.
    pub(super) workspaces: Shelf<Workspace>,
    /// The cache size of each workspace.
    cache_bytes: AtomicUsize,
}

/// An id that no token has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("id {} at position {position} is not in the vocabulary, whose ids are below {n_vocab}", id.0)]
#[non_exhaustive]
pub struct UnknownId {
    /// The id.
    pub id: TokenId,
    /// Its index in the list of ids.
    pub position: usize,
    /// The size of the vocabulary.
    pub n_vocab: usize,
}

impl Encoder {
    /// Prepares all tables. The patterns of the model are compiled here.
    pub fn new(model: impl Into<Arc<Model>>) -> Result<Encoder, PatternError> {
        Encoder::build(model.into(), true)
    }

    /// Encodes with the words of a model and none of its superwords. The ids are those of the model.
    pub fn without_superwords(model: impl Into<Arc<Model>>) -> Result<Encoder, PatternError> {
        Encoder::build(model.into(), false)
    }

    fn build(model: Arc<Model>, with_superwords: bool) -> Result<Encoder, PatternError> {
        Ok(Encoder {
            tables: Tables::new(&model, with_superwords)?,
            preparations: Preparations::new(&model),
            workspaces: Shelf::default(),
            cache_bytes: AtomicUsize::new(CACHE_BYTES),
            model,
        })
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The pretokenizer of the model.
    pub fn pretokenizer(&self) -> &Pretokenizer {
        self.tables.pretokenizer()
    }

    /// Prepares texts so that the special tokens for which `allowed` returns true become their ids.
    /// Added tokens that are not special always do.
    pub fn preparation(&self, allowed: impl Fn(&str) -> bool) -> Preparation {
        self.preparations.allowing(&self.model, allowed)
    }

    /// Prepares texts so that special tokens are treated as plain text.
    pub fn ordinary(&self) -> &Preparation {
        self.preparations.ordinary()
    }

    /// The ids of a text. Special tokens in it are treated as plain text.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>, SplitError> {
        let mut ids = Vec::new();
        self.encode_ordinary(text, &mut ids)?;
        Ok(ids)
    }

    /// Appends the ids of a text. Special tokens in it are treated as plain text.
    pub fn encode_ordinary(&self, text: &str, out: &mut Vec<u32>) -> Result<(), SplitError> {
        self.encode_into(text, self.ordinary(), out)
    }

    /// Appends the ids of a text that is prepared in this way; see [`Encoder::preparation`].
    pub fn encode_into(
        &self,
        text: &str,
        preparation: &Preparation,
        out: &mut Vec<u32>,
    ) -> Result<(), SplitError> {
        self.workspaces
            .with(|workspace| self.encode_with(workspace, text, preparation, out))
    }

    /// [`Encoder::encode_into`] with this workspace.
    pub(super) fn encode_with(
        &self,
        workspace: &mut Workspace,
        text: &str,
        preparation: &Preparation,
        out: &mut Vec<u32>,
    ) -> Result<(), SplitError> {
        if preparation.is_nothing() {
            return self.encode_part(workspace, text, out);
        }
        preparation.for_each(text, false, |part| match part {
            Part::Text(part) => self.encode_part(workspace, part.text, out),
            Part::Token { id, .. } => {
                out.push(id);
                Ok(())
            }
        })
    }

    /// Appends the ids of a text and calls `visit` with the range of the text that each of them comes
    /// from, in bytes.
    pub(crate) fn encode_with_spans(
        &self,
        text: &str,
        preparation: &Preparation,
        out: &mut Vec<u32>,
        mut visit: impl FnMut(usize, usize),
    ) -> Result<(), SplitError> {
        self.workspaces.with(|workspace| {
            preparation.for_each(text, true, |part| {
                match part {
                    Part::Text(part) => {
                        let first = out.len();
                        self.encode_part(workspace, part.text, out)?;
                        let mut at = 0;
                        for &id in &out[first..] {
                            let bytes = self.token_bytes(TokenId(id));
                            let end = at + bytes.map_or(0, <[u8]>::len);
                            let (from, to) = part.original(at, end);
                            visit(from, to);
                            at = end;
                        }
                    }
                    Part::Token { id, start, end } => {
                        out.push(id);
                        visit(start, end);
                    }
                }
                Ok(())
            })
        })
    }

    /// Appends the ids of a text without added tokens.
    fn encode_part(
        &self,
        workspace: &mut Workspace,
        text: &str,
        out: &mut Vec<u32>,
    ) -> Result<(), SplitError> {
        pretokens::encode(&self.tables, self.cache_bytes(), workspace, text, out)
    }

    /// The memory limit of each worker's cache, in bytes. [`CACHE_BYTES`] unless it was changed.
    pub fn cache_bytes(&self) -> usize {
        self.cache_bytes.load(Ordering::Relaxed)
    }

    /// Sets the memory limit of each worker's cache and clears the caches. 0 turns caching off. Ids
    /// do not depend on the size.
    pub fn set_cache_bytes(&self, bytes: usize) {
        self.cache_bytes.store(bytes, Ordering::Relaxed);
        self.clear_cache();
    }

    /// Clears all caches.
    pub fn clear_cache(&self) {
        self.workspaces.for_each(Workspace::clear_cache);
    }

    /// The bytes of a token, added tokens included.
    pub fn token_bytes(&self, id: TokenId) -> Option<&[u8]> {
        self.model.token_bytes(id)
    }

    /// The bytes of all tokens. They are UTF-8 if the ids are those of a whole text.
    pub fn decode(&self, ids: &[u32]) -> Result<Vec<u8>, UnknownId> {
        let mut bytes = Vec::new();
        self.decode_into(ids, &mut bytes)?;
        Ok(bytes)
    }

    /// Appends the bytes of all tokens.
    pub fn decode_into(&self, ids: &[u32], out: &mut Vec<u8>) -> Result<(), UnknownId> {
        for (position, &id) in ids.iter().enumerate() {
            let bytes = self.token_bytes(TokenId(id)).ok_or(UnknownId {
                id: TokenId(id),
                position,
                n_vocab: self.model.n_vocab(),
            })?;
            memory::extend(out, bytes);
        }
        Ok(())
    }
}
