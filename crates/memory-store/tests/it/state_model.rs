//! The state compared with the pure fold, for any events.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use artoo_memory_store::state::{Remembered, State, Stats};
use artoo_mkct_memory::dreamer::{PairPlan, plan};
use artoo_mkct_memory::{Event, MemoryFold, Rules};
use artoo_types::{Entity, Level, MegramId, MegramState, Potentials, TagPair};
use chrono::{DateTime, FixedOffset};
use proptest::prelude::*;

use crate::faulty_disk::FaultyDisk;
use crate::state_fixtures::{day, disk, grams, id, megram, pair, reopened, written};

/// splitmix64
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % end
    }
}

struct Run {
    dice: Dice,
    rules: Rules,
    fold: MemoryFold,
    state: State,
    disk: FaultyDisk,
    /// Events sent, so that some of them can be sent again.
    sent: Vec<Event>,
    ids: u64,
    pairs: u64,
    today: f64,
    forgotten: BTreeSet<MegramId>,
    promoted: u64,
    compacted: u64,
}

impl Run {
    fn new(seed: u64, pairs: u64) -> Self {
        let rules = if seed.is_multiple_of(3) { Rules::spec_v0_8() } else { Rules::default() };
        Self {
            dice: Dice(seed),
            rules,
            fold: MemoryFold::default(),
            state: State::new(rules, grams),
            disk: disk(),
            sent: Vec::new(),
            ids: 0,
            pairs,
            today: 0.0,
            forgotten: BTreeSet::new(),
            promoted: 0,
            compacted: 0,
        }
    }

    fn now(&self) -> DateTime<FixedOffset> {
        day(self.today)
    }

    fn apply(&mut self, event: Event) {
        if let Event::Forgotten { id } = event {
            self.forgotten.insert(id);
        }
        self.fold.apply(&event);
        self.state.apply(&event).unwrap();
        self.sent.push(event);
    }

    fn new_id(&mut self) -> u64 {
        self.ids += 1;
        self.ids
    }

    fn old_id(&mut self) -> MegramId {
        // Some ids do not exist yet.
        id(self.dice.below(self.ids + 3))
    }

    fn step(&mut self) {
        self.today += self.dice.below(100) as f64 / 400.0;
        match self.dice.below(100) {
            0..60 => {
                let number = self.new_id();
                let of = pair(self.dice.below(self.pairs));
                let state = MegramState::ALL[self.dice.below(7) as usize];
                let level = match self.dice.below(40) {
                    0 => Level::T,
                    1 => Level::C,
                    2..5 => Level::K,
                    _ => Level::M,
                };
                let made_on = self.today - self.dice.below(30) as f64 / 10.0;
                self.apply(written(&megram(number, &of, state, level, made_on)));
            }
            60..72 => {
                let at = day(self.today - self.dice.below(20) as f64);
                let id = self.old_id();
                self.apply(Event::Recalled { id, at });
            }
            72..74 => {
                let id = self.old_id();
                self.apply(Event::Demoted { id, k: 0.05 });
            }
            74..78 => {
                let id = self.old_id();
                self.apply(Event::Forgotten { id });
            }
            78..80 => {
                let [sop, a, b, c] = [self.old_id(), self.old_id(), self.old_id(), self.old_id()];
                if sop != a && sop != b && sop != c {
                    self.apply(Event::Consolidated { sop, sources: vec![a, b], absorbed: vec![c] });
                }
            }
            80..84 if !self.sent.is_empty() => {
                let again = self.sent[self.dice.below(self.sent.len() as u64) as usize].clone();
                // The service rules this out: two provenances, or two rates, have no order.
                if matches!(again, Event::Written(_) | Event::Recalled { .. } | Event::Forgotten { .. }) {
                    self.apply(again);
                }
            }
            84..86 => self.dream(),
            86..95 => self.today += self.dice.below(40) as f64,
            95..96 => {
                self.state = reopened(&self.state, &self.disk, self.rules, self.now());
                self.compacted += 1;
            }
            _ => {
                let n = self.dice.below(u64::MAX);
                assert_eq!(self.state.check_one(n).unwrap(), 0);
            }
        }
    }

    /// A cycle of the Dreamer over what is due, and a check of what is not.
    fn dream(&mut self) {
        let now = self.now();
        let due = self.state.due(now, usize::MAX).unwrap();
        let due: BTreeSet<TagPair> = due.into_iter().collect();
        let all: Vec<TagPair> =
            self.fold.pairs().map(|(space, entity)| TagPair::new(space.clone(), entity.clone())).collect();
        for pair in all.iter().filter(|pair| !due.contains(pair)) {
            let entries = self.fold.entries(&pair.space, &pair.entity);
            assert_eq!(plan(&entries, &self.rules, now), PairPlan::default(), "{pair} was not due");
        }
        for TagPair { space, entity } in &due {
            let plan = plan(&self.state.entries(space, entity).unwrap(), &self.rules, now);
            assert_eq!(
                plan,
                artoo_mkct_memory::dreamer::plan(&self.fold.entries(space, entity), &self.rules, now)
            );
            for id in plan.demote {
                self.apply(Event::Demoted { id, k: self.rules.demoted_k });
            }
            if let Some(promotion) = plan.promote {
                let sop = promotion.megram(id(self.ids + 1), now, space.clone(), entity.clone());
                self.new_id();
                self.promoted += 1;
                let (sources, absorbed) = (promotion.sources, promotion.absorbed);
                self.apply(Event::Consolidated { sop: sop.id, sources, absorbed });
                self.apply(Event::Written(Arc::new(sop)));
            }
            for id in plan.forget {
                self.apply(Event::Forgotten { id });
            }
        }
        for pair in &due {
            self.state.looked_at(pair, now).unwrap();
        }
        assert_eq!(self.state.due(now, usize::MAX).unwrap(), [], "nothing is due twice in one moment");
    }

