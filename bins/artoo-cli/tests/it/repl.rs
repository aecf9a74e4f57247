//! A conversation at a terminal, and without one.

use std::process::{Child, Stdio};

use artoo_llm_http::doubles::Reply;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::model::{count_plan, counting, model, schema, shell, shown};
use crate::process::{ended, say_with_input};
use crate::scene::Scene;
use crate::screen::Screen;

/// The last of the prompt.
const PROMPT: &str = "项目 › ";

/// A conversation at a terminal.
struct Talk {
    screen: Screen,
    child: Child,
}

impl Talk {
    fn begin(scene: &Scene, columns: u16, line: &[&str]) -> Self {
        let screen = Screen::new(columns);
        let mut command = scene.artoo(line);
        command.env("TERM", "xterm-256color").env("NO_COLOR", "1");
        let child =
            command.stdin(screen.stream()).stdout(screen.stream()).stderr(screen.stream()).spawn().unwrap();
        drop(command);
        screen.until_seen(PROMPT);
        Self { screen, child }
    }

    fn types(&mut self, text: &str) {
        self.screen.types(text);
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits until the next request may be typed.
    fn at_prompt(&self) {
        let is_last = |screen: String| {
            let last = screen.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().to_owned();
            last.contains(PROMPT.trim_end())
        };
        crate::process::until("the prompt", || is_last(self.screen.seen()));
    }

    /// Waits for the end: the exit code and what was on the screen.
    fn ends(mut self) -> (Option<i32>, String) {
        let code = ended(&mut self.child).code();
        (code, self.screen.end().0)
    }
}

/// Models that count, and that understand a follow-up.
fn following() -> impl Fn(&artoo_llm_http::doubles::Call) -> Reply + Send + Sync + 'static {
    let counting = counting();
    move |call| match schema(call) {
        name @ ("resolved_or_open" | "resolved_request") => {
            assert!(shown(call).contains("How many .txt files are in docs?"), "{}", shown(call));
            let mut understood = json!({"intent": "How many files are in docs, again?"});
            if name == "resolved_or_open" {
                understood["questions"] = json!([]);
            }
            Reply::text(understood.to_string())
        }
        _ => counting(call),
    }
}

#[test]
fn a_request_a_follow_up_and_the_end() {
    let scene = Scene::new(following());
    let mut talk = Talk::begin(&scene, 80, &[]);
    talk.types("How many .txt files are in docs?\r");
    talk.screen.until_seen("✓ accept");
    talk.screen.until_shown_times("recorded:", 1);
    talk.at_prompt();
    talk.types("and now again\r");
    talk.screen.until_seen("understood: How many files are in docs, again?");
    talk.screen.until_shown_times("recorded:", 2);
    talk.at_prompt();
    talk.types("/cost\r");
    talk.screen.until_seen("2 turns, ");
    talk.types("/sessions\r");
    talk.screen.until_seen("  2 turns");
    talk.types("/nonsense\r");
    talk.screen.until_seen("there is no command /nonsense");
    talk.types("\u{4}");
    let (code, screen) = talk.ends();
    assert_eq!(code, Some(0), "{screen}");
    assert_eq!(scene.runs().len(), 2);
}

#[test]
fn ctrl_c_ends_the_run_and_not_the_program_and_twice_at_the_prompt_leaves() {
    let scene = Scene::new(model(count_plan("Wait"), |_| shell("sleep 600")));
    let mut talk = Talk::begin(&scene, 80, &[]);
    talk.types("Wait for long\r");
    talk.screen.until_seen("sleep 600");
    talk.signal(Signal::INT);
    talk.screen.until_seen("the run was interrupted");
    talk.at_prompt();
    talk.types("not sent\u{3}");
    talk.screen.until_seen("Ctrl+C again");
    talk.types("\u{3}");
    let (code, screen) = talk.ends();
    assert_eq!(code, Some(0), "{screen}");
    let listed = scene.say(&["runs", "list"]).ended(0).out;
    assert!(listed.contains("interrupted"), "{listed}");
}

#[test]
fn what_is_typed_while_a_run_works_is_kept() {
    let scene = Scene::new(model(count_plan("Wait"), |_| shell("sleep 1; ls docs/*.txt | wc -l")));
    let mut talk = Talk::begin(&scene, 80, &[]);
    talk.types("Count slowly\r");
    talk.screen.until_seen("plan 1");
    talk.types("/cost\r");
    talk.screen.until_seen("next: /cost");
    talk.types("a draft 数");
    talk.screen.until_seen("› a draft 数");
    talk.screen.until_seen("1 turn, ");
    // It stands at the next prompt.
    talk.screen.until_seen(&format!("{PROMPT}a draft 数"));
    talk.types("\u{3}");
    talk.screen.until_seen("Ctrl+C again");
    talk.types("\u{4}");
    assert_eq!(talk.ends().0, Some(0));
}

