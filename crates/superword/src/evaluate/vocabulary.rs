//! The tokens of a model, and what they are used for.

use crate::model::{Event, Model, Origin};
use crate::text::{Script, is_real, script_of};
use crate::token::{Symbol, TokenId};

/// What an id stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenKind {
    /// No token has this id.
    Unused = 0,
    /// A byte, the result of a merge, or an added token that is not special.
    Ordinary = 1,
    /// The result of a supermerge.
    Superword = 2,
    /// A special token.
    Special = 3,
}

/// The tokens of a model, by id.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Tokens {
    /// What each id stands for.
    pub kinds: Vec<u8>,
    /// The whole characters of each token.
    pub characters: Vec<u32>,
    /// Whether a token has part of a character.
    pub partial: Vec<bool>,
    /// The pretokens that a token joins: 1 unless it is a superword.
    pub words: Vec<u32>,
    /// `Latin`, `Mixed`, `No letters` or `Partial`.
    pub scripts: Vec<&'static str>,
    /// Whether every emitted token joins as many pretokens as `words` says. Not if a token is both
    /// a superword and the result of a merge.
    pub words_are_known: bool,
}

impl Tokens {
    /// The tokens of a model.
    pub fn of(model: &Model) -> Tokens {
        let (words, words_are_known) = words_of_symbols(model);
        let vocabulary = model.vocabulary();
        let mut tokens = Tokens {
            words_are_known,
            ..Tokens::default()
        };
        let mut is_special = vec![false; model.n_vocab()];
        for added in &model.parts().added {
            if let Some(special) = is_special.get_mut(added.id.index()) {
                *special |= added.special;
            }
        }
        for id in (0..model.n_vocab() as u32).map(TokenId) {
            let bytes = model.token_bytes(id);
            let symbol = vocabulary.symbol_with(id);
            let joined = symbol.map_or(1, |symbol| words[symbol.index()]);
            let origin = symbol.map(|symbol| vocabulary.origin_of(symbol));
            let kind = match (bytes, origin) {
                (None, _) => TokenKind::Unused,
                _ if is_special[id.index()] => TokenKind::Special,
                (_, Some(Origin::Supermerge(..))) => TokenKind::Superword,
                _ => TokenKind::Ordinary,
            };
            let bytes = bytes.unwrap_or_default();
            let text = std::str::from_utf8(bytes);
            let whole = |bytes: &[u8]| -> usize {
                let chunks = bytes.utf8_chunks();
                chunks.map(|chunk| chunk.valid().chars().count()).sum()
            };
            tokens.kinds.push(kind as u8);
            tokens.characters.push(whole(bytes) as u32);
            tokens.partial.push(text.is_err());
            tokens.words.push(joined);
            tokens.scripts.push(text.map_or("Partial", script_name));
        }
        tokens
    }
}

/// The script of the letters of a text.
fn script_name(text: &str) -> &'static str {
    let mut found: Option<Script> = None;
    for script in text
        .chars()
        .map(script_of)
        .filter(|&script| is_real(script))
    {
        match found {
            Some(other) if other != script => return "Mixed",
            _ => found = Some(script),
        }
    }
    found.map_or("No letters", Script::name)
}

/// The number of pretokens that each symbol joins, and whether it is the same for all events that
/// make the symbol.
fn words_of_symbols(model: &Model) -> (Vec<u32>, bool) {
    let vocabulary = model.vocabulary();
    // 0: not made yet. Everything that exists before the first event is one pretoken or less.
    let mut words = vec![0; vocabulary.len()];
    words[..first_made(model)].fill(1);
    let mut known = true;
    for (event, step) in model.parts().events.iter().enumerate() {
        let joined = match *step {
            Event::Delete { .. } => continue,
            Event::Merge { .. } => 1,
            Event::Supermerge { left, right, .. } => words[left.index()] + words[right.index()],
        };
        let made = &mut words[vocabulary.made_by(event).index()];
        known &= *made == 0 || *made == joined;
        *made = joined;
    }
    (words, known)
}

/// The number of symbols that exist before the first event.
fn first_made(model: &Model) -> usize {
    model.parts().alphabet.size() + model.parts().unmade.len()
}

