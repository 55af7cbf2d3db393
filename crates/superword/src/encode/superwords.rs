//! Supermerges applied to a run of pretokens that are one token each.

use super::ranked::{RankedRules, Scratch};
use crate::count::Ngrams;
use crate::hash::{NumberMap, hash_pair};
use crate::model::{Event, Model};
use crate::token::Symbol;

/// The supermerges of a model, ready to be applied.
#[derive(Clone, Debug)]
pub(super) struct SuperwordRules {
    rules: RankedRules,
    seams: Seams,
    ngrams: Option<Ngrams>,
}

impl SuperwordRules {
    /// `None` for a model without supermerges.
    pub(super) fn new(model: &Model) -> Option<SuperwordRules> {
        let vocabulary = model.vocabulary();
        let supermerges: Vec<(Symbol, Symbol, Symbol)> = model
            .parts()
            .events
            .iter()
            .enumerate()
            .filter_map(|(at, event)| match *event {
                Event::Supermerge { left, right, .. } => {
                    Some((left, right, vocabulary.made_by(at)))
                }
                _ => None,
            })
            .collect();
        if supermerges.is_empty() {
            return None;
        }
        let ngrams = &model.parts().ngrams;
        Some(SuperwordRules {
            seams: Seams::of(&supermerges),
            rules: RankedRules::new(&supermerges),
            ngrams: (!ngrams.is_empty()).then(|| Ngrams::from_list(ngrams.iter().cloned())),
        })
    }

    /// False if no superword holds these two pretokens side by side: a run may be cut there.
    #[inline(always)]
    pub(super) fn may_join(&self, left: u32, right: u32) -> bool {
        self.ngrams.is_some() || self.seams.may_join(left, right)
    }

    /// The tokens of a run, appended to `out`.
    pub(super) fn apply(&self, run: &mut Vec<u32>, scratch: &mut Scratch, out: &mut Vec<u32>) {
        match &self.ngrams {
            None => {
                self.rules.apply(run, scratch);
                out.extend_from_slice(run);
            }
            Some(ngrams) => {
                let whole: Vec<Symbol> = run.iter().map(|&symbol| Symbol(symbol)).collect();
                ngrams.split(&whole, |piece| {
                    run.clear();
                    run.extend(piece.iter().map(|symbol| symbol.0));
                    self.rules.apply(run, scratch);
                    out.extend_from_slice(run);
                });
            }
        }
    }
}

/// The pairs of pretokens that stand side by side in some superword, as bits by hash. A bit that is
/// set for another pair only makes a run longer than it had to be.
#[derive(Clone, Debug)]
struct Seams {
    bits: Vec<u64>,
}

impl Seams {
    fn of(supermerges: &[(Symbol, Symbol, Symbol)]) -> Seams {
        let (firsts, lasts) = ends_of(supermerges);
        // Sixteen bits a pair keep false alarms below one in ten.
        let bits = (supermerges.len() * 16).next_power_of_two().max(64);
        let mut seams = Seams {
            bits: vec![0; bits / 64],
        };
        for (left, right, _) in supermerges {
            for &last in ends(&lasts, left.0).iter() {
                for &first in ends(&firsts, right.0).iter() {
                    let slot = seams.slot(last, first);
                    seams.bits[slot / 64] |= 1 << (slot % 64);
                }
            }
        }
        seams
    }

    #[inline(always)]
    fn slot(&self, left: u32, right: u32) -> usize {
        hash_pair(left, right) as usize & (self.bits.len() * 64 - 1)
    }

    #[inline(always)]
    fn may_join(&self, left: u32, right: u32) -> bool {
        let slot = self.slot(left, right);
        self.bits[slot / 64] >> (slot % 64) & 1 == 1
    }
}

type Ends = NumberMap<u32, Vec<u32>>;

fn ends(ends: &Ends, symbol: u32) -> std::borrow::Cow<'_, [u32]> {
    match ends.get(&symbol) {
        Some(list) => list.into(),
        None => vec![symbol].into(),
    }
}

/// The first and the last pretokens of each superword: one each, unless the same bytes were
/// made of different pretokens.
fn ends_of(supermerges: &[(Symbol, Symbol, Symbol)]) -> (Ends, Ends) {
    let (mut firsts, mut lasts) = (Ends::default(), Ends::default());
    loop {
        let mut changed = false;
        for (left, right, joined) in supermerges {
            for (known, part) in [(&mut firsts, left), (&mut lasts, right)] {
                let new = ends(known, part.0).into_owned();
                // The bytes may also be a pretoken of their own; keeping that end is harmless.
                let list = known.entry(joined.0).or_insert_with(|| vec![joined.0]);
                for end in new {
                    if !list.contains(&end) {
                        list.push(end);
                        changed = true;
                    }
                }
            }
        }
        if !changed {
            return (firsts, lasts);
        }
    }
}
