//! Invariants for every order of messages.

use artoo_ggs::GgsRole;
use artoo_ggs_core::Profile;
use artoo_types::{FailureClass, FaultKind, Message, MessageKind, Role, TerminalState};
use proptest::prelude::*;

use crate::fixtures::{all_met, envelope_at, failed, fault, matched, replan, role_of, story, task};

/// An event for the role.
#[derive(Clone, Debug)]
enum Event {
    Message(Box<Message>),
    Deadline,
}

fn any_event() -> impl Strategy<Value = Event> {
    let class = prop_oneof![
        Just(FailureClass::Logical),
        Just(FailureClass::Environmental),
        Just(FailureClass::Denied),
        Just(FailureClass::Forbidden),
        Just(FailureClass::Unknown),
    ];
    let kind = prop_oneof![
        Just(FaultKind::Provider),
        Just(FaultKind::Panic),
        Just(FaultKind::Deadline),
        Just(FaultKind::Cancelled),
        Just(FaultKind::HungUp),
        Just(FaultKind::Timeout),
    ];
    let from = prop_oneof![Just(Role::Planner), Just(Role::Executor), Just(Role::Supervisor)];
    let message = prop_oneof![
        6 => (0_usize..4, 0_usize..4, class).prop_map(|(good, bad, class)| {
            let names = ["a", "b", "c", "d"];
            let outcomes = vec![matched(1, &names[..good]), failed(2, &names[..bad], class)];
            Message::from(replan(outcomes))
        }),
        1 => Just(all_met(vec![matched(1, &["a"])]).into()),
        1 => Just(all_met(vec![failed(1, &["a"], FailureClass::Logical)]).into()),
        1 => Just(task().into()),
        1 => Just(matched(3, &["e"]).into()),
        2 => Just(story("what happened").into()),
        1 => (from, kind).prop_map(|(role, kind)| fault(role, kind).into()),
    ];
    prop_oneof![9 => message.prop_map(|message| Event::Message(Box::new(message))), 1 => Just(Event::Deadline)]
}

fn play(role: &mut GgsRole, events: Vec<Event>) -> Vec<Message> {
    let mut out = Vec::new();
    for (index, event) in events.into_iter().enumerate() {
        out.extend(match event {
            Event::Message(message) => role.on(&envelope_at(1_000 * index as u64, *message)),
            Event::Deadline => role.on_report_deadline(),
        });
    }
    out
}

fn any_profile() -> impl Strategy<Value = Profile> {
    prop_oneof![Just(Profile::Default), Just(Profile::SpecV08)]
}

proptest! {
    /// Exactly one result, whatever arrives: never a second one, nothing after it, and always one once enough
    /// happened.
    #[test]
    fn every_order_of_messages_leads_to_exactly_one_result(
        profile in any_profile(),
        events in prop::collection::vec(any_event(), 0..24),
    ) {
        let mut role = role_of(profile);
        let mut out = play(&mut role, events);
        // The supervisor's message to a run that does not end by itself.
        out.extend(role.on(&envelope_at(99_000, fault(Role::Supervisor, FaultKind::Timeout))));
        prop_assert!(role.has_ended());
        let results: Vec<_> = out.iter().filter(|message| message.kind() == MessageKind::FinalResult).collect();
        prop_assert_eq!(results.len(), 1);
        prop_assert_eq!(out.last(), results.last().copied());
    }

    #[test]
    fn directives_are_bounded_and_asking_happens_once(events in prop::collection::vec(any_event(), 0..40)) {
        let out = play(&mut role_of(Profile::Default), events);
        let count = |kind| out.iter().filter(|message| message.kind() == kind).count();
        prop_assert!(count(MessageKind::PlanDirective) <= 3);
        prop_assert!(count(MessageKind::FailureReportRequest) <= 1);
    }

    /// An honest result: accept has no gap, success names its gaps and delivers something, abandon is not
    /// silent.
    #[test]
    fn every_result_is_honest(events in prop::collection::vec(any_event(), 0..24)) {
        for message in play(&mut role_of(Profile::Default), events) {
            let Message::FinalResult(result) = message else { continue };
            match result.directive {
                TerminalState::Accept => prop_assert!(result.unmet.is_empty() && result.fault.is_none()),
                TerminalState::Success => {
                    prop_assert!(!result.unmet.is_empty() && !result.output.is_null());
                    for unmet in &result.unmet {
                        prop_assert!(result.summary.contains(&unmet.criterion));
                    }
                }
                TerminalState::Abandon => prop_assert!(result.summary.starts_with("Not finished: ")),
            }
        }
    }

    /// No line is repeated.
    #[test]
    fn no_line_of_a_result_stands_twice(events in prop::collection::vec(any_event(), 0..24)) {
        for message in play(&mut role_of(Profile::Default), events) {
            let Message::FinalResult(result) = message else { continue };
            let mut lines: Vec<&str> = result.summary.lines().collect();
            lines.sort_unstable();
            prop_assert!(lines.windows(2).all(|pair| pair[0] != pair[1]), "{}", result.summary);
        }
    }

    /// R7 publishes only what its contract lists.
    #[test]
    fn only_contracted_kinds_come_out(events in prop::collection::vec(any_event(), 0..24)) {
        for message in play(&mut role_of(Profile::Default), events) {
            prop_assert!(artoo_bus::contract::may_publish(Role::Ggs, message.kind()));
        }
    }
}