    /// Every query.
    fn compare(&self) {
        let close = |a: Potentials, b: Potentials| {
            let size = 1e-9 * b.attention + 1e-290;
            assert!((a.attention - b.attention).abs() <= size, "{a:?} {b:?}");
            assert!((a.decision - b.decision).abs() <= size, "{a:?} {b:?}");
        };
        let (fold, state) = (&self.fold, &self.state);
        for TagPair { space, entity } in (0..=self.pairs).map(pair) {
            assert_eq!(state.entries(&space, &entity).unwrap(), fold.entries(&space, &entity));
            assert_eq!(state.sops(&space, &entity).unwrap(), fold.sops(&space, &entity));
            for days in [-20.0, 0.0, 30.0, 400.0] {
                let now = day(self.today + days);
                close(state.potentials(&space, &entity, now).unwrap(), fold.potentials(&space, &entity, now));
            }
        }
        assert_eq!(state.laws(), fold.laws());
        let mut known = Vec::new();
        for id in (0..self.ids + 3).map(id) {
            assert_eq!(state.current(id).unwrap(), fold.current(id));
            assert_eq!(state.original(id).unwrap().as_deref(), fold.original(id));
            assert_eq!(state.knows(id).unwrap(), fold.knows(id));
            known.extend(fold.current(id));
        }
        let pairs: BTreeSet<TagPair> = state.pairs().collect::<Result<_, _>>().unwrap();
        assert!(fold.pairs().eq(pairs.iter().map(|pair| (&pair.space, &pair.entity))));
        let all: BTreeMap<MegramId, Remembered> = state
            .megrams()
            .map(|found| found.map(|found| (found.megram.id, found)))
            .collect::<Result<_, _>>()
            .unwrap();
        assert!(all.values().map(|found| &found.megram).eq(&known));
        assert_eq!(state.stats(), self.stats(&all));
        self.compare_words(&all);
    }

    fn stats(&self, all: &BTreeMap<MegramId, Remembered>) -> Stats {
        let live = |level: Level| {
            all.values().filter(|found| !found.is_consolidated && found.megram.level == level).count() as u64
        };
        Stats {
            m: live(Level::M),
            k: live(Level::K),
            c: live(Level::C),
            t: live(Level::T),
            consolidated: all.values().filter(|found| found.is_consolidated).count() as u64,
            forgotten: self.forgotten.len() as u64,
            pairs: self.fold.pairs().count() as u64,
            ..self.state.stats()
        }
    }

    fn compare_words(&self, all: &BTreeMap<MegramId, Remembered>) {
        let words: BTreeMap<TagPair, Vec<u32>> =
            self.state.words(usize::MAX).collect::<Result<_, _>>().unwrap();
        let mut expected: BTreeMap<TagPair, BTreeSet<u32>> = BTreeMap::new();
        for Remembered { megram, .. } in all.values() {
            let grams_of = expected.entry(megram.pair()).or_default();
            grams_of.extend(grams(&megram.content));
            grams_of.extend(grams(megram.space.as_str()));
            if megram.entity != Entity::local() {
                grams_of.extend(grams(megram.entity.as_str()));
            }
        }
        let is_live = |pair: &TagPair| {
            self.fold.pairs().any(|(space, entity)| (space, entity) == (&pair.space, &pair.entity))
        };
        let expected: BTreeMap<TagPair, Vec<u32>> = expected
            .into_iter()
            .filter(|(pair, _)| is_live(pair))
            .map(|(pair, grams)| (pair, grams.into_iter().take(96).collect()))
            .collect();
        assert_eq!(words, expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 0, ..ProptestConfig::default() })]

    #[test]
    fn the_state_is_the_fold_of_its_events(seed in any::<u64>(), pairs in 1u64..5) {
        let mut run = Run::new(seed, pairs);
        for _ in 0..12 {
            for _ in 0..15 {
                run.step();
            }
            run.compare();
        }
    }
}

#[test]
fn ten_thousand_operations_with_compaction_between_them() {
    let mut run = Run::new(1, 6);
    for _ in 0..4 {
        for _ in 0..2500 {
            run.step();
        }
        run.compare();
    }
    assert!(run.promoted > 5 && run.compacted > 50, "{} {}", run.promoted, run.compacted);
}
