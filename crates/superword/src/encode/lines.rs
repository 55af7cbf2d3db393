//! Ids as text: one line of decimal numbers for each document.

use super::{BatchError, Encoder, batch};
use crate::memory;
use crate::observe::Observer;
use crate::prepare::Preparation;
use crate::token::TokenId;

impl Encoder {
    /// One line of ids, separated by spaces, for each text: `"12 7\n3\n"` for two texts.
    pub fn encode_lines(
        &self,
        texts: &[&str],
        preparation: &Preparation,
        threads: usize,
        observer: &dyn Observer,
    ) -> Result<Vec<u8>, BatchError> {
        let chunks = batch::in_chunks(texts, threads, observer, |texts| {
            let (mut ids, mut lines) = (Vec::new(), Vec::new());
            texts.each(|text| {
                ids.clear();
                self.encode_into(text, preparation, &mut ids)?;
                for (index, &id) in ids.iter().enumerate() {
                    if index > 0 {
                        lines.push(b' ');
                    }
                    push_number(&mut lines, id);
                }
                lines.push(b'\n');
                Ok(())
            })?;
            Ok(lines)
        })?;
        let mut all = Vec::new();
        memory::reserve_exact(&mut all, chunks.iter().map(Vec::len).sum());
        chunks.iter().for_each(|chunk| all.extend_from_slice(chunk));
        Ok(all)
    }

    /// The bytes of each line of ids, each followed by `end`. `None` if a line contains anything but
    /// ids of this model; the caller then finds out what is wrong.
    pub fn decode_lines(&self, lines: &[u8], end: &[u8]) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        memory::reserve(&mut out, lines.len());
        for line in lines
            .strip_suffix(b"\n")
            .unwrap_or(lines)
            .split(|&byte| byte == b'\n')
        {
            let words = line.split(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
            for word in words.filter(|word| !word.is_empty()) {
                memory::extend(&mut out, self.token_bytes(TokenId(number(word)?))?);
            }
            memory::extend(&mut out, end);
        }
        Some(out)
    }
}

/// Appends a number in decimal digits.
fn push_number(out: &mut Vec<u8>, mut number: u32) {
    let mut digits = [0; 10];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    memory::extend(out, &digits[first..]);
}

fn number(word: &[u8]) -> Option<u32> {
    word.iter().try_fold(0u32, |number, &byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then_some(())?;
        number.checked_mul(10)?.checked_add(u32::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip() {
        for value in [0, 7, 10, 4_294_967_295, 1_000_000] {
            let mut out = Vec::new();
            push_number(&mut out, value);
            assert_eq!(out, value.to_string().into_bytes());
            assert_eq!(number(&out), Some(value));
        }
        for wrong in ["4294967296", "-1", "1x", "+1"] {
            assert_eq!(number(wrong.as_bytes()), None);
        }
    }
}
