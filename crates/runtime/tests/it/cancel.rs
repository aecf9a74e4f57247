//! Cancellation and timeouts: the run ends quickly, is recorded, and its processes end with it.

use std::{fs, path::Path, sync::Arc, time::Duration};

use artoo_bus::Observed;
use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_runtime::Run;
use artoo_types::{CallEnding, FaultKind, Message, MessageKind, TerminalState};

use crate::{
    doubles::Deaf,
    fixture::{House, Seen, question, recorded, say, shell, watched},
};

/// Cancels as soon as a message of this kind passes, and returns the run's record.
pub(crate) async fn cancelled_at(run: Run, kind: MessageKind) -> Seen {
    let mut observer = run.observe(1);
    let (canceller, folder) = (run.canceller(), run.folder().to_owned());
    let finished = tokio::spawn(run.finished());
    while let Some(Observed::Message(envelope)) = observer.recv().await {
        if envelope.message.kind() == kind {
            canceller.cancel();
            canceller.cancel();
        }
    }
    recorded(finished.await.unwrap(), &folder)
}

fn counting(command: &str) -> Arc<ScriptedModel> {
    Arc::new(
        ScriptedModel::new()
            .always(Expect::purpose("planner"), Answer::json(question("Count")))
            .always(Expect::purpose("executor"), Answer::json(shell(command))),
    )
}

#[tokio::test]
async fn before_anything_happened() {
    let house = House::new();
    let artoo = house.builder(&counting("touch ~/ran; echo 1")).build().unwrap();
    let run = artoo.start(house.request("Count")).unwrap();
    run.canceller().cancel();
    let seen = watched(run).await;
    assert_eq!((seen.fault(), seen.exit_code()), (Some(FaultKind::Cancelled), 130));
    assert_eq!(seen.result.directive, TerminalState::Abandon);
    assert_eq!(seen.count(MessageKind::ToolStarted), 0);
}

#[tokio::test(start_paused = true)]
async fn lesson_n6_no_tool_runs_after_a_cancel_during_planning() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .always(Expect::purpose("planner"), Answer::json(question("Count")).after(Duration::from_secs(5)))
            .always(Expect::purpose("executor"), Answer::json(say("1"))),
    );
    let artoo = house.quiet(&model).build().unwrap();
    let seen = cancelled_at(artoo.start(house.request("Count")).unwrap(), MessageKind::MemoryReply).await;
    assert_eq!((seen.fault(), seen.exit_code()), (Some(FaultKind::Cancelled), 130));
    // Also long after the model would have answered.
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(model.requests().iter().filter(|request| request.purpose == "executor").count(), 0);
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lesson_11_a_cancelled_command_takes_its_process_tree_with_it() {
    let house = House::new();
    // A child that ignores SIGTERM and writes once it is ready.
    let command = "p=$$; (trap '' TERM; echo $p $BASHPID; sleep 600) & sleep 600";
    let artoo = house.builder(&counting(command)).build().unwrap();
    let run = artoo.start(house.request("Count")).unwrap();
    let seen = cancelled_at(run, MessageKind::ToolOutput).await;
    assert_eq!((seen.fault(), seen.exit_code()), (Some(FaultKind::Cancelled), 130));
    let said = seen.messages().find_map(|message| {
        if let Message::ToolOutput(output) = message { Some(output.text.clone()) } else { None }
    });
    let pids = said.unwrap();
    assert_eq!(pids.split_whitespace().count(), 2, "{pids}");
    for pid in pids.split_whitespace() {
        assert!(!is_running(pid), "{pid} is gone when the run has ended");
    }
    let endings: Vec<CallEnding> = seen
        .messages()
        .filter_map(|message| {
            if let Message::ToolFinished(finished) = message {
                Some(finished.call.ending.clone())
            } else {
                None
            }
        })
        .collect();
    assert_eq!(endings, [CallEnding::Cancelled], "the call's end is on record, before the run's");
    assert!(!seen.folder.join("tmp").exists());
}

