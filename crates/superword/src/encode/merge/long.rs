//! Merging a long sequence over a linked list, in near-linear time for any length.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::table::{MergeTable, NO_RULE, Rank};

/// Buffers with room for more items than this are freed after use.
pub(in crate::encode) const MAX_RETAINED: usize = 1 << 16;

/// A token of a merged sequence, and the position of the first unit it covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) symbol: u32,
    pub(super) start: usize,
}

/// Buffers that are reused from one long sequence to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct LongScratch {
    nodes: Vec<Node>,
    buckets: Buckets,
    heap: BinaryHeap<Reverse<(Rank, u32)>>,
}

impl LongScratch {
    /// How many symbols the buffers have room for.
    pub(super) fn capacity(&self) -> usize {
        self.nodes.capacity()
    }
}

/// A token of a long sequence. Everything a merge reads lies side by side in memory.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The rank of this token and the next.
    rank: Rank,
    symbol: u32,
    previous: u32,
    next: u32,
}

/// Positions by the rank of their rule.
#[derive(Clone, Debug, Default)]
struct Buckets {
    by_rank: Vec<Vec<u32>>,
    /// The ranks whose bucket is not empty.
    ranks: BinaryHeap<Reverse<u32>>,
}

impl Buckets {
    #[inline(always)]
    fn push(&mut self, rank: Rank, position: u32) {
        if rank == NO_RULE {
            return;
        }
        if rank as usize >= self.by_rank.len() {
            self.by_rank.resize_with(rank as usize + 1, Vec::new);
        }
        let bucket = &mut self.by_rank[rank as usize];
        if bucket.is_empty() {
            self.ranks.push(Reverse(rank));
        }
        bucket.push(position);
    }

    fn pop_first(&mut self) -> Option<(u32, Vec<u32>)> {
        let Reverse(rank) = self.ranks.pop()?;
        Some((rank, std::mem::take(&mut self.by_rank[rank as usize])))
    }

    /// Returns the memory of a bucket for its next use, if the bucket is still empty.
    fn recycle(&mut self, rank: u32, mut positions: Vec<u32>) {
        let bucket = &mut self.by_rank[rank as usize];
        if bucket.is_empty() && positions.capacity() <= MAX_RETAINED {
            positions.clear();
            *bucket = positions;
        }
    }
}

impl MergeTable {
    /// Merges `units` and appends the result to `tokens`. The first unit is at position `from` of
    /// the whole sequence, and `rank_at` takes positions in the whole sequence.
    ///
    /// The heap holds ranks, not positions: each rank has a bucket of positions.
    pub(super) fn merge_long(
        &self,
        units: &[u32],
        from: usize,
        scratch: &mut LongScratch,
        tokens: &mut Vec<Token>,
        rank_at: &impl Fn(usize) -> Rank,
    ) {
        let LongScratch {
            nodes,
            buckets,
            heap,
        } = scratch;
        let len = units.len() as u32;
        nodes.clear();
        nodes.extend((0..len).zip(units).map(|(position, &symbol)| Node {
            symbol,
            rank: match position + 1 < len {
                true => rank_at(from + position as usize),
                false => NO_RULE,
            },
            previous: position.wrapping_sub(1),
            next: position + 1,
        }));
        if self.is_one_at_a_time() {
            self.merge_one_at_a_time(nodes, heap);
            return push_tokens(nodes, from, tokens);
        }
        for (position, node) in (0..).zip(nodes.iter()) {
            buckets.push(node.rank, position);
        }
        while let Some((best, mut positions)) = buckets.pop_first() {
            // All positions of one rule from left to right, before the pairs that they create.
            positions.sort_unstable();
            let symbol = self.joined(best);
            for &position in &positions {
                let Node {
                    rank,
                    previous,
                    next: right,
                    ..
                } = nodes[position as usize];
                if rank != best {
                    continue;
                }
                let after = nodes[right as usize].next;
                nodes[right as usize].rank = NO_RULE;
                let mut made = NO_RULE;
                if after < len {
                    nodes[after as usize].previous = position;
                    made = self.rank(symbol, nodes[after as usize].symbol);
                    buckets.push(made, position);
                }
                nodes[position as usize] = Node {
                    symbol,
                    rank: made,
                    previous,
                    next: after,
                };
                if position > 0 {
                    let before = &mut nodes[previous as usize];
                    before.rank = self.rank(before.symbol, symbol);
                    buckets.push(before.rank, previous);
                }
            }
            buckets.recycle(best, positions);
        }
        push_tokens(nodes, from, tokens);
    }

    /// Merges until no rule applies, one merge at a time. The heap holds ranks with their positions,
    /// some of which are out of date.
    fn merge_one_at_a_time(&self, nodes: &mut [Node], heap: &mut BinaryHeap<Reverse<(Rank, u32)>>) {
        let len = nodes.len() as u32;
        heap.clear();
        let ranks = nodes.iter().zip(0..);
        let entries = ranks.filter(|(node, _)| node.rank != NO_RULE);
        heap.extend(entries.map(|(node, position)| Reverse((node.rank, position))));
        while let Some(Reverse((best, position))) = heap.pop() {
            let node = nodes[position as usize];
            if node.rank != best {
                continue;
            }
            let symbol = self.joined(best);
            let after = nodes[node.next as usize].next;
            nodes[node.next as usize].rank = NO_RULE;
            let mut rank = NO_RULE;
            if after < len {
                nodes[after as usize].previous = position;
                rank = self.rank(symbol, nodes[after as usize].symbol);
            }
            nodes[position as usize] = Node {
                symbol,
                rank,
                next: after,
                ..node
            };
            let mut changed = [(rank, position), (NO_RULE, 0)];
            if position > 0 {
                let before = &mut nodes[node.previous as usize];
                before.rank = self.rank(before.symbol, symbol);
                changed[1] = (before.rank, node.previous);
            }
            let changed = changed.into_iter().filter(|&(rank, _)| rank != NO_RULE);
            heap.extend(changed.map(Reverse));
        }
    }
}

/// Appends the tokens that are left. The first one is at position `from` of the whole sequence.
fn push_tokens(nodes: &[Node], from: usize, tokens: &mut Vec<Token>) {
    let mut at = 0;
    while let Some(node) = nodes.get(at) {
        tokens.push(Token {
            symbol: node.symbol,
            start: from + at,
        });
        at = node.next as usize;
    }
}
