use super::*;

fn symbols(cells: &Cells, start: Place) -> Vec<u32> {
    cells
        .rest_of_sequence(start)
        .map(|place| cells.symbol_at(place))
        .collect()
}

#[test]
fn tokens_join_and_split_in_place() {
    let cells = Cells::of(&[(vec![1, 2, 3, 4], 5), (vec![7], 2)]);
    assert_eq!(cells.total_weight(), Some(22));
    assert_eq!(cells.most_joins(), 3);
    cells.join(2, 3, 9); // 1 (2 3)=9 4
    assert_eq!(symbols(&cells, 1), [1, 9, 4]);
    assert_eq!(cells.previous(4), Some(2));
    cells.join(1, 2, 10); // (1 9)=10 4
    assert_eq!(symbols(&cells, 1), [10, 4]);
    cells.join(1, 4, 11);
    assert_eq!(symbols(&cells, 1), [11]);
    assert_eq!(cells.next(1), None);
    assert_eq!(cells.previous(7), None);
    assert_eq!((cells.weight_at(1), cells.weight_at(7)), (5, 2));
    cells.write(1, 1, 1);
    cells.write(2, 9, 3);
    assert_eq!(symbols(&cells, 1), [1, 9]);
    assert_eq!(cells.first_of_sequence(2), 1);
}

#[test]
fn parts_are_laid_out_one_after_the_other() {
    let mut random = crate::testing::Random(11);
    for _ in 0..200 {
        let sizes: Vec<Vec<usize>> = (0..random.below(6))
            .map(|_| {
                (0..random.below(5))
                    .map(|_| 1 + random.below(40) as usize)
                    .collect()
            })
            .collect();
        let lay = |part: &[usize], layer: &mut Layer<'_>| {
            for &length in part {
                layer.push((0..length as u32).map(|at| at + 1), length as u64 + 7);
            }
        };
        let size = |part: &[usize]| (part.len(), part.iter().sum());
        let whole: Vec<usize> = sizes.concat();
        let one = Cells::lay_out(&[size(&whole)], 1, |_, layer| lay(&whole, layer), || ()).unwrap();
        let of_parts: Vec<_> = sizes.iter().map(|part| size(part)).collect();
        let lay_part = |part: usize, layer: &mut Layer<'_>| lay(&sizes[part], layer);
        let some = Cells::lay_out(&of_parts, 3, lay_part, || ()).unwrap();
        let numbers = |cells: &Cells| -> Vec<u16> {
            cells.cells.iter().map(|cell| cell.load(Relaxed)).collect()
        };
        assert_eq!(numbers(&some), numbers(&one));
        assert_eq!(some.borders, one.borders);
        assert_eq!(some.far_borders, one.far_borders);
        assert_eq!(some.sequences, whole.len());
        for block in 0..some.borders.len() as Place {
            let border = some.border_from(block);
            // The second cell of a border does not count.
            let is_first = |&at: &Place| some.is_border(at) && (at == 0 || !some.is_border(at - 1));
            let first = (block * BLOCK..).find(is_first);
            assert_eq!(Some(border), first);
        }
    }
}

#[test]
fn cells_that_no_place_can_name_are_refused() {
    let most = (Place::MAX - BLOCK) as usize - 1 - BORDER_CELLS as usize;
    for cells in [most + 1, most + BLOCK as usize, Place::MAX as usize] {
        assert!(Cells::lay_out(&[(1, cells)], 1, |_, _| (), || ()).is_none());
    }
}

#[test]
fn equal_neighbours_count_without_overlap() {
    for (length, expected) in [(2, 1), (3, 1), (4, 2), (5, 2)] {
        let cells = Cells::of(&[(vec![1; length], 1)]);
        let (mut counted, mut places) = (0, 0);
        let all = cells.for_each_pair(
            1..cells.end(),
            || Ok::<(), ()>(()),
            |_, _, _, _, counts| {
                counted += u32::from(counts);
                places += 1;
            },
        );
        assert_eq!(all, Ok(()));
        assert_eq!((counted, places), (expected, length - 1));
    }
}

