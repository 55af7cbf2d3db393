//! Encoding many texts into one array that exists already.
//!
//! The place of a chunk's ids is known once all chunks before it are encoded, so a chunk that is
//! finished too early waits. Threads copy the ids themselves, each to its own part of the array.
//! Their memory is used again for the next chunks, because memory that is new costs more time
//! than the copy.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::source::{CHUNK_BYTES, Chunks, SourceError, TextSource};
use super::{Chunk, Encoder};
use crate::memory;
use crate::observe::Observer;
use crate::prepare::Preparation;

/// Where the ids of a batch are.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Placed {
    /// How many ids are at the start of the array.
    pub in_place: usize,
    /// The ids after them, for which the array was too short.
    pub rest: Vec<Vec<u32>>,
    /// The offsets of the texts in all ids: 0, then the end of each text.
    pub offsets: Vec<u64>,
}

/// Encodes texts into `place`, and what does not fit there into new memory. Threads, observer and
/// errors are those of [`Encoder::encode_batch`].
pub fn encode_to_place<S: TextSource + ?Sized>(
    encoder: &Encoder,
    source: &S,
    preparation: &Preparation,
    threads: usize,
    observer: &dyn Observer,
    place: &mut [u32],
) -> Result<Placed, SourceError<S::Error>> {
    let mut offsets = memory::filled(0, source.count() + 1);
    let chunks = Chunks::new(source);
    let order = Mutex::new(Order {
        place,
        ends: &mut offsets[1..],
        next: 0,
        ids_before: 0,
        in_place: 0,
        rest: Vec::new(),
        waiting: HashMap::new(),
        spare: Vec::new(),
    });
    chunks.share(threads, observer, |number, texts| {
        let locked = || order.lock().unwrap_or_else(PoisonError::into_inner);
        let spare = locked().spare.pop();
        let mut chunk = spare.unwrap_or_else(|| Chunk {
            ids: Vec::with_capacity(CHUNK_BYTES / 3),
            ends: Vec::new(),
        });
        chunk.ids.clear();
        chunk.ends.clear();
        texts.each(|text| chunk.add(encoder, text, preparation))?;
        let ready = locked().ready(number, chunk);
        for part in ready {
            let chunk = part.copied();
            locked().spare.push(chunk);
        }
        Ok::<_, SourceError<S::Error>>(())
    })?;
    let order = order.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (in_place, rest) = (order.in_place, order.rest);
    Ok(Placed {
        in_place,
        rest,
        offsets,
    })
}

/// Gives every chunk its place, in the order of the texts.
struct Order<'a> {
    /// What is left of the array.
    place: &'a mut [u32],
    /// What is left of the offsets.
    ends: &'a mut [u64],
    /// The chunk that gets its place next, and the number of ids before it.
    next: usize,
    ids_before: usize,
    in_place: usize,
    rest: Vec<Vec<u32>>,
    waiting: HashMap<usize, Chunk>,
    /// Chunks whose memory can be used again.
    spare: Vec<Chunk>,
}

/// A chunk, and where its ids and offsets belong.
struct Part<'a> {
    chunk: Chunk,
    ids_before: usize,
    place: &'a mut [u32],
    ends: &'a mut [u64],
}

impl<'a> Order<'a> {
    /// The chunks that have a place now that this one is encoded. Usually it is this one alone.
    fn ready(&mut self, number: usize, chunk: Chunk) -> Vec<Part<'a>> {
        let mut ready = Vec::new();
        if number != self.next {
            self.waiting.insert(number, chunk);
            return ready;
        }
        let mut found = Some(chunk);
        while let Some(mut chunk) = found {
            let ids_before = self.ids_before;
            self.ids_before += chunk.ids.len();
            let (ends, later) = std::mem::take(&mut self.ends).split_at_mut(chunk.ends.len());
            self.ends = later;
            let place = if self.rest.is_empty() && chunk.ids.len() <= self.place.len() {
                let (place, after) = std::mem::take(&mut self.place).split_at_mut(chunk.ids.len());
                self.place = after;
                self.in_place += place.len();
                place
            } else {
                // The first chunk without a place ends the array, so that the ids stay in order.
                self.rest.push(std::mem::take(&mut chunk.ids));
                &mut []
            };
            ready.push(Part {
                chunk,
                ids_before,
                place,
                ends,
            });
            self.next += 1;
            found = self.waiting.remove(&self.next);
        }
        ready
    }
}

impl Part<'_> {
    /// Writes ids and offsets to their place, and returns the chunk.
    fn copied(self) -> Chunk {
        self.place.copy_from_slice(&self.chunk.ids);
        for (place, end) in self.ends.iter_mut().zip(&self.chunk.ends) {
            *place = (self.ids_before + end) as u64;
        }
        self.chunk
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(ids: &[u32], ends: &[usize]) -> Chunk {
        Chunk {
            ids: ids.to_vec(),
            ends: ends.to_vec(),
        }
    }

    /// Chunks of three texts, finished in this order, in an array with this much room.
    fn placed(order: [usize; 3], room: usize) -> (Vec<u32>, Vec<Vec<u32>>, Vec<u64>) {
        let (mut ids, mut ends) = (vec![0; room], vec![0; 4]);
        let mut state = Order {
            place: &mut ids,
            ends: &mut ends,
            next: 0,
            ids_before: 0,
            in_place: 0,
            rest: Vec::new(),
            waiting: HashMap::new(),
            spare: Vec::new(),
        };
        let chunks = [
            chunk(&[1, 2, 3], &[2, 3]),
            chunk(&[4, 5], &[2]),
            chunk(&[6], &[1]),
        ];
        let mut parts = Vec::new();
        for number in order {
            let Chunk { ids, ends } = &chunks[number];
            parts.extend(state.ready(number, chunk(ids, ends)));
        }
        assert!(state.waiting.is_empty());
        let (in_place, rest) = (state.in_place, state.rest);
        for part in parts {
            part.copied();
        }
        ids.truncate(in_place);
        (ids, rest, ends)
    }

    #[test]
    fn ids_stay_in_the_order_of_the_texts() {
        for order in [[0, 1, 2], [0, 2, 1], [1, 2, 0], [2, 1, 0]] {
            let ends = vec![2, 3, 5, 6];
            for room in [6, 9] {
                let all = vec![1, 2, 3, 4, 5, 6];
                assert_eq!(placed(order, room), (all, vec![], ends.clone()));
            }
            // The last chunk would fit, but the one before it does not.
            let rest = vec![vec![4, 5], vec![6]];
            assert_eq!(placed(order, 4), (vec![1, 2, 3], rest, ends.clone()));
            let rest = vec![vec![1, 2, 3], vec![4, 5], vec![6]];
            assert_eq!(placed(order, 0), (vec![], rest, ends));
        }
    }
}
