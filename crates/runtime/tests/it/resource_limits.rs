//! System limits: full mailboxes, full disks, many concurrent runs.

use std::{path::PathBuf, sync::Arc};

use artoo_bus::{BusLimits, Refusal, RefusalReason};
use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_runtime::{BuildError, StartError, journal};
use artoo_types::{FaultKind, MessageKind, Remedy, RunId};
use serde_json::json;

use crate::{
    doubles::{Fixed, subtask},
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
    assert!(error.hint().contains("free some space"));
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
