//! Unicode normalization that knows where each normalized character comes from.
//!
//! A text is cut into *clusters* that are normalized independently. A cluster starts with a character
//! whose decomposition starts with a character that neither combines with what is before it nor
//! moves. Nearly every cluster is one character, which is often known to stay as it is, so that
//! normalized text is scanned quickly and not copied.

use std::borrow::Cow;
use std::sync::Arc;

use unicode_normalization::IsNormalized;
use unicode_normalization::char::{
    canonical_combining_class, compose, decompose_canonical, decompose_compatible,
};
use unicode_normalization::{is_nfc_quick, is_nfkc_quick};

use crate::memory;
use crate::model::Normalizer;

/// A normalization form with composition. Cloning is cheap.
#[derive(Clone, Debug)]
pub(super) struct Form {
    normalizer: Normalizer,
    /// A bit for each character below [`EASY`]: whether it starts a cluster and stays as it is if it
    /// is alone there.
    easy: Arc<[u64]>,
}

/// All frequent characters are below this.
const EASY: u32 = 0x2_0000;

impl From<Normalizer> for Form {
    fn from(normalizer: Normalizer) -> Form {
        let mut form = Form {
            normalizer,
            easy: Arc::default(),
        };
        let mut easy = vec![0; EASY as usize / 64];
        for character in '\0'..=char::MAX {
            let code = u32::from(character);
            if code >= EASY {
                break;
            }
            if form.starts_cluster(character)
                && form.quick(std::iter::once(character)) == IsNormalized::Yes
            {
                easy[code as usize / 64] |= 1 << (code % 64);
            }
        }
        form.easy = easy.into();
        form
    }
}

/// Where the characters of a normalized text come from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alignment {
    /// The characters of clusters that were changed, in order. Everything between them was copied.
    changed: Vec<Changed>,
}

/// A character of a cluster that was changed. Offsets are in bytes.
#[derive(Clone, Copy, Debug)]
struct Changed {
    /// Where it ends in the normalized text, and where it starts.
    end: usize,
    start: usize,
    /// The range of the original text that it was made from.
    original: (usize, usize),
    /// The end of its cluster in the original text.
    cluster_end: usize,
}

impl Alignment {
    /// The range of the original text that a range of the normalized text was made from.
    pub(super) fn original(&self, start: usize, end: usize) -> (usize, usize) {
        if self.changed.is_empty() || start == end {
            return (start, end);
        }
        let after = self.changed.partition_point(|changed| changed.end <= start);
        let mut range = self.byte(start, after);
        for changed in &self.changed[after..] {
            if changed.start >= end {
                break;
            }
            range.0 = range.0.min(changed.original.0);
            range.1 = range.1.max(changed.original.1);
        }
        let after = self.changed.partition_point(|changed| changed.end < end);
        (range.0, range.1.max(self.byte(end - 1, after).1))
    }

    /// The range that one byte of the normalized text was made from. `after` is the number of changed
    /// characters that end at or before it.
    fn byte(&self, at: usize, after: usize) -> (usize, usize) {
        match self.changed.get(after) {
            Some(changed) if changed.start <= at => changed.original,
            _ => {
                let shift = |last: &Changed| at - last.end + last.cluster_end;
                let original = after.checked_sub(1).map(|last| &self.changed[last]);
                let original = original.map_or(at, shift);
                (original, original + 1)
            }
        }
    }
}

/// A character of a decomposed cluster: its combining class and the range it comes from.
#[derive(Clone, Copy)]
struct Piece {
    character: char,
    class: u8,
    original: (usize, usize),
}

