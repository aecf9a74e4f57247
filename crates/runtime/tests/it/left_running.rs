//! Background commands in a whole run.

use std::{fs, path::Path, sync::Arc};

use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_sandbox::Support;
use artoo_types::{CallEnding, Message, MessageKind, ToolCall};
use serde_json::json;

use crate::fixture::{House, Seen, question, shell, watched};

/// Prints its process id as seen by the test, and continues; so does a child that has left its group.
const SERVER: &str =
    "setsid sh -c 'read p _ < /proc/self/stat; echo $p > $TMPDIR/pid; exec sleep 600' & exec sleep 600";
/// Waits until it is up, and prints its process id.
const ASK: &str = "until test -s $TMPDIR/pid; do sleep 0.01; done; cat $TMPDIR/pid";

fn can_confine() -> bool {
    let can = matches!(artoo_sandbox::probe(), Support::Enforced { .. });
    if !can {
        artoo_test_needs::skip(artoo_test_needs::Ability::Landlock, artoo_sandbox::probe());
    }
    can
}

/// A model whose step starts the server, looks at it twice, and queries it twice.
fn model() -> Arc<ScriptedModel> {
    let start = json!({"tool": "shell", "arguments": {"command": SERVER, "background": true}, "output_is_answer": false});
    let look = json!({"tool": "job", "arguments": {"job": 1, "do": "output"}});
    let model = ScriptedModel::new().always(Expect::purpose("planner"), Answer::json(question("Count")));
    let ask = json!({"tool": "shell", "arguments": {"command": ASK}, "output_is_answer": false});
    let turns = [start, look.clone(), look, ask, shell(ASK)];
    Arc::new(
        turns
            .into_iter()
            .fold(model, |model, turn| model.expect(Expect::purpose("executor"), Answer::json(turn))),
    )
}

fn calls(seen: &Seen) -> Vec<ToolCall> {
    let finished = |message: &Message| {
        if let Message::ToolFinished(finished) = message { Some(finished.call.clone()) } else { None }
    };
    seen.messages().filter_map(finished).collect()
}

/// A zombie that waits to be reaped is not running.
fn is_running(pid: &str) -> bool {
    assert!(pid.parse::<u32>().is_ok(), "no process number: {pid:?}");
    fs::read_to_string(Path::new("/proc").join(pid).join("stat"))
        .is_ok_and(|stat| !matches!(stat.rsplit(") ").next(), Some(state) if state.starts_with(['Z', 'X'])))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_that_was_left_running_ends_with_its_run_and_the_record_says_so() {
    if !can_confine() {
        return;
    }
    let house = House::new();
    let artoo = house.builder(&model()).build().unwrap();
    let seen = watched(artoo.start(house.request("Count")).unwrap()).await;
    let calls = calls(&seen);
    // Two identical calls in a row are no repetition while a command is running: time has passed.
    let endings: Vec<_> = calls.iter().map(|call| (call.tool.as_str(), call.ending.clone())).collect();
    let returned = CallEnding::Returned;
    assert_eq!(
        endings,
        [
            ("shell", returned.clone()),
            ("job", returned.clone()),
            ("job", returned),
            ("shell", CallEnding::Exited { status: 0 }),
            ("shell", CallEnding::Exited { status: 0 })
        ]
    );
    let pid = calls[3].output.shown.trim();
    assert!(!is_running(pid), "{pid} is gone when the run has ended");
    assert!(!seen.folder.join("tmp").exists());
    let warnings: Vec<_> = seen
        .messages()
        .filter_map(|message| {
            if let Message::Warning(warning) = message { Some(warning.message.clone()) } else { None }
        })
        .collect();
    assert_eq!(
        warnings,
        [format!("job 1 still ran and was stopped with the run: {}", artoo_llm_client::inline(SERVER))]
    );
    assert_eq!(seen.kinds().last(), Some(&MessageKind::Warning));
}
