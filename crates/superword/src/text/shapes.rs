//! The shapes of the words of each preset, and what ends a word of each shape.
//!
//! An exported superword model matches runs of known words with a pattern of its own. That pattern
//! has to know where the preset ends a word. Let a word `w` stand where a pretoken starts. For each
//! shape here, the pretoken is exactly `w` if the text after `w` does not match `not_before`, and it
//! is longer than `w` otherwise. The proof is in docs/concepts-exact-export.md; tests compare every
//! shape with the scanners.

use super::PretokenizerConfig;

/// One shape of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// A name for people: `lower`, `contraction`.
    pub name: &'static str,
    /// A pattern that matches a whole word of this shape and of no earlier shape in the list.
    pub word: String,
    /// A pattern for the text that makes the pretoken longer than the word. Empty if nothing does.
    pub not_before: String,
    /// A pattern for the beginnings of words that no superword may join to a word of this shape. The
    /// two are words in some texts and parts of one longer pretoken in others. Empty if there are
    /// none.
    pub not_joined_to: String,
}

impl Shape {
    fn new(name: &'static str, word: impl Into<String>, not_before: impl Into<String>) -> Shape {
        Shape {
            name,
            word: format!("^(?:{})$", word.into()),
            not_before: not_before.into(),
            not_joined_to: String::new(),
        }
    }

    fn not_joined_to(self, beginnings: &str) -> Shape {
        Shape {
            not_joined_to: beginnings.to_owned(),
            ..self
        }
    }
}

/// The contractions that end a word of GPT-4o, and that are words of their own in GPT-4.
const CONTRACTION: &str = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";

/// The contractions as js-tiktoken writes them. Unlike [`CONTRACTION`], they do not have U+017F, which
/// is a lowercase s too.
const PLAIN_CONTRACTION: &str =
    "('s|'S|'t|'T|'re|'rE|'Re|'RE|'ve|'vE|'Ve|'VE|'m|'M|'ll|'lL|'Ll|'LL|'d|'D)";

impl PretokenizerConfig {
    /// The shapes of the words of this pretokenizer. `None` if it is not known where its words end.
    #[doc(hidden)]
    pub fn word_shapes(&self) -> Option<Vec<Shape>> {
        if let Some(preset) = self.meaning() {
            return shapes(preset);
        }
        let mut preset = self.clone();
        preset.pattern = preset.pattern.replace(PLAIN_CONTRACTION, CONTRACTION);
        let mut shapes = shapes(preset.meaning()?)?;
        for shape in &mut shapes {
            for pattern in [&mut shape.word, &mut shape.not_before] {
                *pattern = pattern.replace(CONTRACTION, PLAIN_CONTRACTION);
            }
        }
        Some(shapes)
    }
}

/// An optional character before the letters of a word.
const ANY_PREFIX: &str = r"[^\r\n\p{L}\p{N}]?";

/// Lowercase letters, letters without case, and marks: what a word with case can end with.
const LOWER: &str = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]";

/// A letter that is a word by itself in `gpt4o-portable`.
const PORTABLE_LETTER: &str =
    r"[\p{L}&&[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Myanmar}\p{Khmer}\p{Lao}ー]]";

/// The range that `deepseek-v3` keeps apart, without brackets.
const CJK: &str = "一-龥぀-ゟ゠-ヿ";

