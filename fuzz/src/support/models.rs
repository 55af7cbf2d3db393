//! Small models made from the bytes of an input.

use std::cell::RefCell;
use std::collections::HashMap;

use super::engine::{
    Alphabet, Event, Method, Model, ModelParts, PRESETS, PickySplit, Pretokenizer,
    PretokenizerConfig, Symbol, TokenId, generic_pretokenizer,
};
use super::input::Input;

/// Patterns besides the presets, some of which need a backtracking engine.
const PATTERNS: [&str; 6] = [
    " ?[^ ]+| +",
    r"\w+|\W",
    r"(?s:.)",
    r"\s+(?!\S)|\s?\S+|\s+",
    r"(?s:.{1,3})",
    r"[ab]+|(?<=b) ?c",
];

/// Letters of tokens. Few, so that merges apply often.
const LETTERS: &[u8] = b" abcABn'1\n.\xC3\xA9\xE6\xBC\xA2\xFF";

/// Tokens are no longer than this.
const LONGEST: usize = 80;

/// The preset or pattern that the input chooses.
pub fn config(input: &mut Input<'_>) -> PretokenizerConfig {
    // Patterns are rare, because they are compiled for each input.
    if input.one_in(32) {
        return PretokenizerConfig {
            name: None,
            pattern: input.pick(&PATTERNS).to_owned(),
            script: None,
            eligible: input.pick(&[r"\p{L}", "a", ".", "^ "]).to_owned(),
        };
    }
    PretokenizerConfig::preset(input.pick(&PRESETS)).expect("a preset")
}

/// The name, the pattern and the pattern of eligible pretokens.
type Key = (Option<String>, String, String);

/// The pretokenizer of a configuration, run by a regex engine. Kept, because compiling is slow.
pub fn generic(config: &PretokenizerConfig) -> Pretokenizer {
    thread_local! {
        static KNOWN: RefCell<HashMap<Key, Pretokenizer>> = RefCell::default();
    }
    KNOWN.with_borrow_mut(|known| {
        let key = (
            config.name.clone(),
            config.pattern.clone(),
            config.eligible.clone(),
        );
        let make = || generic_pretokenizer(config.clone()).expect("a valid pattern");
        known.entry(key).or_insert_with(make).clone()
    })
}

/// A model with arbitrary merges, supermerges and deletions, and all of its tokens. `None` if the
/// engine refuses it.
pub fn model(input: &mut Input<'_>) -> Option<(Model, Vec<Vec<u8>>)> {
    let method = input.pick(&[Method::SuperBpe, Method::Boundless, Method::Bpe]);
    let alphabet = input.pick(&[Alphabet::Bytes, Alphabet::Bytes, Alphabet::Utf8]);
    let mut growing = Growing::new(alphabet);
    let may_delete = input.one_in(3);
    for _ in 0..input.below(40) {
        growing.step(input, method, may_delete);
    }
    let mut parts = ModelParts {
        method,
        pretokenizer: config(input),
        alphabet,
        picky_split: input.pick(&[
            PickySplit::Parts,
            PickySplit::PartsThenBytes,
            PickySplit::Bytes,
        ]),
        events: growing.events,
        ids: None,
        added: Vec::new(),
        normalizer: None,
        whole_pieces: input.one_in(4),
        order: None,
        unmade: Vec::new(),
        settings: Default::default(),
        ngrams: Vec::new(),
        facts: Default::default(),
    };
    if !may_delete && input.one_in(4) {
        let merges = parts.merges() as u32;
        let rank = |at: u32| (u32::from(input.byte()) << 8) + at;
        parts.order = Some((0..merges).map(rank).collect());
    }
    let tokens = growing.tokens;
    let symbols = tokens.len() as u32;
    if input.one_in(4) {
        parts.ids = Some((0..symbols).rev().map(|id| TokenId(id + 3)).collect());
    }
    for _ in 0..input.below(8).saturating_sub(4) {
        let length = 2 + input.below(3);
        let mut symbol = || Symbol(symbols - 1 - input.below(symbols.min(20) as usize) as u32);
        parts.ngrams.push((0..length).map(|_| symbol()).collect());
    }
    Some((Model::build(parts).ok()?, tokens))
}

/// The events so far, and the tokens by symbol.
struct Growing {
    events: Vec<Event>,
    tokens: Vec<Vec<u8>>,
    letters: Vec<u32>,
    bytes: usize,
}

impl Growing {
    fn new(alphabet: Alphabet) -> Growing {
        let tokens: Vec<Vec<u8>> = alphabet.bytes().map(|byte| vec![byte]).collect();
        let symbol = |letter: &u8| tokens.iter().position(|token| token == &[*letter]);
        let letters = LETTERS.iter().filter_map(symbol);
        Growing {
            events: Vec::new(),
            letters: letters.map(|symbol| symbol as u32).collect(),
            bytes: tokens.len(),
            tokens,
        }
    }

    /// A letter, or a token that was made before.
    fn token(&self, input: &mut Input<'_>) -> Symbol {
        let choice = usize::from(input.byte());
        let made = self.tokens.len() - self.bytes;
        Symbol(if made == 0 || choice < 100 {
            self.letters[choice % self.letters.len()]
        } else {
            (self.bytes + (choice - 100) % made) as u32
        })
    }

    fn step(&mut self, input: &mut Input<'_>, method: Method, may_delete: bool) {
        let kind = input.below(8);
        if kind == 7 && may_delete {
            let token = self.token(input);
            return self.events.push(Event::Delete { token });
        }
        let (left, right) = (self.token(input), self.token(input));
        let joined = [left, right].map(|token| &self.tokens[token.index()][..]);
        let joined = joined.concat();
        if joined.len() > LONGEST {
            return;
        }
        if !self.tokens.contains(&joined) {
            self.tokens.push(joined);
        }
        let count = 100 - self.events.len() as u64;
        self.events.push(match kind >= 4 && method != Method::Bpe {
            true => Event::Supermerge { left, right, count },
            false => Event::Merge { left, right, count },
        });
    }
}

/// A text: the bytes that are left, or tokens and letters chosen by them.
pub fn text(mut input: Input<'_>, tokens: &[Vec<u8>]) -> String {
    if input.one_in(2) {
        return super::input::text_of(input.rest());
    }
    let mut bytes = Vec::new();
    for &choice in input.rest() {
        // The tokens that merges make come last.
        match usize::from(choice) {
            choice @ ..80 => bytes.push(LETTERS[choice % (LETTERS.len() - 1)]),
            choice => bytes.extend(&tokens[tokens.len() - 1 - choice % tokens.len().min(60)]),
        }
    }
    super::input::text_of(&bytes)
}
