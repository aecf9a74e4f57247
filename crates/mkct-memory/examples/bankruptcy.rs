//! Simulates rules of trust bankruptcy: whether one failure may demote a practice with many successes.
//!
//! `cargo run --release -p artoo-mkct-memory --example bankruptcy` prints the table of
//! `docs/design/memory.md`, "When a rule falls". No clock, and random numbers from a seed: the same figures
//! everywhere.
//!
//! A world is one tag pair. Each run does the task by way A or way B: a live practice decides which; without
//! one, the way that experience favours; without that, chance. The run succeeds with this way's probability
//! on that day, and writes an `accept` or an `abandon` that names its way. Then the Dreamer has its cycle. So
//! an experience of the other way counts for or against the pair as in artoo, where a pair does not
//! distinguish ways.

#![expect(clippy::print_stdout, reason = "the table is for people")]

use std::cmp::Ordering;

use artoo_mkct_memory::dreamer::{Entry, plan};
use artoo_mkct_memory::{Event, MemoryFold, Rules, decay, matrix, polarity};
use artoo_types::{Entity, Level, Megram, MegramId, MegramState, Polarity, Space};
use chrono::{DateTime, Duration, FixedOffset};

const RUNS: u32 = 120;
const WORLDS: u64 = 20;

/// How a run does the task.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    A,
    B,
}

impl Way {
    fn of(self, [a, b]: [f64; 2]) -> f64 {
        match self {
            Self::A => a,
            Self::B => b,
        }
    }

    fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
        }
    }
}

/// When a practice is demoted.
type Falls = fn(&Entry, &[Entry], DateTime<FixedOffset>) -> bool;

fn main() {
    let rules: [(&str, Falls); 6] = [
        ("literal: decision below 0", literal),
        ("two contradictions (ours)", two),
        ("all but one contradiction", all_but_one),
        ("sources' mass, decayed", |rule, all, now| backed(rule, all, now, f64::INFINITY)),
        ("the same, at most 1.8", |rule, all, now| backed(rule, all, now, 1.8)),
        ("the same, at most 2.7", |rule, all, now| backed(rule, all, now, 2.7)),
    ];
    for every_hours in [4, 24] {
        println!("\na run every {every_hours} h, {WORLDS} worlds of {RUNS} runs each");
        println!(
            "{:28}| stays right, fails 2 %   5 %         10 %        | turns wrong       | alternates | with pauses",
            ""
        );
        println!(
            "{:28}| wrongly fallen, success                          | runs to fall, succ.| success    | fallen, success",
            "rule"
        );
        for (name, falls) in rules {
            let right = [0.02, 0.05, 0.10].map(|failing| {
                let sum = sum(every_hours, falls, 0, &|_| [1.0 - failing, 0.6]);
                format!("{:6.2} {:5.1}%", sum.wrongly, sum.success)
            });
            let turns =
                sum(every_hours, falls, 0, &|run| if run < RUNS / 2 { [0.95, 0.6] } else { [0.0, 0.8] });
            let alternates =
                sum(every_hours, falls, 0, &|run| if run / 20 % 2 == 0 { [0.95, 0.1] } else { [0.1, 0.95] });
            let pauses = sum(every_hours, falls, 120, &|_| [0.95, 0.6]);
            println!(
                "{name:28}| {} | {:6.1} {:5.1}%    | {:5.1}%     | {:6.2} {:5.1}%",
                right.join(" "),
                turns.until_fall,
                turns.later,
                alternates.success,
                pauses.wrongly,
                pauses.success
            );
        }
    }
}

#[derive(Default)]
struct Sum {
    wrongly: f64,
    success: f64,
    until_fall: f64,
    later: f64,
}

/// The means over all worlds.
fn sum(every_hours: i64, falls: Falls, pause_days: i64, chance: &dyn Fn(u32) -> [f64; 2]) -> Sum {
    let mut sum = Sum::default();
    for seed in 0..WORLDS {
        let world = live(seed, every_hours, falls, pause_days, chance);
        let share = 1.0 / WORLDS as f64;
        sum.wrongly += world.wrongly * share;
        sum.success += world.success * share;
        sum.until_fall += world.until_fall * share;
        sum.later += world.later * share;
    }
    sum
}

