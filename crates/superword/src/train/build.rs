//! Builds the model from the learned history: numbers the symbols, assigns ids, records facts.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::superwords::{SavedNgrams, Step, Superwords};
use super::words::Words;
use super::{GreedySplit, TrainError, TrainOptions};
use crate::model::{AddedToken, Event, Facts, Method, Model, ModelParts, PickySplit, WordEvent};
use crate::text::PretokenizerConfig;
use crate::token::{Symbol, TokenId};

/// The history of the vocabulary, in the symbols of the run.
pub(super) struct Learned {
    pub(super) steps: Vec<Step>,
    pub(super) ngrams: SavedNgrams,
    pub(super) size: usize,
}

impl Learned {
    /// The history of a model without superwords.
    pub(super) fn from_words(words: &Words) -> Learned {
        Learned {
            steps: words.steps.iter().cloned().map(Step::Word).collect(),
            ngrams: Vec::new(),
            size: words.size,
        }
    }

    /// The history of a model with superwords, and the n-grams to save in it.
    pub(super) fn from_superwords(superwords: Superwords, ngrams: SavedNgrams) -> Learned {
        Learned {
            steps: superwords.steps,
            ngrams,
            size: superwords.size,
        }
    }

    /// Explains why the vocabulary is smaller than requested, if it is.
    pub(super) fn shortfall(&self, options: &TrainOptions) -> Option<String> {
        let (size, wanted) = (self.size, options.tokens());
        if size >= wanted {
            return None;
        }
        let missing = wanted - size;
        let min_count = options.min_count;
        Some(format!(
            "the vocabulary has {} tokens, {missing} fewer than the {} asked for: the text has no \
             more pairs that occur at least {}",
            size + options.special_tokens.len(),
            options.vocab_size,
            if min_count <= 1 {
                "once".into()
            } else {
                format!("{min_count} times")
            },
        ))
    }

    /// Numbers the symbols in the order of the history and builds the model. `text` has the facts
    /// about the text. The tokens of `base` keep their ids.
    pub(super) fn build(
        &self,
        options: &TrainOptions,
        pretokenizer: PretokenizerConfig,
        base: Option<&Model>,
        text: Facts,
    ) -> Result<Model, TrainError> {
        let extra = base.map(Model::parts);
        let unmade = extra.map_or(0, |base| base.unmade.len());
        let mut renumber = Renumber::new(options.alphabet.size() + unmade);
        let events = self.steps.iter().map(|step| renumber.event(step)).collect();
        let (ids, added) = match base {
            None => (None, specials_after(self.size, &options.special_tokens)),
            Some(base) => {
                let made = self.steps.iter().filter_map(|step| match step {
                    Step::Super(_, joined) => renumber.known(*joined),
                    Step::Word(_) => None,
                });
                let ids = ids_after(base, renumber.next as usize, made);
                (ids, base.parts().added.clone())
            }
        };
        let ngrams = self
            .ngrams
            .iter()
            .filter_map(|ngram| {
                ngram
                    .iter()
                    .map(|&symbol| renumber.in_vocabulary(symbol))
                    .collect::<Option<Vec<Symbol>>>()
            })
            .collect();
        let picky_split = match base {
            Some(base) => base.parts().picky_split,
            None => options.picky.map_or(PickySplit::Parts, |picky| picky.split),
        };
        let facts = facts(options, &pretokenizer, text, self.shortfall(options));
        Ok(Model::build(ModelParts {
            method: options.method,
            pretokenizer,
            alphabet: options.alphabet,
            picky_split,
            events,
            ids,
            added,
            normalizer: extra.and_then(|base| base.normalizer),
            whole_pieces: extra.is_some_and(|base| base.whole_pieces),
            order: extra.and_then(|base| base.order.clone()),
            unmade: extra.map_or_else(Vec::new, |base| base.unmade.clone()),
            settings: extra.map_or_else(Facts::new, |base| base.settings.clone()),
            ngrams,
            facts,
        })?)
    }
}

/// The facts about a text that every model has.
pub(super) struct TextFacts {
    pub(super) documents: u64,
    pub(super) bytes: u64,
    pub(super) skipped_documents: u64,
    pub(super) pretokens: u64,
    pub(super) unique_pretokens: u64,
}

impl TextFacts {
    /// The facts by name.
    pub(super) fn into_facts(self) -> Facts {
        [
            ("documents", self.documents),
            ("bytes", self.bytes),
            ("skipped_documents", self.skipped_documents),
            ("pretokens", self.pretokens),
            ("unique_pretokens", self.unique_pretokens),
        ]
        .map(|(name, number)| (name.to_owned(), json!(number)))
        .into_iter()
        .collect()
    }
}

fn specials_after(size: usize, texts: &[String]) -> Vec<AddedToken> {
    (size as u32..)
        .zip(texts)
        .map(|(id, text)| AddedToken::special(text.clone(), TokenId(id)))
        .collect()
}