/// The shapes of the words of a preset. `None` if there is no such preset, or if it splits text by
/// script first.
///
/// A word that has none of the shapes is not certified to end where it does, so no superword that
/// has it can be exported exactly.
fn shapes(preset: &str) -> Option<Vec<Shape>> {
    Some(match preset {
        "gpt2" | "command-r" => vec![
            Shape::new("contraction", "'(?:[sdmt]|ll|ve|re)", ""),
            Shape::new("word", r" ?\p{L}+", r"\p{L}"),
        ],
        "gpt4" | "llama3" | "qwen2" | "cl100k" => vec![
            Shape::new("contraction", CONTRACTION, ""),
            Shape::new("word", format!(r"{ANY_PREFIX}\p{{L}}+"), r"\p{L}"),
        ],
        "qwen3.5" => vec![
            Shape::new("contraction", CONTRACTION, ""),
            Shape::new(
                "word",
                format!(r"{ANY_PREFIX}[\p{{L}}\p{{M}}]+"),
                r"[\p{L}\p{M}]",
            ),
        ],
        "gpt4o" => cased(ANY_PREFIX, "", Ending::Contraction),
        "tekken" => cased(ANY_PREFIX, "", Ending::None),
        "gpt4o-export" => cased(" ?", "", Ending::Apostrophes),
        "gpt4o-portable" => {
            let mut shapes = vec![Shape::new(
                "letter",
                format!(r" ?{PORTABLE_LETTER}\p{{M}}*"),
                r"\p{M}",
            )];
            let apart = format!("(?!{PORTABLE_LETTER})");
            shapes.extend(cased(ANY_PREFIX, &apart, Ending::Contraction));
            shapes
        }
        "kimi-k2" => {
            let mut shapes = vec![Shape::new("han", r"\p{Han}+", r"\p{Han}")];
            shapes.extend(cased(ANY_PREFIX, r"(?!\p{Han})", Ending::Contraction));
            shapes
        }
        "deepseek-v3" => vec![
            Shape::new(
                "cjk",
                format!(r"[{CJK}&&[^\p{{L}}\p{{P}}\p{{S}}]]?[{CJK}&&[\p{{L}}\p{{M}}]]+"),
                format!(r"[{CJK}&&[\p{{L}}\p{{M}}]]"),
            ),
            Shape::new("ascii", r"[!-/:-@\[-`{-~][A-Za-z]+", "[A-Za-z]"),
            Shape::new(
                "word",
                format!(r"[^\r\n\p{{L}}\p{{N}}\p{{P}}\p{{S}}{CJK}]?[\p{{L}}\p{{M}}&&[^{CJK}]]+"),
                format!(r"[\p{{L}}\p{{M}}&&[^{CJK}]]"),
            ),
        ],
        _ => return None,
    })
}

/// What may follow the letters of a word with case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    None,
    Contraction,
    /// Apostrophes with letters after them, any number of times.
    Apostrophes,
}

/// The shapes of words in which an uppercase letter after a lowercase one starts a new word. `apart`
/// is a lookahead that excludes the letters of another shape.
fn cased(prefix: &str, apart: &str, ending: Ending) -> Vec<Shape> {
    let letter = format!(r"(?:{apart}[\p{{L}}\p{{M}}])");
    let (ended, goes_on) = match ending {
        Ending::None => (None, String::new()),
        // After a contraction the word is complete, whatever follows.
        Ending::Contraction => (
            Some(Shape::new(
                "contraction",
                format!("{prefix}{letter}+{CONTRACTION}"),
                "",
            )),
            format!("|{CONTRACTION}"),
        ),
        Ending::Apostrophes => (
            Some(
                Shape::new(
                    "apostrophe",
                    format!(r"{prefix}{letter}+(?:['’](?:\p{{L}}\p{{M}}*)+)+"),
                    r"[\p{L}\p{M}]|['’]\p{L}",
                )
                .not_joined_to(ending.part()),
            ),
            r"|['’]\p{L}".to_owned(),
        ),
    };
    let shapes = [
        Shape::new(
            "lower",
            format!(r"{prefix}{letter}*\p{{Ll}}{letter}*"),
            format!("{apart}{LOWER}{goes_on}"),
        )
        .not_joined_to(ending.part()),
        // Without a lowercase letter, the word ends with its last letter without case.
        Shape::new(
            "caseless",
            format!(r"{prefix}{letter}*{apart}[\p{{Lm}}\p{{Lo}}\p{{M}}]"),
            format!(r"[\p{{Lu}}\p{{Lt}}]*{apart}{LOWER}{goes_on}"),
        )
        // Two words, but one if a lowercase letter comes after both.
        .not_joined_to(&format!(r"[\p{{Lu}}\p{{Lt}}]|{}", ending.part())),
        Shape::new(
            "upper",
            format!(r"{prefix}[\p{{Lu}}\p{{Lt}}]+"),
            format!(r"{apart}[\p{{L}}\p{{M}}]{goes_on}"),
        )
        .not_joined_to(ending.part()),
    ];
    ended.into_iter().chain(shapes).collect()
}

impl Ending {
    /// The beginnings of words that may also be a part of the ending of the word before them.
    fn part(self) -> &'static str {
        match self {
            Ending::None => "(?!)",
            // `'r` is a word, but `'re` is the ending of the word before it.
            Ending::Contraction => "(?i:'[rvl])$",
            // After an apostrophe, a word has letters of all kinds.
            Ending::Apostrophes => r"[\p{L}\p{M}]",
        }
    }
}