fn live(seed: u64, every_hours: i64, falls: Falls, pause_days: i64, chance: &dyn Fn(u32) -> [f64; 2]) -> Sum {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut fold = MemoryFold::default();
    let (space, entity) = (Space::intent("a task"), Entity::local());
    let mut next = 0_u128;
    let mut mint = || {
        next += 1;
        MegramId::new(uuid::Uuid::from_u128(next))
    };
    let rules = Rules::default();
    let (mut wrongly, mut succeeded, mut later, mut until_fall) = (0.0, 0_u32, 0_u32, None);
    for run in 0..RUNS {
        let now = DateTime::<FixedOffset>::default()
            + Duration::hours(every_hours * i64::from(run))
            + Duration::days(pause_days * i64::from(run / 15));
        let entries = fold.entries(&space, &entity);
        let toss = if dice.roll() < 0.5 { Way::B } else { Way::A };
        let way = practice(&entries).or_else(|| better(&entries, now)).unwrap_or(toss);
        let chances = chance(run);
        let went_well = dice.roll() < way.of(chances);
        succeeded += u32::from(went_well);
        later += u32::from(went_well && run >= RUNS / 2);
        let state = if went_well { MegramState::Accept } else { MegramState::Abandon };
        let words = way.name().to_owned();
        let megram = matrix::megram(mint(), state, now, space.clone(), entity.clone(), words);
        fold.apply(&Event::Written(megram.into()));

        let entries = fold.entries(&space, &entity);
        let live = plan(&entries, &rules, now);
        for entry in entries.iter().filter(|entry| entry.megram.level == Level::C) {
            let has_fallen = match polarity(entry.megram.sigma) {
                Polarity::Practice => falls(entry, &entries, now),
                Polarity::Constraint => live.demote.contains(&entry.megram.id),
            };
            if has_fallen {
                fold.apply(&Event::Demoted { id: entry.megram.id, k: rules.demoted_k });
                let says = way_of(entry);
                let is_right = says.is_some_and(|way| way.of(chances) > way.other().of(chances));
                if polarity(entry.megram.sigma) == Polarity::Practice && is_right {
                    wrongly += 1.0;
                }
            }
        }
        if let Some(promotion) = live.promote {
            let mut rule = promotion.megram(mint(), now, space.clone(), entity.clone());
            rule.content = words_of(&promotion.sources, &fold);
            fold.apply(&Event::Consolidated {
                sop: rule.id,
                sources: promotion.sources,
                absorbed: promotion.absorbed,
            });
            fold.apply(&Event::Written(rule.into()));
        }
        for id in live.forget {
            fold.apply(&Event::Forgotten { id });
        }
        if run >= RUNS / 2 && until_fall.is_none() && practice(&fold.entries(&space, &entity)) != Some(Way::A)
        {
            until_fall = Some(run - RUNS / 2 + 1);
        }
    }
    Sum {
        wrongly,
        success: f64::from(succeeded) * 100.0 / f64::from(RUNS),
        until_fall: f64::from(until_fall.unwrap_or(RUNS / 2)),
        later: f64::from(later) * 100.0 / f64::from(RUNS / 2),
    }
}

/// The way named by the newest practice.
fn practice(entries: &[Entry]) -> Option<Way> {
    let rules = entries.iter().filter(|entry| entry.megram.level == Level::C && entry.megram.sigma > 0.0);
    rules.max_by_key(|entry| entry.megram.id).and_then(way_of)
}

fn way_of(entry: &Entry) -> Option<Way> {
    [Way::A, Way::B].into_iter().find(|way| entry.megram.content == way.name())
}

/// The way by which most of a practice's sources succeeded.
fn words_of(sources: &[MegramId], fold: &MemoryFold) -> String {
    let by = |way: &str| {
        let all = sources.iter().filter_map(|id| fold.current(*id));
        all.filter(|megram| megram.sigma > 0.0 && megram.content == way).count()
    };
    if by("A") >= by("B") { "A".to_owned() } else { "B".to_owned() }
}

/// The way favoured by the pair's experiences, including demoted rules.
fn better(entries: &[Entry], now: DateTime<FixedOffset>) -> Option<Way> {
    let says = |way: &str| {
        let of = entries.iter().filter(|entry| entry.megram.level != Level::C && entry.megram.content == way);
        of.map(|entry| entry.megram.sigma * mass(&entry.megram, now)).sum::<f64>()
    };
    let (a, b) = (says("A"), says("B"));
    match a.total_cmp(&b) {
        Ordering::Equal => None,
        Ordering::Less => Some(Way::B),
        Ordering::Greater => Some(Way::A),
    }
}

fn mass(megram: &Megram, now: DateTime<FixedOffset>) -> f64 {
    megram.f * decay::weight(megram.k, decay::age_days(megram, now))
}

/// The decision of the pair's entries without one rule; negative if they contradict.
fn without(rule: &Entry, all: &[Entry], now: DateTime<FixedOffset>) -> f64 {
    let others =
        all.iter().filter(|entry| entry.megram.id != rule.megram.id && entry.megram.level != Level::T);
    others.map(|entry| entry.megram.sigma * mass(&entry.megram, now)).sum()
}

/// The decision of a rule's sources.
fn backing(rule: &Entry, now: DateTime<FixedOffset>) -> f64 {
    rule.sources.iter().map(|source| source.sigma * mass(source, now)).sum()
}

fn literal(rule: &Entry, all: &[Entry], now: DateTime<FixedOffset>) -> bool {
    without(rule, all, now) + rule.megram.f < 0.0
}

/// Decision below 0 and two experiences that still contradict it: artoo's rule.
fn two(rule: &Entry, all: &[Entry], now: DateTime<FixedOffset>) -> bool {
    plan(all, &Rules::default(), now).demote.contains(&rule.megram.id)
}

fn backed(rule: &Entry, all: &[Entry], now: DateTime<FixedOffset>, at_most: f64) -> bool {
    without(rule, all, now) + backing(rule, now).min(at_most).max(rule.megram.f) < 0.0
}

/// Decision below 0 even without the strongest contradiction.
fn all_but_one(rule: &Entry, all: &[Entry], now: DateTime<FixedOffset>) -> bool {
    let against = all.iter().map(|entry| (-entry.megram.sigma).max(0.0) * mass(&entry.megram, now));
    without(rule, all, now) + rule.megram.f + against.fold(0.0, f64::max) < 0.0
}

/// A linear congruential generator: the same everywhere, and good enough to draw runs with.
struct Dice(u64);

impl Dice {
    /// From 0 to 1.
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}
