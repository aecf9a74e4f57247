//! The auditor's reports over whole runs: nothing if nothing is wrong, and each finding where it actually
//! occurs.
//!
//! Some findings cannot occur here, whatever a behaviour does: ids are minted, limits are kept by actors, and
//! a port refuses what its contract does not list. The auditor's own tests cover those on a real bus.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    task::Poll,
};

use artoo_auditor::{LOG_NAME, Window, report, verify};
use artoo_bus::BusLimits;
use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_runtime::runs::missing_from_log;
use artoo_tools::{Tool, ToolContext, ToolReport, Toolbox};
use artoo_types::{
    Anomaly, AnomalyKind, Arguments, AuditReport, AuditTrigger, CallFailure, FailureClass, Message,
    MessageKind, ModelRecord, PlannedSubTask, Role, TerminalState, ToolName, ToolRecord, Trend,
};
use async_trait::async_trait;
use chrono::{DateTime, FixedOffset};
use serde_json::Value;

use crate::{
    doubles::{Fixed, Say, TokioClock, subtask},
    fixture::{House, Seen, question, say, steps, unreachable},
};

/// The report over the whole log, made after this time.
fn reported(house: &House, after: chrono::Duration) -> AuditReport {
    let log = house.data_folder().join(LOG_NAME);
    assert!(verify(&log).unwrap().gaps.is_empty());
    assert_eq!(
        missing_from_log(&house.data_folder()).unwrap().missing,
        [],
        "every message on record is in the log"
    );
    let now = artoo_bus::Clock::now(&*TokioClock::new()) + after;
    report(&log, &Window::new(AuditTrigger::OnDemand, None, now)).unwrap()
}

fn kinds(report: &AuditReport) -> Vec<AnomalyKind> {
    let mut kinds: Vec<AnomalyKind> = report.anomalies.iter().map(Anomaly::kind).collect();
    kinds.dedup();
    kinds
}

/// Runs one fixed plan to its end.
async fn run(
    house: &House,
    model: &Arc<ScriptedModel>,
    subtasks: Vec<PlannedSubTask>,
    toolbox: Toolbox,
) -> Seen {
    let planner = Fixed { subtasks, task_criteria: Vec::new() };
    let builder = house.quiet(model).strict(true).toolbox(toolbox).planner(Arc::new(planner));
    let artoo = builder.build().unwrap();
    let seen = house.run(&artoo, "Say it all").await;
    artoo.close().await;
    seen
}

#[tokio::test(start_paused = true)]
async fn of_honest_runs_there_is_nothing_to_report() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .expect(
                Expect::purpose("planner"),
                Answer::json(steps(&[("Count apples", 1), ("Count pears", 1), ("Add them", 2)])),
            )
            .expect(Expect::purpose("planner"), Answer::json(steps(&[("Add them, differently", 1)])))
            .expect(Expect::purpose("planner"), Answer::json(question("Count")))
            .expect(Expect::purpose("executor").user_contains("Step: Count apples"), Answer::json(say("1")))
            .expect(Expect::purpose("executor").user_contains("Step: Count pears"), Answer::json(say("2")))
            .expect(Expect::purpose("executor").user_contains("differently"), Answer::json(say("3")))
            .expect(Expect::purpose("executor").user_contains("Step: Add them"), Answer::json(say("many")))
            .expect(Expect::purpose("executor").user_contains("Step: Add them"), Answer::json(say("a lot")))
            .expect(Expect::purpose("executor").user_contains("Step: Add them"), Answer::json(say("lots")))
            .expect(Expect::purpose("executor").user_contains("Step: Count"), Answer::json(say("4")))
            .always(Expect::purpose("answer"), crate::doubles::composed()),
    );
    let artoo = house.quiet(&model).build().unwrap();
    let replanned = house.run(&artoo, "Count apples and pears and add them").await;
    assert_eq!((replanned.exit_code(), replanned.result.replans), (0, 1), "{:#?}", replanned.result);
    assert_eq!(house.run(&artoo, "Count").await.exit_code(), 0);
    artoo.close().await;
    model.assert_finished();

    let report = reported(&house, chrono::Duration::hours(1));
    assert_eq!(report.anomalies, []);
    assert_eq!((&report.boundary_violations[..], &report.drift_alerts[..]), (&[][..], &[][..]));
    assert_eq!((report.tasks_observed, report.total_corrections, report.omitted), (2, 2, 0));
    let trends: Vec<_> = report.gap_trends.iter().map(|gap| (gap.task_id, gap.trend)).collect();
    assert_eq!(trends, [(replanned.result.run_id, Trend::Improving)]);
    let said = ToolRecord { calls: 7, ..ToolRecord::default() };
    assert_eq!(report.tool_health.tools, [("say".to_owned(), said)].into());
    // Three plans, seven attempts; and one answer without a schema.
    let asked = ModelRecord { calls: 11, failed: 0, shaped: 10, unusable: 0 };
    assert_eq!(report.tool_health.models.into_values().collect::<Vec<_>>(), [asked]);
}

