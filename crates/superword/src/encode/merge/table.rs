//! The merge table: which pair of symbols becomes what, and which rule comes first.

use super::slots::{KEY_BITS, NO_VALUE, Slots};
use crate::hash::{HashFilter, NumberMap, hash_u64};
use crate::token::{Symbol, pack, unpack};

/// The position of a rule in the order of rules. A smaller rank applies first.
pub(in crate::encode) type Rank = u32;

/// The rank of a pair that has no rule. It is larger than any rank.
pub(in crate::encode) const NO_RULE: Rank = u32::MAX;

/// Merge rules in order: pair → rank → joined symbol.
///
/// In nearly every model each rule makes a symbol larger than those of all rules before it. Then
/// the joined symbol serves as the rank, and no second lookup is needed.
///
/// Encoding mostly waits for cache misses in this table, so it is packed: two symbols of 21 bits
/// and a rank of 22 bits make one 64-bit number. A model with more tokens than that uses a plain
/// hash map, and so does one whose pairs were made to be hard to pack.
///
/// A table may also know pairs without a rule: those at the seams of superwords.
#[derive(Clone, Debug)]
pub(in crate::encode) struct MergeTable {
    pairs: Pairs,
    /// The joined symbol of each rank. Empty if the rank is the joined symbol.
    joined: Vec<u32>,
    /// All ranks are below this.
    limit: usize,
    is_monotonic: bool,
    /// Whether a rule is applied at one position at a time. Otherwise it is applied at all its
    /// positions before an earlier rule that it enabled.
    one_at_a_time: bool,
}

#[derive(Clone, Debug)]
enum Pairs {
    Packed(Packed),
    Map(NumberMap<u64, Rank>),
}

#[derive(Clone, Debug)]
struct Packed {
    slots: Slots,
    /// The pairs that have a rule. Most pairs in words have none, and the filter rejects nearly all
    /// of those.
    filter: HashFilter,
}

const SYMBOL_BITS: u32 = KEY_BITS / 2;

/// Two symbols of [`SYMBOL_BITS`] each as one number.
fn narrow_key(left: u32, right: u32) -> u64 {
    (u64::from(left) << SYMBOL_BITS) | u64::from(right)
}

impl MergeTable {
    /// Rules given as `(left, right, joined)`, the earliest first. If a pair occurs twice, its
    /// first rule counts. All symbols that will be looked up are below `symbols`.
    pub(in crate::encode) fn new(rules: &[(Symbol, Symbol, Symbol)], symbols: usize) -> MergeTable {
        MergeTable::with_seams(rules, &[], symbols)
    }

    /// The same, with pairs that are at seams, whether they have rules or not. All their symbols are
    /// below `symbols`.
    pub(in crate::encode) fn with_seams(
        rules: &[(Symbol, Symbol, Symbol)],
        seams: &[(u32, u32)],
        symbols: usize,
    ) -> MergeTable {
        let in_order = rules.is_sorted_by(|one, next| one.2 < next.2);
        let ranked: Vec<(u32, u32, Rank)> = (0..)
            .zip(rules)
            .map(|(at, (left, right, joined))| {
                let rank = if in_order { joined.0 } else { at };
                (left.0, right.0, rank)
            })
            .collect();
        let limit = ranked.last().map_or(0, |(_, _, rank)| *rank as usize + 1);
        let ranks = map_of(&ranked, seams);
        // No symbol has all bits, and no rank is the one that stands for no rule.
        let is_narrow = symbols < 1 << SYMBOL_BITS && limit <= NO_VALUE as usize;
        let packed = is_narrow.then(|| Packed::new(&ranks)).flatten();
        MergeTable {
            pairs: packed.map_or_else(|| Pairs::Map(ranks), Pairs::Packed),
            joined: match in_order {
                true => Vec::new(),
                false => rules.iter().map(|(_, _, joined)| joined.0).collect(),
            },
            limit,
            is_monotonic: in_order
                && rules
                    .iter()
                    .all(|(left, right, joined)| left.max(right) < joined),
            one_at_a_time: false,
        }
    }

    /// The same rules, applied one merge at a time: always the earliest rule that applies now, at its
    /// leftmost position, even if the last merge has just enabled it.
    ///
    /// This matters only if a merge can enable an earlier rule.
    pub(in crate::encode) fn one_at_a_time(self) -> MergeTable {
        MergeTable {
            one_at_a_time: !self.is_monotonic,
            ..self
        }
    }

    /// Whether rules are applied one merge at a time.
    #[inline(always)]
    pub(super) fn is_one_at_a_time(&self) -> bool {
        self.one_at_a_time
    }

