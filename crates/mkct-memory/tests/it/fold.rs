use std::sync::Arc;

use artoo_mkct_memory::potentials::direct;
use artoo_mkct_memory::{Event, MemoryFold};
use artoo_types::{Level, Megram, MegramId, MegramState};
use proptest::prelude::*;

use crate::fixtures::{any_megrams, close, day, experience, id, pair, rule};

/// Possible events of a set of Megrams, in causal order: some become a rule, some rules are demoted, some
/// experiences are forgotten.
fn any_history() -> impl Strategy<Value = (Vec<Event>, Vec<(MegramId, f64)>)> {
    any_megrams(1..20).prop_flat_map(|megrams| {
        let count = megrams.len();
        let fates = proptest::collection::vec(0u8..6, count);
        let recalls = proptest::collection::vec((0..count, 0.0f64..400.0), 0..6);
        (Just(megrams), fates, recalls).prop_map(|(megrams, fates, recalls)| {
            let with_fate = |wanted: u8| {
                let all = megrams.iter().zip(&fates).filter(move |(_, fate)| **fate == wanted);
                all.map(|(megram, _)| megram.id).collect::<Vec<_>>()
            };
            let sop = rule(1000, MegramState::Success, 300.0);
            let mut events: Vec<Event> =
                megrams.iter().map(|m| Event::Written(Arc::new(m.clone()))).collect();
            events.push(Event::Consolidated { sop: sop.id, sources: with_fate(0), absorbed: with_fate(1) });
            events.push(Event::Written(Arc::new(sop)));
            events.extend(with_fate(2).into_iter().map(|id| Event::Demoted { id, k: 0.05 }));
            events.extend(with_fate(3).into_iter().map(|id| Event::Forgotten { id }));
            let recalls = recalls.into_iter().map(|(at, on)| (megrams[at].id, on)).collect();
            (events, recalls)
        })
    })
}

fn fold<'a>(events: impl IntoIterator<Item = &'a Event>, recalls: &[(MegramId, f64)]) -> MemoryFold {
    let mut fold = MemoryFold::default();
    events.into_iter().for_each(|event| fold.apply(event));
    recalls.iter().for_each(|(id, on)| fold.apply(&Event::Recalled { id: *id, at: day(*on) }));
    fold
}

proptest! {
    #[test]
    fn the_order_of_events_does_not_matter(
        ((events, recalls), shuffled) in any_history().prop_flat_map(|history| {
            let events = history.0.clone();
            (Just(history), Just(events).prop_shuffle())
        }),
    ) {
        let (space, entity) = pair();
        let (a, b) = (fold(&events, &recalls), fold(&shuffled, &recalls));
        prop_assert_eq!(a.entries(&space, &entity), b.entries(&space, &entity));
        prop_assert_eq!(a.sops(&space, &entity), b.sops(&space, &entity));
        for number in 0..=1000 {
            prop_assert_eq!(a.current(id(number)), b.current(id(number)));
            prop_assert_eq!(a.knows(id(number)), b.knows(id(number)));
        }
        for now in [0.0, 365.0, 700.0] {
            let (a, b) = (a.potentials(&space, &entity, day(now)), b.potentials(&space, &entity, day(now)));
            prop_assert!(close(a.attention, b.attention, a.attention));
            prop_assert!(close(a.decision, b.decision, a.attention));
        }
    }

    #[test]
    fn the_same_event_twice_is_the_same_event((events, recalls) in any_history()) {
        let (space, entity) = pair();
        let (once, twice) = (fold(&events, &recalls), fold(events.iter().chain(&events), &recalls));
        prop_assert_eq!(once.entries(&space, &entity), twice.entries(&space, &entity));
    }

    #[test]
    fn the_sums_of_a_fold_are_the_direct_sums_of_its_members((events, recalls) in any_history(), now in 0.0f64..800.0) {
        let (space, entity) = pair();
        let fold = fold(&events, &recalls);
        let entries = fold.entries(&space, &entity);
        let exact = direct(entries.iter().map(|entry| &entry.megram), day(now));
        let found = fold.potentials(&space, &entity, day(now));
        prop_assert!(close(found.attention, exact.attention, exact.attention));
        prop_assert!(close(found.decision, exact.decision, exact.attention));
    }
}

/// Lesson N17: the ancestor counted the sources of a rule next to the rule.
#[test]
fn lesson_n17_consolidated_sources_stay_and_count_no_more() {
    let (space, entity) = pair();
    let source = experience(1, MegramState::Accept, 0.0);
    let sop = rule(2, MegramState::Success, 1.0);
    let mut memory =
        fold(&[Event::Written(Arc::new(source.clone())), Event::Written(Arc::new(sop.clone()))], &[]);
    assert!(memory.potentials(&space, &entity, day(1.0)).attention > 1.6);
    memory.apply(&Event::Consolidated { sop: sop.id, sources: vec![source.id], absorbed: Vec::new() });
    assert_eq!(memory.potentials(&space, &entity, day(1.0)).attention, 0.80);
    assert_eq!(memory.current(source.id), Some(source.clone()));
    assert_eq!(memory.sops(&space, &entity)[0].sources, [source.id]);
    // A failure after the promotion has an effect at once.
    memory.apply(&Event::Written(Arc::new(experience(3, MegramState::Abandon, 1.0))));
    assert!(memory.potentials(&space, &entity, day(1.0)).decision < 0.0);
}

#[test]
fn a_fallen_rule_ages_again() {
    let (space, entity) = pair();
    let mut memory = fold(&[Event::Written(Arc::new(rule(1, MegramState::Success, 0.0)))], &[]);
    memory.apply(&Event::Demoted { id: id(1), k: 0.05 });
    assert_eq!(memory.sops(&space, &entity), []);
    assert_eq!(memory.current(id(1)).map(|m| (m.level, m.k)), Some((Level::K, 0.05)));
    let found = memory.potentials(&space, &entity, day(20.0)).attention;
    assert!(close(found, 0.80 * (-1.0f64).exp(), 1.0));
    // The record itself is unchanged.
    assert_eq!(memory.original(id(1)).map(|m| m.level), Some(Level::C));
}

#[test]
fn forgotten_is_gone_and_its_id_stays_taken() {
    let (space, entity) = pair();
    let megram: Megram = experience(1, MegramState::Refine, 0.0);
    let mut memory = fold(&[Event::Written(Arc::new(megram)), Event::Forgotten { id: id(1) }], &[]);
    assert_eq!(memory.current(id(1)), None);
    assert!(memory.knows(id(1)));
    assert_eq!(memory.pairs().count(), 0);
    memory.apply(&Event::Recalled { id: id(1), at: day(5.0) });
    assert_eq!(memory.potentials(&space, &entity, day(5.0)).attention, 0.0);
}
