//! The places of a text that are compared with the boundaries of tokens.

use crate::memory;

/// The position after the last character of a word. The end of the text may be one.
pub(super) const WORD_END: u8 = 1;
/// Inside a word: after its first byte and before its end.
pub(super) const IN_WORD: u8 = 2;
/// In the white space between two words, its start and its end included.
pub(super) const IN_SPACE: u8 = 4;
/// The end of a sentence.
pub(super) const SENTENCE_END: u8 = 8;
/// Before a newline.
pub(super) const LINE_END: u8 = 16;

/// What a text has, whatever the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextCounts {
    /// Characters (code points).
    pub characters: u64,
    /// Pieces that a newline ends, and the piece after the last newline if it is not empty.
    pub lines: u64,
    /// Maximal runs of characters that are not white space.
    pub words: u64,
    /// Maximal runs of white space between two words.
    pub spaces: u64,
    /// Ends of words, except at the end of the text.
    pub word_ends: u64,
    /// Ends of sentences, except at the end of the text.
    pub sentence_ends: u64,
    /// Newlines, except at the start of the text.
    pub line_ends: u64,
}

impl TextCounts {
    /// Adds the counts of another text.
    pub(super) fn add(&mut self, other: TextCounts) {
        self.characters += other.characters;
        self.lines += other.lines;
        self.words += other.words;
        self.spaces += other.spaces;
        self.word_ends += other.word_ends;
        self.sentence_ends += other.sentence_ends;
        self.line_ends += other.line_ends;
    }
}

/// The marks of each position of a text, in bytes: 0, between any two bytes, and the end.
#[derive(Debug, Default)]
pub(super) struct Marks {
    at: Vec<u8>,
}

impl Marks {
    /// The marks of a position.
    #[inline(always)]
    pub(super) fn at(&self, position: usize) -> u8 {
        self.at[position]
    }

    /// Whether a word ends after position `from`, and not after `to`.
    #[inline]
    pub(super) fn word_ends_between(&self, from: usize, to: usize) -> bool {
        self.at[from + 1..=to]
            .iter()
            .any(|marks| marks & WORD_END != 0)
    }

    /// Replaces the marks by those of another text, and calls `word` with each of its words.
    pub(super) fn find(&mut self, text: &str, mut word: impl FnMut(usize, usize)) -> TextCounts {
        self.at.clear();
        memory::reserve(&mut self.at, text.len() + 1);
        self.at.resize(text.len() + 1, 0);
        let mut counts = TextCounts::default();
        let mut word_start = None;
        let mut last_word_end = None;
        let mut sentence = Sentence::Running;
        for (at, character) in text.char_indices() {
            counts.characters += 1;
            if sentence.ends_before(character) {
                self.at[at] |= SENTENCE_END;
                counts.sentence_ends += 1;
            }
            if !character.is_whitespace() {
                if word_start.is_none() {
                    word_start = Some(at);
                    if let Some(end) = last_word_end {
                        self.mark(end, at + 1, IN_SPACE);
                        counts.spaces += 1;
                    }
                }
                continue;
            }
            if let Some(start) = word_start.take() {
                self.end_word(start, at);
                word(start, at);
                counts.words += 1;
                counts.word_ends += 1;
                last_word_end = Some(at);
            }
            if character == '\n' {
                counts.lines += 1;
                if at > 0 {
                    self.at[at] |= LINE_END;
                    counts.line_ends += 1;
                }
            }
        }
        if let Some(start) = word_start {
            self.end_word(start, text.len());
            word(start, text.len());
            counts.words += 1;
        }
        counts.lines += u64::from(!text.is_empty() && !text.ends_with('\n'));
        counts
    }

    fn mark(&mut self, from: usize, to: usize, mark: u8) {
        for marks in &mut self.at[from..to] {
            *marks |= mark;
        }
    }

    fn end_word(&mut self, start: usize, end: usize) {
        self.mark(start + 1, end, IN_WORD);
        self.at[end] |= WORD_END;
    }
}

