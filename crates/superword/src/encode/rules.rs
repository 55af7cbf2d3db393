//! Merge rules: which pair becomes what, and which rule comes first.

use super::filter::HashFilter;
use crate::hash::{NumberMap, hash_u64};
use crate::token::Symbol;

/// The place of a rule in the order of rules.
pub(super) type Rank = u32;

/// Later than any rule.
pub(super) const NO_RULE: Rank = u32::MAX;

/// Merge rules in order: pair → rank → joined token.
///
/// Where each rule makes a token that is later than those of the rules before it, as in nearly
/// every model, the joined token is the rank: they sort alike, and nothing has to be looked up.
///
/// Pairs of bytes and of tokens that are not in the processor's cache are what encoding waits for,
/// so the table is packed: symbols of 21 bits and a rank of 22 make one number. A model of more
/// tokens than that gets a plain map.
#[derive(Clone, Debug)]
pub(super) struct RuleTable {
    pairs: Pairs,
    /// By rank; empty where the rank is the joined token.
    joined: Vec<u32>,
    /// All ranks are below this.
    limit: usize,
    never_turns_back: bool,
}

#[derive(Clone, Debug)]
enum Pairs {
    Packed(Packed),
    Map(NumberMap<u64, Rank>),
}

#[derive(Clone, Debug)]
struct Packed {
    slots: Vec<u64>,
    /// Most pairs that are asked for have no rule; this says so for most of them.
    filter: HashFilter,
}

const SYMBOL_BITS: u32 = 21;
const RANK_BITS: u32 = 64 - 2 * SYMBOL_BITS;
const FREE: u64 = u64::MAX;

fn key(left: u32, right: u32) -> u64 {
    (u64::from(left) << SYMBOL_BITS) | u64::from(right)
}

impl RuleTable {
    /// Rules from `(left, right, joined)`, the earliest first. A pair that comes again keeps its
    /// first place. All symbols that will be asked for are below `symbols`.
    pub(super) fn new(rules: &[(Symbol, Symbol, Symbol)], symbols: usize) -> RuleTable {
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
        RuleTable {
            pairs: match packed {
                true => Pairs::Packed(Packed::new(&ranked)),
                false => Pairs::Map(map(&ranked)),
            },
            joined: match in_order {
                true => Vec::new(),
                false => rules.iter().map(|(_, _, joined)| joined.0).collect(),
            },
            limit,
            never_turns_back: in_order
                && rules
                    .iter()
                    .all(|(left, right, joined)| left.max(right) < joined),
        }
    }

    /// Whether no merge can make place for a rule that comes before it: each rule makes a token
    /// of its own, and joins tokens that were made before.
    pub(super) fn never_turns_back(&self) -> bool {
        self.never_turns_back
    }

    /// All ranks are below this.
    #[inline(always)]
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// The rule of a pair, or [`NO_RULE`].
    #[inline(always)]
    pub(super) fn rank(&self, left: u32, right: u32) -> Rank {
        match &self.pairs {
            Pairs::Packed(packed) => packed.rank(left, right),
            Pairs::Map(map) => of_map(map, left, right),
        }
    }

    /// The same, for pairs that mostly have a rule.
    #[inline(always)]
    pub(super) fn likely_rank(&self, left: u32, right: u32) -> Rank {
        match &self.pairs {
            Pairs::Packed(packed) => {
                let key = key(left, right);
                packed.find(key, hash_u64(key))
            }
            Pairs::Map(map) => of_map(map, left, right),
        }
    }

    /// What the rule makes of its pair.
    #[inline(always)]
    pub(super) fn joined(&self, rank: Rank) -> u32 {
        if self.joined.is_empty() {
            return rank;
        }
        self.joined[rank as usize]
    }
}

fn map(rules: &[(u32, u32, Rank)]) -> NumberMap<u64, Rank> {
    let mut map = NumberMap::default();
    for &(left, right, rank) in rules {
        let key = u64::from(left) << 32 | u64::from(right);
        map.entry(key).or_insert(rank);
    }
    map
}

#[inline(never)]
fn of_map(map: &NumberMap<u64, Rank>, left: u32, right: u32) -> Rank {
    let key = u64::from(left) << 32 | u64::from(right);
    map.get(&key).copied().unwrap_or(NO_RULE)
}

impl Packed {
    fn new(rules: &[(u32, u32, Rank)]) -> Packed {
        let mut packed = Packed {
            // At least one slot stays free, or a search would never end.
            slots: vec![FREE; rules.len() * 3 / 2 + 2],
            filter: HashFilter::with_capacity(rules.len()),
        };
        for &(left, right, rank) in rules {
            packed.insert(key(left, right), rank);
        }
        packed
    }

    /// Keeps a pair, unless it is there already.
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

    /// The high bits of the hash choose the slot: of any number of slots, not only a power of two.
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
        let key = key(left, right);
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
    fn all_tables_know_the_same_rules() {
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
            let small = RuleTable::new(&rules, 500.max(100 + 3 * size as usize));
            assert!(matches!(small.pairs, Pairs::Packed(_)));
            assert_eq!(small.joined.is_empty(), in_order || size < 2);
            // The same with symbols that are too large to be packed.
            let far = |symbol: Symbol| Symbol(symbol.0 + (1 << 21));
            let large: Vec<_> = rules.iter().map(|&(l, r, j)| (far(l), far(r), j)).collect();
            let large = RuleTable::new(&large, (1 << 21) + 90);
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
