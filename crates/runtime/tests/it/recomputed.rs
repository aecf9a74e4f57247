//! Recomputes every directive: R7's inputs from the journal, through the pure controller, give R7's recorded
//! messages, to the last bit.

use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use artoo_bus::contract;
use artoo_ggs::{GgsRole, MegramRule, Mint, Settings};
use artoo_ggs_core::{GoalGradientSolver, Parameters, Profile};
use artoo_llm_client::{
    Request,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_runtime::{
    explain::{Explanation, Follows, explain},
    journal::{Read, RunState},
};
use artoo_types::{ControlSettings, MacroState, MegramId, Message, PlannedSubTask, ReplanRequest, Role};
use uuid::Uuid;

use crate::{
    doubles::{Fixed, judged, subtask},
    fixture::{House, Seen, say, verdict, verdicts_of},
    scripted_plans::Course,
};

/// One course for each directive; if a course continues, the plan after the last one is empty and a fault
/// ends it.
pub(crate) fn courses() -> Vec<Course> {
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
    let found = seen.messages().find_map(Message::payload::<ControlSettings>);
    found.unwrap()
}

/// The run's working folder, from the journal.
fn working_folder(seen: &Seen) -> Option<PathBuf> {
    seen.messages().find_map(|message| {
        if let Message::UserRequest(request) = message {
            Some(request.surroundings.working_folder.clone())
        } else {
            None
        }
    })
}

/// R7's messages, recomputed from the recorded settings and inputs.
fn said_again(seen: &Seen) -> Vec<Message> {
    let recorded = settings(seen);
    let parameters = Parameters::new(recorded.hyperparameters).unwrap();
    let settings = Settings {
        parameters,
        megrams: MegramRule::of(Profile::Default),
        working_folder: working_folder(seen),
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

/// Without the ids of Megrams, which are random; all else is computed.
fn comparable(mut message: Message) -> Message {
    if let Message::MegramWrite(write) = &mut message {
        write.megram.id = MegramId::new(Uuid::nil());
    }
    message
}

/// Compares a run with its own journal, and returns its explanation.
fn computed_again(seen: &Seen, which: &str) -> Explanation {
    let said: Vec<Message> = seen
        .envelopes
        .iter()
        .filter(|envelope| envelope.from == Role::Ggs)
        .map(|envelope| comparable(envelope.message.as_ref().clone()))
        .collect();
    assert_eq!(said_again(seen), said, "{which}");
    let page = explain(&Read { envelopes: seen.envelopes.clone(), damage: None, state: RunState::Finished });
    for decided in page.rounds.iter().filter_map(|round| round.decided.as_ref()) {
        assert!(matches!(decided.follows, Follows::Yes { .. }), "{which}: {decided:#?}");
    }
    page
}

/// A judge with these verdicts in order, and no to everything afterwards.
fn judging(purpose: &'static str, verdicts: &'static [bool]) -> ScriptedModel {
    let (asked, called) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let judge = move |request: &Request| {
        let mut next = || {
            let number = asked.fetch_add(1, Ordering::Relaxed);
            verdict(verdicts.get(number).copied().unwrap_or(false))
        };
        match verdicts_of(request, &mut next) {
            Some(several) => several.to_string(),
            None => next().to_string(),
        }
    };
    // Each call is new, and none prints a figure.
    let act =
        move |_: &Request| say(&format!("blu{}", "e".repeat(1 + called.fetch_add(1, Ordering::Relaxed))));
    ScriptedModel::new()
        .always(Expect::purpose(purpose), Answer::with(judge))
        .always(Expect::purpose("executor"), Answer::with(move |request| act(request).to_string()))
}

async fn planned(model: ScriptedModel, planner: Fixed) -> Seen {
    let house = House::new();
    let artoo = house.quiet(&Arc::new(model)).planner(Arc::new(planner)).build().unwrap();
    house.run(&artoo, "Name a colour").await
}

/// Two criteria that only a judge decides; each fails in two of three attempts, and no attempt meets both.
async fn wavering() -> Seen {
    let model = judging("agent_validator", &[true, false, false, true, false, false]);
    let criteria = vec![judged("It is friendly"), judged("It names a colour")];
    let step = PlannedSubTask { success_criteria: criteria, ..subtask(1, "Name a colour", &[]) };
    planned(model, Fixed { subtasks: vec![step], task_criteria: Vec::new() }).await
}

/// A task whose criterion is not met at first, although every subtask succeeds.
async fn unmet_task() -> Seen {
    let model = judging("meta_validator", &[false, true]);
    let subtasks = vec![subtask(1, "Name a colour", &["blue"])];
    planned(model, Fixed { subtasks, task_criteria: vec![judged("It is nice")] }).await
}

fn replan_requests(seen: &Seen) -> Vec<&ReplanRequest> {
    seen.messages().filter_map(Message::payload::<ReplanRequest>).collect()
}

#[tokio::test(start_paused = true)]
async fn directives_on_what_judges_said_can_be_computed_again_too() {
    let page = computed_again(&wavering().await, "wavering");
    let first = &page.rounds[0];
    let weights: Vec<f64> = first.unmet.iter().map(|unmet| unmet.weight).collect();
    assert_eq!(weights, [2.0 / 3.0; 2], "each failed in two of three attempts: {first:#?}");

    let seen = unmet_task().await;
    computed_again(&seen, "unmet task");
    let request = replan_requests(&seen)[0];
    assert_eq!((request.failed_outcomes.len(), request.task_verdicts.len()), (0, 2), "{request:#?}");
}

#[tokio::test(start_paused = true)]
async fn every_directive_can_be_computed_again_from_the_journal() {
    let mut seen_states = BTreeSet::new();
    for (number, course) in courses().into_iter().enumerate() {
        let page = computed_again(&course.run().await, &format!("course {number}"));
        let decided = page.rounds.iter().filter_map(|round| round.decided.as_ref());
        seen_states.extend(decided.map(|decided| decided.current.name()));
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
