use artoo_memory_store::journal::Position;
use artoo_memory_store::state::{State, Stats};
use artoo_memory_store::table::{Part, Table, TableError};
use artoo_mkct_memory::due::Due;
use artoo_mkct_memory::{Event, Rules, due};
use artoo_types::{Level, MegramState, MemoryAction, Space, TagPair};

use crate::faulty_disk::{Fault, FaultyDisk};
use crate::state_fixtures::{day, disk, grams, id, megram, pair, path, reopened, written};

fn state() -> State {
    State::new(Rules::default(), grams)
}

fn experience(number: u64, of: u64, state: MegramState, made_on: f64) -> Event {
    written(&megram(number, &pair(of), state, Level::M, made_on))
}

/// A memory with every kind of entry: experiences, a rule with its sources, a law, a forgotten Megram.
fn a_bit_of_everything() -> State {
    let mut state = state();
    let rule = megram(20, &pair(0), MegramState::Success, Level::C, 2.0);
    let law = megram(21, &pair(3), MegramState::Accept, Level::T, 0.0);
    let events = [
        experience(1, 0, MegramState::Accept, 0.0),
        experience(2, 0, MegramState::Success, 1.0),
        experience(3, 1, MegramState::ChangePath, 1.0),
        experience(4, 1, MegramState::Abandon, 1.5),
        experience(5, 2, MegramState::Refine, 1.5),
        Event::Consolidated { sop: rule.id, sources: vec![id(1), id(2)], absorbed: Vec::new() },
        written(&rule),
        written(&law),
        Event::Recalled { id: id(4), at: day(3.0) },
        Event::Recalled { id: id(99), at: day(3.0) },
        Event::Forgotten { id: id(5) },
    ];
    events.iter().for_each(|event| state.apply(event).unwrap());
    state
}

fn answers(state: &State) -> Result<String, TableError> {
    let mut told = format!("{:?}", state.laws());
    for TagPair { space, entity } in (0..4).map(pair) {
        let known = state.potentials(&space, &entity, day(9.0))?;
        told += &format!("{:?} {:.9} {:.9}", known.action, known.attention, known.decision);
        told += &format!("{:?}{:?}", state.entries(&space, &entity)?, state.sops(&space, &entity)?);
        told += &format!("{:?}", state.words_of(&space, &entity)?);
    }
    for number in 0..100 {
        told += &format!("{:?}{:?}", state.current(id(number))?, state.knows(id(number))?);
    }
    Ok(told)
}

/// The file comes from the first release that wrote snapshots, and is never rewritten.
#[test]
fn a_snapshot_of_version_1_is_read() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/snapshot-1.table");
    let table = Table::open(&artoo_memory_store::disk::RealDisk, &file).unwrap();
    table.verify().unwrap();
    assert_eq!(table.covers(), Position { seq: 1, chain: [9; 32] });
    let mut state = State::open(table, Rules::default(), grams).unwrap();
    assert_eq!(answers(&state).unwrap(), answers(&a_bit_of_everything()).unwrap());
    let resident = Stats { table_bytes: 0, resident: 0, ..a_bit_of_everything().stats() };
    assert_eq!(Stats { table_bytes: 0, ..state.stats() }, resident);
    let mut late = a_bit_of_everything();
    for pair in late.due(day(4.0), usize::MAX).unwrap() {
        late.looked_at(&pair, day(4.0)).unwrap();
    }
    for now in [4.0, 40.0, 60.0, 400.0] {
        let due = |state: &mut State| {
            let mut due = state.due(day(now), usize::MAX).unwrap();
            due.sort();
            due
        };
        assert_eq!(due(&mut state), due(&mut late));
    }
}

#[test]
fn what_is_forgotten_is_gone_from_the_file_and_what_is_behind_a_rule_is_not() {
    let disk = disk();
    let with = |text: &str, disk: &FaultyDisk| {
        disk.content(&path()).windows(text.len()).filter(|window| *window == text.as_bytes()).count()
    };
    let mut state = reopened(&a_bit_of_everything(), &disk, Rules::default(), day(4.0));
    assert_eq!(["lesson1", "lesson3", "lesson5"].map(|text| with(text, &disk)), [1, 1, 0]);
    state.apply(&Event::Forgotten { id: id(3) }).unwrap();
    let state = reopened(&state, &disk, Rules::default(), day(4.0));
    assert_eq!(["lesson1", "lesson3", "lesson5"].map(|text| with(text, &disk)), [1, 0, 0]);
    assert!(!state.words_of(&pair(1).space, &pair(1).entity).unwrap().contains(&grams("lesson3")[0]));
    assert_eq!([3, 5, 6].map(|n| state.knows(id(n)).unwrap()), [true, true, false]);
    assert_eq!(state.sops(&pair(0).space, &pair(0).entity).unwrap()[0].sources, [id(1), id(2)]);
    assert_eq!(state.entries(&pair(0).space, &pair(0).entity).unwrap()[0].sources.len(), 2);
    assert_eq!(state.stats().forgotten, 2);
}

