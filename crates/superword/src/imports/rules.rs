//! The merges that make the tokens of a vocabulary, found by encoding each token.
//!
//! Other programs may list several merges that make the same token, or only the ranks of tokens. In
//! any text, at most one pair ever makes a token: the last one that is merged when the bytes of the
//! token are encoded alone. (As long as nothing crosses their ends, the bytes of a token go through
//! the same merges wherever they stand.) That pair becomes the merge of the token. A token that is
//! not reached in this way is never made by merging: it is *unmade*.
//!
//! Usually a merge comes after the merges of its parts. Where it does not, the ranks are recorded
//! beside the merges, and encoding applies the merge with the lowest rank, one at a time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use super::error::Reason;
use super::shown::quoted_bytes;
use crate::model::Alphabet;

/// The merge that makes a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rule<'a> {
    pub(super) token: &'a [u8],
    /// Where the right part begins.
    at: usize,
}

impl<'a> Rule<'a> {
    pub(super) fn parts(self) -> [&'a [u8]; 2] {
        let (left, right) = self.token.split_at(self.at);
        [left, right]
    }
}

/// The merges of a vocabulary.
#[derive(Debug, PartialEq)]
pub(super) struct Rules<'a> {
    /// One for each token that merging makes. The merges of its parts come before it.
    pub(super) merges: Vec<Rule<'a>>,
    /// The rank of each merge, if ranks are not the order of the list.
    pub(super) order: Option<Vec<u32>>,
    /// The tokens that no merge makes.
    pub(super) unmade: HashSet<&'a [u8]>,
}

/// The merges that make these tokens.
///
/// `rank_of` gives the rank of a pair, or `None` if it is not merged. The pair is given as its joined
/// bytes and the length of the left part. No two pairs have the same rank.
pub(super) fn rules_of<'a>(
    tokens: impl IntoIterator<Item = &'a [u8]>,
    rank_of: impl Fn(&[u8], usize) -> Option<u32>,
) -> Result<Rules<'a>, Reason> {
    let mut ranked: Vec<(u32, Rule<'a>)> = Vec::new();
    let mut unmade = HashSet::new();
    let mut scratch = Scratch::default();
    for token in tokens {
        if token.len() == 1 {
            continue;
        }
        match last_pair(token, &rank_of, &mut scratch) {
            Some((rank, at)) => ranked.push((rank, Rule { token, at })),
            None => {
                unmade.insert(token);
            }
        }
    }
    ranked.sort_unstable();
    let merges: Vec<Rule<'a>> = ranked.into_iter().map(|(_, rule)| rule).collect();
    let places = parts_first(&merges)?;
    let is_ordered = places.iter().zip(0..).all(|(&place, at)| place == at);
    Ok(Rules {
        merges: places.iter().map(|&place| merges[place as usize]).collect(),
        order: (!is_ordered).then_some(places),
        unmade,
    })
}

