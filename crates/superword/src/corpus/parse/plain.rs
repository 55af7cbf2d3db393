//! Finds the bytes of a JSON string that are not plain: quotes, backslashes and control characters.

/// The bytes that are looked at together.
pub(super) const BLOCK: usize = 32;

/// Bit `i` is set if byte `i` is not plain.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn special(block: &[u8; BLOCK]) -> u32 {
    let (parts, _) = block.as_chunks::<16>();
    parts.iter().rev().fold(0, |mask, &part| {
        // SAFETY: every x86-64 processor has SSE2.
        mask << 16 | unsafe { sse2::special(u128::from_le_bytes(part)) }
    })
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn special(block: &[u8; BLOCK]) -> u32 {
    portable_special(block)
}

/// The same for any processor, eight bytes at a time.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn portable_special(block: &[u8; BLOCK]) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    let (parts, _) = block.as_chunks::<8>();
    parts.iter().rev().fold(0, |mask, &part| {
        let bytes = u64::from_le_bytes(part);
        let low = bytes & !HIGH;
        // No addition carries into the next byte, because each byte is below 0x80 before it.
        let from = |first: u8| low + u64::from(0x80 - first) * ONES;
        let is = |byte: u8| from(byte) & !from(byte + 1);
        let found = (!from(b' ') | is(b'"') | is(b'\\')) & !bytes & HIGH;
        // The high bit of each byte, gathered into eight bits.
        mask << 8 | ((found >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
    })
}

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x,
        _mm_set1_epi8,
    };

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn special(bytes: u128) -> u32 {
        let bytes = _mm_set_epi64x((bytes >> 64) as i64, bytes as i64);
        let is = |byte: u8| _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte as i8));
        let control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
        let found = _mm_or_si128(_mm_or_si128(is(b'"'), is(b'\\')), control);
        _mm_movemask_epi8(found) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn every_path_finds_the_same_bytes() {
        let mut random = Random(6);
        for round in 0..2000 {
            let block: [u8; BLOCK] = std::array::from_fn(|_| match round % 2 {
                0 => random.below(256) as u8,
                _ => b"\x00\x1f !\"#[\\]\x7f\x80\x9f\xa2\xdc\xff"[random.below(15) as usize],
            });
            let plain = |byte: u8| byte >= 0x20 && byte != b'"' && byte != b'\\';
            let bits = block.iter().enumerate();
            let expected = bits.fold(0, |all, (i, &byte)| all | u32::from(!plain(byte)) << i);
            assert_eq!(special(&block), expected, "{block:?}");
            assert_eq!(portable_special(&block), expected, "{block:?}");
        }
    }
}