/// A refused plan after a round that fell short is normal.
#[tokio::test(start_paused = true)]
async fn of_a_refused_plan_there_is_nothing_to_report() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(steps(&[("Count apples", 1)])))
            .expect(
                Expect::purpose("planner"),
                Answer::json(steps(&[("Count pears", 1), ("Count plums", 1)])),
            )
            .expect(Expect::purpose("executor"), Answer::json(say("many")))
            .expect(Expect::purpose("executor"), Answer::json(say("a lot")))
            .expect(Expect::purpose("executor"), Answer::json(say("lots"))),
    );
    let artoo = house.quiet(&model).ask_before_plans(true).build().unwrap();
    let mut request = house.request("Count");
    request.person_present = true;
    let run = artoo.start(request).unwrap();
    let (mut observer, answerer) = (run.observe(1000), run.answerer());
    let finished = tokio::spawn(run.finished());
    let mut agrees = true;
    while let Some(artoo_bus::Observed::Message(envelope)) = observer.recv().await {
        if let Message::PlanApprovalRequested(asked) = envelope.message.as_ref() {
            if agrees {
                answerer.agree(asked.round)
            } else {
                answerer.refuse(asked.round)
            }
            agrees = false;
        }
    }
    assert_eq!(artoo_runtime::exit_code(&finished.await.unwrap()), 5);
    artoo.close().await;
    model.assert_finished();
    let report = reported(&house, chrono::Duration::hours(1));
    assert_eq!((report.anomalies, report.boundary_violations), (Vec::new(), Vec::new()));
}

