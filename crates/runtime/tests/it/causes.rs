//! What goes wrong reaches the controller as what it is: a judge that does not come, a file that is not there, a
//! finding of a judge, a plan that failed.

use std::{fs, sync::Arc, time::Duration};

use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_runtime::{Builder, RunRequest};
use artoo_types::{
    ActionState, BlockedTarget, DominantClass, FaultKind, Limits, Message, MessageKind, OutcomeStatus,
    PlanDirective, Role, TerminalState, ToolName,
};
use serde_json::json;

use crate::{
    doubles::{AsksOfTheWhole, Fixed},
    fixture::{House, Seen, open_question, question, say, shell, verdict, verdicts, watched},
};

/// A builder whose judge of the whole is the model, which is asked for a verdict.
fn judged_by_a_model(builder: Builder) -> Builder {
    builder.task_judge(Arc::new(AsksOfTheWhole))
}

fn directives(seen: &Seen) -> Vec<&PlanDirective> {
    seen.messages().filter_map(Message::payload::<PlanDirective>).collect()
}

fn colour() -> ScriptedModel {
    ScriptedModel::new()
        .expect(Expect::purpose("planner"), Answer::json(open_question("Name a colour")))
        .always(Expect::purpose("executor"), Answer::json(say("Dear friend: blue")))
}

/// Without corrections: each plan has one attempt.
async fn run_once(house: &House, builder: Builder, text: &str, max_replans: u32) -> Seen {
    let artoo = builder.build().unwrap();
    let limits = Limits { max_retries: 0, max_replans, ..Limits::default() };
    watched(artoo.start(RunRequest { limits, ..house.request(text) }).unwrap()).await
}

/// Real work, finding 2 (task t1): everything was done, and the judge did not answer in time. The criterion was called
/// unmet, the run was planned again and again, and it ended as abandon.
#[tokio::test(start_paused = true)]
async fn a_judge_that_never_answers_ends_the_run_as_not_checked() {
    for hopeless in [Answer::hang(), Answer::panic("as scripted"), Answer::text("certainly!")] {
        let house = House::new();
        let model = Arc::new(colour().always(Expect::purpose("meta_validator"), hopeless));
        let artoo = judged_by_a_model(house.quiet(&model)).build().unwrap();
        let seen = house.run(&artoo, "Name a colour").await;
        let fault = seen.result.fault.clone().unwrap();
        assert_eq!((fault.role, fault.kind, seen.exit_code()), (Role::MetaValidator, FaultKind::Unjudged, 3));
        assert!(
            fault.message.ends_with("though the judge was asked twice") && fault.hint.is_some(),
            "{fault:?}"
        );
        assert!(seen.result.summary.starts_with("Done, not checked: "), "{}", seen.result.summary);
        assert_eq!(seen.result.output, json!("Dear friend: blue"));
        let [part] = seen.result.partial.as_slice() else { panic!("{:?}", seen.result) };
        assert_eq!(part.status, OutcomeStatus::Unjudged);
        assert_eq!(seen.count(MessageKind::Plan), 1);
        let nothing = [MessageKind::ReplanRequest, MessageKind::PlanDirective, MessageKind::MegramWrite];
        assert_eq!(nothing.map(|kind| seen.count(kind)), [0; 3], "no class, no block, no lesson");
        assert_eq!(seen.count(MessageKind::FailureReportRequest), 0);
        assert_eq!(seen.count(MessageKind::Warning), 1, "that it was asked again is told");
    }
}

/// The same of a judge of a step.
#[tokio::test(start_paused = true)]
async fn a_step_that_nobody_judged_ends_the_run_with_its_output() {
    for hopeless in [Answer::hang(), Answer::panic("as scripted")] {
        let house = House::new();
        let model = Arc::new(
            ScriptedModel::new()
                .always(Expect::purpose("executor"), Answer::json(say("Dear friend: blue")))
                .always(Expect::purpose("agent_validator"), hopeless),
        );
        let artoo = house.quiet(&model).planner(Arc::new(Fixed::judged_step())).build().unwrap();
        let seen = house.run(&artoo, "Name a colour").await;
        let fault = seen.result.fault.clone().unwrap();
        assert_eq!(
            (fault.role, fault.kind, seen.exit_code()),
            (Role::AgentValidator, FaultKind::Unjudged, 1)
        );
        let [part] = seen.result.partial.as_slice() else { panic!("{:?}", seen.result) };
        assert_eq!((part.status, &part.output), (OutcomeStatus::Unjudged, &json!("Dear friend: blue")));
        assert!(seen.result.output.is_null(), "nothing unchecked passes for a result");
        let nothing = [MessageKind::ReplanRequest, MessageKind::PlanDirective, MessageKind::MegramWrite];
        assert_eq!(nothing.map(|kind| seen.count(kind)), [0; 3]);
    }
}

/// A judge that answers the second question has judged: no plan, no class and no lesson comes of its silence.
#[tokio::test(start_paused = true)]
async fn a_judge_that_comes_late_costs_nothing() {
    let late = Answer::with(|request| verdicts(request, true).to_string()).after(Duration::from_secs(100));
    for first in [Answer::hang(), Answer::panic("as scripted")] {
        let house = House::new();
        let judge = || Expect::purpose("meta_validator");
        let model = Arc::new(colour().expect(judge(), first).expect(judge(), late.clone()));
        let artoo = judged_by_a_model(house.quiet(&model)).build().unwrap();
        let seen = house.run(&artoo, "Name a colour").await;
        model.assert_finished();
        assert_eq!((seen.exit_code(), seen.count(MessageKind::Plan)), (0, 1), "{:#?}", seen.result);
        assert_eq!((seen.result.fault.clone(), seen.count(MessageKind::Warning)), (None, 1));
    }
}

