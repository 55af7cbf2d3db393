//! Several merges at once, on several threads.
//!
//! Merges are made in order, and most of them have nothing to do with each other. A round takes the next pairs from the
//! queue and makes their surveys on all threads. Then the calling thread goes through them in order. A merge counts if
//! its survey is still right after the merges before it, and if none of them created a pair that comes first. At the
//! first merge that does not count, the round ends, and the rest goes back to the queue. At last all threads write to
//! the cells and to the index what the merges change. This gives exactly the result of one thread.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::cells::MAX_SYMBOLS;
use super::index::List;
use super::queue::Entry;
use super::survey::{self, Earlier, Joining};
use super::{AllowedPairs, Joined, MergeOptions, Merger, PairCount};
use crate::prefetch::prefetch;
use crate::threads::lock;
use crate::token::{Symbol, pack};

/// The most merges in a round.
const MAX_MERGES: usize = 256;

/// The most merges of the first round, and of one after a round without any.
const MIN_MERGES: usize = 4;

/// A round has at most this many parts for each thread.
const PARTS_PER_THREAD: usize = 4;

/// A part takes as long as this many places, apart from its own.
const PART: usize = 16;

/// A task takes at least as long as this many places. That is about 2 µs.
const TASK: usize = 64;

/// The most threads for a round without large merges. The calling thread does the rest of the work, and then the others wait.
const FEW_THREADS: usize = 8;

/// The number of pairs between fetching the count of a pair and using it.
const FETCH_AHEAD: usize = 8;

/// For how many pairs at once it is prepared whether they are allowed.
const PREPARED: usize = 512;

/// A merge in a round.
#[derive(Debug)]
struct Planned {
    entry: Entry,
    places: List,
    /// Its parts.
    parts: Range<usize>,
}

/// Some places of a merge. Each part has a survey.
#[derive(Clone, Debug)]
struct Part {
    joining: Joining,
    /// The number of the merge in its round.
    merge: usize,
    /// The part of the list of its places.
    places: List,
    /// Whether it is the first part of the merge.
    is_first: bool,
    /// The joined symbol, once it is known.
    symbol: Symbol,
    /// Whether the pairs of the joined symbol still have to be created. They are created earlier if the merge has several parts.
    creates: bool,
}

/// The merges of a round.
#[derive(Debug)]
pub(super) struct Plan {
    merges: Vec<Planned>,
    /// The pairs of these merges.
    pairs: Vec<u64>,
    parts: Vec<Part>,
    /// The hashes of the joined tokens so far.
    spelled: Vec<u64>,
    /// Parts that one thread does together.
    tasks: Vec<Range<usize>>,
    /// How many threads do them.
    threads: usize,
    /// See [`Earlier`].
    lefts: Vec<u32>,
    rights: Vec<u32>,
    round: u32,
    /// How many merges the next round may have.
    width: usize,
    /// The number of places of a part.
    grain: usize,
}

impl Plan {
    pub(super) fn new(grain: usize) -> Plan {
        Plan {
            merges: Vec::new(),
            pairs: Vec::new(),
            parts: Vec::new(),
            spelled: Vec::new(),
            tasks: Vec::new(),
            threads: 1,
            lefts: Vec::new(),
            rights: Vec::new(),
            round: 0,
            width: MIN_MERGES,
            grain,
        }
    }

    /// Forgets all merges. There will be fewer symbols than `symbols`.
    fn clear(&mut self, symbols: usize) {
        self.merges.clear();
        self.pairs.clear();
        self.parts.clear();
        self.spelled.clear();
        self.tasks.clear();
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.lefts.clear();
            self.rights.clear();
            self.round = 1;
        }
        self.lefts.resize(symbols, 0);
        self.rights.resize(symbols, 0);
    }

    /// Adds a merge whose places are divided into these lists.
    fn add(&mut self, joining: Joining, lists: impl Iterator<Item = List>) {
        let Joining { left, right } = joining;
        let merge = self.pairs.len();
        self.pairs.push(pack(left.0, right.0));
        self.lefts[left.index()] = self.round;
        self.rights[right.index()] = self.round;
        self.parts
            .extend(lists.enumerate().map(|(number, places)| Part {
                joining,
                merge,
                places,
                is_first: number == 0,
                symbol: Symbol(0),
                creates: false,
            }));
    }

    /// Divides the parts into tasks, and decides how many threads to use.
    fn divide(&mut self) {
        let (mut start, mut work, mut all) = (0, 0, 0);
        for (number, part) in self.parts.iter().enumerate() {
            work += part.places.len() + PART;
            all += part.places.len() + PART;
            if work >= self.grain.min(TASK) || number + 1 == self.parts.len() {
                self.tasks.push(start..number + 1);
                (start, work) = (number + 1, 0);
            }
        }
        // With more threads for little work, they would mostly wait for each other.
        let few = (all / (2 * TASK)).clamp(1, FEW_THREADS);
        self.threads = few.max(all / (16 * TASK));
    }

    /// The merges before this one.
    fn before(&self, merge: usize) -> Option<Earlier<'_>> {
        (merge > 0).then(|| Earlier {
            pairs: &self.pairs[..merge],
            lefts: &self.lefts,
            rights: &self.rights,
            round: self.round,
        })
    }
}