impl Form {
    /// The normalized text. It is not copied if it is the same. The alignment is filled if given.
    pub(super) fn normalize<'t>(
        &self,
        text: &'t str,
        mut alignment: Option<&mut Alignment>,
    ) -> Cow<'t, str> {
        let mut out = String::new();
        // Everything before `copied` is in `out`.
        let mut copied = 0;
        let mut at = self.skip(text, 0);
        while let Some(character) = text[at..].chars().next() {
            let start = match self.starts_cluster(character) {
                true => at,
                // It belongs to the character before it, which was skipped.
                false => text[..at]
                    .char_indices()
                    .next_back()
                    .map_or(0, |(before, _)| before),
            };
            let end = self.end_of_cluster(text, at + character.len_utf8());
            let cluster = &text[start..end];
            if self.quick(cluster.chars()) != IsNormalized::Yes {
                push_text(&mut out, &text[copied..start]);
                self.push_normalized(cluster, start, &mut out, alignment.as_deref_mut());
                copied = end;
            }
            at = self.skip(text, end);
        }
        match copied {
            0 => Cow::Borrowed(text),
            _ => {
                push_text(&mut out, &text[copied..]);
                Cow::Owned(out)
            }
        }
    }

    /// The position of the next character that is not easy.
    fn skip(&self, text: &str, from: usize) -> usize {
        let bytes = text.as_bytes();
        let mut at = from;
        loop {
            // Eight ASCII bytes at a time.
            while let Some(chunk) = bytes[at..].first_chunk::<8>()
                && u64::from_ne_bytes(*chunk) & 0x8080_8080_8080_8080 == 0
            {
                at += 8;
            }
            match text[at..].chars().next() {
                Some(character) if self.is_easy(character) => at += character.len_utf8(),
                _ => return at,
            }
        }
    }

    /// Whether a character is known to start a cluster and to stay as it is if it is alone there.
    #[inline(always)]
    fn is_easy(&self, character: char) -> bool {
        let code = u32::from(character);
        let word = self.easy.get(code as usize / 64);
        word.is_some_and(|word| word >> (code % 64) & 1 != 0)
    }

    /// Calls `emit` with the characters of the full decomposition.
    fn decompose(&self, character: char, emit: impl FnMut(char)) {
        match self.normalizer {
            Normalizer::Nfc => decompose_canonical(character, emit),
            Normalizer::Nfkc => decompose_compatible(character, emit),
        }
    }

    fn quick(&self, characters: impl Iterator<Item = char>) -> IsNormalized {
        match self.normalizer {
            Normalizer::Nfc => is_nfc_quick(characters),
            Normalizer::Nfkc => is_nfkc_quick(characters),
        }
    }

    /// Whether nothing before this character can change it, and it changes nothing before it.
    fn starts_cluster(&self, character: char) -> bool {
        let mut first = None;
        self.decompose(character, |part| {
            first.get_or_insert(part);
        });
        let first = first.unwrap_or(character);
        canonical_combining_class(first) == 0
            && self.quick(std::iter::once(first)) == IsNormalized::Yes
    }

    fn end_of_cluster(&self, text: &str, from: usize) -> usize {
        let mut rest = text[from..].char_indices();
        rest.find(|&(_, character)| self.is_easy(character) || self.starts_cluster(character))
            .map_or(text.len(), |(at, _)| from + at)
    }

    /// Appends the normalized form of a cluster, which starts at byte `base` of the text.
    fn push_normalized(
        &self,
        cluster: &str,
        base: usize,
        out: &mut String,
        alignment: Option<&mut Alignment>,
    ) {
        let mut pieces = Vec::new();
        for (at, character) in cluster.char_indices() {
            let original = (base + at, base + at + character.len_utf8());
            self.decompose(character, |part| {
                memory::reserve(&mut pieces, 1);
                pieces.push(Piece {
                    character: part,
                    class: canonical_combining_class(part),
                    original,
                });
            });
        }
        // Combining characters are sorted between characters of class 0.
        for marks in pieces.chunk_by_mut(|one, next| one.class != 0 && next.class != 0) {
            marks.sort_by_key(|mark| mark.class);
        }
        let composed = composed(pieces);
        let cluster_end = base + cluster.len();
        let bytes = composed.iter().map(|piece| piece.character.len_utf8());
        memory::reserve_text(out, bytes.sum());
        let Some(alignment) = alignment else {
            out.extend(composed.iter().map(|piece| piece.character));
            return;
        };
        memory::reserve(&mut alignment.changed, composed.len());
        for piece in composed {
            let start = out.len();
            out.push(piece.character);
            alignment.changed.push(Changed {
                start,
                end: out.len(),
                original: piece.original,
                cluster_end,
            });
        }
    }
}

fn push_text(out: &mut String, text: &str) {
    memory::reserve_text(out, text.len());
    out.push_str(text);
}

/// Canonical composition of a decomposed cluster, as Unicode Standard Annex #15 defines it.
fn composed(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    memory::reserve_exact(&mut out, pieces.len());
    // The last character of class 0, with which later ones may combine.
    let mut starter: Option<usize> = None;
    for piece in pieces {
        if let Some(at) = starter {
            // Blocked by a character in between of class 0 or of at least the same class.
            let blocked = out[at + 1..]
                .last()
                .is_some_and(|last| last.class == 0 || last.class >= piece.class);
            if !blocked && let Some(joined) = compose(out[at].character, piece.character) {
                let (start, end) = out[at].original;
                out[at].character = joined;
                out[at].original = (start.min(piece.original.0), end.max(piece.original.1));
                continue;
            }
        }
        if piece.class == 0 {
            starter = Some(out.len());
        }
        out.push(piece);
    }
    out
}