/// Why the encodings of smaller vocabularies do not follow from that of the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Inexact {
    /// A deleted token was part of others.
    #[error("the model has deletions, so a smaller vocabulary may have other tokens")]
    Deletions,
    /// Pretokens become tokens without merges.
    #[error(
        "the model encodes whole pretokens without merging, so smaller vocabularies do not follow"
    )]
    WholePieces,
    /// The order of merges is not that of the vocabulary.
    #[error("the merges apply in another order than that of the vocabulary")]
    Order,
    /// Runs are cut at n-grams, some of which belong to larger vocabularies.
    #[error("the model cuts runs of words at n-grams when it encodes")]
    Ngrams,
    /// Two events make the same token, and its uses may come from either.
    #[error("several merges of the model make the same token")]
    MadeTwice,
}

/// How often each event applies when a text is encoded whose tokens occur `emitted` times, by id. The
/// text has that many more tokens without the event and all later ones.
///
/// With the merges `a b` and `ab c`, and a text that is encoded as `abc ab`, these are 2 and 1.
pub fn event_uses(model: &Model, emitted: &[u64]) -> Result<Vec<u64>, Inexact> {
    let parts = model.parts();
    if model.has_deletions() {
        return Err(Inexact::Deletions);
    }
    if parts.whole_pieces {
        return Err(Inexact::WholePieces);
    }
    if parts.order.is_some() {
        return Err(Inexact::Order);
    }
    uses(model, emitted, |_| true)
}

/// The same for supermerges only, in order. All merges stay.
pub fn supermerge_uses(model: &Model, emitted: &[u64]) -> Result<Vec<u64>, Inexact> {
    uses(model, emitted, |event| {
        matches!(event, Event::Supermerge { .. })
    })
}

fn uses(
    model: &Model,
    emitted: &[u64],
    counts: impl Fn(&Event) -> bool,
) -> Result<Vec<u64>, Inexact> {
    let vocabulary = model.vocabulary();
    let events = &model.parts().events;
    if !model.parts().ngrams.is_empty() {
        return Err(Inexact::Ngrams);
    }
    let mut made = vec![0; vocabulary.len()];
    made[..first_made(model)].fill(1);
    for (event, step) in events.iter().enumerate() {
        made[vocabulary.made_by(event).index()] += u32::from(!matches!(step, Event::Delete { .. }));
    }
    let mut used = by_symbol(model, emitted);
    let mut uses = Vec::with_capacity(events.len());
    for (event, step) in events.iter().enumerate().rev() {
        let (Event::Merge { left, right, .. } | Event::Supermerge { left, right, .. }) = *step
        else {
            continue;
        };
        if !counts(step) {
            continue;
        }
        let token = vocabulary.made_by(event).index();
        if made[token] > 1 {
            return Err(Inexact::MadeTwice);
        }
        let times = used[token];
        used[left.index()] += times;
        used[right.index()] += times;
        uses.push(times);
    }
    uses.reverse();
    Ok(uses)
}

fn by_symbol(model: &Model, emitted: &[u64]) -> Vec<u64> {
    let vocabulary = model.vocabulary();
    let count = |symbol| {
        let id = vocabulary.id_of(Symbol(symbol))?;
        emitted.get(id.index()).copied()
    };
    (0..vocabulary.len() as u32)
        .map(|symbol| count(symbol).unwrap_or(0))
        .collect()
}

/// The number of tokens that do not occur, although a token that does is made from them.
pub fn only_steps(model: &Model, emitted: &[u64]) -> u64 {
    let vocabulary = model.vocabulary();
    let occurs: Vec<bool> = by_symbol(model, emitted)
        .iter()
        .map(|&times| times > 0)
        .collect();
    let mut needed = occurs.clone();
    let mut open: Vec<Symbol> = (0..vocabulary.len() as u32)
        .map(Symbol)
        .filter(|symbol| occurs[symbol.index()])
        .collect();
    while let Some(symbol) = open.pop() {
        if let Origin::Merge(left, right) | Origin::Supermerge(left, right) =
            vocabulary.origin_of(symbol)
        {
            for part in [left, right] {
                if !std::mem::replace(&mut needed[part.index()], true) {
                    open.push(part);
                }
            }
        }
    }
    (0..vocabulary.len() as u32)
        .map(Symbol)
        .filter(|symbol| needed[symbol.index()] && !occurs[symbol.index()])
        .filter(|&symbol| vocabulary.id_of(symbol).is_some())
        .count() as u64
}
