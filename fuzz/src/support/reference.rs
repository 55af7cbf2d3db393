//! Encoding in the plainest way: no tables, no cache, no shortcut. Tokens are byte strings. It reads
//! like `python/superword/reference/encode.py`.

use std::collections::{HashMap, HashSet};

use super::engine::{Event, Model, ModelParts, PickySplit, Pretokenizer, SplitError};

type Token = Vec<u8>;
type Ranks = HashMap<(Token, Token), usize>;

enum Step {
    Merge(Token, Token),
    Delete(Token, Vec<Token>),
}

pub struct Reference<'m> {
    model: &'m Model,
    pretokenizer: Pretokenizer,
    words: Vec<Step>,
    /// The rank of each merge, and of each supermerge.
    ranks: Ranks,
    superwords: Ranks,
    /// Pretokens that are taken whole.
    whole: HashSet<Token>,
    ngrams: HashSet<Vec<Token>>,
}

impl<'m> Reference<'m> {
    /// For a model without unmade tokens.
    pub fn new(model: &'m Model, pretokenizer: Pretokenizer) -> Reference<'m> {
        let parts = model.parts();
        let (tokens, words) = replay(parts);
        let token = |symbol: super::engine::Symbol| tokens[symbol.index()].clone();
        let (mut ranks, mut superwords, mut whole) = (Ranks::new(), Ranks::new(), HashSet::new());
        for event in &parts.events {
            match *event {
                Event::Merge { left, right, .. } => {
                    let at = ranks.len();
                    whole.insert([token(left), token(right)].concat());
                    ranks.entry((token(left), token(right))).or_insert(at);
                }
                Event::Supermerge { left, right, .. } => {
                    let at = superwords.len();
                    superwords.entry((token(left), token(right))).or_insert(at);
                }
                Event::Delete { .. } => {}
            }
        }
        if let Some(order) = &parts.order {
            ranks.clear();
            let merges = words.iter().filter_map(|step| match step {
                Step::Merge(left, right) => Some((left.clone(), right.clone())),
                Step::Delete(..) => None,
            });
            for (pair, &rank) in merges.zip(order) {
                let kept = ranks.entry(pair).or_insert(rank as usize);
                *kept = (*kept).min(rank as usize);
            }
        }
        let in_vocabulary = |token: &Token| model.vocabulary().id_of_bytes(token).is_some();
        whole.retain(in_vocabulary);
        let ngrams = parts.ngrams.iter();
        Reference {
            ngrams: ngrams
                .map(|ngram| ngram.iter().map(|&part| token(part)).collect())
                .collect(),
            model,
            pretokenizer,
            words,
            ranks,
            superwords,
            whole,
        }
    }

    pub fn encode(&self, text: &str) -> Result<Vec<u32>, SplitError> {
        let mut tokens: Vec<Token> = Vec::new();
        let mut run: Vec<Token> = Vec::new();
        for pretoken in self.pretokenizer.split(text)? {
            let word = self.word(pretoken.as_bytes());
            if word.len() == 1 && self.pretokenizer.is_eligible(pretoken) {
                run.extend(word);
            } else {
                tokens.extend(self.superwords(std::mem::take(&mut run)));
                tokens.extend(word);
            }
        }
        tokens.extend(self.superwords(run));
        let id = |token: &Token| self.model.vocabulary().id_of_bytes(token);
        let ids = tokens
            .iter()
            .map(|token| id(token).expect("a token of the model").0);
        Ok(ids.collect())
    }

    /// Phase 1 applied to one pretoken.
    fn word(&self, pretoken: &[u8]) -> Vec<Token> {
        let parts = self.model.parts();
        if parts.whole_pieces && self.whole.contains(pretoken) {
            return vec![pretoken.to_vec()];
        }
        let tokens: Vec<Token> = pretoken.iter().map(|&byte| vec![byte]).collect();
        if parts.order.is_some() {
            one_at_a_time(tokens, &self.ranks)
        } else if parts.has_deletions() {
            self.words.iter().fold(tokens, |tokens, step| match step {
                Step::Merge(left, right) => join(tokens, left, right),
                Step::Delete(token, parts) => replace(tokens, token, parts),
            })
        } else {
            earliest_first(tokens, &self.ranks)
        }
    }

    /// The supermerges applied to a run of eligible tokens.
    fn superwords(&self, run: Vec<Token>) -> Vec<Token> {
        if self.ngrams.is_empty() {
            return earliest_first(run, &self.superwords);
        }
        let (mut out, mut rest) = (Vec::new(), &run[..]);
        while !rest.is_empty() {
            let lengths = (2..=rest.len()).rev();
            let mut found = lengths.filter(|&length| self.ngrams.contains(&rest[..length]));
            let (ngram, after) = rest.split_at(found.next().unwrap_or(1));
            out.extend(earliest_first(ngram.to_vec(), &self.superwords));
            rest = after;
        }
        out
    }
}

/// The bytes of each symbol, and the steps of phase 1.
fn replay(parts: &ModelParts) -> (Vec<Token>, Vec<Step>) {
    let mut tokens: Vec<Token> = parts.alphabet.bytes().map(|byte| vec![byte]).collect();
    let mut steps = Vec::new();
    // The tokens that phase 1 has made and not deleted, and what each was made of last.
    let mut alive: HashSet<Token> = HashSet::new();
    let mut made_of: HashMap<Token, (Token, Token)> = HashMap::new();
    for event in &parts.events {
        match *event {
            Event::Merge { left, right, .. } | Event::Supermerge { left, right, .. } => {
                let [left, right] = [left, right].map(|part| tokens[part.index()].clone());
                let joined = [&left[..], &right[..]].concat();
                if !tokens.contains(&joined) {
                    tokens.push(joined.clone());
                }
                if matches!(event, Event::Merge { .. }) {
                    if alive.insert(joined.clone()) {
                        made_of.insert(joined, (left.clone(), right.clone()));
                    }
                    steps.push(Step::Merge(left, right));
                }
            }
            Event::Delete { token } => {
                let token = tokens[token.index()].clone();
                alive.remove(&token);
                let replacement = replacement(&token, parts.picky_split, &alive, &made_of);
                steps.push(Step::Delete(token, replacement));
            }
        }
    }
    (tokens, steps)
}

/// What replaces a deleted token.
fn replacement(
    token: &Token,
    split: PickySplit,
    alive: &HashSet<Token>,
    made_of: &HashMap<Token, (Token, Token)>,
) -> Vec<Token> {
    let bytes = |token: &Token| token.iter().map(|&byte| vec![byte]).collect();
    let Some((left, right)) = made_of.get(token).filter(|_| split != PickySplit::Bytes) else {
        return bytes(token);
    };
    let part = |part: &Token| match part.len() == 1 || alive.contains(part) {
        true => vec![part.clone()],
        false if split == PickySplit::Parts => replacement(part, split, alive, made_of),
        false => bytes(part),
    };
    [part(left), part(right)].concat()
}

/// Joins all occurrences of a pair, from left to right.
fn join(tokens: Vec<Token>, left: &Token, right: &Token) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    let mut rest = &tokens[..];
    while let [first, after @ ..] = rest {
        let joins = first == left && after.first() == Some(right);
        out.push(if joins {
            [&left[..], right].concat()
        } else {
            first.clone()
        });
        rest = if joins { &after[1..] } else { after };
    }
    out
}