/// [`Say`] by another name, so that a tool is left when one is blocked.
struct Named(&'static str);

#[async_trait]
impl Tool for Named {
    fn name(&self) -> ToolName {
        ToolName::new(self.0)
    }

    fn summary(&self) -> &str {
        Say.summary()
    }

    fn arguments(&self) -> Value {
        Say.arguments()
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        Say.call(arguments, cx).await
    }
}

/// Runs four rounds of three attempts. Each round prints its words, with its own tool; each attempt is a new
/// call.
async fn wavering(house: &House, rounds: [&str; 4], wanted: &[&str]) -> Seen {
    let tools = ["first", "second", "third", "fourth"];
    let mut model = ScriptedModel::new();
    for (tool, words) in tools.iter().zip(rounds) {
        for attempt in 0..3 {
            let mut call = say(&format!("{words} {attempt}"));
            call["tool"] = (*tool).into();
            model = model.expect(Expect::purpose("executor"), Answer::json(call));
        }
    }
    let model = Arc::new(model);
    let toolbox = tools.into_iter().fold(Toolbox::new(), |toolbox, tool| toolbox.with(Named(tool)));
    let seen = run(house, &model, vec![subtask(1, "say it all", wanted)], toolbox).await;
    model.assert_finished();
    assert_eq!(
        (seen.result.directive, seen.result.replans),
        (TerminalState::Abandon, 3),
        "{:#?}",
        seen.result
    );
    seen
}

#[tokio::test(start_paused = true)]
async fn a_run_that_goes_to_and_fro_is_an_oscillation() {
    let house = House::new();
    let rounds = ["one", "one two three", "one", "one two three"];
    let seen = wavering(&house, rounds, &["one", "two", "three", "four"]).await;
    let report = reported(&house, chrono::Duration::zero());
    let found = &report.anomalies;
    let [Anomaly::Oscillation { run_id, d }] = &found[..] else { panic!("{report:#?}") };
    let d: Vec<f64> = d.iter().map(|d| d.get()).collect();
    assert_eq!((*run_id, &d[..]), (seen.result.run_id, &[0.75, 0.25, 0.75, 0.25][..]));
    assert_eq!(report.gap_trends[0].trend, Trend::Oscillating);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_does_not_move_thrashes_and_does_not_improve() {
    let house = House::new();
    wavering(&house, ["nothing"; 4], &["alpha"]).await;
    let report = reported(&house, chrono::Duration::zero());
    assert_eq!(kinds(&report), [AnomalyKind::GgsThrashing, AnomalyKind::NoImprovement], "{report:#?}");
    assert_eq!(report.gap_trends[0].trend, Trend::Stable);
}

/// A tool that fails after a while.
struct Broken {
    after: std::time::Duration,
}

#[async_trait]
impl Tool for Broken {
    fn name(&self) -> ToolName {
        Say.name()
    }

    fn summary(&self) -> &str {
        Say.summary()
    }

    fn arguments(&self) -> Value {
        Say.arguments()
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        tokio::time::sleep(self.after).await;
        let failure =
            CallFailure { class: FailureClass::Environmental, reason: "no paper".to_owned(), hint: None };
        ToolReport { failure: Some(failure), ..Say.call(arguments, cx).await }
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_fails_is_named() {
    let house = House::new();
    let model = Arc::new(ScriptedModel::new().always(
        Expect::purpose("executor"),
        Answer::with({
            let calls = AtomicU32::new(0);
            move |_| say(&format!("one {}", calls.fetch_add(1, Ordering::Relaxed))).to_string()
        }),
    ));
    let plan = vec![subtask(1, "say it", &["one"])];
    let seen =
        run(&house, &model, plan, Toolbox::new().with(Broken { after: std::time::Duration::ZERO })).await;
    assert_ne!(seen.exit_code(), 0);
    let report = reported(&house, chrono::Duration::zero());
    let calls = report.tool_health.tools["say"].calls;
    let failing = |anomaly: &&Anomaly| anomaly.kind() == AnomalyKind::ToolFailing;
    let named = Anomaly::ToolFailing { tool: "say".to_owned(), calls, failed: calls };
    assert_eq!(report.anomalies.iter().filter(failing).collect::<Vec<_>>(), [&named], "{report:#?}");
}

/// Case `e8.py`: a periodic report was a line of which nobody saw more than two numbers.
#[tokio::test(start_paused = true)]
async fn the_periodic_reports_of_a_long_run_are_kept_whole() {
    let house = House::new();
    let model = Arc::new(ScriptedModel::new().always(
        Expect::purpose("executor"),
        Answer::with({
            let calls = AtomicU32::new(0);
            move |_| say(&format!("one {}", calls.fetch_add(1, Ordering::Relaxed))).to_string()
        }),
    ));
    let plan = (1..=8).map(|n| subtask(1, &format!("say {n}"), &["one"])).collect();
    let planner = Fixed { subtasks: plan, task_criteria: Vec::new() };
    let toolbox = Toolbox::new().with(Broken { after: std::time::Duration::from_secs(40) });
    let artoo = house.quiet(&model).parallel(1).toolbox(toolbox).planner(Arc::new(planner)).build().unwrap();
    assert_ne!(house.run(&artoo, "Say it all").await.exit_code(), 0);
    let live = artoo.audit_report(None).await.unwrap();
    artoo.close().await;

    let log = house.data_folder().join(LOG_NAME);
    let text = fs::read_to_string(&log).unwrap();
    let lines = text.lines().filter_map(|line| artoo_auditor::Line::parse(line.as_bytes()));
    let kept: Vec<AuditReport> = lines.filter_map(|line| line.periodic_report()).collect();
    let failing = |report: &&AuditReport| kinds(report).contains(&AnomalyKind::ToolFailing);
    let found: Vec<AuditReport> = kept.iter().filter(failing).cloned().collect();
    assert!(!found.is_empty(), "{kept:?}");
    assert!(found.iter().all(|report| report.tasks_observed == 1), "{found:?}");

    let periodic = reported(&house, chrono::Duration::zero()).periodic;
    assert_eq!((periodic.made, &periodic.reports), (kept.len() as u64, &found));
    let seen = &live.periodic.reports;
    assert!(!seen.is_empty() && periodic.reports.starts_with(seen), "whoever asks sees them: {seen:?}");
    assert!(!text.contains("no paper"), "no text of others is kept");
}

/// The run is accepted: only the auditor reports that half of the answers had to be requested again.
#[tokio::test(start_paused = true)]
async fn a_model_whose_answers_are_not_usable_is_named() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .unstructured()
            .always(Expect::purpose("answer"), crate::doubles::composed())
            .always(
                Expect::purpose("executor"),
                Answer::with(|request| {
                    // The repair shows the model its own answer.
                    let asked_again = request.messages.len() > 1;
                    if asked_again { say("alpha").to_string() } else { "certainly!".to_owned() }
                }),
            ),
    );
    let plan = (1..=3).map(|n| subtask(n, &format!("alpha {n}"), &["alpha"])).collect();
    let seen = run(&house, &model, plan, Toolbox::new().with(Say)).await;
    assert_eq!(seen.exit_code(), 0, "{:#?}", seen.result);
    let report = reported(&house, chrono::Duration::zero());
    let [(name, record)] = &report.tool_health.models.iter().collect::<Vec<_>>()[..] else { panic!() };
    assert_eq!(**record, ModelRecord { calls: 7, failed: 0, shaped: 6, unusable: 3 });
    let named = Anomaly::ModelUnusable { model: (*name).clone(), shaped: 6, unusable: 3 };
    assert_eq!(report.anomalies, [named]);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_does_not_answer_is_named() {
    let house = House::new();
    let model = Arc::new(ScriptedModel::new().always(Expect::purpose("planner"), Answer::error(unreachable)));
    let artoo = house.quiet(&model).build().unwrap();
    for _ in 0..5 {
        assert_eq!(house.run(&artoo, "Count").await.exit_code(), 1);
    }
    artoo.close().await;
    let report = reported(&house, chrono::Duration::zero());
    let found = &report.anomalies;
    let [Anomaly::ModelFailing { calls: 5, failed: 5, .. }] = &found[..] else { panic!("{found:?}") };
}

#[tokio::test(start_paused = true)]
async fn a_mailbox_that_overflows_is_reported_with_the_hole_that_it_leaves() {
    let house = House::new();
    let model =
        Arc::new(ScriptedModel::new().always(Expect::purpose("executor"), Answer::json(say("alpha"))));
    let subtasks = (0..40).map(|n| subtask(1, &format!("alpha {n}"), &["alpha"])).collect();
    let planner = Fixed { subtasks, task_criteria: Vec::new() };
    let limits = BusLimits { mailbox: 6 };
    let artoo = house.quiet(&model).planner(Arc::new(planner)).bus_limits(limits).build().unwrap();
    let result = artoo.start(house.request("Say it")).unwrap().finished().await;
    artoo.close().await;
    let report = reported(&house, chrono::Duration::zero());
    assert_eq!(kinds(&report), [AnomalyKind::FanInIncomplete, AnomalyKind::MailboxOverflow], "{report:#?}");
    let Anomaly::FanInIncomplete { run_id, expected: 40, decided: MessageKind::FinalResult, .. } =
        report.anomalies[0]
    else {
        panic!("{report:#?}")
    };
    assert_eq!(run_id, result.run_id);
}

/// A killed process leaves a run without an end. Its log ends with what was written by then.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_whose_process_was_killed_is_reported_as_lost() {
    let (house, after) = (House::new(), House::new());
    let model = Arc::new(ScriptedModel::new().always(Expect::purpose("planner"), Answer::hang()));
    let artoo = house.quiet(&model).build().unwrap();
    let run = artoo.start(house.request("Count")).unwrap();
    let mut observer = run.observe(16);
    while let Some(artoo_bus::Observed::Message(envelope)) = observer.recv().await
        && envelope.message.kind() != MessageKind::MemoryReply
    {}
    // An answer covers everything published before the question.
    let live = artoo.audit_report(None).await.unwrap();
    assert_eq!((live.tasks_observed, &live.anomalies[..]), (1, &[][..]), "it is running");
    fs::create_dir_all(after.data_folder()).unwrap();
    // A copy may fall between a line and the head that counts it; the next one does not.
    while !after.data_folder().join(LOG_NAME).exists() || verify(&after.data_folder().join(LOG_NAME)).is_err()
    {
        for name in [LOG_NAME, "audit.head"] {
            fs::copy(house.data_folder().join(name), after.data_folder().join(name)).unwrap();
        }
    }
    let lost = reported(&after, chrono::Duration::hours(2)).anomalies;
    let [Anomaly::NoFinalResult { run_id, .. }] = lost[..] else { panic!("{lost:?}") };
    assert_eq!(run_id, run.id());

    run.canceller().cancel();
    run.finished().await;
    artoo.close().await;
    assert_eq!(reported(&house, chrono::Duration::hours(2)).anomalies, [], "cancelled, and recorded as such");
}

fn without_time(report: AuditReport) -> AuditReport {
    AuditReport { window_end: DateTime::<FixedOffset>::default(), ..report }
}

/// Lesson 22: a report is the same after a restart, and however often it is requested.
#[tokio::test(flavor = "multi_thread")]
async fn reports_survive_restarts_and_questions() {
    let house = House::new();
    let counting = || {
        Arc::new(
            ScriptedModel::new()
                .always(Expect::purpose("planner"), Answer::json(question("Count")))
                .always(Expect::purpose("executor"), Answer::json(say("1"))),
        )
    };
    let read = |folder: &Path| fs::read_to_string(folder.join(LOG_NAME)).unwrap();
    for runs in 1..=3 {
        let artoo = house.quiet(&counting()).build().unwrap();
        assert_eq!(house.run(&artoo, "Count").await.exit_code(), 0);
        let first = without_time(artoo.audit_report(None).await.unwrap());
        assert_eq!((first.tasks_observed, &first.anomalies[..]), (runs, &[][..]));
        assert_eq!(first.tool_health.tools["say"].calls, runs);
        let before = read(&house.data_folder());
        assert_eq!(without_time(artoo.audit_report(None).await.unwrap()), first, "asking changes nothing");
        artoo.close().await;
        // The question and its answer are recorded like every message; nothing else is new.
        let log = read(&house.data_folder());
        let new = log.strip_prefix(&before).unwrap();
        assert!(
            new.lines().all(|line| line.contains("audit_report") || line.contains("audit_query")),
            "{new}"
        );
        assert!(new.contains(&format!("\"from\":\"{}\"", Role::User)), "{new}");
    }
    assert_eq!(reported(&house, chrono::Duration::hours(1)).tasks_observed, 3);
}

/// The answer to an abandoned question was taken for the answer to the next one.
#[tokio::test]
async fn an_answer_that_nobody_waited_for_is_nobody_elses() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .always(Expect::purpose("planner"), Answer::json(question("Count")))
            .always(Expect::purpose("executor"), Answer::json(say("1"))),
    );
    let artoo = house.quiet(&model).build().unwrap();
    assert_eq!(house.run(&artoo, "Count").await.exit_code(), 0);
    {
        // Asked and abandoned at once. A timeout of zero polls twice, and the answer may have come by then.
        let mut asked = std::pin::pin!(artoo.audit_report(None));
        let waits = std::future::poll_fn(|cx| Poll::Ready(asked.as_mut().poll(cx).is_pending())).await;
        assert!(waits);
    }
    let later = artoo_bus::Clock::now(&*TokioClock::new()) + chrono::Duration::days(1);
    let report = artoo.audit_report(Some(later)).await.unwrap();
    assert_eq!((report.window_start, report.tasks_observed), (Some(later), 0), "{report:#?}");
    assert_eq!(artoo.audit_report(None).await.unwrap().tasks_observed, 1);
    artoo.close().await;
}
