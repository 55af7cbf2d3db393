//! Phase 1: ordinary BPE over counted pretokens, with PickyBPE deletions on request.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::options::Picky;
use super::{TrainError, TrainOptions, WatchMerges};
use crate::count::{Eligible, PretokenCounts};
use crate::encode::WordEncoder;
use crate::merge::{AnyPair, Cells, Layer, MergeError, MergeOptions, Merger};
use crate::model::{Alphabet, Deletions, Event, Model, WordEvent, word_events};
use crate::text::Pretokenizer;
use crate::threads;
use crate::token::Symbol;
use crate::tokens::TokenTable;

/// One event of phase 1, with the count at which a merge was chosen (0 for deletions).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WordStep {
    /// The event.
    pub event: WordEvent,
    /// How often the pair occurred.
    pub count: u64,
}

/// What phase 1 learned.
#[derive(Clone, Debug)]
pub(super) struct Words {
    /// All tokens that were ever made, the alphabet first.
    pub tokens: TokenTable,
    /// The events in order.
    pub steps: Vec<WordStep>,
    /// By symbol: true if it is in the vocabulary at the end.
    pub alive: Vec<bool>,
    /// The size of the vocabulary at the end.
    pub size: usize,
    /// How the model that the words come from encodes a pretoken.
    pub lookup: Lookup,
    /// See [`Words::encoder`].
    encoder: OnceLock<WordEncoder>,
}

/// How words encode a pretoken, apart from their merges. The default is that of trained models.
#[derive(Clone, Debug, Default)]
pub(super) struct Lookup {
    /// The ranks of the merges; see [`ModelParts::order`](crate::model::ModelParts::order).
    pub order: Option<Vec<u32>>,
    /// Whether a pretoken that is a token is encoded as that token.
    pub whole_pieces: bool,
    /// The number of tokens that no merge makes. Their symbols follow those of the alphabet.
    pub unmade: usize,
}

impl Words {
    /// The smallest count of a merge; `None` if there are no merges.
    pub(super) fn smallest_count(&self) -> Option<u64> {
        self.steps
            .iter()
            .filter(|step| matches!(step.event, WordEvent::Merge { .. }))
            .map(|step| step.count)
            .min()
    }

    /// Learns the words that the options ask for. Counts that are owned are freed while they are read.
    pub(super) fn learn(
        counts: Cow<'_, PretokenCounts>,
        options: &TrainOptions,
        watch: &WatchMerges<'_>,
    ) -> Result<Words, TrainError> {
        learn_words(
            counts,
            options.alphabet,
            options.word_tokens(),
            options.min_count,
            options.picky,
            watch,
        )
    }

    /// The words of a model without superwords. Its symbols stay the same.
    pub(super) fn of_model(model: &Model) -> Result<Words, TrainError> {
        let vocabulary = model.vocabulary();
        let mut steps = Vec::with_capacity(model.parts().events.len());
        for (event, recorded) in word_events(model).into_iter().zip(&model.parts().events) {
            let count = match *recorded {
                Event::Merge { count, .. } => count,
                Event::Delete { .. } => 0,
                Event::Supermerge { .. } => return Err(TrainError::HasSuperwords),
            };
            steps.push(WordStep { event, count });
        }
        if steps.len() < model.parts().events.len() {
            return Err(TrainError::HasSuperwords);
        }
        let alive: Vec<bool> = (0..vocabulary.len() as u32)
            .map(|index| vocabulary.id_of(Symbol(index)).is_some())
            .collect();
        Ok(Words {
            tokens: vocabulary.tokens().clone(),
            steps,
            size: alive.iter().filter(|&&alive| alive).count(),
            alive,
            lookup: Lookup {
                order: model.parts().order.clone(),
                whole_pieces: model.parts().whole_pieces,
                unmade: model.parts().unmade.len(),
            },
            encoder: OnceLock::new(),
        })
    }

    /// Encodes pretokens with these words. `alphabet` is that of the words.
    pub(super) fn encoder(&self, alphabet: Alphabet) -> &WordEncoder {
        self.encoder.get_or_init(|| {
            let order = self.lookup.order.as_deref();
            WordEncoder::new(alphabet.symbols(), &self.events(), order)
        })
    }

    fn events(&self) -> Vec<WordEvent> {
        self.steps.iter().map(|step| step.event.clone()).collect()
    }

    /// The tokens that may be part of a superword: eligible pretokens that encode as one token.
    pub(super) fn eligible(&self, alphabet: Alphabet, pretokenizer: &Pretokenizer) -> Eligible {
        let events = self.events();
        let encoder = self.encoder(alphabet);
        let unmade = alphabet.size()..alphabet.size() + self.lookup.unmade;
        let mut eligible = Eligible::default();
        let tokens = &self.tokens;
        let reached = encoder.reached(&events, tokens.len(), |token| tokens.bytes_of(token));
        for (index, reached) in reached.into_iter().enumerate() {
            let symbol = Symbol(index as u32);
            let bytes = self.tokens.bytes_of(symbol);
            let is_found = match self.lookup.whole_pieces {
                true => !bytes.is_empty(),
                false => reached && !unmade.contains(&index),
            };
            if self.alive[index]
                && is_found
                && std::str::from_utf8(bytes).is_ok_and(|text| pretokenizer.is_eligible(text))
            {
                eligible.insert(bytes, symbol);
            }
        }
        eligible
    }
}

