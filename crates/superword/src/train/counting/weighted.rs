//! Documents that count more than once, read only once.

use crate::corpus::DocumentSink;

/// One sink for each number of times that documents count. What a sink collects is multiplied at
/// the end.
#[derive(Debug)]
pub(super) struct Weighted<S, M> {
    once: S,
    /// Sorted by the number of times.
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

    /// The sinks, each with the number of times that its documents count.
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
