//! Documents that count more than once, at the cost of one reading.

use crate::corpus::DocumentSink;

/// A sink for each number of times that documents count: what it collects is multiplied in the end.
#[derive(Debug)]
pub(super) struct Weighted<S, M> {
    once: S,
    more: Vec<(u64, S)>,
    make: M,
}

impl<S, M: Fn() -> S> Weighted<S, M> {
    pub(super) fn new(make: M) -> Weighted<S, M> {
        Weighted {
            once: make(),
            more: Vec::new(),
            make,
        }
    }

    /// What was collected, and how often it counts.
    pub(super) fn finish(self) -> impl Iterator<Item = (u64, S)> {
        std::iter::once((1, self.once)).chain(self.more)
    }
}

impl<S: DocumentSink, M: Fn() -> S + Send> DocumentSink for Weighted<S, M> {
    type Error = S::Error;

    #[inline]
    fn document(&mut self, text: &str) -> Result<(), S::Error> {
        self.once.document(text)
    }

    fn document_times(&mut self, text: &str, times: u64) -> Result<(), S::Error> {
        let place = match self.more.binary_search_by_key(&times, |&(times, _)| times) {
            Ok(place) => place,
            Err(place) => {
                self.more.insert(place, (times, (self.make)()));
                place
            }
        };
        self.more[place].1.document(text)
    }
}