#[test]
fn what_is_said_of_a_megram_before_it_comes_survives_compaction() {
    let disk = disk();
    let mut state = reopened(&a_bit_of_everything(), &disk, Rules::default(), day(4.0));
    let late = megram(99, &pair(2), MegramState::Accept, Level::M, 1.0);
    state.apply(&written(&late)).unwrap();
    assert_eq!(state.current(id(99)).unwrap().unwrap().last_recalled_at, Some(day(3.0)));
}

#[test]
fn a_question_about_an_untouched_pair_reads_its_sums_and_not_its_entries() {
    let disk = disk();
    let mut state = state();
    for number in 0..2000 {
        state.apply(&experience(number, number % 2, MegramState::Accept, 0.0)).unwrap();
    }
    let state = reopened(&state, &disk, Rules::default(), day(1.0));
    let before = disk.calls();
    let TagPair { space, entity } = pair(1);
    let known = state.potentials(&space, &entity, day(0.0)).unwrap();
    assert_eq!((known.action, known.attention.round()), (MemoryAction::Exploit, 900.0));
    let cold = disk.calls() - before;
    assert!(cold <= 8, "{cold}");
    // Another time and an unknown pair, once each, are cached then.
    for _ in 0..2 {
        let before = disk.calls();
        state.potentials(&space, &entity, day(9.0)).unwrap();
        assert_eq!(disk.calls(), before);
    }
}

#[test]
fn a_change_holds_what_it_is_about_and_nothing_else() {
    let disk = disk();
    let mut state = state();
    for number in 0..2000 {
        state.apply(&experience(number, number % 2, MegramState::Accept, 0.0)).unwrap();
    }
    assert_eq!(state.stats().resident, 2000);
    let mut state = reopened(&state, &disk, Rules::default(), day(1.0));
    assert_eq!(state.stats().resident, 0);
    state.apply(&Event::Recalled { id: id(7), at: day(3.0) }).unwrap();
    state.apply(&experience(5000, 1, MegramState::Abandon, 3.0)).unwrap();
    assert_eq!(state.stats().resident, 2);
    // A duplicate changes nothing.
    state.apply(&Event::Recalled { id: id(8), at: day(-3.0) }).unwrap();
    state.apply(&experience(8, 0, MegramState::Accept, 0.0)).unwrap();
    assert_eq!((state.stats().resident, state.stats().m), (3, 2001));
}

#[test]
fn a_pass_with_nothing_due_reads_next_to_nothing_and_names_nobody() {
    let disk = disk();
    let mut state = state();
    for number in 0..1000 {
        state.apply(&experience(number, number, MegramState::Accept, number as f64 / 100.0)).unwrap();
    }
    let mut state = reopened(&state, &disk, Rules::default(), day(10.0));
    let before = disk.calls();
    assert_eq!(state.due(day(11.0), usize::MAX).unwrap(), []);
    assert!(disk.calls() - before <= 4);
    // An attention of 0.9 is below 0.1 after ln 9 / 0.05 days: pair by pair, in the order in which they were
    // written.
    let gone = |written_on: f64| written_on + 9_f64.ln() / 0.05 + 0.001;
    assert_eq!(state.due(day(gone(0.0)), usize::MAX).unwrap(), [pair(0)]);
    assert_eq!(state.due(day(gone(0.04)), 3).unwrap(), [pair(0), pair(1), pair(2)]);
    let now = day(gone(0.04));
    for number in 0..3 {
        state.apply(&Event::Forgotten { id: id(number) }).unwrap();
        state.looked_at(&pair(number), now).unwrap();
    }
    assert_eq!(state.due(now, usize::MAX).unwrap(), [pair(3), pair(4)]);
    // A recalled one is processed, and due again later.
    state.apply(&Event::Recalled { id: id(3), at: now }).unwrap();
    state.looked_at(&pair(3), now).unwrap();
    assert_eq!(state.due(now, usize::MAX).unwrap(), [pair(4)]);
    let mut state = reopened(&state, &disk, Rules::default(), now);
    assert_eq!(state.due(now, usize::MAX).unwrap(), [pair(4)]);
}

#[test]
fn due_times_of_other_rules_are_found_anew() {
    let disk = disk();
    let sooner = Rules { forget_below: 0.5, ..Rules::default() };
    let state = reopened(&a_bit_of_everything(), &disk, Rules::default(), day(4.0));
    let times = |state: &mut State, now| state.due(day(now), usize::MAX).unwrap().len();
    assert_eq!(times(&mut state.clone(), 4.0), 0);
    drop(state);
    let mut state = State::open(Table::open(&disk, &path()).unwrap(), sooner, grams).unwrap();
    assert_eq!(times(&mut state, 4.0), 3);
    // Compacted without a pass between, they still are.
    let mut compacted = reopened(&state, &disk, sooner, day(4.0));
    assert_eq!(times(&mut compacted, 4.0), 3);
    for pair in compacted.due(day(4.0), usize::MAX).unwrap() {
        compacted.looked_at(&pair, day(4.0)).unwrap();
    }
    assert_eq!(times(&mut compacted, 4.0), 0);
    let mut compacted = reopened(&compacted, &disk, sooner, day(4.0));
    assert_eq!(times(&mut compacted, 4.0), 0);
    let TagPair { space, entity } = pair(1);
    let Due::At(at) = due::next(&compacted.entries(&space, &entity).unwrap(), &sooner, 0) else {
        panic!("no time")
    };
    let at = (at - day(0.0).timestamp_millis()) as f64 / 86_400_000.0;
    assert_eq!([at - 0.01, at + 0.01].map(|now| times(&mut compacted, now)), [0, 1]);
}

