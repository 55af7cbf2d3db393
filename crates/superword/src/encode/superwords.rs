//! Supermerges applied to a run of pretokens that are one token each.

use super::ranked::{NO_RULE, RankedRules, Rule, Scratch};
use crate::count::Ngrams;
use crate::hash::NumberMap;
use crate::model::{Event, Model};
use crate::token::Symbol;

/// The supermerges of a model, ready to be applied.
#[derive(Clone, Debug)]
pub(super) struct SuperwordRules {
    rules: RankedRules,
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
            rules: RankedRules::with_seams(&supermerges, &seams_of(&supermerges)),
            ngrams: (!ngrams.is_empty()).then(|| Ngrams::from_list(ngrams.iter().cloned())),
        })
    }

    /// The rule of two neighbouring pretokens, [`NO_RULE`] if they have none, or `None` if no
    /// superword holds them side by side: a run may be cut there.
    #[inline(always)]
    pub(super) fn between(&self, left: u32, right: u32) -> Option<Rule> {
        if self.ngrams.is_some() {
            return Some(NO_RULE); // greedy splitting sees whole runs
        }
        self.rules.look_up(left, right)
    }

    /// The tokens of a run, appended to `out`; `rules` are those between its pretokens.
    pub(super) fn apply(
        &self,
        run: &mut Vec<u32>,
        rules: &mut Vec<Rule>,
        scratch: &mut Scratch,
        out: &mut Vec<u32>,
    ) {
        match &self.ngrams {
            None => {
                self.rules.apply_found(run, rules, scratch);
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

/// The pairs of pretokens that stand side by side in some superword.
fn seams_of(supermerges: &[(Symbol, Symbol, Symbol)]) -> Vec<(u32, u32)> {
    let (firsts, lasts) = ends_of(supermerges);
    let mut seams = Vec::with_capacity(supermerges.len());
    for (left, right, _) in supermerges {
        for &last in ends(&lasts, left.0).iter() {
            for &first in ends(&firsts, right.0).iter() {
                seams.push((last, first));
            }
        }
    }
    seams.sort_unstable();
    seams.dedup();
    seams
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