#[cfg(test)]
mod tests {
    use unicode_normalization::UnicodeNormalization;

    use super::*;
    use crate::testing::Random;

    fn forms() -> [Form; 2] {
        [Normalizer::Nfc, Normalizer::Nfkc].map(Form::from)
    }

    fn expected(form: &Form, text: &str) -> String {
        match form.normalizer {
            Normalizer::Nfc => text.nfc().collect(),
            Normalizer::Nfkc => text.nfkc().collect(),
        }
    }

    /// All characters, each alone and beside others with which many characters combine.
    #[test]
    fn every_character_is_normalized_like_the_library_does() {
        for form in &forms() {
            for character in '\0'..=char::MAX {
                for text in [
                    format!("{character}"),
                    format!("a{character}\u{301}"),
                    format!("\u{1100}{character}\u{11A8}"),
                ] {
                    assert_eq!(
                        form.normalize(&text, None),
                        expected(form, &text),
                        "{text:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn nearly_all_letters_are_skipped_quickly() {
        let [nfc, nfkc] = forms();
        for text in [
            "abc é ß",
            "слово",
            "漢字かな",
            "한글",
            "عربي",
            "ไทย".trim_end(),
            "🙂",
        ] {
            let easy = |form: &Form| text.chars().all(|character| form.is_easy(character));
            assert!(easy(&nfc) && easy(&nfkc), "{text}");
        }
        assert!(!nfc.is_easy('\u{301}') && !nfc.is_easy('\u{212B}'));
        assert!(nfc.is_easy('ﬁ') && !nfkc.is_easy('ﬁ'));
    }

    #[test]
    fn random_texts_are_normalized_like_the_library_does() {
        let mut random = Random(5);
        let forms = forms();
        let marks: Vec<char> = ('\u{300}'..'\u{370}')
            .chain(
                "\u{9BE}\u{9D7}\u{3099}\u{1161}\u{11A8}\u{1100}\u{AC00}e\u{E9}aﬁ½ｶﾞ가 漢яѐ\u{1B}Å"
                    .chars(),
            )
            .collect();
        let (mut same, mut other) = (0, 0);
        for _ in 0..20_000 {
            let text: String = (0..random.below(12))
                .map(|_| marks[random.below(marks.len() as u64) as usize])
                .collect();
            for form in &forms {
                let mut alignment = Alignment::default();
                let normalized = form.normalize(&text, Some(&mut alignment));
                assert_eq!(normalized, expected(form, &text), "{text:?}");
                match normalized {
                    Cow::Borrowed(_) => same += 1,
                    Cow::Owned(_) => other += 1,
                }
                // Together the characters come from the whole text, and each from whole characters.
                let mut covered = vec![false; text.len()];
                for (at, character) in normalized.char_indices() {
                    let (start, end) = alignment.original(at, at + character.len_utf8());
                    assert!(text.get(start..end).is_some_and(|range| !range.is_empty()));
                    covered[start..end].fill(true);
                }
                assert!(covered.iter().all(|&covered| covered), "{text:?}");
            }
        }
        assert!(same > 500 && other > 500, "{same} {other}");
    }

    #[test]
    fn composed_characters_come_from_all_their_parts() {
        let [nfc, nfkc] = &forms();
        let origins = |form: &Form, text: &str| {
            let mut alignment = Alignment::default();
            let normalized = form.normalize(text, Some(&mut alignment)).into_owned();
            let origin = |(at, character): (usize, char)| {
                let (start, end) = alignment.original(at, at + character.len_utf8());
                (character, text[start..end].to_owned())
            };
            normalized.char_indices().map(origin).collect::<Vec<_>>()
        };
        let pairs = |list: &[(char, &str)]| -> Vec<(char, String)> {
            list.iter().map(|&(c, text)| (c, text.to_owned())).collect()
        };
        assert_eq!(
            origins(nfc, "xe\u{301}y"),
            pairs(&[('x', "x"), ('\u{E9}', "e\u{301}"), ('y', "y")])
        );
        assert_eq!(
            origins(nfkc, "aﬁb"),
            pairs(&[('a', "a"), ('f', "ﬁ"), ('i', "ﬁ"), ('b', "b")])
        );
        assert_eq!(
            origins(nfc, "\u{1100}\u{1161}\u{11A8}z"),
            pairs(&[('\u{AC01}', "\u{1100}\u{1161}\u{11A8}"), ('z', "z")])
        );
    }
}
