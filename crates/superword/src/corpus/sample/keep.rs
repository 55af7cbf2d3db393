//! Which documents to keep while a sample is drawn.
//!
//! The sample is known only after the last document. It consists of the first buckets that fit, in
//! the order of their hash, and of later ones that still fit in what is left. So the documents of the
//! first buckets are kept, up to somewhat more than the sample may have; the more text there is, the
//! fewer buckets these are. Of the other buckets the small ones are kept, because only those can
//! still fit. In rare cases that is not enough, and the input has to be read again.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Text bytes that are always kept.
const FLOOR: u64 = 16 << 20;

/// Decides which buckets are kept.
pub(super) struct Keep<'a> {
    sizes: &'a [AtomicU64],
    max_bytes: u64,
    /// Buckets below this number are kept. It only ever shrinks.
    first: AtomicU64,
    /// Other buckets are kept while they have at most this many bytes. It only ever shrinks.
    small: AtomicU64,
    /// Text bytes so far.
    read: AtomicU64,
    /// The number of text bytes at which to decide again.
    next: AtomicU64,
    deciding: Mutex<()>,
}

impl<'a> Keep<'a> {
    /// `sizes` has the text bytes of each bucket, which grow.
    pub(super) fn new(sizes: &'a [AtomicU64], max_bytes: u64) -> Keep<'a> {
        Keep {
            sizes,
            max_bytes,
            first: AtomicU64::new(sizes.len() as u64),
            small: AtomicU64::new(u64::MAX),
            read: AtomicU64::new(0),
            next: AtomicU64::new(kept_bytes(max_bytes)),
            deciding: Mutex::new(()),
        }
    }

    /// True if a document of this bucket is to be kept. `size` is the size of the bucket, with the
    /// document.
    pub(super) fn wants(&self, bucket: usize, size: u64) -> bool {
        (bucket as u64) < self.first.load(Relaxed) || size <= self.small.load(Relaxed)
    }

    /// Notes that this much text was measured.
    pub(super) fn advance(&self, bytes: u64) {
        let read = self.read.fetch_add(bytes, Relaxed) + bytes;
        if read >= self.next.load(Relaxed)
            && let Ok(_deciding) = self.deciding.try_lock()
        {
            self.decide();
            self.next.store(read + read / 16, Relaxed);
        }
    }

    /// Drops what can no longer be in the sample, or hardly.
    fn decide(&self) {
        let sizes: Vec<u64> = self.sizes.iter().map(|size| size.load(Relaxed)).collect();
        let most = kept_bytes(self.max_bytes);
        let mut bytes = 0u64;
        let first = sizes.iter().take_while(|&&size| {
            let fits = bytes <= most;
            bytes = bytes.saturating_add(size);
            fits
        });
        let first = first.count();
        self.first.fetch_min(first as u64, Relaxed);
        let small = largest_small(&sizes[first..], most / 4);
        self.small.fetch_min(small, Relaxed);
    }

    /// True if all documents of a bucket were kept.
    pub(super) fn is_complete(&self, bucket: usize) -> bool {
        // The numbers only shrank, and the bucket only grew.
        self.wants(bucket, self.sizes[bucket].load(Relaxed))
    }
}

/// How much text of the first buckets is kept.
fn kept_bytes(max_bytes: u64) -> u64 {
    max_bytes.saturating_add((max_bytes / 4).max(FLOOR))
}

/// The largest size so that all buckets of at most this size have at most `most` bytes together, give
/// or take an eighth.
fn largest_small(sizes: &[u64], most: u64) -> u64 {
    // Sizes with the same first four binary digits are counted together.
    let mut totals = [0u64; 64 * 8];
    for &size in sizes.iter().filter(|&&size| size > 0) {
        let class = &mut totals[class_of(size)];
        *class = class.saturating_add(size);
    }
    let mut bytes = 0u64;
    for (class, &total) in totals.iter().enumerate() {
        bytes = bytes.saturating_add(total);
        if bytes > most {
            return start_of(class).saturating_sub(1);
        }
    }
    u64::MAX
}

fn class_of(size: u64) -> usize {
    let top = 63 - size.max(1).leading_zeros() as usize;
    // The three digits after the first one.
    let digits = match top {
        0..3 => size << (3 - top),
        _ => size >> (top - 3),
    };
    top * 8 + (digits & 7) as usize
}

/// The smallest size of a class.
fn start_of(class: usize) -> u64 {
    let (top, digits) = (class / 8, class as u64 % 8 + 8);
    match top {
        0..3 => digits.div_ceil(1 << (3 - top)),
        _ => digits << (top - 3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn classes_are_in_order() {
        let sizes = (1..5000).chain((5..60).flat_map(|bit| [(1 << bit) - 1, 1 << bit, 3 << bit]));
        for size in sizes {
            let class = class_of(size);
            assert!(start_of(class) <= size, "{size}");
            assert!(class_of(size + 1) >= class, "{size}");
            assert_eq!(class_of(start_of(class)), class, "{size}");
        }
        assert_eq!(class_of(u64::MAX), 511);
    }

    #[test]
    fn small_buckets_are_kept_as_far_as_they_fit() {
        assert_eq!(largest_small(&[1, 2, 3, 100], 1000), u64::MAX);
        assert_eq!(largest_small(&[1, 2, 3, 100], 6), 95);
        assert_eq!(largest_small(&[0, 0, 100], 6), 95);
        assert_eq!(largest_small(&[2, 1], 0), 0);
    }

    /// Whatever is dropped on the way, a bucket that is called complete is complete.
    #[test]
    fn complete_buckets_have_all_their_documents() {
        let mut random = Random(7);
        let sizes: Vec<AtomicU64> = (0..1000).map(|_| AtomicU64::new(0)).collect();
        let keep = Keep::new(&sizes, 1 << 20);
        let mut kept = vec![0; sizes.len()];
        for _ in 0..20_000 {
            let (bucket, bytes) = (random.index(1000), 1 + random.below(20_000));
            let size = sizes[bucket].fetch_add(bytes, Relaxed) + bytes;
            if keep.wants(bucket, size) {
                kept[bucket] += bytes;
            }
            keep.advance(bytes);
        }
        let all: Vec<u64> = sizes.iter().map(|size| size.load(Relaxed)).collect();
        let complete = (0..1000).filter(|&bucket| keep.is_complete(bucket));
        let complete: Vec<usize> = complete.collect();
        for &bucket in &complete {
            assert_eq!(kept[bucket], all[bucket]);
        }
        // Of 200 MB, the 17 MB that are always kept, and a bit more.
        assert!((80..200).contains(&complete.len()), "{}", complete.len());
        assert!(complete.iter().copied().take(80).eq(0..80));
        assert!(kept.iter().sum::<u64>() < all.iter().sum::<u64>() / 2);
    }
}
