//! Snapshots of a session at the prompt at three widths, and Ctrl+C in every phase of a run.

use std::sync::{Arc, Mutex};

use artoo_llm_http::doubles::{Call, Reply};
use rustix::process::Signal;

use crate::fixture::Scene;
use crate::mock_model::{count_plan, model, schema, shell};
use crate::repl::Talk;

/// A session: a request, a follow-up with a refused deletion, the changes, the cost.
fn day(columns: u16) -> String {
    let answers = model(count_plan("Count or remove"), |shown| {
        let removes = shown.contains("Remove the first one");
        shell(if removes { "rm docs/a.txt; echo 1" } else { "ls docs/*.txt | wc -l" })
    });
    let scene = Scene::new(answers);
    // Below the home folder, so that the prompt shows no path of this machine.
    let below = scene.home().join("项目");
    std::fs::create_dir_all(&below).unwrap();
    std::fs::rename(scene.folder().join("docs"), below.join("docs")).unwrap();
    let mut talk = Talk::begin(&scene, columns, &[]);
    talk.types("/cwd ~/项目\r");
    talk.screen.until_seen("begins a session");
    talk.at_prompt();
    talk.types("数一数 docs 里有多少个 .txt 文件? 😀\r");
    talk.screen.until_shown_times("recorded:", 1);
    talk.at_prompt();
    talk.types("Remove the first one\r");
    talk.screen.until_seen("or say what to do instead > ");
    talk.types("n\r");
    talk.screen.until_shown_times("recorded:", 2);
    talk.at_prompt();
    talk.types("/diff\r");
    talk.screen.until_seen("nothing was changed");
    talk.at_prompt();
    talk.types("/cost\r");
    talk.screen.until_seen("2 turns, ");
    talk.at_prompt();
    talk.types("\u{4}");
    let (code, screen) = talk.ends();
    assert_eq!(code, Some(0), "{screen}");
    assert!(below.join("docs/a.txt").exists());
    // Text before this line shows the folder of this test.
    let lines: Vec<&str> = screen.lines().collect();
    lines[lines.iter().position(|line| line.contains("$ ls docs")).unwrap()..].join("\n")
}

#[test]
fn a_day_in_40_80_and_200_columns() {
    for columns in [40, 80, 200] {
        insta::with_settings!({
            filters => vec![
                (r"recorded: \S+", "recorded: [folder]"),
                (r"(deletes|not allowed:|refused,)[^\n]*", "$1 [...]"),
                (r"\b[0-9a-f]{12}\b", "[id]"),
                (r"\b\d+(\.\d+)? m?s\b", "[time]"),
                (r" +(mock)", " $1"),
            ],
        }, {
            insta::assert_snapshot!(format!("a_day_in_{columns}_columns"), day(columns));
        });
    }
}

#[test]
fn ctrl_c_ends_a_run_in_each_of_its_phases() {
    let stalled = Arc::new(Mutex::new(""));
    let at = Arc::clone(&stalled);
    let answers = model(count_plan("Count or remove"), |shown| {
        shell(match () {
            () if shown.contains("Remove") => "rm docs/a.txt; echo 1",
            () if shown.contains("Wait") => "sleep 600",
            () => "ls docs/*.txt | wc -l",
        })
    });
    let scene = Scene::new(move |call: &Call| {
        let phase = *at.lock().unwrap();
        let is_here = !phase.is_empty() && schema(call).starts_with(phase);
        if is_here { Reply::stall() } else { answers(call) }
    });
    let mut talk = Talk::begin(&scene, 100, &[]);
    talk.types("How many .txt files are in docs?\r");
    talk.screen.until_shown_times("recorded:", 1);
    talk.at_prompt();
    let mut interrupted = 0;
    let mut interrupts = |talk: &mut Talk| {
        interrupted += 1;
        talk.signal(Signal::INT);
        talk.screen.until_shown_times("the run was interrupted", interrupted);
        talk.at_prompt();
    };
    // While a model is awaited: the perceiver's, the planner's, the executor's, the judge's.
    for phase in ["resolved", "plan", "action", "parts"] {
        *stalled.lock().unwrap() = phase;
        let asked = scene.server().calls().len();
        talk.types("And once more\r");
        crate::process::until(phase, || {
            scene.server().calls().iter().skip(asked).any(|it| schema(it).starts_with(phase))
        });
        interrupts(&mut talk);
    }
    *stalled.lock().unwrap() = "";
    // While a command runs, and while a question is open.
    talk.types("Wait for long\r");
    talk.screen.until_seen("sleep 600");
    interrupts(&mut talk);
    talk.types("Remove the first one\r");
    talk.screen.until_seen("or say what to do instead > ");
    interrupts(&mut talk);
    // The conversation continues. Interrupted runs are recorded, too, so that `recorded:` tells nothing here.
    talk.types("How many .txt files are in docs?\r");
    talk.screen.until_shown_times("✓ Done", 2);
    talk.at_prompt();
    talk.types("\u{4}");
    let (code, screen) = talk.ends();
    assert_eq!(code, Some(0), "{screen}");
    assert!(scene.folder().join("docs/a.txt").exists());
}
