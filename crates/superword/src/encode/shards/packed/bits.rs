//! Packs and unpacks ids. Unpacking is as fast as copying the ids as 32-bit numbers.
//!
//! Eight ids of `bits` bits are exactly `bits` bytes. Groups of eight therefore look alike: where each
//! id starts in its group is computed once.

#[cfg(target_arch = "x86_64")]
use crate::cpu::Avx2;

/// Ids of a group.
const GROUP: usize = 8;

/// Bytes that are enough to read eight bytes at each of 32 places.
const WINDOW: usize = 40;

/// The bits that hold every id of a vocabulary: 17 for 131,072.
///
/// ```
/// use superword::encode::shards::packed_bits;
/// assert_eq!((packed_bits(65_536), packed_bits(65_537), packed_bits(1)), (16, 17, 1));
/// ```
pub fn packed_bits(n_vocab: u64) -> u32 {
    let largest = n_vocab.saturating_sub(1);
    (u64::BITS - largest.leading_zeros()).clamp(1, 32)
}

mod sealed {
    pub trait Sealed {}
}

/// A type that ids are read as: `u16`, `u32`, `i32`, `u64` or `i64`.
pub trait Number: Copy + Default + sealed::Sealed {
    /// Ids with more bits do not fit.
    #[doc(hidden)]
    const BITS: u32;

    #[doc(hidden)]
    fn from_id(id: u32) -> Self;
}

macro_rules! number {
    ($($type:ty: $bits:expr),+) => {$(
        impl sealed::Sealed for $type {}

        impl Number for $type {
            const BITS: u32 = $bits;

            #[inline(always)]
            fn from_id(id: u32) -> $type {
                id as $type
            }
        }
    )+};
}

number!(u16: 16, u32: 32, i32: 31, u64: 32, i64: 32);

/// Where the ids of a group are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    bits: usize,
    mask: u64,
    /// The byte in which each id of a group starts.
    bytes: [u8; GROUP],
    /// The bit of that byte.
    shifts: [u8; GROUP],
}

impl Layout {
    /// `bits` is between 1 and 32.
    pub(super) fn new(bits: u32) -> Layout {
        let bits = bits as usize;
        Layout {
            bits,
            mask: (1 << bits) - 1,
            bytes: std::array::from_fn(|at| (at * bits / 8) as u8),
            shifts: std::array::from_fn(|at| (at * bits % 8) as u8),
        }
    }

    /// Fills `out` with the ids from `start` on. All of them must be in `data`; missing bytes read as
    /// zeros.
    pub(super) fn unpack<N: Number>(&self, data: &[u8], start: usize, out: &mut [N]) {
        self.unpack_with(data, start, out, |layout, data, first, groups| {
            #[cfg(target_arch = "x86_64")]
            if layout.bits <= avx2::MAX_BITS
                && let Some(Avx2 { .. }) = Avx2::detect()
            {
                // SAFETY: an `Avx2` exists only if the processor has these features.
                return unsafe { avx2::whole_groups(layout, data, first, groups) };
            }
            layout.whole_groups(data, first, groups)
        });
    }

    /// Unpacks the ids before the first whole group and after the last one itself, and the others
    /// with `whole_groups`. That may leave out groups at the end of the data, and returns how many it
    /// has unpacked.
    #[inline(always)]
    fn unpack_with<N: Number>(
        &self,
        data: &[u8],
        start: usize,
        out: &mut [N],
        whole_groups: impl Fn(&Layout, &[u8], usize, &mut [[N; GROUP]]) -> usize,
    ) {
        let skipped = start % GROUP;
        let first = start / GROUP;
        let head = if skipped == 0 { 0 } else { GROUP - skipped };
        let (head, rest) = out.split_at_mut(head.min(out.len()));
        if !head.is_empty() {
            let ids = self.group(&self.window(data, first));
            put(head, &ids[skipped..]);
        }
        let first = first + usize::from(skipped != 0);
        let (groups, tail) = rest.as_chunks_mut::<GROUP>();
        let done = whole_groups(self, data, first, groups);
        for (at, group) in groups.iter_mut().enumerate().skip(done) {
            put(group, &self.group(&self.window(data, first + at)));
        }
        if !tail.is_empty() {
            let ids = self.group(&self.window(data, first + groups.len()));
            put(tail, &ids);
        }
    }

