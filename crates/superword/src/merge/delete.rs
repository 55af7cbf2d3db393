//! Deleting a token (PickyBPE): each occurrence is split into other tokens.
//!
//! Deletions are few, so whole sequences are counted before and after. That leaves the rule for
//! equal neighbours in one place.

use std::sync::atomic::Ordering::Relaxed;

use super::cells::Place;
use super::queue::PairCount;
use super::{AllowedPairs, Merger};
use crate::hash::NumberMap;
use crate::token::{Symbol, pack, unpack};

#[derive(Default)]
struct Change {
    before: u64,
    after: u64,
    places: Vec<Place>,
}

impl<R: AllowedPairs> Merger<'_, R> {
    /// Replaces all occurrences of `token` with `parts`, which must have the same bytes. There must
    /// be one cell per byte, and the merger must have a floor of 1, so that every pair is indexed.
    /// Returns how often the token occurred.
    pub(crate) fn delete(&mut self, token: Symbol, parts: &[Symbol]) -> u64 {
        let places = self.places_of(token);
        let mut changes: NumberMap<u64, Change> = NumberMap::default();
        let mut new_places: Vec<Vec<Place>> = vec![Vec::new(); parts.len()];
        let mut count = 0;
        // Each place with the border of its sequence.
        let placed: Vec<(Place, Place)> = places
            .iter()
            .map(|&place| (self.cells.border_after(place), place))
            .collect();
        for in_sequence in placed.chunk_by(|a, b| a.0 == b.0) {
            let first = self.cells.first_of_sequence(in_sequence[0].1);
            self.cells
                .pairs_from(first, |left, right, _, weight, counted| {
                    let change = changes.entry(pack(left, right)).or_default();
                    change.before += if counted { weight } else { 0 };
                });
            for &(_, place) in in_sequence {
                count += self.cells.weight_at(place);
                let mut at = place;
                for (part, places) in parts.iter().zip(&mut new_places) {
                    let width = self.tokens.bytes_of(*part).len() as u32;
                    self.cells.write(at, part.0, width);
                    places.push(at);
                    at += width;
                }
            }
            self.cells
                .pairs_from(first, |left, right, place, weight, counted| {
                    let change = changes.entry(pack(left, right)).or_default();
                    change.after += if counted { weight } else { 0 };
                    change.places.push(place);
                });
        }
        for (part, places) in parts.iter().zip(&new_places) {
            if self.births.keeps(*part) {
                let list = self.index.insert_list(places);
                self.births.add(*part, list);
            }
        }
        self.apply_changes(changes);
        count
    }

    fn apply_changes(&mut self, changes: NumberMap<u64, Change>) {
        for (key, mut change) in changes {
            let (left, right) = unpack(key);
            let old = self.index.count(left, right);
            let count = old + change.after - change.before;
            if let Some(list) = self.index.list(left.0, right.0) {
                let listed = self.index.places(list).iter();
                change
                    .places
                    .extend(listed.map(|place| place.load(Relaxed)));
            }
            change.places.sort_unstable();
            change.places.dedup();
            if count == 0 {
                self.index.take(left, right);
                continue;
            }
            let list = self.index.insert_list(&change.places);
            self.index.set(left.0, right.0, count, list);
            if count > old {
                self.queue
                    .push(&self.tokens, PairCount { left, right, count });
            }
        }
    }
}