    /// Whether no merge can enable an earlier rule. True if each rule makes a new symbol from
    /// symbols that were made before it, as in nearly every trained model.
    pub(in crate::encode) fn is_monotonic(&self) -> bool {
        self.is_monotonic
    }

    /// All ranks are below this.
    #[inline(always)]
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// The rank of a pair, or [`NO_RULE`].
    #[inline(always)]
    pub(in crate::encode) fn rank(&self, left: u32, right: u32) -> Rank {
        match &self.pairs {
            Pairs::Packed(packed) => packed.rank(left, right),
            Pairs::Map(map) => seam_in_map(map, left, right).1,
        }
    }

    /// The same as [`MergeTable::rank`]. It is faster if the processor cannot predict whether the
    /// pair has a rule.
    #[inline(always)]
    pub(in crate::encode) fn likely_rank(&self, left: u32, right: u32) -> Rank {
        self.seam(left, right).1
    }

    /// Whether a pair is at one of the seams or has a rule, and its rank or [`NO_RULE`].
    #[inline(always)]
    pub(in crate::encode) fn seam(&self, left: u32, right: u32) -> (bool, Rank) {
        match &self.pairs {
            Pairs::Packed(packed) => packed.find(narrow_key(left, right)),
            Pairs::Map(map) => seam_in_map(map, left, right),
        }
    }

    /// The symbol that a rule makes.
    #[inline(always)]
    pub(in crate::encode) fn joined(&self, rank: Rank) -> u32 {
        if self.joined.is_empty() {
            return rank;
        }
        self.joined[rank as usize]
    }
}

/// The rank of each pair that has a rule, and [`NO_RULE`] for all others at seams.
fn map_of(rules: &[(u32, u32, Rank)], seams: &[(u32, u32)]) -> NumberMap<u64, Rank> {
    let mut map =
        NumberMap::with_capacity_and_hasher(rules.len() + seams.len(), Default::default());
    for &(left, right, rank) in rules {
        map.entry(pack(left, right)).or_insert(rank);
    }
    for &(left, right) in seams {
        map.entry(pack(left, right)).or_insert(NO_RULE);
    }
    map
}

#[inline(never)]
fn seam_in_map(map: &NumberMap<u64, Rank>, left: u32, right: u32) -> (bool, Rank) {
    let rank = map.get(&pack(left, right));
    (rank.is_some(), rank.copied().unwrap_or(NO_RULE))
}

impl Packed {
    /// `None` if the pairs cannot be divided into slots (see [`Slots::new`]). Results do not depend on the order of the
    /// map.
    fn new(ranks: &NumberMap<u64, Rank>) -> Option<Packed> {
        let mut filter = HashFilter::with_capacity(ranks.len());
        let mut entries = Vec::with_capacity(ranks.len());
        for (&pair, &rank) in ranks {
            let (left, right) = unpack(pair);
            let key = narrow_key(left.0, right.0);
            if rank != NO_RULE {
                filter.insert(hash_u64(key));
            }
            entries.push((key, rank.min(NO_VALUE)));
        }
        let slots = Slots::new(&entries)?;
        Some(Packed { slots, filter })
    }

    #[inline(always)]
    fn rank(&self, left: u32, right: u32) -> Rank {
        let key = narrow_key(left, right);
        match self.filter.may_have(hash_u64(key)) {
            true => self.find(key).1,
            false => NO_RULE,
        }
    }

