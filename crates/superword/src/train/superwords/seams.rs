//! Which pretokens an exported model can join: the limit `boundary="exportable"`.
//!
//! Other programs merge words and superwords in one pass. That gives the same tokens if the export
//! knows where each pretoken ends, if no ordinary merge crosses the seam between two of them, and if
//! the two are never parts of one longer pretoken. The proof is in docs/concepts-exact-export.md.

#[cfg(feature = "threads")]
use std::sync::Mutex;

use crate::encode::WordEncoder;
use crate::hash::NumberMap;
#[cfg(feature = "threads")]
use crate::merge::{PairCount, Share};
#[cfg(feature = "threads")]
use crate::threads::lock;
use crate::token::{Symbol, pack};
use crate::tokens::TokenTable;
use crate::train::options::ExportableShape;

/// Decides which pairs an export can join. Answers are remembered, because the same pretokens are at
/// the ends of many superwords.
#[derive(Debug)]
pub(super) struct ExportableSeams {
    shapes: Vec<ExportableShape>,
    encoder: WordEncoder,
    /// The first and the last pretoken of each superword.
    ends: NumberMap<u32, (Symbol, Symbol)>,
    /// The index of the shape of each pretoken. `None` if the export does not know where it ends.
    shape_of: NumberMap<u32, Option<usize>>,
    /// Whether an export can join two pretokens.
    joinable: NumberMap<u64, bool>,
    /// Whether two tokens join to a word, for the pairs of [`ExportableSeams::prepare`].
    words: NumberMap<u64, bool>,
}

impl ExportableSeams {
    pub(super) fn new(shapes: Vec<ExportableShape>, encoder: WordEncoder) -> ExportableSeams {
        ExportableSeams {
            shapes,
            encoder,
            ends: NumberMap::default(),
            shape_of: NumberMap::default(),
            joinable: NumberMap::default(),
            words: NumberMap::default(),
        }
    }

    /// True if the export can join the two tokens. `is_word` tells which symbols are ordinary tokens.
    pub(super) fn allows(
        &mut self,
        tokens: &TokenTable,
        left: Symbol,
        right: Symbol,
        is_word: impl Fn(Symbol) -> bool,
    ) -> bool {
        let is_word = match self.words.get(&pack(left.0, right.0)) {
            Some(&is_word) => is_word,
            None => joins_to_word(tokens, left, right, is_word),
        };
        if is_word {
            return false; // the export cannot tell the superword from the word
        }
        let (before, after) = self.seam(left, right);
        let seam = pack(before.0, after.0);
        if let Some(&joinable) = self.joinable.get(&seam) {
            return joinable;
        }
        for word in [before, after] {
            let shape = self.shape_of(tokens, word);
            self.shape_of.insert(word.0, shape);
        }
        let joinable = self.may_join(tokens, before, after);
        self.joinable.insert(seam, joinable);
        joinable
    }

    /// The two pretokens where the tokens meet.
    fn seam(&self, left: Symbol, right: Symbol) -> (Symbol, Symbol) {
        let before = self.ends.get(&left.0).map_or(left, |ends| ends.1);
        let after = self.ends.get(&right.0).map_or(right, |ends| ends.0);
        (before, after)
    }

    /// Finds out on several threads whether an export can join these pairs, for later calls of [`ExportableSeams::allows`].
    #[cfg(feature = "threads")]
    pub(super) fn prepare(
        &mut self,
        tokens: &TokenTable,
        pairs: &[PairCount],
        is_word: impl Fn(Symbol) -> bool + Sync,
        share: &Share<'_>,
    ) {
        // All words existed from the start, so the answer does not change.
        let are_words = in_parallel(share, pairs, |pair| {
            joins_to_word(tokens, pair.left, pair.right, &is_word)
        });
        let keys = pairs.iter().map(|pair| pack(pair.left.0, pair.right.0));
        self.words.clear();
        self.words.extend(keys.zip(are_words));
        let seams = pairs.iter().map(|pair| self.seam(pair.left, pair.right));
        let is_new =
            |seam: &(Symbol, Symbol)| !self.joinable.contains_key(&pack(seam.0.0, seam.1.0));
        let mut seams: Vec<(Symbol, Symbol)> = seams.filter(is_new).collect();
        seams.sort_unstable();
        seams.dedup();
        let words = seams.iter().flat_map(|&(before, after)| [before, after]);
        let is_new = |word: &Symbol| !self.shape_of.contains_key(&word.0);
        let mut words: Vec<Symbol> = words.filter(is_new).collect();
        words.sort_unstable();
        words.dedup();
        let shapes = in_parallel(share, &words, |&word| self.shape_of(tokens, word));
        self.shape_of
            .extend(words.iter().map(|word| word.0).zip(shapes));
        let joinable = in_parallel(share, &seams, |&(before, after)| {
            self.may_join(tokens, before, after)
        });
        let keys = seams.iter().map(|&(before, after)| pack(before.0, after.0));
        self.joinable.extend(keys.zip(joinable));
    }

    /// True if an export can join two pretokens.
    fn may_join(&self, tokens: &TokenTable, before: Symbol, after: Symbol) -> bool {
        let Some(shape) = self.shape_of(tokens, before) else {
            return false;
        };
        if self.shape_of(tokens, after).is_none() {
            return false;
        }
        let bytes = tokens.bytes_of(after);
        let both = [tokens.bytes_of(before), bytes].concat();
        let never = self.shapes[shape].not_joined_to.as_ref();
        !never
            .is_some_and(|never| std::str::from_utf8(bytes).is_ok_and(|text| never.is_match(text)))
            && self.encoder.merged(&both) == [before.0, after.0]
    }

    fn shape_of(&self, tokens: &TokenTable, pretoken: Symbol) -> Option<usize> {
        if let Some(&shape) = self.shape_of.get(&pretoken.0) {
            return shape;
        }
        let text = std::str::from_utf8(tokens.bytes_of(pretoken)).ok()?;
        let mut shapes = self.shapes.iter();
        shapes.position(|shape| shape.word.is_match(text))
    }

    /// Records a supermerge.
    pub(super) fn joined(&mut self, left: Symbol, right: Symbol, joined: Symbol) {
        let first = self.ends.get(&left.0).map_or(left, |ends| ends.0);
        let last = self.ends.get(&right.0).map_or(right, |ends| ends.1);
        self.ends.insert(joined.0, (first, last));
    }
}

/// True if the joined bytes of two tokens are those of a word.
fn joins_to_word(
    tokens: &TokenTable,
    left: Symbol,
    right: Symbol,
    is_word: impl Fn(Symbol) -> bool,
) -> bool {
    let joined = [tokens.bytes_of(left), tokens.bytes_of(right)].concat();
    tokens.find(&joined).is_some_and(is_word)
}

/// What `work` returns for each item.
#[cfg(feature = "threads")]
fn in_parallel<T: Sync, R: Clone + Default + Send>(
    share: &Share<'_>,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let mut results = vec![R::default(); items.len()];
    let tasks = items
        .chunks(SEAMS_AT_ONCE)
        .zip(results.chunks_mut(SEAMS_AT_ONCE));
    let tasks: Vec<_> = tasks.map(Mutex::new).collect();
    share(tasks.len(), &|task| {
        let (items, results) = &mut *lock(&tasks[task]);
        for (result, item) in results.iter_mut().zip(*items) {
            *result = work(item);
        }
    });
    drop(tasks);
    results
}

/// How many seams one thread looks at together. That is about 10 µs of work.
#[cfg(feature = "threads")]
const SEAMS_AT_ONCE: usize = 8;
