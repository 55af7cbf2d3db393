//! The merge table: which pair of symbols becomes what, and which rule comes first.

use crate::hash::{HashFilter, NumberMap, hash_u64};
use crate::token::{Symbol, pack};

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
/// hash map.
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
    slots: Vec<u64>,
    /// Most pairs that are looked up have no rule. The filter rejects nearly all of them.
    filter: HashFilter,
}

const SYMBOL_BITS: u32 = 21;
const RANK_BITS: u32 = 64 - 2 * SYMBOL_BITS;
const FREE: u64 = u64::MAX;

/// Two symbols of [`SYMBOL_BITS`] each as one number.
fn narrow_key(left: u32, right: u32) -> u64 {
    (u64::from(left) << SYMBOL_BITS) | u64::from(right)
}

impl MergeTable {
    /// Rules given as `(left, right, joined)`, the earliest first. If a pair occurs twice, its
    /// first rule counts. All symbols that will be looked up are below `symbols`.
    pub(in crate::encode) fn new(rules: &[(Symbol, Symbol, Symbol)], symbols: usize) -> MergeTable {
        let in_order = rules.is_sorted_by(|one, next| one.2 < next.2);
        let ranked: Vec<(u32, u32, Rank)> = (0..)
            .zip(rules)
            .map(|(at, (left, right, joined))| {
                let rank = if in_order { joined.0 } else { at };
                (left.0, right.0, rank)
            })
            .collect();
        let limit = ranked.last().map_or(0, |(_, _, rank)| *rank as usize + 1);
        let packed = symbols <= 1 << SYMBOL_BITS && limit < 1 << RANK_BITS;
        MergeTable {
            pairs: match packed {
                true => Pairs::Packed(Packed::new(&ranked)),
                false => Pairs::Map(map_of(&ranked)),
            },
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
            Pairs::Map(map) => rank_in_map(map, left, right),
        }
    }

    /// The same as [`MergeTable::rank`], faster for pairs that usually have a rule.
    #[inline(always)]
    pub(in crate::encode) fn likely_rank(&self, left: u32, right: u32) -> Rank {
        match &self.pairs {
            Pairs::Packed(packed) => {
                let key = narrow_key(left, right);
                packed.find(key, hash_u64(key))
            }
            Pairs::Map(map) => rank_in_map(map, left, right),
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

fn map_of(rules: &[(u32, u32, Rank)]) -> NumberMap<u64, Rank> {
    let mut map = NumberMap::default();
    for &(left, right, rank) in rules {
        map.entry(pack(left, right)).or_insert(rank);
    }
    map
}

#[inline(never)]
fn rank_in_map(map: &NumberMap<u64, Rank>, left: u32, right: u32) -> Rank {
    map.get(&pack(left, right)).copied().unwrap_or(NO_RULE)
}

impl Packed {
    fn new(rules: &[(u32, u32, Rank)]) -> Packed {
        let mut packed = Packed {
            // At least one slot stays free, so that every search ends.
            slots: vec![FREE; rules.len() * 3 / 2 + 2],
            filter: HashFilter::with_capacity(rules.len()),
        };
        for &(left, right, rank) in rules {
            packed.insert(narrow_key(left, right), rank);
        }
        packed
    }

    /// Adds a pair, unless the table already has it.
    fn insert(&mut self, key: u64, rank: Rank) {
        let hash = hash_u64(key);
        if self.find(key, hash) != NO_RULE {
            return;
        }
        let mut at = self.first_slot(hash);
        while self.slots[at] != FREE {
            at = self.next_slot(at);
        }
        self.slots[at] = key << RANK_BITS | u64::from(rank);
        self.filter.insert(hash);
    }

    /// Scales the hash to the number of slots, which need not be a power of two.
    #[inline(always)]
    fn first_slot(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.slots.len() as u128) >> 64) as usize
    }

    #[inline(always)]
    fn next_slot(&self, at: usize) -> usize {
        if at + 1 == self.slots.len() {
            0
        } else {
            at + 1
        }
    }

    #[inline(always)]
    fn rank(&self, left: u32, right: u32) -> Rank {
        let key = narrow_key(left, right);
        let hash = hash_u64(key);
        match self.filter.may_have(hash) {
            true => self.find(key, hash),
            false => NO_RULE,
        }
    }

    #[inline(always)]
    fn find(&self, key: u64, hash: u64) -> Rank {
        let mut at = self.first_slot(hash);
        loop {
            let slot = self.slots[at];
            if slot >> RANK_BITS == key && slot != FREE {
                return (slot & ((1 << RANK_BITS) - 1)) as Rank;
            }
            if slot == FREE {
                return NO_RULE;
            }
            at = self.next_slot(at);
        }
    }
}

#[cfg(test)]
mod tests {
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
}
