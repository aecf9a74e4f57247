//! System limits: full mailboxes, full disks, many concurrent runs.

use std::{path::PathBuf, sync::Arc};

use artoo_bus::{BusLimits, Refusal, RefusalReason};
use artoo_llm_client::{
    LlmClient,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_runtime::{BuildError, StartError, journal};
use artoo_tools::Toolbox;
use artoo_types::{Constraints, FaultKind, Message, MessageKind, Remedy, Role, RunId};
use serde_json::json;

use crate::{
    doubles::{Fixed, Say, subtask},
    fixture::{House, question, say, steps, watched},
};

fn counting(answer: &str) -> Arc<ScriptedModel> {
    Arc::new(
        ScriptedModel::new()
            .always(Expect::purpose("planner"), Answer::json(question("Count")))
            .always(Expect::purpose("executor"), Answer::json(say(answer))),
    )
}

#[tokio::test(start_paused = true)]
async fn lesson_n4_an_overflowing_mailbox_fails_the_run_and_loses_nothing_in_silence() {
    for mailbox in 0..=6 {
        let house = House::new();
        let subtasks = (0..40).map(|n| subtask(1, &format!("alpha {n}"), &["alpha"])).collect();
        let planner = Fixed { subtasks, task_criteria: Vec::new() };
        let artoo = house
            .quiet(&counting("alpha"))
            .planner(Arc::new(planner))
            .bus_limits(BusLimits { mailbox })
            .build()
            .unwrap();
        let run = artoo.start(house.request("Say it")).unwrap();
        let path = run.folder().join(journal::FILE_NAME);
        let result = run.finished().await;
        let read = journal::read(&path).unwrap();
        assert_eq!(read.damage, None);
        let refusals: Vec<RefusalReason> =
            read.envelopes.iter().filter_map(Refusal::of).map(|refusal| refusal.reason).collect();
        assert!(!refusals.is_empty(), "{mailbox}: the overflow is on record");
        assert!(refusals.iter().all(|reason| matches!(reason, RefusalReason::Overflow(_))), "{refusals:?}");
        let finals = read
            .envelopes
            .iter()
            .filter(|envelope| envelope.message.kind() == MessageKind::FinalResult)
            .count();
        // If not a single message fits, not even the end does; the caller still gets it.
        assert_eq!(finals, usize::from(mailbox > 0), "{mailbox}");
        let kind = result.fault.unwrap().kind;
        assert_eq!(kind, if mailbox > 0 { FaultKind::Bus } else { FaultKind::Panic });
    }
}

#[tokio::test]
async fn folders_that_cannot_be_used_are_typed_errors_with_hints() {
    let house = House::new();
    let file = house.path("home/docs/a.txt");
    let error = house.quiet(&counting("1")).data_folder(file.join("data")).build().unwrap_err();
    assert!(matches!(error, BuildError::DataFolder { .. }), "{error}");
    assert!(error.remedy() == Some(Remedy::ChooseDataFolder));
    let artoo = house.quiet(&counting("1")).build().unwrap();
    let runs = house.data_folder().join("runs");
    std::fs::remove_dir_all(&runs).unwrap();
    std::fs::write(&runs, "in the way").unwrap();
    let error = artoo.start(house.request("Count")).unwrap_err();
    assert!(matches!(error, StartError::Folder { .. }), "{error}");
    assert!(error.hint().contains("something else lies in its place"), "{}", error.hint());
}

/// Simulates a disk that fills up during a run: no file of this test's own process may grow beyond 24 KiB.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_ends_the_run_with_a_storage_fault() {
    #[expect(
        clippy::disallowed_methods,
        reason = "the limit holds for a process, so the test needs one of its own"
    )]
    let output = std::process::Command::new("bash")
        .args(["-c", "trap '' XFSZ; ulimit -f 24; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "resource_limits::inside_the_limit", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[tokio::test]
#[ignore = "runs inside a_disk_that_fills_up_ends_the_run_with_a_storage_fault"]
async fn inside_the_limit() {
    let house = House::new();
    let subtasks = (0..50).map(|n| subtask(n + 1, &format!("alpha {n}"), &["alpha"])).collect();
    let planner = Fixed { subtasks, task_criteria: Vec::new() };
    let artoo = house.quiet(&counting("alpha")).planner(Arc::new(planner)).build().unwrap();
    let run = artoo.start(house.request("Say it")).unwrap();
    let path = run.folder().join(journal::FILE_NAME);
    let result = run.finished().await;
    let fault = result.fault.unwrap();
    assert_eq!(fault.kind, FaultKind::Storage, "{fault:?}");
    assert!(fault.message.starts_with("the limit of file sizes is reached: "), "{}", fault.message);
    let read = journal::read(&path).unwrap();
    let numbers: Vec<u64> = read.envelopes.iter().map(|envelope| envelope.seq).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>(), "what is there has no holes");
    assert!(numbers.len() > 5, "{}", numbers.len());
    assert_eq!(read.state, journal::RunState::Unrecorded);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_runs_at_a_time_do_not_see_each_other() {
    let house = House::new();
    let mut model = ScriptedModel::new();
    for n in 0..20 {
        let intent = format!("Say number {n:02}");
        model = model
            .expect(Expect::purpose("planner").user_contains(&intent), Answer::json(steps(&[(&intent, 1)])))
            .expect(Expect::purpose("executor").user_contains(&intent), Answer::json(say(&n.to_string())));
    }
    let model = Arc::new(model);
    let artoo = house.quiet(&model).build().unwrap();
    let runs: Vec<_> = (0..20)
        .map(|n| tokio::spawn(watched(artoo.start(house.request(&format!("Say number {n:02}"))).unwrap())))
        .collect();
    let mut folders: Vec<PathBuf> = Vec::new();
    for (n, run) in runs.into_iter().enumerate() {
        let seen = run.await.unwrap();
        assert_eq!((seen.exit_code(), &seen.result.output), (0, &json!(n.to_string())));
        folders.push(seen.folder);
    }
    model.assert_finished();
    artoo.close().await;
    let listed = artoo_runtime::runs::list(&house.data_folder()).unwrap();
    assert_eq!(listed.len(), 20);
    assert!(
        listed
            .iter()
            .all(|run| run.finished && run.exit_code == Some(0) && run.damage.is_none() && run.calls == 2)
    );
    let ids: Vec<RunId> = listed.iter().map(|run| run.run_id).collect();
    assert!(ids.is_sorted_by(|a, b| a > b), "newest first");
    for folder in folders {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        assert_eq!(artoo_runtime::runs::find(&house.data_folder(), &name).unwrap(), folder);
    }
}

/// The first observer of a run misses nothing, although roles run on other threads before it is created.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_observer_sees_everything_however_late_it_is_made() {
    let house = House::new();
    let artoo = house.quiet(&counting("1")).build().unwrap();
    for _ in 0..20 {
        let run = artoo.start(house.request("Count")).unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        assert_eq!(watched(run).await.exit_code(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_outlives_the_artoo_that_started_it() {
    let house = House::new();
    let artoo = house.quiet(&counting("1")).build().unwrap();
    let run = artoo.start(house.request("Count")).unwrap();
    drop(artoo);
    assert_eq!(watched(run).await.exit_code(), 0);
}

/// Lesson 45: a weak judge accepted what a strong planner got wrong. Only the command line refused that.
#[tokio::test]
async fn lesson_45_a_judge_of_the_whole_that_is_weaker_than_the_planner_is_refused() {
    let house = House::new();
    let named = |name: &str| Arc::new(ScriptedModel::new().named(name)) as Arc<dyn LlmClient>;
    let built = |planner: &str, tools: &str, judge: &str| {
        let builder = house.quiet(&counting("1"));
        let builder = [(Role::Planner, planner), (Role::Executor, tools), (Role::MetaValidator, judge)]
            .into_iter()
            .fold(builder, |builder, (role, name)| builder.role_model(role, named(name)));
        builder.build()
    };
    for (planner, tools, judge) in [("big", "small", "small"), ("qwen2.5:7b", "other", "qwen2.5:1.5b")] {
        let error = built(planner, tools, judge).unwrap_err();
        let BuildError::WeakerJudge { judge: refused, planner: stronger, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!((refused.as_str(), stronger.as_str()), (judge, planner));
        assert!(error.to_string().contains(judge) && error.to_string().contains(planner), "{error}");
        assert!(error.hint().contains("at least as strong"));
        assert_eq!(error.remedy(), Some(Remedy::ChooseModel));
    }
    for (planner, tools, judge) in [("big", "small", "big"), ("small", "small", "small"), ("a", "b", "c")] {
        built(planner, tools, judge).unwrap().close().await;
    }
}

/// A deadline and a scope that cannot hold begin nothing.
#[tokio::test]
async fn a_passed_deadline_and_a_scope_that_is_no_folder_are_typed_errors_with_hints() {
    let house = House::new();
    // In real time, like the request.
    let artoo = house.builder(&counting("1")).toolbox(Toolbox::new().with(Say)).build().unwrap();
    let mut request = house.request("Count");
    let passed = request.surroundings.now - chrono::TimeDelta::hours(1);
    request.constraints.deadline = Some(passed);
    let error = artoo.start(request).unwrap_err();
    assert!(matches!(error, StartError::DeadlinePassed { deadline } if deadline == passed), "{error}");
    assert!(error.hint().contains("future"));
    for scope in ["docs/a.txt", "nowhere"] {
        let mut request = house.request("Count");
        request.constraints.scope = Some(scope.to_owned());
        let error = artoo.start(request).unwrap_err();
        assert!(matches!(&error, StartError::Scope { scope: named, .. } if named == scope), "{error}");
        assert!(error.hint().contains("exists"));
    }
    assert_eq!(std::fs::read_dir(house.data_folder().join("runs")).unwrap().count(), 0);
    artoo.close().await;
}

/// What the user states reaches the task, its steps and the controller.
#[tokio::test(start_paused = true)]
async fn a_deadline_is_that_of_every_step_and_bounds_the_time_that_omega_is_measured_against() {
    let house = House::new();
    let budgets = [(30, 30_000..=60_000), (3_600, 300_000..=300_000)].map(async |(seconds, expected)| {
        // In real time, like the request.
        let artoo = house.builder(&counting("1")).toolbox(Toolbox::new().with(Say)).build().unwrap();
        let mut request = house.request("Count");
        request.limits.time_budget_ms = 300_000;
        // A minute more: the clock of the run and that of the test are not the same.
        let deadline = request.surroundings.now + chrono::TimeDelta::seconds(seconds + 30);
        request.constraints = Constraints { scope: Some("docs".to_owned()), deadline: Some(deadline) };
        let constraints = request.constraints.clone();
        let seen = watched(artoo.start(request).unwrap()).await;
        artoo.close().await;
        let mut steps = 0;
        for message in seen.messages() {
            if let Message::TaskSpec(task) = message {
                assert_eq!(task.constraints, constraints);
            } else if let Message::SubTask(subtask) = message {
                steps += 1;
                assert_eq!(subtask.deadline, Some(deadline));
            } else if let Message::ControlSettings(settings) = message {
                let budget = settings.hyperparameters.time_budget_ms;
                assert!(expected.contains(&budget), "{budget}");
            }
        }
        assert_eq!(steps, 1);
    });
    for budget in budgets {
        budget.await;
    }
}
