//! Measures models on text: one pass over the documents, which every model encodes.
//!
//! ```text
//! documents -> marks (words, sentences, lines) -> each encoder -> tallies, per group and model
//! ```
//!
//! Each worker counts for one group at a time. It adds its counts to those of the group when it gets
//! documents of another group. So memory does not grow with workers times groups. All results are
//! sums, and the order of documents does not matter except in the lists of documents.

mod marks;
mod tally;
mod vocabulary;

pub use marks::TextCounts;
pub use tally::ModelTally;
pub use vocabulary::{Inexact, TokenKind, Tokens, event_uses, only_steps, supermerge_uses};

use std::sync::{Arc, Mutex, PoisonError};

use crate::corpus::{DocumentSink, ReadError, ReadOptions, ReadReport, Source, read_parallel};
use crate::encode::Encoder;
use crate::memory;
use crate::observe::{Observer, Phase};
use crate::table::BytesTable;
use crate::text::{PatternError, SplitError};
use crate::token::TokenId;
use marks::Marks;
use tally::{GroupTally, LONGEST_WORD, add_words, most_frequent};

/// What is measured.
#[derive(Clone, Debug)]
pub struct EvaluateOptions {
    /// How to read.
    pub read: ReadOptions,
    /// The number of groups.
    pub groups: usize,
    /// The group of each source.
    pub group_of: Vec<usize>,
    /// How many of the most frequent words are returned.
    pub top_words: usize,
}

/// The counts of one group.
#[derive(Debug)]
#[non_exhaustive]
pub struct GroupCounts {
    /// What the text has.
    pub text: TextCounts,
    /// The bytes and the characters of each document, in no particular order.
    pub document_sizes: Vec<(u64, u64)>,
    /// The most frequent words of at most 64 bytes, with their counts.
    pub top_words: Vec<(String, u64)>,
    /// The counts of each model. Documents are in the order of `document_sizes`.
    pub models: Vec<ModelTally>,
}

/// The counts of all groups.
#[derive(Debug)]
#[non_exhaustive]
pub struct Measured {
    /// The groups.
    pub groups: Vec<GroupCounts>,
    /// The most frequent words of all groups together.
    pub top_words: Vec<(String, u64)>,
    /// What was read.
    pub read: ReadReport,
}

/// Why nothing was measured.
pub type EvaluateError = ReadError<SplitError>;

/// A model that is measured.
#[derive(Debug)]
pub struct Measure {
    encoder: Arc<Encoder>,
    /// The bytes of each token.
    lengths: Vec<u32>,
    /// Encodes the same words without supermerges, if the number of their tokens does not follow
    /// from the ids.
    words_only: Option<Encoder>,
}

impl Measure {
    /// Prepares to measure a model.
    pub fn new(encoder: Arc<Encoder>) -> Result<Measure, PatternError> {
        let model = encoder.model();
        let length = |id| model.token_bytes(TokenId(id)).map_or(0, <[u8]>::len) as u32;
        let lengths = (0..model.n_vocab() as u32).map(length).collect();
        let words_only = match Tokens::of(model).words_are_known {
            true => None,
            false => Some(Encoder::without_superwords(model.clone())?),
        };
        Ok(Measure {
            encoder,
            lengths,
            words_only,
        })
    }
}