fn replace(tokens: Vec<Token>, deleted: &Token, parts: &[Token]) -> Vec<Token> {
    let split = |token: Token| {
        if token == *deleted {
            parts.to_vec()
        } else {
            vec![token]
        }
    };
    tokens.into_iter().flat_map(split).collect()
}

/// The neighbours that a rule joins, with its rank and their place.
fn applicable(tokens: &[Token], ranks: &Ranks) -> Option<(usize, usize)> {
    let pairs = tokens.windows(2).enumerate();
    let ranked = pairs.filter_map(|(at, pair)| {
        let rank = ranks.get(&(pair[0].clone(), pair[1].clone()))?;
        Some((*rank, at))
    });
    ranked.min()
}

/// Applies the earliest rule that applies everywhere, until none does.
fn earliest_first(mut tokens: Vec<Token>, ranks: &Ranks) -> Vec<Token> {
    while let Some((_, at)) = applicable(&tokens, ranks) {
        let (left, right) = (tokens[at].clone(), tokens[at + 1].clone());
        tokens = join(tokens, &left, &right);
    }
    tokens
}

/// Applies the rule of the lowest rank at its leftmost place, one merge at a time.
fn one_at_a_time(mut tokens: Vec<Token>, ranks: &Ranks) -> Vec<Token> {
    while let Some((_, at)) = applicable(&tokens, ranks) {
        let right = tokens.remove(at + 1);
        tokens[at].extend(right);
    }
    tokens
}
