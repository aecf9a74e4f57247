//! Tests of `--plan`: nothing runs before the user has seen and approved the plan.

use crate::fixture::Scene;
use crate::mock_model::counting;
use crate::process::ended;
use crate::screen::Screen;

const REQUEST: &str = "How many .txt files are in docs?";

/// Runs at a terminal and types `typed` at the plan: the exit code, the screen and the journal.
fn at_a_terminal(typed: &str) -> (Option<i32>, String, String) {
    let scene = Scene::new(counting());
    let mut screen = Screen::new(100);
    let mut command = scene.artoo(&["run", "--plan", REQUEST]);
    command.env("TERM", "dumb");
    let mut child =
        command.stdin(screen.stream()).stdout(screen.stream()).stderr(screen.stream()).spawn().unwrap();
    drop(command);
    screen.until_shown("run this plan? [y/N] > ");
    screen.types(typed);
    let code = ended(&mut child).code();
    (code, screen.end().0, scene.journal())
}

#[test]
fn a_yes_lets_the_plan_run() {
    let (code, screen, journal) = at_a_terminal("y\n");
    assert_eq!(code, Some(0), "{screen}");
    let parts = [
        "plan: Count the .txt files in docs",
        "Run this plan? Nothing of it has run yet.",
        "is done when: The output is the number of files",
        "run this plan? [y/N] > y",
        "the plan runs: the person agreed",
        "✓ Done",
    ];
    let mut rest = screen.as_str();
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("no `{part}` after what came before in\n{screen}"));
        rest = &rest[at..];
    }
    assert!(journal.contains("plan_approval_decided"));
}

/// A no, an empty line, the end of the input (Ctrl+D) and words that are not a yes.
#[test]
fn anything_else_is_a_no() {
    for typed in ["n\n", "\n", "\u{4}", "yes but not now\n"] {
        let (code, screen, journal) = at_a_terminal(typed);
        assert_eq!(code, Some(5), "{typed:?}\n{screen}");
        for part in [
            "the plan does not run: the person did not agree",
            "error: nothing of plan 1 was run",
            "not agreed to",
        ] {
            assert!(screen.contains(part), "no `{part}` in\n{screen}");
        }
        assert!(!journal.contains("tool_started") && !journal.contains("dispatch_manifest"), "{journal}");
    }
}

#[test]
fn where_nobody_can_be_asked_the_plan_is_shown_and_nothing_runs() {
    for (line, shown) in
        [(&["run", "--plan", REQUEST][..], true), (&["run", "--plan", "--json", REQUEST][..], false)]
    {
        let scene = Scene::new(counting());
        let said = scene.say(line).ended(5);
        said.explains("nobody is there to agree to it", "at a terminal");
        assert_eq!(said.err.contains("plan: Count the .txt files in docs"), shown, "{}", said.err);
        assert_eq!(said.out.contains("\"plan.proposed\""), !shown, "{}", said.out);
        assert!(!scene.journal().contains("tool_started"));
    }
}

/// Standard input from a pipe that ends does not count as a person.
#[test]
fn a_closed_input_is_nobody() {
    let scene = Scene::new(counting());
    let said = crate::process::say_with_input(&mut scene.artoo(&["run", "--plan", REQUEST]), b"").ended(5);
    said.explains("nobody is there to agree to it", "without --plan");
    assert!(!scene.journal().contains("tool_started"));
}