/// A zombie that waits to be reaped is not running.
fn is_running(pid: &str) -> bool {
    fs::read_to_string(Path::new("/proc").join(pid).join("stat"))
        .is_ok_and(|stat| !matches!(stat.rsplit(") ").next(), Some(state) if state.starts_with(['Z', 'X'])))
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_takes_no_notice_delays_the_end_by_less_than_a_second() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new().always(Expect::purpose("planner"), Answer::json(question("Count"))).always(
            Expect::purpose("executor"),
            Answer::json(serde_json::json!({"tool": "deaf", "arguments": {}, "output_is_answer": true})),
        ),
    );
    let artoo = house.quiet(&model).toolbox(artoo_tools::Toolbox::new().with(Deaf)).build().unwrap();
    let run = artoo.start(house.request("Count")).unwrap();
    let seen = cancelled_at(run, MessageKind::ToolStarted).await;
    // Virtual time: this measures the supervisor's own waits.
    let ended =
        seen.envelopes.iter().find(|envelope| envelope.message.kind() == MessageKind::FinalResult).unwrap();
    assert!(ended.elapsed_ms < 1000, "{} ms", ended.elapsed_ms);
    assert_eq!(seen.exit_code(), 130);
}

#[tokio::test(start_paused = true)]
async fn a_time_out_has_its_own_exit_code() {
    let house = House::new();
    let model = Arc::new(ScriptedModel::new().always(Expect::purpose("planner"), Answer::hang()));
    let artoo = house.quiet(&model).build().unwrap();
    let mut request = house.request("Count");
    request.timeout = Some(Duration::from_secs(7));
    let seen = watched(artoo.start(request).unwrap()).await;
    assert_eq!((seen.fault(), seen.exit_code()), (Some(FaultKind::Timeout), 124));
    request = house.request("Count");
    request.timeout = Some(Duration::MAX);
    let run = artoo.start(request).unwrap();
    let canceller = run.canceller();
    canceller.cancel();
    assert_eq!(
        watched(run).await.fault(),
        Some(FaultKind::Cancelled),
        "a time-out beyond all clocks is none"
    );
}

#[tokio::test(start_paused = true)]
async fn a_cancel_cuts_the_story_of_a_failure_short() {
    let house = House::new();
    let mut model = ScriptedModel::new()
        .always(Expect::purpose("planner").schema("next"), Answer::hang())
        .always(Expect::purpose("executor"), Answer::json(say("no number")));
    for round in 0..10 {
        let planned = Answer::json(question(&format!("Count by the means {round}")));
        model = model.expect(Expect::purpose("planner").schema("plan"), planned);
    }
    let artoo = house.quiet(&Arc::new(model)).build().unwrap();
    let run = artoo.start(house.request("Count")).unwrap();
    let seen = cancelled_at(run, MessageKind::FailureReportRequest).await;
    assert_eq!((seen.fault(), seen.exit_code()), (Some(FaultKind::Cancelled), 130));
}

#[tokio::test(start_paused = true)]
async fn dropping_the_handle_or_its_future_cancels_and_records() {
    let house = House::new();
    let model = Arc::new(ScriptedModel::new().always(Expect::purpose("planner"), Answer::hang()));
    let artoo = house.quiet(&model).build().unwrap();
    let dropped = artoo.start(house.request("Count")).unwrap();
    let folders = [dropped.folder().to_owned()];
    drop(dropped);
    let waited_for = artoo.start(house.request("Count")).unwrap();
    let folders = [folders[0].clone(), waited_for.folder().to_owned()];
    assert!(tokio::time::timeout(Duration::from_secs(1), waited_for.finished()).await.is_err());
    artoo.close().await;
    for folder in folders {
        let read = artoo_runtime::journal::read(&folder.join(artoo_runtime::journal::FILE_NAME)).unwrap();
        let faults = read.envelopes.iter().filter_map(|envelope| {
            if let Message::FinalResult(result) = envelope.message.as_ref() {
                result.fault.clone()
            } else {
                None
            }
        });
        assert_eq!(faults.map(|fault| fault.kind).collect::<Vec<_>>(), [FaultKind::Cancelled]);
    }
}

#[tokio::test(start_paused = true)]
async fn closing_ends_open_runs_and_starts_no_more() {
    let house = House::new();
    let model = Arc::new(ScriptedModel::new().always(Expect::purpose("planner"), Answer::hang()));
    let artoo = house.quiet(&model).build().unwrap();
    let run = artoo.start(house.request("Count")).unwrap();
    let clone = artoo.clone();
    let (seen, ()) = tokio::join!(watched(run), artoo.close());
    assert_eq!(seen.fault(), Some(FaultKind::Cancelled));
    let refused = clone.start(house.request("Count")).unwrap_err();
    assert!(matches!(refused, artoo_runtime::StartError::Closed), "{refused}");
}