/// Finds the ends of sentences, one character after the other.
#[derive(Clone, Copy, Debug)]
enum Sentence {
    Running,
    /// After a mark that ends a sentence, and closing quotes and brackets.
    Ended {
        /// Whether the sentence ends here even if no white space follows.
        anywhere: bool,
    },
}

impl Sentence {
    /// Takes the next character. True if a sentence ends before it.
    #[inline]
    fn ends_before(&mut self, character: char) -> bool {
        // Most characters are letters, and most of these come after letters.
        if character.is_ascii_alphanumeric() && matches!(self, Sentence::Running) {
            return false;
        }
        if is_terminal(character) {
            let anywhere = is_wide(character);
            *self = Sentence::Ended { anywhere };
            return false;
        }
        let Sentence::Ended { anywhere } = *self else {
            return false;
        };
        if is_closing(character) {
            return false;
        }
        *self = Sentence::Running;
        anywhere || character.is_whitespace()
    }
}

/// Marks that end a sentence, in all scripts with a common one.
fn is_terminal(character: char) -> bool {
    match character {
        '.' | '!' | '?' => true,
        ..'\u{80}' => false,
        // Armenian, Arabic, Devanagari, Ethiopic, Canadian, Mongolian, Burmese, Khmer, Tibetan.
        '։' | '؟' | '۔' | '।' | '॥' | '።' | '፧' | '፨' | '᙮' | '᠃' | '᠉' | '။' | '។' | '៕' | '།' => {
            true
        }
        '…' | '‼' | '‽' | '⁇' | '⁈' | '⁉' => true,
        _ => is_wide(character),
    }
}

/// Marks of scripts that put no white space between sentences.
fn is_wide(character: char) -> bool {
    matches!(character, '。' | '！' | '？' | '｡' | '．')
}

fn is_closing(character: char) -> bool {
    matches!(
        character,
        '"' | '\''
            | ')'
            | ']'
            | '}'
            | '»'
            | '›'
            | '’'
            | '”'
            | '」'
            | '』'
            | '】'
            | '〉'
            | '》'
            | '）'
            | '］'
            | '｝'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(text: &str, mark: u8) -> Vec<usize> {
        let mut marks = Marks::default();
        marks.find(text, |_, _| {});
        (0..=text.len())
            .filter(|&at| marks.at(at) & mark != 0)
            .collect()
    }

    #[test]
    fn words_and_the_space_between_them_are_marked() {
        let text = " ab  c\n";
        assert_eq!(positions(text, WORD_END), [3, 6]);
        assert_eq!(positions(text, IN_WORD), [2]);
        assert_eq!(positions(text, IN_SPACE), [3, 4, 5]);
        assert_eq!(positions(text, LINE_END), [6]);
        let mut words = Vec::new();
        let counts = Marks::default().find(text, |start, end| words.push(&text[start..end]));
        assert_eq!(words, ["ab", "c"]);
        let expected = TextCounts {
            characters: 7,
            lines: 1,
            words: 2,
            spaces: 1,
            word_ends: 2,
            sentence_ends: 0,
            line_ends: 1,
        };
        assert_eq!(counts, expected);
    }

    #[test]
    fn the_end_of_a_text_is_no_edge_and_its_last_line_counts() {
        let counts = Marks::default().find("\na b", |_, _| {});
        assert_eq!((counts.lines, counts.line_ends), (2, 0));
        assert_eq!((counts.words, counts.word_ends, counts.spaces), (2, 1, 1));
        assert_eq!(Marks::default().find("", |_, _| {}), TextCounts::default());
    }

    #[test]
    fn sentences_end_after_closing_marks_before_white_space() {
        assert_eq!(positions("He said \"no.\") So?", SENTENCE_END), [14]);
        assert!(positions("3.14 a.b ...x", SENTENCE_END).is_empty());
        assert_eq!(positions("Wait... what?! Yes", SENTENCE_END), [7, 14]);
        // No white space is needed after an ideographic full stop; the end of the text is no edge.
        assert_eq!(positions("好。」是。", SENTENCE_END), [9]);
    }
}
