use super::*;

fn example() -> Vec<u8> {
    let ids: Vec<u32> = (0..1000).map(|at| at * 131 % 131_072).collect();
    PackedIds::pack(&ids, 1, 17).unwrap()
}

fn sealed(mut file: Vec<u8>) -> Vec<u8> {
    let checksum = xxh3_64(&file[..56]);
    file[56..64].copy_from_slice(&checksum.to_le_bytes());
    file
}

fn refused(file: &[u8]) -> PackedError {
    PackedIds::new(file).unwrap_err()
}

#[test]
fn the_layout_is_the_documented_one() {
    let file = PackedIds::pack(&[1, 0x1_2345, 2], 1, 17).unwrap();
    assert_eq!(&file[..8], b"\x93SWIDS\r\n");
    assert_eq!(file[8..16], [1, 0, 0, 0, 17, 4, 0, 0]);
    assert_eq!(
        file[16..32],
        [3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    );
    assert_eq!(file[40..56], [0; 16]);
    // 51 bits, from the last to the first.
    let bits = 0x1_2345_u64 << 17 | 2 << 34 | 1;
    assert_eq!(file[64..71], bits.to_le_bytes()[..7]);
    assert_eq!(file[71..], [0; 8]);
}

#[test]
fn ids_are_read_back_as_every_type() {
    for (ids, bits) in [(&[][..], 1), (&[0, 1, 1][..], 1), (&[65_535, 0][..], 16)] {
        let file = PackedIds::pack(ids, 1, bits).unwrap();
        let read = PackedIds::new(&file).unwrap();
        read.verify().unwrap();
        assert_eq!(
            (read.len(), read.bits(), read.item_bytes()),
            (ids.len(), bits, 2)
        );
        assert_eq!((read.is_empty(), read.documents()), (ids.is_empty(), 1));
        let mut narrow = vec![0u16; ids.len()];
        read.read(0, &mut narrow).unwrap();
        assert!(
            narrow
                .iter()
                .map(|&id| u32::from(id))
                .eq(ids.iter().copied())
        );
        let mut wide = vec![0u64; ids.len()];
        read.read(0, &mut wide).unwrap();
        assert!(wide.iter().map(|&id| id as u32).eq(ids.iter().copied()));
    }
    let file = PackedIds::pack(&[u32::MAX], 1, 32).unwrap();
    let read = PackedIds::new(&file).unwrap();
    let narrow = PackedError::TypeTooNarrow { bits: 32 };
    assert_eq!(read.read(0, &mut [0i32]), Err(narrow.clone()));
    assert_eq!(read.read(0, &mut [0u16]), Err(narrow));
    let mut wide = [0i64];
    read.read(0, &mut wide).unwrap();
    assert_eq!(wide, [i64::from(u32::MAX)]);
    let refused = PackedIds::pack(&[4], 1, 2).unwrap_err();
    assert_eq!(refused, PackedError::IdTooLarge { id: 4, bits: 2 });
    for bits in [0, 33, u32::MAX] {
        assert!(matches!(
            PackedIds::pack(&[], 1, bits),
            Err(PackedError::Damaged { .. })
        ));
    }
}

#[test]
fn windows_are_those_of_single_reads_and_stay_inside() {
    let file = example();
    let ids = PackedIds::new(&file).unwrap();
    let (starts, length) = ([0i64, 991, 500, 3], 9);
    let mut windows = vec![0i64; 4 * length];
    ids.read_windows(&starts, length, &mut windows).unwrap();
    for (window, start) in windows.chunks(length).zip(starts) {
        let mut one = vec![0i64; length];
        ids.read(start as usize, &mut one).unwrap();
        assert_eq!(window, one);
    }
    ids.read_windows::<u32>(&[1000, 0], 0, &mut []).unwrap();
    for start in [-1, 992, 1001, i64::MIN, i64::MAX] {
        let kept = windows.clone();
        let error = ids.read_windows(&[0, start], length, &mut windows[..2 * length]);
        assert!(
            matches!(error, Err(PackedError::Outside { .. })),
            "{error:?}"
        );
        assert_eq!(windows, kept);
    }
    let error = ids.read_windows(&[0, 1], length, &mut windows);
    assert!(
        matches!(error, Err(PackedError::WrongRoom { .. })),
        "{error:?}"
    );
    let error = ids.read(usize::MAX, &mut [0u32; 2]);
    assert!(
        matches!(error, Err(PackedError::Outside { .. })),
        "{error:?}"
    );
}

#[test]
fn every_changed_bit_is_noticed() {
    let good = PackedIds::pack(&(0..40).collect::<Vec<u32>>(), 1, 6).unwrap();
    for at in 0..good.len() * 8 {
        let mut file = good.clone();
        file[at / 8] ^= 1 << (at % 8);
        let noticed = PackedIds::new(&file).and_then(|ids| ids.verify());
        assert!(noticed.is_err(), "bit {at}");
    }
    for len in 0..good.len() {
        assert!(PackedIds::new(&good[..len]).is_err(), "{len}");
    }
    let longer = [&good[..], &[0]].concat();
    assert!(matches!(refused(&longer), PackedError::WrongSize { .. }));
}

#[test]
fn hostile_headers_with_a_correct_checksum_are_refused() {
    let with = |at: usize, bytes: &[u8]| {
        let mut file = example();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        refused(&sealed(file))
    };
    for bits in [0, 33, 255] {
        assert!(matches!(with(12, &[bits]), PackedError::Damaged { .. }));
    }
    for item_bytes in [0, 1, 2, 3, 8] {
        assert!(matches!(
            with(13, &[item_bytes]),
            PackedError::Damaged { .. }
        ));
    }
    for reserved in [14, 15, 40, 55] {
        assert!(matches!(with(reserved, &[1]), PackedError::Damaged { .. }));
    }
    assert!(matches!(with(8, &[0]), PackedError::Damaged { .. }));
    assert_eq!(with(8, &[2]), PackedError::Newer { version: 2 });
    assert_eq!(with(0, b"x"), PackedError::NotPacked);
    for tokens in [0, 1, 999, 1_001, u64::MAX / 17, u64::MAX / 17 + 1, u64::MAX] {
        let error = with(16, &tokens.to_le_bytes());
        assert!(
            matches!(error, PackedError::WrongSize { .. }),
            "{tokens}: {error}"
        );
        assert!(error.hint().is_some());
    }
    assert_eq!(refused(b""), PackedError::NotPacked);
    assert!(matches!(
        refused(&example()[..63]),
        PackedError::Damaged { .. }
    ));
}