/// Reads all documents of the sources and encodes each with every model. Special tokens in the text
/// are plain text.
pub fn evaluate(
    sources: &[Source],
    models: &[Measure],
    options: &EvaluateOptions,
    observer: &dyn Observer,
) -> Result<Measured, EvaluateError> {
    let sizes: Vec<usize> = models.iter().map(|model| model.lengths.len()).collect();
    let groups: Vec<Mutex<GroupTally>> = (0..options.groups)
        .map(|_| Mutex::new(GroupTally::new(&sizes)))
        .collect();
    let worker = |_| Worker {
        models,
        group_of: &options.group_of,
        groups: &groups,
        current: 0,
        tally: GroupTally::new(&sizes),
        marks: Marks::default(),
        ids: Vec::new(),
    };
    let (workers, read) = read_parallel(sources, &options.read, Phase::Encode, observer, worker)?;
    for mut worker in workers {
        worker.hand_in();
    }
    let mut all_words: Option<BytesTable<u64>> = None;
    let mut measured = Vec::with_capacity(groups.len());
    for group in groups {
        let tally = group.into_inner().unwrap_or_else(PoisonError::into_inner);
        measured.push(GroupCounts {
            text: tally.text,
            document_sizes: tally.document_sizes,
            top_words: most_frequent(&tally.words, options.top_words),
            models: tally.models,
        });
        match &mut all_words {
            Some(all) => add_words(all, &tally.words),
            None => all_words = Some(tally.words),
        }
    }
    Ok(Measured {
        groups: measured,
        top_words: most_frequent(&all_words.unwrap_or_default(), options.top_words),
        read,
    })
}

struct Worker<'a> {
    models: &'a [Measure],
    group_of: &'a [usize],
    groups: &'a [Mutex<GroupTally>],
    /// The group that `tally` is about.
    current: usize,
    tally: GroupTally,
    marks: Marks,
    ids: Vec<u32>,
}

impl Worker<'_> {
    /// Adds the counts to those of the group.
    fn hand_in(&mut self) {
        if let Some(group) = self.groups.get(self.current) {
            let mut group = group.lock().unwrap_or_else(PoisonError::into_inner);
            group.take(&mut self.tally);
        }
    }
}

impl DocumentSink for Worker<'_> {
    type Error = SplitError;

    fn source(&mut self, source: usize) {
        let group = self.group_of.get(source).copied().unwrap_or(0);
        if group != self.current {
            self.hand_in();
            self.current = group;
        }
    }

    fn document(&mut self, text: &str) -> Result<(), SplitError> {
        let GroupTally {
            text: counts,
            document_sizes,
            words,
            models: tallies,
        } = &mut self.tally;
        let found = self.marks.find(text, |start, end| {
            if end - start <= LONGEST_WORD {
                *words.entry(text.as_bytes(), start, end).0 += 1;
            }
        });
        counts.add(found);
        memory::reserve(document_sizes, 1);
        document_sizes.push((text.len() as u64, found.characters));
        for (model, tally) in self.models.iter().zip(tallies) {
            self.ids.clear();
            model.encode(text, &self.marks, &mut self.ids, tally)?;
            for &id in &self.ids {
                tally.uses[id as usize] += 1;
            }
            memory::reserve(&mut tally.document_tokens, 1);
            tally.document_tokens.push(self.ids.len() as u64);
            if let Some(encoder) = &model.words_only {
                self.ids.clear();
                encoder.encode_ordinary(text, &mut self.ids)?;
                *tally.tokens_without.get_or_insert(0) += self.ids.len() as u64;
            }
        }
        Ok(())
    }
}

impl Measure {
    /// Appends the ids of a text and counts its token boundaries.
    fn encode(
        &self,
        text: &str,
        marks: &Marks,
        ids: &mut Vec<u32>,
        tally: &mut ModelTally,
    ) -> Result<(), SplitError> {
        let preparation = self.encoder.ordinary();
        if preparation.is_nothing() {
            self.encoder.encode_ordinary(text, ids)?;
            let mut at = 0;
            for &id in &ids[..ids.len().saturating_sub(1)] {
                let end = at + self.lengths[id as usize] as usize;
                tally.boundary(marks, at, end);
                at = end;
            }
            return Ok(());
        }
        // Tokens may cover more or less text than they have bytes. With normalization they may
        // overlap, and there is a boundary only where no token is on both sides.
        let (mut previous, mut reached) = (0, 0);
        self.encoder
            .encode_with_spans(text, preparation, ids, |start, end| {
                for position in [reached, start] {
                    if position > previous && reached <= start && position < text.len() {
                        tally.boundary(marks, previous, position);
                        previous = position;
                    }
                }
                reached = reached.max(end);
            })
    }
}
