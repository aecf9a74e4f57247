//! Every directive once more: what R7 heard, from the journal, through the pure controller, is what R7 said, to the last bit.

use std::{collections::BTreeSet, time::Duration};

use artoo_bus::contract;
use artoo_ggs::{GgsRole, MegramRule, Mint, Settings};
use artoo_ggs_core::{GoalGradientSolver, Parameters, Profile};
use artoo_runtime::{
    explain::{Follows, explain},
    journal::Read,
};
use artoo_types::{ControlSettings, MacroState, MegramId, Message, Role};
use uuid::Uuid;

use crate::{course::Course, house::Seen};

/// One course for each directive; where a course goes on, the plan after the last one is empty and a fault ends it.
fn courses() -> Vec<Course> {
    let three_rounds = |plans: [&str; 3]| Course::new(&plans);
    vec![
        Course::new(&["say apple"]),
        Course::new(&["say a; say b; say c; say d wrongly"]),
        Course::new(&["fetch apple"]).max_replans(0),
        Course::new(&["say a; say b wrongly", "whisper b"]),
        Course::new(&["fetch apple; say b", "try apples"]),
        three_rounds(["say a wrongly; say b wrongly", "whisper a; whisper b wrongly", "try b"]),
        three_rounds(["fetch a; fetch b; fetch c", "say d; say e; fetch f", "say g"]),
        three_rounds(["fetch a; say b", "fetch c; fetch d; fetch g", "say h wrongly; say k wrongly"]),
        three_rounds(["fetch a; fetch b", "say c wrongly; fetch d", "say k wrongly"]).each_answer_takes(0.6),
        Course::new(&["say a; say b wrongly", "whisper b"]).cancelled_in(2),
    ]
}

fn settings(seen: &Seen) -> &ControlSettings {
    let found = seen.messages().find_map(|message| {
        if let Message::ControlSettings(settings) = message { Some(settings) } else { None }
    });
    found.unwrap()
}

/// R7 as the journal says that it was, over what the journal says that it heard.
fn said_again(seen: &Seen) -> Vec<Message> {
    let recorded = settings(seen);
    let parameters = Parameters::new(recorded.hyperparameters).unwrap();
    let settings = Settings {
        parameters,
        megrams: MegramRule::of(Profile::Default),
        inventory: recorded.tools.clone(),
        programs: recorded.programs.clone(),
        report_deadline: Duration::MAX,
        mint: Mint::new(|| MegramId::new(Uuid::nil())),
    };
    let mut role = GgsRole::new(Box::new(GoalGradientSolver::new(parameters)), settings);
    let heard = |from: Role, message: &Message| contract::receivers(from, message.kind()).contains(Role::Ggs);
    seen.envelopes
        .iter()
        .filter(|envelope| heard(envelope.from, &envelope.message))
        .flat_map(|envelope| role.on(envelope))
        .map(comparable)
        .collect()
}

/// Ids of Megrams are chance; all else is computed.
fn comparable(mut message: Message) -> Message {
    if let Message::MegramWrite(write) = &mut message {
        write.megram.id = MegramId::new(Uuid::nil());
    }
    message
}

#[tokio::test(start_paused = true)]
async fn every_directive_can_be_computed_again_from_the_journal() {
    let mut seen_states = BTreeSet::new();
    for (number, course) in courses().into_iter().enumerate() {
        let seen = course.run().await;
        let said: Vec<Message> = seen
            .envelopes
            .iter()
            .filter(|envelope| envelope.from == Role::Ggs)
            .map(|envelope| comparable(envelope.message.as_ref().clone()))
            .collect();
        assert_eq!(said_again(&seen), said, "course {number}");
        let page = explain(&Read { envelopes: seen.envelopes.clone(), damage: None });
        for decided in page.rounds.iter().filter_map(|round| round.decided.as_ref()) {
            assert!(matches!(decided.follows, Follows::Yes { .. }), "course {number}: {decided:#?}");
            seen_states.insert(decided.current.name());
        }
    }
    let all = [
        MacroState::Accept,
        MacroState::Success,
        MacroState::Abandon,
        MacroState::BreakSymmetry,
        MacroState::ChangeApproach,
        MacroState::ChangePath,
        MacroState::Refine,
    ];
    assert_eq!(
        seen_states,
        all.map(MacroState::name).into(),
        "every directive was given, and none by chance"
    );
}