    /// Unpacks groups on any processor, up to the end of the data.
    #[inline(always)]
    fn whole_groups<N: Number>(
        &self,
        data: &[u8],
        first: usize,
        groups: &mut [[N; GROUP]],
    ) -> usize {
        for (at, group) in groups.iter_mut().enumerate() {
            let Some(window) = self.whole_window(data, first + at) else {
                return at;
            };
            put(group, &self.group(window));
        }
        groups.len()
    }

    /// The bytes of a group and those after it; `None` at the end of the data.
    #[inline(always)]
    fn whole_window<'d>(&self, data: &'d [u8], group: usize) -> Option<&'d [u8; WINDOW]> {
        data.get(group * self.bits..)?.first_chunk()
    }

    /// The bytes of a group, and zeros after the end of the data.
    fn window(&self, data: &[u8], group: usize) -> [u8; WINDOW] {
        let mut window = [0; WINDOW];
        let bytes = data.get(group * self.bits..).unwrap_or_default();
        let bytes = &bytes[..bytes.len().min(WINDOW)];
        window[..bytes.len()].copy_from_slice(bytes);
        window
    }

    #[inline(always)]
    fn group(&self, window: &[u8; WINDOW]) -> [u32; GROUP] {
        std::array::from_fn(|at| {
            // The compiler sees that eight bytes are there. A group has 32 bytes at most.
            let byte = usize::from(self.bytes[at] & 31);
            let mut word = [0; 8];
            word.copy_from_slice(&window[byte..byte + 8]);
            (u64::from_le_bytes(word) >> (self.shifts[at] & 7) & self.mask) as u32
        })
    }
}

/// Copies as many ids as there is room for.
#[inline(always)]
fn put<N: Number>(out: &mut [N], ids: &[u32]) {
    for (out, &id) in out.iter_mut().zip(ids) {
        *out = N::from_id(id);
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    //! Eight ids at once: a shuffle brings the four bytes in which an id is into its lane, and a shift
    //! removes the bits before it.

    use std::arch::x86_64::{
        __m256i, _mm_loadu_si128, _mm256_and_si256, _mm256_loadu_si256, _mm256_set_m128i,
        _mm256_set1_epi32, _mm256_shuffle_epi8, _mm256_srlv_epi32, _mm256_storeu_si256,
    };

    use super::{GROUP, Layout, Number, put};

    /// The widest ids that are in four bytes wherever they start: seven bits may be before them.
    pub(super) const MAX_BITS: usize = 25;

    /// [`Layout::whole_groups`] for up to [`MAX_BITS`] bits.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn whole_groups<N: Number>(
        layout: &Layout,
        data: &[u8],
        first: usize,
        groups: &mut [[N; GROUP]],
    ) -> usize {
        // Half of the ids are within sixteen bytes. The other half starts at this byte.
        let half = usize::from(layout.bytes[GROUP / 2]);
        let mut bytes = [0u8; 32];
        let mut shifts = [0u32; GROUP];
        for (at, (lane, shift)) in bytes.chunks_exact_mut(4).zip(&mut shifts).enumerate() {
            let start = layout.bytes[at] - if at < GROUP / 2 { 0 } else { half as u8 };
            lane.copy_from_slice(&[start, start + 1, start + 2, start + 3]);
            *shift = layout.shifts[at].into();
        }
        // SAFETY: both arrays have 32 bytes, and the loads need no alignment.
        let (bytes, shifts) = unsafe {
            (
                _mm256_loadu_si256(bytes.as_ptr().cast()),
                _mm256_loadu_si256(shifts.as_ptr().cast()),
            )
        };
        let mask = _mm256_set1_epi32(layout.mask as i32);
        for (at, group) in groups.iter_mut().enumerate() {
            let Some(window) = layout.whole_window(data, first + at) else {
                return at;
            };
            // SAFETY: `window` has 40 bytes and `half` is at most 12. The loads need no alignment.
            let (low, high) = unsafe {
                (
                    _mm_loadu_si128(window.as_ptr().cast()),
                    _mm_loadu_si128(window.as_ptr().add(half).cast()),
                )
            };
            let found = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), bytes);
            let found = _mm256_and_si256(_mm256_srlv_epi32(found, shifts), mask);
            put(group, &lanes(found));
        }
        groups.len()
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn lanes(register: __m256i) -> [u32; GROUP] {
        let mut lanes = [0; GROUP];
        // SAFETY: the array has 32 bytes, and the store needs no alignment.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), register) };
        lanes
    }
}

