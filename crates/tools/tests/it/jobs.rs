//! Background commands and the `job` tool.

use std::fs;
use std::path::Path;
use std::time::Duration;

use artoo_sandbox::Network;
use artoo_types::{CallEnding, FailureClass, ToolCall};
use serde_json::json;

use crate::fixture::{Scene, can_confine, failed, shown};

/// Writes the process id as seen by the test into the file `pid` of the scratch folder: within its namespace
/// a command has another one.
const SAYS_PID: &str = "read p _ < /proc/self/stat; echo $p > $TMPDIR/pid";

/// A scene in which a command is put into the background at once; `None`, with a notice, if nothing can be
/// confined.
fn scene() -> Option<Scene> {
    let mut scene = Scene::new();
    scene.cx.limits.job_grace = Duration::ZERO;
    can_confine().then_some(scene)
}

async fn start(scene: &Scene, command: &str) -> ToolCall {
    scene.call("shell", json!({ "command": command, "background": true })).await
}

async fn job(scene: &Scene, job: u64, act: &str) -> ToolCall {
    scene.call("job", json!({ "job": job, "do": act })).await
}

async fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..10_000 {
        if let Some(found) = look() {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("waited in vain");
}

fn lives(pid: &str) -> bool {
    assert!(pid.parse::<u32>().is_ok(), "no process number: {pid:?}");
    fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with(['Z', 'X']))
}

async fn pid_of(scene: &Scene) -> String {
    let file = scene.cx.private_tmp.join("pid");
    until(|| fs::read_to_string(&file).ok().filter(|text| text.ends_with('\n'))).await.trim().to_owned()
}

#[tokio::test]
async fn a_command_goes_on_is_looked_at_waited_for_and_gives_its_result() {
    let Some(scene) = scene() else { return };
    let script = "echo one; until test -e go; do sleep 0.01; done; echo two; echo oh >&2; until test -e end; do sleep 0.01; done; echo three; exit 3";
    let started = start(&scene, script).await;
    assert_eq!((started.ending.clone(), started.failure.clone()), (CallEnding::Returned, None));
    let mut seen = started.output.shown.clone();
    assert!(seen.starts_with("[job 1 is running; it can write only in $TMPDIR]\n"), "{seen}");
    // Every other call continues meanwhile, and the job sees its changes.
    scene.file("go", "");
    let mut errors = String::new();
    while !seen.ends_with("two\n") || errors.is_empty() {
        let look = job(&scene, 1, "output").await;
        let new = shown(&look)
            .strip_prefix("[job 1 is running; it can write only in $TMPDIR]\n")
            .unwrap()
            .to_owned();
        seen.push_str(&new);
        errors.push_str(&look.stderr.shown);
        // A poll without news yields the processor.
        tokio::task::yield_now().await;
    }
    assert_eq!(
        (seen.as_str(), errors.as_str()),
        ("[job 1 is running; it can write only in $TMPDIR]\none\ntwo\n", "oh\n")
    );
    scene.file("end", "");
    let ended = job(&scene, 1, "wait").await;
    assert_eq!(
        (ended.ending.clone(), ended.output.shown.as_str()),
        (CallEnding::Exited { status: 3 }, "three\n")
    );
    assert_eq!(failed(&ended, FailureClass::Unknown).reason, "exit status 3");
    assert_eq!(scene.whole(&ended), b"three\n");
    let gone = job(&scene, 1, "output").await;
    assert_eq!(failed(&gone, FailureClass::Logical).reason, "argument `job` names none; there are none");
}

#[tokio::test]
async fn one_that_ends_at_once_gives_the_usual_result() {
    let Some(mut scene) = scene() else { return };
    scene.cx.limits.job_grace = Duration::from_secs(60);
    for command in ["echo out; echo err >&2; exit 3", "printf a", "no-such-program", "printf 'a\\n' | grep b"]
    {
        let left = start(&scene, command).await;
        let usual = scene.call("shell", json!({ "command": command })).await;
        let told = |call: &ToolCall| {
            (call.ending.clone(), call.failure.clone(), call.output.clone(), call.stderr.clone())
        };
        assert_eq!(told(&left), told(&usual), "{command}");
    }
}

#[tokio::test]
async fn a_stopped_one_is_gone_with_its_tree() {
    let Some(scene) = scene() else { return };
    start(&scene, &format!("echo up; setsid sh -c '{SAYS_PID}; exec sleep 300' & sleep 300")).await;
    let pid = pid_of(&scene).await;
    assert!(lives(&pid));
    let stopped = job(&scene, 1, "stop").await;
    assert!(shown(&stopped).starts_with("[job 1 was stopped]\n"), "{stopped:?}");
    assert!(!lives(&pid));
    assert!(!scene.cx.jobs.is_any_running());
}