#[test]
fn a_question_is_answered_below_the_view_and_not_by_what_was_typed_before() {
    let scene = Scene::new(model(count_plan("Write it"), |_| shell("rm docs/a.txt; echo 1")));
    let mut talk = Talk::begin(&scene, 100, &[]);
    talk.types("Remove a.txt\r");
    talk.screen.until_seen("or say what to do instead > ");
    talk.types("n\r");
    talk.screen.until_shown_times("recorded:", 1);
    talk.at_prompt();
    talk.types("\u{4}");
    let (code, screen) = talk.ends();
    assert_eq!(code, Some(0), "{screen}");
    assert!(scene.folder().join("docs/a.txt").exists());
}

#[test]
fn sigterm_ends_the_program_at_the_prompt_and_in_a_run() {
    let scene = Scene::new(model(count_plan("Wait"), |_| shell("sleep 600")));
    let talk = Talk::begin(&scene, 80, &[]);
    talk.signal(Signal::TERM);
    assert_eq!(talk.ends().0, Some(143));
    let mut talk = Talk::begin(&scene, 80, &[]);
    talk.types("Wait for long\r");
    talk.screen.until_seen("sleep 600");
    talk.signal(Signal::TERM);
    assert_eq!(talk.ends().0, Some(143));
    let listed = scene.say(&["runs", "list"]).ended(0).out;
    assert!(listed.contains("terminated"), "{listed}");
}

#[test]
fn a_paste_of_several_lines_is_one_request_and_narrow_screens_work() {
    let scene = Scene::new(counting());
    let mut talk = Talk::begin(&scene, 40, &[]);
    talk.types("\u{1b}[200~How many .txt files\nare in docs?\n😀 كم\u{1b}[201~");
    talk.screen.until_seen("😀");
    talk.screen.resize(30);
    talk.types("\r");
    talk.screen.until_shown_times("recorded:", 1);
    talk.at_prompt();
    talk.types("\u{4}");
    assert_eq!(talk.ends().0, Some(0));
    let asked = scene.say(&["sessions", "show", "last"]).ended(0).out;
    assert!(asked.contains("are in docs?"), "{asked}");
    assert_eq!(scene.runs().len(), 1);
}

#[test]
fn without_a_terminal_each_line_is_a_request_of_one_session() {
    let scene = Scene::new(following());
    let input = "How many .txt files are in docs?\n\nand now again\n/cost\n".as_bytes();
    let said = say_with_input(scene.artoo(&[]).stdin(Stdio::piped()), input).ended(0);
    assert!(said.out.starts_with("3\n3\n2 turns, "), "{}", said.out);
    assert!(said.err.contains("understood: How many files are in docs, again?"), "{}", said.err);
    let listed = scene.say(&["sessions", "list", "--json"]).ended(0).out;
    assert_eq!(listed.lines().count(), 1, "{listed}");

    let nothing = say_with_input(scene.artoo(&[]).stdin(Stdio::piped()), b"\n").ended(2);
    assert!(nothing.err.contains("artoo run"), "{}", nothing.err);
    let bad = say_with_input(scene.artoo(&[]).stdin(Stdio::piped()), b"/undo\n\xff\n").ended(2);
    bad.explains("nothing was run in this session", "/runs");
    let binary = say_with_input(scene.artoo(&[]).stdin(Stdio::piped()), b"\xff\xfe\n").ended(2);
    binary.explains("not UTF-8", "iconv");
}