#[test]
fn every_place_has_a_next_sequence() {
    let cells = Cells::of(&[1, 3, 47, 1, 1, 2, 97].map(|length| (vec![1; length], 1)));
    for place in 1..cells.end() + 40 {
        let border = (place..cells.end()).find(|&at| cells.is_border(at));
        let start =
            border.and_then(|border| (border..cells.end()).find(|&at| !cells.is_border(at)));
        let start = start.unwrap_or(cells.end());
        assert_eq!(cells.start_after(place), start);
    }
}

#[test]
fn weights_of_all_sizes_and_lengths_are_found() {
    let mut sequences = Vec::new();
    let lengths = [1, 3, 47, 48, 49, 50, 97, 200, 2];
    let heavy = u64::from(HEAVY);
    let weights = [1, heavy - 1, heavy, u64::MAX, 7, 1 << 40];
    let mut expected = Vec::new();
    for (number, &length) in lengths.iter().cycle().take(40).enumerate() {
        let weight = weights[number % weights.len()];
        sequences.push((vec![1; length], weight));
        expected.push((length as Place, weight));
    }
    let cells = Cells::of(&sequences);
    for joined in [false, true] {
        let mut start = 1;
        for &(length, weight) in &expected {
            let border = start + length;
            if joined && length > 4 {
                cells.join(start + 1, start + 2, 5);
                cells.join(start + 1, start + 3, 6);
            }
            for place in cells.rest_of_sequence(start) {
                assert_eq!(cells.weight_at(place), weight);
                assert_eq!(cells.border_after(place), border);
            }
            start = border + BORDER_CELLS;
        }
    }
}

/// Symbols of all sizes, and tokens of all widths up to a hundred cells.
#[test]
fn tokens_of_all_widths_keep_their_symbols_and_neighbours() {
    let mut random = crate::testing::Random(23);
    let mut widest = 0;
    for _ in 0..300 {
        let mut symbol = |most: u32| {
            let all = [SMALL_SYMBOLS, 1 << NUMBER_BITS, MAX_SYMBOLS];
            let limit = all[random.index(3)].min(most);
            random.below(limit.into()) as u32
        };
        let mut expected: Vec<Vec<u32>> = (0..3)
            .map(|_| (0..1 + symbol(60)).map(|_| symbol(u32::MAX)).collect())
            .collect();
        let weighted = [7, 1 << 30, 9];
        let cells = Cells::of(&expected.iter().zip(weighted).collect::<Vec<_>>());
        let tokens: usize = expected.iter().map(Vec::len).sum();
        assert_eq!(cells.most_joins() as usize, tokens - 3);
        loop {
            let mut start = 1;
            for (expected, weight) in expected.iter().zip(weighted) {
                let places: Vec<Place> = cells.rest_of_sequence(start).collect();
                assert_eq!(&symbols(&cells, start), expected);
                for pair in places.windows(2) {
                    assert_eq!(cells.previous(pair[1]), Some(pair[0]));
                    widest = widest.max(pair[1] - pair[0]);
                }
                let last = places[places.len() - 1];
                assert_eq!(cells.first_of_sequence(last), start);
                assert_eq!(cells.weight_at(last), weight);
                // No other cell looks like a token.
                let border = cells.border_after(start);
                let starts = (start..border + BORDER_CELLS).filter(|&at| cells.is_start(at));
                assert!(starts.eq(places.iter().copied()));
                let others = (start..border + BORDER_CELLS).filter(|at| !places.contains(at));
                assert!(
                    others
                        .map(|at| cells.symbol_at(at))
                        .all(|symbol| symbol >= MAX_SYMBOLS)
                );
                start = border + BORDER_CELLS;
            }
            let Some(sequence) = (0..3).find(|&at| expected[at].len() > 1) else {
                break;
            };
            let at = random.index(expected[sequence].len() - 1);
            let mut start = 1;
            for _ in 0..sequence {
                start = cells.border_after(start) + BORDER_CELLS;
            }
            let places: Vec<Place> = cells.rest_of_sequence(start).collect();
            let joined = random.below(u64::from(MAX_SYMBOLS)) as u32;
            cells.join(places[at], places[at + 1], joined);
            expected[sequence].splice(at..at + 2, [joined]);
        }
    }
    assert!(widest > 3 * u32::from(LONG), "{widest}");
}
