//! What is counted while a text is read.

use super::marks::{IN_SPACE, IN_WORD, LINE_END, Marks, SENTENCE_END, TextCounts, WORD_END};
use crate::memory;
use crate::table::BytesTable;

/// Longer words are not counted one by one. They are addresses, or text without spaces.
pub(super) const LONGEST_WORD: usize = 64;

/// How one model encodes a text.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ModelTally {
    /// How often each id occurs.
    pub uses: Vec<u64>,
    /// The tokens of each document.
    pub document_tokens: Vec<u64>,
    /// Words with a token boundary inside.
    pub continued_words: u64,
    /// Runs of white space between two words with a token boundary inside, at the start or at the
    /// end.
    pub cut_spaces: u64,
    /// Ends of words that are token boundaries. The end of a document does not count.
    pub cut_word_ends: u64,
    /// Ends of sentences that are token boundaries.
    pub cut_sentence_ends: u64,
    /// Places before a newline that are token boundaries.
    pub cut_line_ends: u64,
    /// Tokens of the same text without supermerges, if this does not follow from `uses`.
    pub tokens_without: Option<u64>,
}

impl ModelTally {
    pub(super) fn new(n_vocab: usize) -> ModelTally {
        ModelTally {
            uses: memory::filled(0, n_vocab),
            ..ModelTally::default()
        }
    }

    /// Counts a token boundary at `position`, which is inside the text. The one before it is at
    /// `previous`.
    #[inline(always)]
    pub(super) fn boundary(&mut self, marks: &Marks, previous: usize, position: usize) {
        let here = marks.at(position);
        self.cut_word_ends += u64::from(here & WORD_END != 0);
        self.cut_sentence_ends += u64::from(here & SENTENCE_END != 0);
        self.cut_line_ends += u64::from(here & LINE_END != 0);
        let place = here & (IN_WORD | IN_SPACE);
        if place == 0 {
            return;
        }
        // A word or a space counts once, however many boundaries it has.
        if marks.at(previous) & place != 0 && !marks.word_ends_between(previous, position) {
            return;
        }
        self.continued_words += u64::from(place & IN_WORD != 0);
        self.cut_spaces += u64::from(place & IN_SPACE != 0);
    }

    fn add(&mut self, other: &mut ModelTally) {
        for (sum, uses) in self.uses.iter_mut().zip(&mut other.uses) {
            *sum += std::mem::take(uses);
        }
        memory::extend(&mut self.document_tokens, &other.document_tokens);
        other.document_tokens.clear();
        for (sum, part) in [
            (&mut self.continued_words, &mut other.continued_words),
            (&mut self.cut_spaces, &mut other.cut_spaces),
            (&mut self.cut_word_ends, &mut other.cut_word_ends),
            (&mut self.cut_sentence_ends, &mut other.cut_sentence_ends),
            (&mut self.cut_line_ends, &mut other.cut_line_ends),
        ] {
            *sum += std::mem::take(part);
        }
        if let Some(more) = other.tokens_without.take() {
            *self.tokens_without.get_or_insert(0) += more;
        }
    }
}

/// What is counted in one group of documents.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupTally {
    pub(super) text: TextCounts,
    /// The bytes and the characters of each document.
    pub(super) document_sizes: Vec<(u64, u64)>,
    pub(super) words: BytesTable<u64>,
    pub(super) models: Vec<ModelTally>,
}

impl GroupTally {
    /// Nothing counted yet, for models with vocabularies of these sizes.
    pub(super) fn new(sizes: &[usize]) -> GroupTally {
        GroupTally {
            models: sizes.iter().map(|&size| ModelTally::new(size)).collect(),
            ..GroupTally::default()
        }
    }

    /// Moves all counts of `other` to this one.
    pub(super) fn take(&mut self, other: &mut GroupTally) {
        self.text.add(std::mem::take(&mut other.text));
        memory::extend(&mut self.document_sizes, &other.document_sizes);
        other.document_sizes.clear();
        add_words(&mut self.words, &std::mem::take(&mut other.words));
        for (sum, part) in self.models.iter_mut().zip(&mut other.models) {
            sum.add(part);
        }
    }
}

/// Adds the counts of `more` to `words`.
pub(super) fn add_words(words: &mut BytesTable<u64>, more: &BytesTable<u64>) {
    more.for_each(|word, count| *words.entry(word, 0, word.len()).0 += count);
}

/// The most frequent words with their counts. Words with the same count are in byte order.
pub(super) fn most_frequent(words: &BytesTable<u64>, most: usize) -> Vec<(String, u64)> {
    let mut found: Vec<(Vec<u8>, u64)> = Vec::with_capacity(words.len());
    words.for_each(|word, count| found.push((word.to_vec(), count)));
    let order = |a: &(Vec<u8>, u64), b: &(Vec<u8>, u64)| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0));
    if most < found.len() {
        found.select_nth_unstable_by(most, order);
        found.truncate(most);
    }
    found.sort_unstable_by(order);
    let text = |(word, count): (Vec<u8>, u64)| {
        // Words are parts of a text, so nothing is lost here.
        (String::from_utf8_lossy(&word).into_owned(), count)
    };
    found.into_iter().map(text).collect()
}
