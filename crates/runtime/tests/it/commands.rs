//! Runs of a single command from the user: no model, the same rules, an undoable record.

use std::{fs, time::Duration};

use artoo_runtime::{Artoo, events::Event, journal::RunState, runs};
use artoo_sandbox::Support;
use artoo_snapshot::{Present, Undoable};
use artoo_types::{EffectKind, Errand, FaultKind, Message, MessageKind, TerminalState};

use crate::{
    cancel::cancelled_at,
    fixture::{House, Seen, watched},
};

/// Whether commands can be confined here; prints a notice if not.
fn confines() -> bool {
    let confines = matches!(artoo_sandbox::probe(), Support::Enforced { .. });
    if !confines {
        artoo_test_needs::skip(artoo_test_needs::Ability::Landlock, artoo_sandbox::probe());
    }
    confines
}

/// An artoo without a model.
fn artoo(house: &House) -> Artoo {
    let path = std::ffi::OsString::from("/usr/local/bin:/usr/bin:/bin");
    Artoo::builder()
        .without_model()
        .data_folder(house.data_folder())
        .environment([("PATH".into(), path)].into())
        .build()
        .unwrap()
}

/// Runs a command with these effects granted in advance.
async fn carried_out(house: &House, command: &str, granted: &[EffectKind]) -> Seen {
    let artoo = artoo(house);
    let mut request = house.request(command);
    request.granted.extend(granted);
    let seen = watched(artoo.command(request).unwrap()).await;
    artoo.close().await;
    seen
}

/// The exit code in the last line of the run.
fn exit_code(seen: &Seen) -> u8 {
    let last = seen.lines().pop().unwrap();
    let Event::RunFinished { exit_code, errand: Errand::Command, .. } = last.event else {
        panic!("{last:?}")
    };
    exit_code
}

#[tokio::test]
async fn the_exit_code_is_the_commands() {
    if !confines() {
        return;
    }
    let house = House::new();
    for (command, code) in [("true", 0), ("exit 7", 7), ("kill -9 $$", 137), ("grep -q 不在 docs/a.txt", 1)]
    {
        let seen = carried_out(&house, command, &[]).await;
        assert_eq!((exit_code(&seen), seen.result.directive), (code, TerminalState::Accept), "{command}");
        let kinds = [
            MessageKind::UserRequest,
            MessageKind::TaskSpec,
            MessageKind::SubTask,
            MessageKind::ToolStarted,
            MessageKind::ToolFinished,
            MessageKind::ExecutionResult,
            MessageKind::SubTaskOutcome,
            MessageKind::FinalResult,
        ];
        assert_eq!(seen.kinds(), kinds, "{command}");
    }
    let listed = runs::list(&house.data_folder()).unwrap();
    let rows: Vec<_> =
        listed.iter().rev().map(|run| (run.errand, run.state, run.exit_code, run.calls)).collect();
    let row = |code| (Errand::Command, RunState::Finished, Some(code), 0);
    assert_eq!(rows, [row(0), row(7), row(137), row(1)]);
}

#[tokio::test]
async fn what_it_changed_is_taken_back_like_that_of_any_run() {
    if !confines() {
        return;
    }
    let house = House::new();
    let (old, new) = (house.path("home/docs/a.txt"), house.path("home/docs/new.txt"));
    let before = fs::read(&old).unwrap();
    let command = "echo 2 > docs/a.txt; echo 1 > docs/new.txt";
    let seen = carried_out(&house, command, &[EffectKind::Overwrites]).await;
    assert_eq!((exit_code(&seen), fs::read_to_string(&old).unwrap().as_str()), (0, "2\n"));
    assert!(new.exists());
    assert_eq!(runs::undo_state(&seen.folder), Undoable::Yes);
    let undo = runs::prepare_undo(&seen.folder, Present::AsRecorded).unwrap();
    assert_eq!(undo.apply().unwrap(), []);
    assert_eq!((fs::read(&old).unwrap(), new.exists()), (before, false));
}

#[tokio::test]
async fn without_a_yes_nothing_that_was_there_changes() {
    if !confines() {
        return;
    }
    let house = House::new();
    let seen = carried_out(&house, "rm docs/a.txt", &[]).await;
    assert_eq!((exit_code(&seen), seen.result.directive), (5, TerminalState::Abandon));
    assert!(house.path("home/docs/a.txt").exists());
    let asked = seen.messages().filter(|message| matches!(message, Message::ApprovalRequested(_))).count();
    assert_eq!((asked, runs::undo_state(&seen.folder)), (1, Undoable::Nothing));
}

#[tokio::test]
async fn its_time_and_its_person_end_it() {
    if !confines() {
        return;
    }
    let house = House::new();
    let artoo = artoo(&house);
    let mut request = house.request("sleep 3019");
    request.timeout = Some(Duration::from_millis(300));
    let seen = watched(artoo.command(request).unwrap()).await;
    assert_eq!((exit_code(&seen), seen.fault()), (124, Some(FaultKind::Timeout)));
    let run = artoo.command(house.request("sleep 3019")).unwrap();
    let seen = cancelled_at(run, MessageKind::ToolStarted).await;
    assert_eq!((exit_code(&seen), seen.fault()), (130, Some(FaultKind::Cancelled)));
    artoo.close().await;
}