/// Ids for a model that extends `base`: tokens of the base keep theirs, and new tokens follow after
/// all of them, in the order in which they were made. `None` if that is the default order anyway.
fn ids_after(
    base: &Model,
    symbols: usize,
    made: impl Iterator<Item = Symbol>,
) -> Option<Vec<TokenId>> {
    if base.parts().ids.is_none() && base.parts().added.is_empty() {
        return None;
    }
    let vocabulary = base.vocabulary();
    let mut ids: Vec<Option<TokenId>> = (0..symbols as u32)
        .map(|index| {
            ((index as usize) < vocabulary.len())
                .then(|| vocabulary.id_of(Symbol(index)))
                .flatten()
        })
        .collect();
    let mut next = base.n_vocab() as u32;
    for symbol in made {
        ids[symbol.index()].get_or_insert_with(|| {
            next += 1;
            TokenId(next - 1)
        });
    }
    // A deleted token has no id. What is stored for it is never used.
    Some(ids.into_iter().map(|id| id.unwrap_or(TokenId(0))).collect())
}

/// The facts that are saved in the model. They depend on the text and the options only, so the same
/// text gives the same file, however it is distributed over files and threads.
fn facts(
    options: &TrainOptions,
    pretokenizer: &PretokenizerConfig,
    text: Facts,
    shortfall: Option<String>,
) -> Facts {
    let mut saved = json!({
        "method": options.method.name(),
        "vocab_size": options.vocab_size,
        "alphabet": options.alphabet.name(),
        "min_count": options.min_count,
        "same_script": options.same_script,
        "boundary": options.boundary.resolved(pretokenizer).name(),
        "greedy_split": match options.greedy_split {
            GreedySplit::Off => json!(false),
            GreedySplit::Training => json!(true),
            GreedySplit::Encoding => json!("encode"),
        },
        "max_words": options.max_words,
        "veto": options.veto,
        "picky": options.picky.map(|picky| picky.threshold),
        "picky_split": options.picky.map(|picky| picky.split.name()),
        "special_tokens": options.special_tokens,
        "sample": options.sample().map(|(max_bytes, _)| max_bytes),
        "seed": options.sample().map(|(_, seed)| seed),
    });
    saved["supermerges"] = match options.method {
        Method::SuperBpe => json!(options.supermerges),
        _ => Value::Null,
    };
    let mut facts = text;
    facts.insert("options".into(), saved);
    facts.insert("version".into(), json!(env!("CARGO_PKG_VERSION")));
    if let Some(shortfall) = shortfall {
        facts.insert("shortfall".into(), json!(shortfall));
    }
    facts
}

/// Maps symbols of the run to symbols of the model, numbered by first appearance in the history.
struct Renumber {
    new: Vec<Option<Symbol>>,
    /// The symbols of the model whose last event is a deletion.
    deleted: HashSet<Symbol>,
    next: u32,
}

impl Renumber {
    /// Symbols below `start`, which exist before the first event, stay the same.
    fn new(start: usize) -> Renumber {
        Renumber {
            new: (0..start as u32).map(|index| Some(Symbol(index))).collect(),
            deleted: HashSet::new(),
            next: start as u32,
        }
    }

    fn known(&self, symbol: Symbol) -> Option<Symbol> {
        self.new.get(symbol.index()).copied().flatten()
    }

    /// The symbol in the model of a token of the final vocabulary. `None` for a token that was never
    /// made or was deleted, which no encoded text contains.
    fn in_vocabulary(&self, symbol: Symbol) -> Option<Symbol> {
        self.known(symbol)
            .filter(|symbol| !self.deleted.contains(symbol))
    }

    fn symbol(&mut self, symbol: Symbol) -> Symbol {
        if symbol.index() >= self.new.len() {
            self.new.resize(symbol.index() + 1, None);
        }
        *self.new[symbol.index()].get_or_insert_with(|| {
            let new = Symbol(self.next);
            self.next += 1;
            new
        })
    }

    fn event(&mut self, step: &Step) -> Event {
        match step {
            Step::Word(step) => match step.event {
                WordEvent::Merge {
                    left,
                    right,
                    joined,
                } => {
                    let (left, right) = (self.symbol(left), self.symbol(right));
                    let joined = self.symbol(joined);
                    self.deleted.remove(&joined);
                    Event::Merge {
                        left,
                        right,
                        count: step.count,
                    }
                }
                WordEvent::Delete { token, .. } => {
                    let token = self.symbol(token);
                    self.deleted.insert(token);
                    Event::Delete { token }
                }
            },
            Step::Super(pair, joined) => {
                let (left, right) = (self.symbol(pair.left), self.symbol(pair.right));
                let joined = self.symbol(*joined);
                self.deleted.remove(&joined);
                Event::Supermerge {
                    left,
                    right,
                    count: pair.count,
                }
            }
        }
    }
}