#[test]
fn a_session_goes_on_in_another_program() {
    let scene = Scene::new(following());
    scene.say(&["run", "How many .txt files are in docs?"]).ended(0);
    let said = scene.say(&["run", "--continue", "and now again"]).ended(0);
    assert!(said.err.contains("understood: How many files are in docs, again?"), "{}", said.err);
    scene.say(&["sessions", "rename", "last", "counting"]).ended(0);
    scene.say(&["run", "--session", "counting", "and now again"]).ended(0);
    let page = scene.say(&["sessions", "show", "counting"]).ended(0).out;
    assert_eq!(page.matches("and now again").count(), 2, "{page}");
    let file = scene.folder().join("out.md");
    scene.say(&["sessions", "export", "counting", "--output", "out.md"]).ended(0);
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("# counting\n"));
    scene
        .say(&["sessions", "export", "counting", "--output", "out.md"])
        .ended(2)
        .explains("cannot write", "not there yet");

    // Somewhere else it has to be said where to work.
    let elsewhere = scene.artoo(&["run", "--session", "counting", "--cwd", "docs", "and now again"]);
    let mut elsewhere = elsewhere;
    crate::process::say(&mut elsewhere).ended(0);
    let mut here = scene.artoo(&["run", "--session", "counting", "and now again"]);
    crate::process::say(here.current_dir(scene.folder().join("docs")))
        .ended(2)
        .explains("belongs to", "--cwd");
    let mut none = scene.artoo(&["run", "--continue", "x"]);
    crate::process::say(none.current_dir(scene.home()))
        .ended(2)
        .explains("no session belongs to", "artoo run");
    scene
        .say(&["run", "--session", "nobody", "x"])
        .ended(2)
        .explains("there is no session", "artoo sessions list");
    scene.say(&["sessions", "delete", "counting"]).ended(0);
    scene.say(&["sessions", "show", "counting"]).ended(2);
}

#[test]
fn a_command_of_the_person_is_carried_out_told_to_the_next_request_and_taken_back() {
    let scene = Scene::new(move |call: &artoo_llm_http::doubles::Call| {
        if schema(call).starts_with("resolved") {
            // What the command put out is an earlier turn.
            assert!(shown(call).contains("seen-by-the-next"), "{}", shown(call));
        }
        counting()(call)
    });
    let mut talk = Talk::begin(&scene, 100, &[]);
    talk.types("! echo seen-by-the-next | tee new.txt\r");
    talk.screen.until_seen("to take it back: artoo runs undo");
    talk.at_prompt();
    talk.types("/diff\r");
    talk.screen.until_seen("+seen-by-the-next");
    talk.at_prompt();
    talk.types("How many .txt files are in docs?\r");
    talk.screen.until_seen("✓ accept");
    talk.at_prompt();
    assert!(scene.folder().join("new.txt").exists());
    talk.types("/undo\r");
    talk.screen.until_seen("nothing");
    talk.at_prompt();
    let command = scene.runs()[0].file_name().unwrap().to_str().unwrap().to_owned();
    talk.types(&format!("/undo {command}\r"));
    talk.screen.until_seen("removed");
    talk.at_prompt();
    talk.types("! exit 3\r");
    talk.at_prompt();
    talk.types("/save day.md\r");
    talk.screen.until_seen("written: day.md");
    talk.at_prompt();
    talk.types("\u{4}");
    let (code, screen) = talk.ends();
    assert_eq!(code, Some(0), "{screen}");
    assert!(!scene.folder().join("new.txt").exists());
    let saved = std::fs::read_to_string(scene.folder().join("day.md")).unwrap();
    assert!(saved.contains("! echo seen-by-the-next") && saved.contains("How many .txt files"), "{saved}");
}

#[test]
fn what_was_typed_is_kept_when_the_program_is_killed() {
    let scene = Scene::new(model(count_plan("Wait"), |_| shell("sleep 600")));
    let mut talk = Talk::begin(&scene, 80, &[]);
    talk.types("Wait for 很久\r");
    talk.screen.until_seen("sleep 600");
    talk.signal(Signal::KILL);
    assert_eq!(talk.ends().0, None);
    let page = scene.say(&["sessions", "show", "last"]).ended(0).out;
    assert!(page.contains("Wait for 很久") && page.contains("no end on record"), "{page}");

    // Up brings the line back in another program, and the session goes on.
    let mut talk = Talk::begin(&scene, 80, &["--continue"]);
    talk.types("\u{1b}[A");
    talk.screen.until_seen("› Wait for 很久");
    talk.types("\u{3}");
    talk.screen.until_seen("Ctrl+C again");
    talk.types("\u{4}");
    assert_eq!(talk.ends().0, Some(0));
}

#[test]
fn a_note_reaches_the_run_and_one_that_came_too_late_is_offered() {
    let scene = Scene::new(model(count_plan("Wait"), |_| shell("sleep 1; ls docs/*.txt | wc -l")));
    let mut talk = Talk::begin(&scene, 80, &[]);
    talk.types("Count slowly\r");
    talk.screen.until_seen("plan 1");
    talk.types("only those of 2024\r");
    talk.screen.until_seen("note: only those of 2024");
    talk.screen.until_shown_times("recorded:", 1);
    talk.at_prompt();
    talk.types("\u{3}");
    talk.screen.until_seen("Ctrl+C again");
    talk.types("\u{4}");
    assert_eq!(talk.ends().0, Some(0));
    assert!(scene.journal().contains("only those of 2024"));
}