    #[inline(always)]
    fn find(&self, key: u64) -> (bool, Rank) {
        match self.slots.get(key) {
            (found, NO_VALUE) => (found, NO_RULE),
            found => found,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::slots::keys_of_one_bucket;
    use super::*;
    use crate::testing::Random;

    #[test]
    fn packed_and_plain_tables_hold_the_same_rules() {
        let mut random = Random(17);
        for (size, in_order) in [0, 1, 2, 50, 3000]
            .into_iter()
            .zip([true, false].into_iter().cycle())
        {
            let rules: Vec<_> = (0..size)
                .map(|at| {
                    let [left, right, any] = [90, 90, 500].map(|n| random.below(n) as u32);
                    let joined = if in_order { 100 + 3 * at } else { any };
                    (Symbol(left), Symbol(right), Symbol(joined))
                })
                .collect();
            let small = MergeTable::new(&rules, 500.max(100 + 3 * size as usize));
            assert!(matches!(small.pairs, Pairs::Packed(_)));
            assert_eq!(small.joined.is_empty(), in_order || size < 2);
            // The same rules with symbols that are too large to be packed.
            let far = |symbol: Symbol| Symbol(symbol.0 + (1 << 21));
            let large: Vec<_> = rules.iter().map(|&(l, r, j)| (far(l), far(r), j)).collect();
            let large = MergeTable::new(&large, (1 << 21) + 90);
            assert!(matches!(large.pairs, Pairs::Map(_)));
            let mut ranks: Vec<(usize, Rank)> = Vec::new();
            for left in 0..90 {
                for right in 0..90 {
                    let (l, r) = (Symbol(left), Symbol(right));
                    let first = rules.iter().position(|rule| (rule.0, rule.1) == (l, r));
                    let rank = small.rank(left, right);
                    assert_eq!(small.likely_rank(left, right), rank);
                    assert_eq!(large.rank(far(l).0, far(r).0), rank);
                    assert_eq!(rank == NO_RULE, first.is_none());
                    if let Some(first) = first {
                        assert_eq!(small.joined(rank), rules[first].2.0);
                        assert!((rank as usize) < small.limit());
                        ranks.push((first, rank));
                    }
                }
            }
            ranks.sort();
            assert!(ranks.is_sorted_by(|one, next| one.1 < next.1), "in order");
        }
    }

    #[test]
    fn seams_are_known_with_and_without_rules() {
        let mut random = Random(18);
        let rules: Vec<_> = (100..400)
            .map(|joined| {
                let [left, right] = [0, 0].map(|_| Symbol(random.below(40) as u32));
                (left, right, Symbol(joined))
            })
            .collect();
        let seams: Vec<(u32, u32)> = (0..400)
            .map(|_| (random.below(40) as u32, random.below(40) as u32))
            .collect();
        let plain = MergeTable::new(&rules, 400);
        let packed = MergeTable::with_seams(&rules, &seams, 400);
        assert!(matches!(packed.pairs, Pairs::Packed(_)));
        let map = MergeTable::with_seams(&rules, &seams, 1 << SYMBOL_BITS);
        assert!(matches!(map.pairs, Pairs::Map(_)));
        let mut kinds = [[0; 2]; 2];
        for left in 0..40 {
            for right in 0..40 {
                let rank = plain.rank(left, right);
                let has_rule = rules
                    .iter()
                    .any(|rule| (rule.0.0, rule.1.0) == (left, right));
                let is_seam = seams.contains(&(left, right));
                assert_eq!(rank != NO_RULE, has_rule);
                assert_eq!(plain.seam(left, right), (has_rule, rank));
                for table in [&packed, &map] {
                    assert_eq!(table.seam(left, right), (has_rule || is_seam, rank));
                    assert_eq!(table.rank(left, right), rank);
                    assert_eq!(table.likely_rank(left, right), rank);
                }
                kinds[usize::from(has_rule)][usize::from(is_seam)] += 1;
            }
        }
        assert!(kinds.as_flattened().iter().all(|&n| n > 20), "{kinds:?}");
    }

    #[test]
    fn the_largest_symbols_are_told_from_free_slots() {
        let symbols = (1 << SYMBOL_BITS) - 1;
        let last = symbols as u32 - 1;
        let empty = MergeTable::new(&[], symbols);
        assert!(matches!(empty.pairs, Pairs::Packed(_)));
        assert_eq!(empty.seam(last, last), (false, NO_RULE));
        let one = MergeTable::with_seams(&[], &[(last, last)], symbols);
        assert!(matches!(one.pairs, Pairs::Packed(_)));
        assert_eq!(one.seam(last, last), (true, NO_RULE));
        assert_eq!(one.seam(last, last - 1), (false, NO_RULE));
    }

    #[test]
    fn pairs_that_are_hard_to_pack_are_found_in_a_map() {
        let symbols = |key: u64| ((key >> SYMBOL_BITS) as u32, key as u32 % (1 << SYMBOL_BITS));
        let pairs: Vec<_> = keys_of_one_bucket(50).into_iter().map(symbols).collect();
        let rules: Vec<_> = (1000..)
            .zip(&pairs[..25])
            .map(|(joined, pair)| (Symbol(pair.0), Symbol(pair.1), Symbol(joined)))
            .collect();
        let table = MergeTable::with_seams(&rules, &pairs, 2000);
        assert!(matches!(table.pairs, Pairs::Map(_)));
        let mut rules = 1000..1025;
        for &(left, right) in &pairs {
            let rank = rules.next().unwrap_or(NO_RULE);
            assert_eq!(table.rank(left, right), rank);
            assert_eq!(table.seam(left, right), (true, rank));
        }
        assert_eq!(table.seam(1999, 1999), (false, NO_RULE));
    }
}