impl<R: AllowedPairs> Merger<'_, R> {
    /// Makes up to `most` of the next merges on all threads, if there are several and it is worth it. [`Merger::best`] and
    /// [`Merger::merge`] return these merges as if they were made then. Until they have, no pair may be deferred and no
    /// token deleted. A pair of tokens for which `may_join` is false is not merged.
    pub(crate) fn merge_ahead(&mut self, most: usize, may_join: impl Fn(Symbol) -> bool) {
        if self.threads == 1 || !self.made.is_empty() {
            return;
        }
        let (merges, joins) = (self.tokens.len() as u64, self.joins);
        if !self.pace.has_rounds(merges, joins, Instant::now) {
            return;
        }
        self.prepare_allowed();
        self.plan.clear(self.tokens.len());
        let most = most.min(self.plan.width);
        let most_places = self.plan.grain * PARTS_PER_THREAD * self.threads;
        let mut places = 0;
        while self.plan.merges.len() < most {
            if let Some(later) = self.queue.after(FETCH_AHEAD) {
                self.index.prefetch(later.left.0, later.right.0);
            }
            let Some(pair) = self.first() else { break };
            let (left, right) = (pair.left, pair.right);
            let list = self.index.list(left.0, right.0);
            let Some(list) = list.filter(|list| list.len() > 0) else {
                break;
            };
            places += list.len();
            let is_too_large = places > most_places && !self.plan.merges.is_empty();
            if is_too_large || !may_join(left) || !may_join(right) {
                break;
            }
            let Some(entry) = self.queue.pop(&self.tokens) else {
                break;
            };
            let start = self.plan.parts.len();
            let lists = self
                .index
                .divide(&self.cells, list, self.plan.grain, self.threads);
            self.plan.add(Joining { left, right }, lists);
            let parts = start..self.plan.parts.len();
            self.plan.merges.push(Planned {
                entry,
                places: list,
                parts,
            });
        }
        self.plan.divide();
        if self.plan.merges.len() < 2 && self.plan.tasks.len() < 2 {
            return self.put_back(0);
        }
        self.survey();
        self.fetch();
        let (mut merges, mut parts, mut pairs) = (0, 0, 0);
        while let Some(planned) = self.plan.merges.get(merges) {
            let is_right = merges == 0 || {
                let surveys = &mut self.surveys[planned.parts.clone()];
                let is_outdated = surveys.iter_mut().any(|one| survey::alone(one).is_outdated);
                !is_outdated && !self.queue.comes_first(&self.tokens, &planned.entry)
            };
            if !is_right {
                break;
            }
            let (pair, own) = (planned.entry.pair, planned.parts.clone());
            let places = planned.places;
            // What is not a new token is left to `merge`. Two merges of a round hardly ever have the same hash, unless they make
            // the same token.
            let spelling = &survey::alone(&mut self.surveys[own.start]).spelling;
            if spelling.is_known()
                || self.plan.spelled.contains(&spelling.hash())
                || self.tokens.len() >= MAX_SYMBOLS as usize
            {
                break;
            }
            let Some(symbol) = self.tokens.insert_new(spelling) else {
                break;
            };
            self.plan.spelled.push(spelling.hash());
            let is_new = true;
            let joined = Joined { symbol, is_new };
            self.births.add(symbol, places);
            self.join_allowed(pair.left, pair.right, symbol);
            parts = own.end;
            for part in own.clone() {
                self.joins += survey::alone(&mut self.surveys[part]).merged.len() as u64;
                self.plan.parts[part].symbol = symbol;
            }
            match own.len() {
                1 => pairs += self.prepare_pairs(own.start, symbol),
                _ => self.create_pairs(own, joined),
            }
            self.made.push_back((pair, joined));
            merges += 1;
        }
        self.put_back(merges);
        self.index.reserve_pairs(pairs);
        self.carry_out(parts);
        self.plan.width = (merges + merges / 2 + 1).clamp(MIN_MERGES, MAX_MERGES);
    }

    /// Prepares whether the next pairs are allowed, if the last ones are used up.
    fn prepare_allowed(&mut self) {
        if self.prepared > 0 || !self.allowed.is_slow() {
            return;
        }
        let next = (0..PREPARED).map_while(|others| self.queue.after(others));
        let next: Vec<PairCount> = next.collect();
        self.prepared = next.len().max(1);
        let (crew, threads) = (&self.crew, self.threads.min(FEW_THREADS));
        self.allowed.prepare(&self.tokens, &next, &|tasks, work| {
            crew.run(tasks, threads, |task, _| work(task));
        });
    }

    /// Loads into the cache what other threads have found out.
    fn fetch(&self) {
        let surveys = &self.surveys[..self.plan.parts.len()];
        surveys.iter().for_each(prefetch);
    }

    /// Reserves the places of the pairs that the only part of a merge creates, and returns their number. Those that may come
    /// first are queued now, because later merges of the round depend on it. The others are queued when they are created.
    fn prepare_pairs(&mut self, part: usize, symbol: Symbol) -> usize {
        self.plan.parts[part].creates = true;
        let survey = survey::alone(&mut self.surveys[part]);
        survey.created.start = self.index.reserve_places(survey.created.places);
        if self.queue.is_above(survey.created.top) {
            let (tokens, queue) = (&self.tokens, &mut self.queue);
            survey.created(symbol, self.options.floor, |left, right, count| {
                if queue.is_above(count) {
                    queue.push(tokens, PairCount { left, right, count });
                }
            });
        }
        survey.created.pairs
    }

    /// Makes a merge on all threads if it is large enough, and returns whether it did.
    pub(super) fn divide(&mut self, places: List, joining: Joining, symbol: Symbol) -> bool {
        if self.threads == 1 || places.len() < 2 * self.plan.grain {
            return false;
        }
        self.plan.clear(self.tokens.len());
        let lists = self
            .index
            .divide(&self.cells, places, self.plan.grain, self.threads);
        self.plan.add(joining, lists);
        self.plan.divide();
        self.survey();
        self.births.add(symbol, places);
        let parts = self.plan.parts.len();
        for part in 0..parts {
            self.joins += survey::alone(&mut self.surveys[part]).merged.len() as u64;
            self.plan.parts[part].symbol = symbol;
        }
        let is_new = true;
        self.create_pairs(0..parts, Joined { symbol, is_new });
        self.carry_out(parts);
        true
    }

    /// Makes the surveys of all parts.
    fn survey(&mut self) {
        let Merger {
            plan,
            cells,
            index,
            scratches,
            surveys,
            tokens,
            crew,
            options: MergeOptions { floor, .. },
            ..
        } = self;
        let floor = *floor;
        if surveys.len() < plan.parts.len() {
            surveys.resize_with(plan.parts.len(), Mutex::default);
        }
        let work = |task: usize, thread: usize| {
            let mut scratch = lock(&scratches[thread]);
            let own = plan.tasks[task].clone();
            for (survey, part) in surveys[own.clone()].iter().zip(&plan.parts[own]) {
                let mut survey = lock(survey);
                let places = index.places(part.places);
                let earlier = plan.before(part.merge);
                survey.visit(cells, &mut scratch, places, part.joining, None, earlier);
                survey.weigh(floor);
                if part.is_first {
                    tokens.spell(part.joining.left, part.joining.right, &mut survey.spelling);
                }
            }
        };
        crew.run(plan.tasks.len(), plan.threads.min(plan.tasks.len()), work);
    }

    /// Writes to the cells and to the index what the first `parts` parts change.
    fn carry_out(&mut self, parts: usize) {
        let Merger {
            plan,
            cells,
            index,
            surveys,
            scratches,
            queue,
            tokens,
            crew,
            options: MergeOptions { floor, .. },
            ..
        } = self;
        let floor = *floor;
        let tasks = plan.tasks.iter().take_while(|task| task.start < parts);
        let waits = |count| !queue.is_above(count);
        let work = |task: usize, thread: usize| {
            let created = &mut lock(&scratches[thread]).created;
            let task = plan.tasks[task].clone();
            let own = task.start..task.end.min(parts);
            for (survey, part) in surveys[own.clone()].iter().zip(&plan.parts[own]) {
                let mut survey = lock(survey);
                if part.creates {
                    survey.prefetch_created(index, part.symbol.0, floor);
                }
                survey.join(cells, part.symbol);
                survey.destroy(index, part.joining);
                if part.is_first {
                    let Joining { left, right } = part.joining;
                    survey.gone.push(pack(left.0, right.0));
                }
                if part.creates {
                    survey.create(index, part.symbol, floor);
                    survey.created(part.symbol, floor, |left, right, count| {
                        if waits(count) {
                            created.push(PairCount { left, right, count });
                        }
                    });
                }
                survey.write(index);
            }
        };
        let tasks = tasks.count();
        crew.run(tasks, plan.threads.min(tasks), work);
        for scratch in scratches {
            let scratch = scratch.get_mut().unwrap_or_else(PoisonError::into_inner);
            for pair in scratch.created.drain(..) {
                queue.push(tokens, pair);
            }
        }
        for survey in &mut surveys[..parts] {
            index.remove(&survey::alone(survey).gone);
        }
        self.tidy_if_needed();
    }

    /// Returns all planned merges but the first `made` to the queue.
    fn put_back(&mut self, made: usize) {
        for planned in self.plan.merges.drain(made..).rev() {
            self.queue.put_back(planned.entry);
        }
    }
}