#[test]
fn pairs_that_were_touched_last_come_first_with_their_words() {
    let disk = disk();
    let mut state = state();
    for number in 0..6 {
        state.apply(&experience(number, number, MegramState::Accept, number as f64)).unwrap();
    }
    let mut state = reopened(&state, &disk, Rules::default(), day(9.0));
    state.apply(&Event::Recalled { id: id(2), at: day(8.0) }).unwrap();
    state.apply(&experience(6, 1, MegramState::Accept, 4.5)).unwrap();
    state.apply(&Event::Forgotten { id: id(3) }).unwrap();
    let order = |state: &State, limit| {
        state.words(limit).map(|found| found.map(|(pair, _)| pair)).collect::<Result<Vec<_>, _>>().unwrap()
    };
    let expected = [2, 5, 1, 4, 0].map(pair);
    assert_eq!(order(&state, 9), expected);
    assert_eq!(order(&state, 3), expected[..3]);
    assert_eq!(order(&reopened(&state, &disk, Rules::default(), day(9.0)), 9), expected);
    let words = state.words_of(&pair(1).space, &pair(1).entity).unwrap();
    let mut expected =
        [grams("lesson1 lesson6 of many"), grams(pair(1).space.as_str()), grams(pair(1).entity.as_str())]
            .concat();
    expected.sort_unstable();
    assert_eq!(words, expected);
    assert_eq!(state.words_of(&pair(3).space, &pair(3).entity).unwrap(), Vec::<u32>::new());
}

#[test]
fn every_flip_in_a_compacted_file_is_told_or_changes_nothing() {
    let disk = disk();
    let good = reopened(&a_bit_of_everything(), &disk, Rules::default(), day(4.0));
    let expected = answers(&good).unwrap();
    let content = disk.content(&path());
    let mut told = 0;
    for at in 0..content.len() {
        let mut flipped = content.clone();
        flipped[at] ^= 0x10;
        disk.set_content(&path(), flipped);
        let opened =
            Table::open(&disk, &path()).and_then(|table| State::open(table, Rules::default(), grams));
        match opened.and_then(|state| answers(&state)) {
            Ok(found) => assert_eq!(found, expected, "byte {at}"),
            Err(_) => told += 1,
        }
    }
    assert!(told > content.len() / 2, "{told} of {}", content.len());
}

#[test]
fn a_record_that_means_nothing_is_damage_with_its_block() {
    let disk = disk();
    let mut writer = artoo_memory_store::table::Writer::create(&disk, &path()).unwrap();
    writer.put(b"m", &[0xff; 70]).unwrap();
    writer.finish(Position::START).unwrap();
    let opened = State::open(Table::open(&disk, &path()).unwrap(), Rules::default(), grams);
    let error = opened.unwrap_err();
    assert!(matches!(error, TableError::Damaged { part: Part::Record, offset: 12, .. }), "{error}");
}

#[test]
fn a_compaction_that_fails_at_any_call_leaves_the_state_and_the_table_as_they_were() {
    let disk = disk();
    let mut state = reopened(&a_bit_of_everything(), &disk, Rules::default(), day(4.0));
    state.apply(&experience(50, 7, MegramState::Accept, 4.0)).unwrap();
    let before = disk.content(&path());
    let covers = Position { seq: 2, chain: [1; 32] };
    let mut failed = 0;
    for call in 0.. {
        disk.fail_after(call, Fault::Short(50));
        let done = state.compact(&disk, &path(), covers, day(5.0));
        disk.heal();
        let Err(error) = done else { break };
        failed += 1;
        assert!(matches!(error, TableError::Io { .. }), "{error}");
        let stays = disk.content(&path()) == before;
        assert!(stays || Table::open(&disk, &path()).unwrap().covers() == covers);
        assert_eq!(state.stats().m, 3);
    }
    assert!(failed > 5, "{failed}");
}

#[test]
fn tags_of_a_megabyte_are_kept_like_any_other() {
    let disk = disk();
    let mut state = state();
    let large = TagPair::new(Space::from_raw("s|".repeat(500_000)), pair(1).entity);
    state.apply(&written(&megram(1, &large, MegramState::Accept, Level::M, 0.0))).unwrap();
    let state = reopened(&state, &disk, Rules::default(), day(1.0));
    let known = state.potentials(&large.space, &large.entity, day(0.0)).unwrap();
    assert_eq!(known.attention, 0.9);
    assert_eq!(state.pairs().collect::<Result<Vec<_>, _>>().unwrap(), [large]);
}