/// The places of the merges in the same order, except that each part is moved in front of what it is
/// for.
fn parts_first(merges: &[Rule<'_>]) -> Result<Vec<u32>, Reason> {
    let making: HashMap<&[u8], u32> = merges.iter().map(|rule| rule.token).zip(0..).collect();
    let mut is_listed = vec![false; merges.len()];
    let mut listed = Vec::with_capacity(merges.len());
    let mut waiting = Vec::new();
    for place in 0..merges.len() as u32 {
        waiting.push(place);
        while let Some(&next) = waiting.last() {
            let before = waiting.len();
            for part in merges[next as usize].parts() {
                if part.len() > 1 {
                    let made = making.get(part).ok_or_else(|| Reason::LacksToken {
                        token: quoted_bytes(part),
                    })?;
                    if !is_listed[*made as usize] {
                        waiting.push(*made);
                    }
                }
            }
            if waiting.len() > before {
                continue;
            }
            waiting.pop();
            if !std::mem::replace(&mut is_listed[next as usize], true) {
                listed.push(next);
            }
        }
    }
    Ok(listed)
}

/// Longer tokens are merged with a heap, because they would take quadratic time.
const SHORT: usize = 40;

/// Where the parts of a token begin, and the rank of each part and the next one.
#[derive(Default)]
struct Scratch {
    starts: Vec<usize>,
    ranks: Vec<Option<u32>>,
}

/// The two tokens that are joined last when the bytes of `token` are encoded alone: their rank, and
/// where the right one begins.
fn last_pair(
    token: &[u8],
    rank_of: &impl Fn(&[u8], usize) -> Option<u32>,
    scratch: &mut Scratch,
) -> Option<(u32, usize)> {
    if token.len() > SHORT {
        return last_pair_of_long(token, rank_of);
    }
    let Scratch { starts, ranks } = scratch;
    starts.clear();
    starts.extend(0..=token.len());
    ranks.clear();
    ranks.extend(token.windows(2).map(|pair| rank_of(pair, 1)));
    while ranks.len() > 1 {
        let lowest = (0..)
            .zip(ranks.iter())
            .filter_map(|(at, rank)| Some(((*rank)?, at)));
        let (_, at): (u32, usize) = lowest.min()?;
        starts.remove(at + 1);
        ranks.remove(at);
        let rank = |at: usize| {
            let start = starts[at];
            rank_of(&token[start..starts[at + 2]], starts[at + 1] - start)
        };
        if at > 0 {
            ranks[at - 1] = rank(at - 1);
        }
        if at < ranks.len() {
            ranks[at] = rank(at);
        }
    }
    Some(((*ranks.first()?)?, starts[1]))
}

fn last_pair_of_long(
    token: &[u8],
    rank_of: &impl Fn(&[u8], usize) -> Option<u32>,
) -> Option<(u32, usize)> {
    // The end of the part that begins at a byte, or 0 if none does, and the start of the part that
    // ends at one.
    let mut ends: Vec<usize> = (1..=token.len()).collect();
    let mut starts: Vec<usize> = (0..=token.len()).map(|end| end.saturating_sub(1)).collect();
    let mut heap = BinaryHeap::new();
    let push = |heap: &mut BinaryHeap<_>, start: usize, middle: usize, end: usize| {
        if let Some(rank) = rank_of(&token[start..end], middle - start) {
            heap.push(Reverse((rank, start, middle, end)));
        }
    };
    for start in 0..token.len() - 1 {
        push(&mut heap, start, start + 1, start + 2);
    }
    while let Some(Reverse((rank, start, middle, end))) = heap.pop() {
        if ends[start] != middle || ends[middle] != end {
            continue;
        }
        if start == 0 && end == token.len() {
            return Some((rank, middle));
        }
        ends[start] = end;
        ends[middle] = 0;
        starts[end] = start;
        if end < token.len() {
            push(&mut heap, start, end, ends[end]);
        }
        if start > 0 {
            push(&mut heap, starts[start], start, end);
        }
    }
    None
}

/// The alphabet of a vocabulary. An error if bytes of UTF-8 are missing.
pub(super) fn check_alphabet(has: impl Fn(u8) -> bool) -> Result<Alphabet, Reason> {
    let listed = |bytes: &[u8]| {
        let named: Vec<String> = bytes.iter().map(|byte| format!("0x{byte:02X}")).collect();
        named.join(", ")
    };
    let lacking: Vec<u8> = Alphabet::Utf8.bytes().filter(|&byte| !has(byte)).collect();
    if !lacking.is_empty() {
        let more = if lacking.len() > 8 { ", ..." } else { "" };
        return Err(Reason::LacksBytes {
            count: lacking.len(),
            bytes: listed(&lacking[..lacking.len().min(8)]) + more,
        });
    }
    let size = Alphabet::Bytes.size() - Alphabet::Utf8.size();
    let utf8 = Alphabet::Utf8.symbols();
    let invalid: Vec<u8> = Alphabet::Bytes
        .bytes()
        .filter(|&byte| utf8[usize::from(byte)].is_none() && has(byte))
        .collect();
    match invalid.len() {
        0 => Ok(Alphabet::Utf8),
        found if found == size => Ok(Alphabet::Bytes),
        _ => Err(Reason::SomeInvalidBytes {
            bytes: listed(&invalid),
        }),
    }
}