impl WordStep {
    pub(super) fn is_deletion(&self) -> bool {
        matches!(self.event, WordEvent::Delete { .. })
    }
}

/// Learns merges until the vocabulary has `size` tokens or no pair with a count of at least
/// `min_count` is left.
pub(super) fn learn_words(
    counts: Cow<'_, PretokenCounts>,
    alphabet: Alphabet,
    size: usize,
    min_count: u64,
    picky: Option<Picky>,
    watch: &WatchMerges<'_>,
) -> Result<Words, TrainError> {
    let bytes = alphabet.symbols();
    let mut tokens = TokenTable::with_capacity(size + 256);
    for byte in alphabet.bytes() {
        tokens.insert(&[byte]);
    }
    let mut deleter = picky.map(|picky| Deleter::new(picky, &counts, alphabet));
    let (cells, floor) = lay_out(counts, &bytes, size.saturating_sub(tokens.len()), watch)?;
    watch.expect(cells.most_joins(), Some(size.saturating_sub(tokens.len())));
    // Deletions make rare pairs frequent again, so then every pair is indexed.
    let floor = match deleter {
        Some(_) => 1,
        None => floor.max(min_count),
    };
    let mut merger = Merger::new(
        tokens,
        cells,
        AnyPair,
        min_count,
        MergeOptions {
            max_places: match deleter {
                Some(_) => usize::MAX,
                None => watch.merge_options(floor).max_places,
            },
            ..watch.merge_options(floor)
        },
    )?;
    let mut learner = Learner {
        alive: vec![true; merger.tokens().len()],
        size: merger.tokens().len(),
        steps: Vec::new(),
        picky: deleter.take(),
    };
    let mut merging = watch.merging(learner.size, size, merger.most_joins());
    while learner.size < size {
        merging.step(learner.size, merger.joins())?;
        if learner.picky.is_none() {
            merger.merge_ahead(size - learner.size, |_| true);
        }
        let Some(best) = merger.best()? else {
            break;
        };
        learner.step(&mut merger, best)?;
    }
    merging.done(learner.size);
    Ok(Words {
        tokens: merger.into_tokens(),
        steps: learner.steps,
        alive: learner.alive,
        size: learner.size,
        lookup: Lookup::default(),
        encoder: OnceLock::new(),
    })
}

/// One sequence of bytes per pretoken, and a lower bound on the count of the last of `merges` merges. A pretoken that
/// occurs more often than the last pair is one token by then, because it contains a pair that occurs as often.
/// There are no more such pretokens than merges.
fn lay_out(
    counts: Cow<'_, PretokenCounts>,
    bytes: &[Option<Symbol>; 256],
    merges: usize,
    watch: &WatchMerges<'_>,
) -> Result<(Cells, u64), TrainError> {
    let threads = watch.threads();
    let counts = PretokenCounts::parts(counts);
    let is_long = |(pretoken, _): &(&[u8], u64)| pretoken.len() > 1;
    let sizes = threads::map(threads, (0..counts.len()).collect(), |part| {
        let (mut size, mut ranks, mut foreign) = ((0, 0), Ranks::default(), false);
        counts.for_each(part, |entry| {
            if is_long(&entry) {
                let (pretoken, count) = entry;
                size = (size.0 + 1, size.1 + pretoken.len());
                ranks.add(count);
                foreign |= pretoken
                    .iter()
                    .any(|&byte| bytes[usize::from(byte)].is_none());
            }
        });
        (size, ranks, foreign)
    });
    if sizes.iter().any(|&(_, _, foreign)| foreign) {
        return Err(TrainError::ForeignByte);
    }
    let mut all = Ranks::default();
    sizes.iter().for_each(|(_, ranks, _)| all.add_all(ranks));
    let sizes: Vec<(usize, usize)> = sizes.into_iter().map(|(size, ..)| size).collect();
    let lay = |part: usize, layer: &mut Layer<'_>| {
        counts.consume(part, |entry| {
            if is_long(&entry) {
                let (pretoken, count) = entry;
                let symbols = pretoken.iter().filter_map(|&byte| bytes[usize::from(byte)]);
                layer.push(symbols.map(|symbol| symbol.0), count);
            }
        });
    };
    let cells = Cells::lay_out(&sizes, threads, lay, || watch.freed());
    let cells = cells.ok_or(MergeError::TooManyTokens)?;
    let sequences = sizes.iter().map(|size| size.0).sum::<usize>();
    let floor = match sequences > merges {
        true => all.at_least(merges + 1),
        false => 1,
    };
    Ok((cells, floor))
}