#[tokio::test]
async fn it_ends_with_its_run() {
    for way in ["close", "cancel", "drop"] {
        let Some(mut scene) = scene() else { return };
        start(&scene, &format!("setsid sh -c '{SAYS_PID}; exec sleep 300' & trap '' TERM; sleep 300")).await;
        let pid = pid_of(&scene).await;
        assert!(lives(&pid), "{way}");
        match way {
            "close" => assert_eq!(scene.cx.jobs.close().await.len(), 1),
            "cancel" => scene.cx.cancel.cancel(),
            _ => scene.cx.jobs = artoo_tools::Jobs::default(),
        }
        until(|| (!lives(&pid)).then_some(())).await;
    }
}

#[tokio::test]
async fn what_ended_by_itself_was_not_stopped_with_the_run() {
    let Some(scene) = scene() else { return };
    start(&scene, "until test -e go; do sleep 0.01; done").await;
    scene.file("go", "");
    until(|| (!scene.cx.jobs.is_any_running()).then_some(())).await;
    start(&scene, "sleep 300").await;
    assert_eq!(scene.cx.jobs.close().await, [(2, "sleep 300".to_owned())]);
}

#[tokio::test]
async fn it_sees_the_real_files_and_changes_none() {
    let Some(mut scene) = scene() else { return };
    scene.cx.limits.job_grace = Duration::from_secs(60);
    let file = scene.file("kept", "as it was\n");
    let workspace = scene.cx.workspace.display().to_string();
    for command in [
        "echo x > kept".to_owned(),
        "echo x > new".to_owned(),
        format!("echo x > '{workspace}/new'"),
        "rm kept".to_owned(),
    ] {
        let call = start(&scene, &command).await;
        let failure = failed(&call, FailureClass::Environmental);
        assert_eq!(
            failure.hint.as_deref(),
            Some("commands may write only in $TMPDIR"),
            "{command}: {failure:?}"
        );
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "as it was\n");
    assert!(!scene.cx.working_folder.join("new").exists() && !Path::new(&workspace).join("new").exists());
    let scratch = start(&scene, "echo x > $TMPDIR/new; cat $TMPDIR/new").await;
    assert_eq!(shown(&scratch), "x\n");
}

#[tokio::test]
async fn the_network_is_asked_about_before_it_starts() {
    let Some(mut scene) = scene() else { return };
    scene.cx.consent = std::sync::Arc::new(artoo_consent::Nobody);
    scene.cx.network = Network::Granted;
    let refused = start(&scene, "some-server --port 8000").await;
    assert!(failed(&refused, FailureClass::Denied).reason.contains("any other machine"), "{refused:?}");
    // Without a grant there is no question and no network.
    scene.cx.network = Network::Denied;
    shown(&start(&scene, "sleep 300").await);
}

#[tokio::test]
async fn at_most_four_run_at_once() {
    let Some(scene) = scene() else { return };
    for number in 1..=4 {
        let started = start(&scene, "sleep 300").await;
        assert_eq!(shown(&started), format!("[job {number} is running; it can write only in $TMPDIR]\n"));
    }
    let fifth = start(&scene, "sleep 300").await;
    let full =
        "argument `background` is for at most 4 at once: stop one, or take its end; there are 1, 2, 3, 4";
    assert_eq!(failed(&fifth, FailureClass::Logical).reason, full);
    shown(&job(&scene, 2, "stop").await);
    assert_eq!(
        shown(&start(&scene, "sleep 300").await),
        "[job 5 is running; it can write only in $TMPDIR]\n"
    );
}

#[tokio::test]
async fn wrong_arguments_are_named() {
    let Some(mut scene) = scene() else { return };
    let table = [
        (json!({ "do": "wait" }), "argument `job` is missing"),
        (json!({ "job": 1 }), "argument `do` is missing"),
        (
            json!({ "job": 1, "do": "kill" }),
            "argument `do` must be one of `output`, `wait`, `stop`, not `kill`",
        ),
        (
            json!({ "job": 0, "do": "stop" }),
            "argument `job` must lie between 1 and 18446744073709551615, not 0",
        ),
        (
            json!({ "job": 1, "do": "wait", "seconds": 601 }),
            "argument `seconds` must lie between 1 and 600, not 601",
        ),
        (json!({ "job": 7, "do": "stop" }), "argument `job` names none; there are none"),
    ];
    for (arguments, reason) in table {
        let call = scene.call("job", arguments).await;
        assert_eq!(failed(&call, FailureClass::Logical).reason, reason);
    }
    scene.cx.trial_only = true;
    let call = start(&scene, "sleep 300").await;
    assert!(failed(&call, FailureClass::Logical).reason.starts_with("it was not started"), "{call:?}");
}