/// Packs ids, one part after another.
#[derive(Debug)]
pub(in super::super) struct Packer {
    bits: u32,
    /// Bits that do not fill a whole word yet.
    word: u64,
    /// How many there are, fewer than 32.
    filled: u32,
}

impl Packer {
    /// `bits` is between 1 and 32.
    pub(in super::super) fn new(bits: u32) -> Packer {
        Packer {
            bits,
            word: 0,
            filled: 0,
        }
    }

    /// Appends ids to `out`, up to the last few bits. Stops at an id that is too large and returns it.
    pub(in super::super) fn append(
        &mut self,
        ids: impl Iterator<Item = u32>,
        out: &mut Vec<u8>,
    ) -> Option<u32> {
        for id in ids {
            if u64::from(id) >> self.bits != 0 {
                return Some(id);
            }
            self.word |= u64::from(id) << self.filled;
            self.filled += self.bits;
            if self.filled >= 32 {
                out.extend_from_slice(&(self.word as u32).to_le_bytes());
                self.word >>= 32;
                self.filled -= 32;
            }
        }
        None
    }

    /// Appends the last bits.
    pub(in super::super) fn finish(self, out: &mut Vec<u8>) {
        let bytes = self.word.to_le_bytes();
        out.extend_from_slice(&bytes[..self.filled.div_ceil(8) as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits of one id after the other, without any of the code above.
    fn by_bits(data: &[u8], bits: usize, at: usize) -> u32 {
        let bit = |at: usize| u32::from(data[at / 8] >> (at % 8) & 1);
        (0..bits).fold(0, |id, k| id | bit(at * bits + k) << k)
    }

    fn noise(bytes: usize) -> Vec<u8> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let next = |_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u8
        };
        (0..bytes).map(next).collect()
    }

    #[test]
    fn every_way_to_unpack_gives_the_bits_that_are_there() {
        for bits in 1..=32usize {
            let layout = Layout::new(bits as u32);
            for count in [1usize, 7, 8, 9, 40, 131] {
                // Without padding, so that the end of the data is met too.
                let data = noise((count * bits).div_ceil(8));
                let expected: Vec<u32> = (0..count).map(|at| by_bits(&data, bits, at)).collect();
                for start in 0..count.min(20) {
                    for end in [start, start + 1, start + 9, count - count / 3, count] {
                        let end = end.clamp(start, count);
                        let mut fast = vec![0u32; end - start];
                        let mut wide = vec![0i64; end - start];
                        let mut plain = vec![0u32; end - start];
                        layout.unpack(&data, start, &mut fast);
                        layout.unpack(&data, start, &mut wide);
                        layout.unpack_with(&data, start, &mut plain, Layout::whole_groups);
                        assert_eq!(fast, expected[start..end], "{bits} {start}..{end}");
                        assert_eq!(plain, fast);
                        assert!(
                            wide.iter().eq(fast
                                .iter()
                                .map(|&id| i64::from(id))
                                .collect::<Vec<_>>()
                                .iter())
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn parts_are_packed_like_the_whole() {
        for bits in 1..=32u32 {
            let mask = u32::MAX >> (32 - bits);
            let ids: Vec<u32> = noise(400)
                .as_chunks()
                .0
                .iter()
                .map(|&b| u32::from_le_bytes(b) & mask)
                .collect();
            let mut whole = Vec::new();
            let mut packer = Packer::new(bits);
            for part in ids.chunks(7) {
                assert_eq!(packer.append(part.iter().copied(), &mut whole), None);
            }
            packer.finish(&mut whole);
            assert_eq!(whole.len(), (ids.len() * bits as usize).div_ceil(8));
            let mut back = vec![0u32; ids.len()];
            Layout::new(bits).unpack(&whole, 0, &mut back);
            assert_eq!(back, ids);
            if bits < 32 {
                let large = mask + 1;
                let refused = Packer::new(bits).append([0, large, 1].into_iter(), &mut whole);
                assert_eq!(refused, Some(large));
            }
        }
    }

    #[test]
    fn the_width_holds_the_vocabulary() {
        for (n_vocab, bits) in [(0, 1), (1, 1), (2, 1), (3, 2), (131_072, 17), (131_073, 18)] {
            assert_eq!(packed_bits(n_vocab), bits, "{n_vocab}");
        }
        assert_eq!(packed_bits(u64::MAX), 32);
    }
}