/// Cases e9 and e10 of the specification's review: the one call fails because a file is not there, and the attempt runs
/// out of turns. P was 1, the directive `break_symmetry`, and the program blocked.
#[tokio::test]
async fn lesson_a_file_that_is_not_there_is_no_wrong_approach() {
    let house = House::new();
    let mut model =
        ScriptedModel::new().always(Expect::purpose("planner").schema("next"), Answer::text("{}"));
    for (round, way) in ["listing it", "asking find", "reading the index"].into_iter().enumerate() {
        model = model
            .expect(
                Expect::purpose("planner").schema("plan"),
                Answer::json(question(&format!("Count by {way}"))),
            )
            .expect(Expect::purpose("executor"), Answer::json(shell(&format!("cat /nonexistent/{round}"))));
        for _ in 0..8 {
            model = model.expect(Expect::purpose("executor"), Answer::json(json!({"answer": "none"})));
        }
    }
    let model = Arc::new(model);
    let seen = run_once(&house, house.builder(&model), "How many files are in docs?", 2).await;
    model.assert_finished();
    let target = |round: usize| BlockedTarget {
        tool: ToolName::new("shell"),
        target: format!("cat /nonexistent/{round}"),
    };
    let told = directives(&seen);
    assert_eq!(told.len(), 2, "{:#?}", seen.result);
    for (round, directive) in told.iter().enumerate() {
        assert_eq!(
            (directive.directive, directive.loss.p.get()),
            (ActionState::ChangePath, 0.0),
            "{directive:#?}"
        );
        assert_eq!(directive.failure_class, DominantClass::Environmental);
        assert_eq!((&directive.blocked_programs, &directive.blocked_tools), (&vec![], &vec![]));
        assert_eq!(directive.blocked_targets, (0..=round).map(target).collect::<Vec<_>>());
    }
}

const LOG: &str = "error a\nwarning b\nwarning c\n";
const ASKED: &str = "How many problems does app.log tell of?";
const ERRORS: &str = "Count the lines of the log app.log that hold the word error and give the number";
const WARNINGS: &str = "Count the lines of the log app.log that hold the word warning and give the number";

/// A run in which the judge finds the first answer wrong, and these plans are made.
async fn found_wrong_at_first(plans: [&str; 2]) -> (Seen, Arc<ScriptedModel>) {
    let house = House::new();
    fs::write(house.path("home/app.log"), LOG).unwrap();
    let wrong = json!({"reason": "warnings are problems, too", "verdict": "fail", "class": "logical"});
    let mut model =
        ScriptedModel::new().always(Expect::purpose("planner").schema("next"), Answer::text("{}"));
    for (plan, verdict) in plans.into_iter().zip([wrong, verdict(true)]) {
        let word = if plan == ERRORS { "error" } else { "warning" };
        model = model
            .expect(Expect::purpose("planner").schema("plan"), Answer::json(question(plan)))
            .expect(Expect::purpose("executor"), Answer::json(shell(&format!("grep -c {word} app.log"))))
            .expect(Expect::purpose("meta_validator"), Answer::json(verdict));
    }
    let model = Arc::new(model);
    let seen = run_once(&house, judged_by_a_model(house.builder(&model)), ASKED, 3).await;
    (seen, model)
}

/// Case e20: the second plan differs in one word, is right, and was refused twice as the plan that failed; the run
/// ended with "no other plan than the one that failed was found".
#[tokio::test]
async fn lesson_one_other_word_is_another_plan() {
    let (seen, model) = found_wrong_at_first([ERRORS, WARNINGS]).await;
    model.assert_finished();
    assert_eq!(
        (seen.result.directive, seen.result.fault.clone()),
        (TerminalState::Accept, None),
        "{:#?}",
        seen.result
    );
    assert_eq!((seen.result.output.clone(), seen.result.replans), (json!("2"), 1));
    // That it is the same is only said where it is.
    let model = ScriptedModel::new()
        .always(Expect::purpose("planner").schema("next"), Answer::text("{}"))
        .always(Expect::purpose("planner"), Answer::json(question(ERRORS)))
        .always(Expect::purpose("executor"), Answer::json(say("1")))
        .always(Expect::purpose("meta_validator"), Answer::json(verdict(false)));
    let (house, model) = (House::new(), Arc::new(model));
    let seen = run_once(&house, judged_by_a_model(house.quiet(&model)), ASKED, 3).await;
    assert!(
        seen.result.summary.contains("o other plan than the one that failed was found"),
        "{}",
        seen.result.summary
    );
}

/// Real work, finding 2: a judge's finding on an answer became "MUST NOT use the program python3". The calls did what
/// they should, so nothing of them is blocked, and the planner is told what the judge found.
#[tokio::test]
async fn lesson_a_judges_finding_forbids_no_program() {
    let (seen, model) = found_wrong_at_first([ERRORS, WARNINGS]).await;
    let [directive] = directives(&seen)[..] else { panic!("{:#?}", seen.result) };
    assert_eq!(directive.directive, ActionState::BreakSymmetry);
    assert_eq!((&directive.blocked_programs, &directive.blocked_tools), (&vec![], &vec![]));
    assert_eq!((&directive.blocked_targets, &directive.blocked_approaches), (&vec![], &vec![]));
    let requests = model.requests();
    let replan = requests.iter().filter(|request| request.purpose == "planner").nth(1).unwrap();
    let prompt = &replan.messages[0].content;
    assert!(prompt.contains("warnings are problems, too"), "{prompt}");
    for jargon in ["MUST NOT", "Directive", "break_symmetry", "use other tools", "refused if"] {
        assert!(!prompt.contains(jargon), "{jargon} in {prompt}");
    }
}
