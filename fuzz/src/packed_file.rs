//! **Promise:** any bytes are a packed shard or give an error. Ids are read within the shard and nowhere
//! else, in windows as one by one. Packing what was read gives the same ids. A changed byte of a shard
//! that was written is noticed.

use xxhash_rust::xxh3::xxh3_64;

use super::support::engine::{PackedError, PackedIds};
use super::support::input::Input;

const HEADER_BYTES: usize = 64;
const CHECKSUM_AT: usize = 56;

pub fn check(data: &[u8]) {
    let Some((&mode, content)) = data.split_first() else {
        return;
    };
    match mode % 4 {
        0 => file(content),
        1 => file(&with_checksum(content)),
        2 => file(&with_fitting_size(content)),
        _ => changed(content),
    }
}

fn file(file: &[u8]) {
    let Ok(ids) = PackedIds::new(file) else {
        return;
    };
    // The header and the size agree, so the number of ids is bounded by the file.
    assert!(ids.len() as u64 * u64::from(ids.bits()) <= file.len() as u64 * 8);
    let mut all = vec![0u32; ids.len()];
    ids.read(0, &mut all).expect("all ids are in the shard");
    let mut narrow = vec![0u16; ids.len()];
    match ids.read(0, &mut narrow) {
        Ok(()) => assert!(
            narrow
                .iter()
                .map(|&id| u32::from(id))
                .eq(all.iter().copied())
        ),
        Err(error) => {
            assert_eq!(error, PackedError::TypeTooNarrow { bits: ids.bits() });
            assert!(ids.bits() > 16);
        }
    }
    let length = all.len().min(5);
    let starts = [0, (all.len() - length) / 2, all.len() - length];
    let mut windows = vec![0i64; starts.len() * length];
    ids.read_windows(&starts.map(|start| start as i64), length, &mut windows)
        .expect("the windows are in the shard");
    let expected = starts.iter().flat_map(|&start| &all[start..start + length]);
    assert!(expected.map(|&id| i64::from(id)).eq(windows));
    for start in [-1, all.len() as i64, i64::MAX] {
        let outside = ids.read_windows(&[start], 1, &mut [0u64]);
        assert!(matches!(outside, Err(PackedError::Outside { .. })));
    }
    assert!(ids.read(1, &mut all.clone()).is_err() || all.is_empty());
    if ids.verify().is_ok() {
        let again = PackedIds::pack(&all, ids.documents(), ids.bits()).expect("ids that were read");
        // Bits after the last id may be set, and the type in the header may be a wider one.
        let whole = ids.len() * ids.bits() as usize / 8;
        assert_eq!(again.len(), file.len());
        assert_eq!(
            again[HEADER_BYTES..][..whole],
            file[HEADER_BYTES..][..whole]
        );
    }
}

/// The same bytes with a correct start, and a correct checksum of the header.
fn with_checksum(content: &[u8]) -> Vec<u8> {
    let mut file = content.to_vec();
    file.resize(file.len().max(HEADER_BYTES), 0);
    file[..12].copy_from_slice(b"\x93SWIDS\r\n\x01\0\0\0");
    let checksum = xxh3_64(&file[..CHECKSUM_AT]);
    file[CHECKSUM_AT..HEADER_BYTES].copy_from_slice(&checksum.to_le_bytes());
    file
}

/// A file with a valid header of the right size around these bytes.
fn with_fitting_size(content: &[u8]) -> Vec<u8> {
    let mut input = Input::new(content);
    let bits = 1 + input.below(32);
    let data = input.rest();
    let tokens = data.len() * 8 / bits;
    let mut file = vec![0; HEADER_BYTES];
    file[12] = bits as u8;
    file[13] = if bits <= 16 { 2 } else { 4 };
    file[16..24].copy_from_slice(&(tokens as u64).to_le_bytes());
    let data = &data[..(tokens * bits).div_ceil(8)];
    file[32..40].copy_from_slice(&xxh3_64(data).to_le_bytes());
    file.extend(data);
    file.extend([0; 8]);
    with_checksum(&file)
}

/// A file that was written, with one byte changed: that is noticed.
fn changed(content: &[u8]) {
    let mut input = Input::new(content);
    let (at, change) = (usize::from(input.byte()) << 4, input.byte());
    let bits = 1 + input.below(32);
    let mask = (u64::MAX >> (64 - bits)) as u32;
    let ids: Vec<u32> = input
        .rest()
        .chunks(4)
        .map(|bytes| bytes.iter().fold(0, |id, &byte| id << 8 | u32::from(byte)) & mask)
        .collect();
    let mut written = PackedIds::pack(&ids, 1, bits as u32).expect("the ids fit");
    let read = PackedIds::new(&written).expect("a file that was written");
    read.verify().expect("a file that was written");
    let mut again = vec![0u32; ids.len()];
    read.read(0, &mut again).expect("all ids are in the shard");
    assert_eq!(again, ids);
    let at = (at + usize::from(change)) % written.len();
    written[at] ^= change;
    let noticed = PackedIds::new(&written).and_then(|read| read.verify());
    assert_eq!(noticed.is_err(), change != 0);
    file(&written);
}
