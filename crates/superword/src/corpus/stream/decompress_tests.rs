use super::*;
use crate::corpus::tests::{gzip, noisy_lines, zstd};
use crate::corpus::{Format, Source};
use crate::observe::Silent;
use crate::testing::Random;

fn read_all(bytes: &[u8], compression: Compression) -> (Vec<u8>, u64, Result<(), StreamError>) {
    let source = Source::memory("m", bytes, Format::Text);
    let mut stream = Decompressor::new(Input::open(&source).unwrap(), compression);
    let mut out = Vec::new();
    loop {
        match stream.read(&mut out, &Silent) {
            Ok(true) => {}
            Ok(false) => return (out, stream.consumed(), Ok(())),
            Err(error) => return (out, stream.consumed(), Err(error)),
        }
    }
}

#[test]
fn packed_bytes_come_out_as_they_went_in() {
    let mut random = Random(31);
    for size in [
        0,
        1,
        10,
        1 << 10,
        CHUNK - 1,
        CHUNK,
        CHUNK + 1,
        3 * CHUNK + 5,
    ] {
        for noisy in [false, true] {
            let bytes: Vec<u8> = (0..size)
                .map(|i| {
                    if noisy {
                        random.next() as u8
                    } else {
                        (i / 99) as u8
                    }
                })
                .collect();
            for (compression, packed) in [
                (Compression::Gzip, gzip(&bytes)),
                (Compression::Zstd, zstd(&bytes)),
            ] {
                for compression in [compression, Compression::Detect] {
                    let (out, consumed, result) = read_all(&packed, compression);
                    assert!(result.is_ok(), "{result:?}");
                    assert!(out == bytes, "{compression:?} of {size} bytes");
                    assert_eq!(consumed, packed.len() as u64);
                }
            }
            let (out, consumed, result) = read_all(&bytes, Compression::None);
            assert!(result.is_ok() && out == bytes && consumed == size as u64);
        }
    }
}

#[test]
fn everything_before_the_damage_comes_out() {
    // One frame with blocks of up to 128 KB, which are decoded separately.
    let text = noisy_lines(30_000, 32);
    for (compression, packed) in [
        (Compression::Gzip, gzip(&text)),
        (Compression::Zstd, zstd(&text)),
    ] {
        let middle = packed.len() / 2;
        let mut damaged = packed.clone();
        damaged[middle..].fill(0xff);
        let (out, consumed, result) = read_all(&damaged, compression);
        assert!(result.is_err());
        let clean = out.iter().zip(&text).take_while(|(a, b)| a == b).count();
        let least = text.len() / 2 - 2 * CHUNK;
        assert!(
            clean > least,
            "{compression:?}: {clean} bytes of at least {least}"
        );
        // A deflate decoder accepts random bits for a while; zstd rejects the whole block.
        assert!(consumed as usize + CHUNK > middle, "{consumed} of {middle}");
        if compression == Compression::Zstd {
            assert!(consumed as usize <= middle, "{consumed} of {middle}");
        }
    }
}
