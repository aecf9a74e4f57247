//! Tests of the status line, in virtual time.

use artoo_types::{RetryReason, ToolName, TrialFiles};
use serde_json::json;

use super::*;

/// The line after so many seconds, with nothing that goes on besides.
fn at(waiting: &mut Waiting, seconds: u64) -> String {
    waiting.status(0, Moment { elapsed: Duration::from_secs(seconds), activities: &[] }, 200)
}

fn call_id() -> CallId {
    "01970000-0000-7000-8000-0000000000c1".parse().unwrap()
}

fn started(command: &str) -> Event {
    let arguments = json!({"command": command});
    Event::ToolStarted { call_id: call_id(), tool: ToolName::new("shell"), arguments }
}

fn report(role: Role, age_ms: u64, progress: Progress) -> ActivityReport {
    ActivityReport { activity: 1, role, subtask_id: None, age_ms, reported_ms: 100, progress }
}

#[test]
fn the_time_is_that_of_what_is_waited_for() {
    let mut waiting = Waiting::default();
    assert_eq!(at(&mut waiting, 0), "◐ reading the request · 0 model calls, 0 tokens");
    waiting.on(&started("cargo test\n"), Some(1));
    assert_eq!(at(&mut waiting, 20), "◐ running cargo test · 20 s in all, 0 model calls, 0 tokens");
    let status = at(&mut waiting, 95);
    assert_eq!(status, "◐ running cargo test, 1 min 15 s · 1 min 35 s in all, 0 model calls, 0 tokens");
    // The same again is another call.
    waiting.on(&started("cargo test\n"), Some(1));
    assert!(at(&mut waiting, 96).starts_with("◐ running cargo test · "));
}

#[test]
fn the_last_line_of_a_command_is_shown_while_it_runs() {
    let mut waiting = Waiting::default();
    waiting.on(&started("cargo test"), Some(1));
    let output = |text: &str| Event::ToolOutput { call_id: call_id(), text: text.to_owned() };
    waiting.on(&output("   Compiling serde v1.0.2\n   Compi"), Some(1));
    waiting.on(&output("ling artoo v0.1.0 (/work/main/crates/artoo, a long path)\n\n"), Some(1));
    let status = at(&mut waiting, 3);
    let expected = "◐ running cargo test · Compiling artoo v0.1.0 (/work/main/crat… · 3 s in all, ";
    assert!(status.starts_with(expected), "{status}");
    let ends = Moment { elapsed: Duration::from_secs(9), activities: &[] };
    let said = waiting.sentence(ends);
    assert!(said.starts_with("running cargo test, 6 s; Compiling artoo"), "{said}");
    // A long command leaves half of the line to what it puts out.
    let long = "for file in a b c d; do convert $file; done";
    waiting.on(&started(long), Some(1));
    waiting.on(&output("file c\n"), Some(1));
    let status = clip(&waiting.status(0, ends, 40), 39);
    assert_eq!(status, "◐ running for file in… · file c · 9 s …");
}

/// A long command leaves room for the time, or a narrow terminal would stand still.
#[test]
fn something_moves_at_every_width() {
    let mut waiting = Waiting::default();
    waiting.on(&started("find . -name '*.rs' -newer Cargo.toml -exec grep -l unsafe {} +"), Some(1));
    for columns in [20, 40, 80] {
        let mut frame = |seconds| {
            let now = Moment { elapsed: Duration::from_secs(seconds), activities: &[] };
            clip(&waiting.status(0, now, columns), columns - 1)
        };
        let frames: std::collections::BTreeSet<String> = (0..30).step_by(2).map(&mut frame).collect();
        assert!(frames.len() >= 14, "{columns}: {frames:#?}");
    }
}

/// What each front of a run shows, at two widths and for a reader of lines.
#[test]
fn what_goes_on_is_shown() {
    let retry = Progress::WaitingToRetry {
        server: "http://localhost:11434/v1/chat/completions".to_owned(),
        reason: RetryReason::NoConnection,
        attempt: 2,
        of: 4,
        wait_ms: 3000,
    };
    let files = TrialFiles::Doubled;
    let all = [
        report(Role::Perceiver, 400, Progress::WaitingForModel),
        report(Role::Planner, 3_000, Progress::Queued),
        report(Role::Planner, 14_000, Progress::LoadingModel { done: 7, total: 24 }),
        report(Role::Planner, 21_000, Progress::ReadingPrompt { done: 512, total: 1280 }),
        report(Role::Executor, 9_000, Progress::ReceivingAnswer { tokens: 120, within_ms: 8500 }),
        report(Role::Executor, 6_000, Progress::TryingCommand { variant: 2, of: 4, files }),
        report(Role::MetaValidator, 185_000, Progress::ReadingPrompt { done: 3, total: 9 }),
        report(Role::AgentValidator, 9_000, retry),
    ];
    let mut text = String::new();
    for columns in [40, 80] {
        text.push_str(&format!("{columns} columns\n"));
        for one in &all {
            let now = Moment { elapsed: Duration::from_secs(200), activities: std::slice::from_ref(one) };
            text.push_str(&format!("{}\n", clip(&Waiting::default().status(0, now, columns), columns - 1)));
        }
    }
    text.push_str("in lines\n");
    for one in &all {
        let now = Moment { elapsed: Duration::from_secs(200), activities: std::slice::from_ref(one) };
        text.push_str(&format!("{}\n", Waiting::default().sentence(now)));
    }
    insta::assert_snapshot!(text);
}

/// A call that is to be made again is shown before what came later; a tool is known from its event.
#[test]
fn one_of_several_is_shown() {
    let retry = Progress::WaitingToRetry {
        server: String::new(),
        reason: RetryReason::Status(503),
        attempt: 3,
        of: 4,
        wait_ms: 900,
    };
    let tool = report(Role::Executor, 1, Progress::RunningTool { call_id: call_id() });
    let reading = report(Role::Executor, 1, Progress::ReadingPrompt { done: 1, total: 4 });
    let said = |activities: &[ActivityReport]| {
        Waiting::default().sentence(Moment { elapsed: Duration::ZERO, activities })
    };
    assert!(said(std::slice::from_ref(&tool)).starts_with("reading the request"));
    assert!(said(&[reading.clone(), tool.clone()]).starts_with("reading the prompt 25 %"));
    let all = [report(Role::Executor, 1, retry), reading, tool];
    assert!(said(&all).starts_with("status 503, again in 1 s (3 of 4)"), "{}", said(&all));
}