/// How many counts there are of about each size: by the position of the highest bit, and by the four bits after it.
struct Ranks([[u64; 16]; 64]);

impl Default for Ranks {
    fn default() -> Self {
        Ranks([[0; 16]; 64])
    }
}

impl Ranks {
    fn add(&mut self, count: u64) {
        let bits = count.max(1).ilog2();
        let next = (count.max(1) << (63 - bits) >> 59) & 15;
        self.0[bits as usize][next as usize] += 1;
    }

    fn add_all(&mut self, other: &Ranks) {
        for (counts, more) in self.0.iter_mut().zip(&other.0) {
            for (count, more) in counts.iter_mut().zip(more) {
                *count += more;
            }
        }
    }

    /// A lower bound on the count with this rank, counted from 1. It is less than a sixteenth below the count.
    fn at_least(&self, rank: usize) -> u64 {
        let mut seen = 0;
        for bits in (0..64u32).rev() {
            for next in (0..16u64).rev() {
                seen += self.0[bits as usize][next as usize];
                if seen >= rank as u64 {
                    return ((16 + next) << 59 >> (63 - bits)).max(1);
                }
            }
        }
        1
    }
}

struct Learner {
    alive: Vec<bool>,
    size: usize,
    steps: Vec<WordStep>,
    picky: Option<Deleter>,
}

impl Learner {
    fn step(
        &mut self,
        merger: &mut Merger<'_, AnyPair>,
        best: crate::merge::PairCount,
    ) -> Result<(), TrainError> {
        let joined = merger.merge(best)?.symbol;
        self.steps.push(WordStep {
            event: WordEvent::Merge {
                left: best.left,
                right: best.right,
                joined,
            },
            count: best.count,
        });
        if joined.index() == self.alive.len() {
            self.alive.push(false);
        }
        let entered = !std::mem::replace(&mut self.alive[joined.index()], true);
        self.size += usize::from(entered);
        if let Some(deleter) = &mut self.picky {
            let goes = deleter.after(best, joined);
            for token in goes.into_iter().flatten() {
                self.alive[token.index()] = false;
                self.size -= 1;
                let parts = deleter.delete(token, merger.tokens());
                merger.delete(token, &parts);
                self.steps.push(WordStep {
                    event: WordEvent::Delete { token, parts },
                    count: 0,
                });
            }
        }
        Ok(())
    }
}

/// Decides which tokens PickyBPE deletes after each merge.
struct Deleter {
    threshold: f64,
    /// How often each token occurs in all sequences.
    occurs: Vec<u64>,
    deletions: Deletions,
}

impl Deleter {
    fn new(picky: Picky, counts: &PretokenCounts, alphabet: Alphabet) -> Deleter {
        let bytes = alphabet.symbols();
        let mut occurs = vec![0u64; alphabet.size()];
        counts.for_each(|pretoken, count| {
            for &byte in pretoken {
                if let Some(symbol) = bytes[usize::from(byte)] {
                    // Cannot saturate: the merger has checked that the sum of all counts fits.
                    occurs[symbol.index()] = occurs[symbol.index()].saturating_add(count);
                }
            }
        });
        Deleter {
            threshold: picky.threshold,
            occurs,
            deletions: Deletions::new(alphabet, picky.split),
        }
    }

    /// The parts of a merge that are deleted after it, in order.
    fn after(&mut self, merge: crate::merge::PairCount, joined: Symbol) -> [Option<Symbol>; 2] {
        if joined.index() == self.occurs.len() {
            self.occurs.push(0);
        }
        self.deletions.merge(merge.left, merge.right, joined);
        // The counts are those before the merge.
        let goes = |token: Symbol| {
            let share = merge.count as f64 / self.occurs[token.index()] as f64;
            (self.deletions.can_delete(token) && share >= self.threshold).then_some(token)
        };
        let left = goes(merge.left);
        let right = goes(merge.right).filter(|&token| Some(token) != left);
        self.occurs[merge.left.index()] -= merge.count;
        self.occurs[merge.right.index()] -= merge.count;
        self.occurs[joined.index()] += merge.count;
        [left, right]
    }

    /// Deletes a token: all its occurrences become occurrences of the returned tokens.
    fn delete(&mut self, token: Symbol, tokens: &TokenTable) -> Vec<Symbol> {
        let parts = self.deletions.delete(token, |part| tokens.bytes_of(part));
        let count = std::mem::take(&mut self.occurs[token.index()]);
        for part in &parts {
            self.occurs[part.index()] += count;
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_close_to_the_counts() {
        for count in (1..5000).chain([1 << 40, (1 << 50) + 12_345, u64::MAX]) {
            let mut ranks = Ranks::default();
            ranks.add(count);
            ranks.add(count / 3);
            let found = ranks.at_least(1);
            assert!(
                found <= count && count - found <= count / 16,
                "{found} {count}"
            );
            assert!(ranks.at_least(2) <= (count / 3).max(1));
            assert_eq!(ranks.at_least(3), 1);
        }
    }
}
