//! Tests of the REPL, at a terminal and without one.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Stdio};

use artoo_llm_http::doubles::Reply;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::fixture::Scene;
use crate::mock_model::{count_plan, counting, model, schema, shell, shown};
use crate::process::{ended, say_with_input};
use crate::screen::Screen;

/// The end of the prompt.
pub(crate) const PROMPT: &str = "项目 › ";

/// A conversation at a terminal.
pub(crate) struct Talk {
    pub(crate) screen: Screen,
    child: Child,
}

impl Talk {
    pub(crate) fn begin(scene: &Scene, columns: u16, line: &[&str]) -> Self {
        let screen = Screen::new(columns);
        let mut command = scene.artoo(line);
        command.env("TERM", "xterm-256color").env("NO_COLOR", "1");
        let child =
            command.stdin(screen.stream()).stdout(screen.stream()).stderr(screen.stream()).spawn().unwrap();
        drop(command);
        screen.until_seen(PROMPT);
        Self { screen, child }
    }

    pub(crate) fn types(&mut self, text: &str) {
        self.screen.types(text);
    }

    fn until_last_line_has(&self, text: &str) {
        let has = |screen: &str| {
            screen.lines().rfind(|line| !line.trim().is_empty()).is_some_and(|last| last.contains(text))
        };
        self.screen.until(text, |shown| has(&shown.text()));
    }

    /// Clears the text at the prompt.
    fn clears(&mut self, line: &str) {
        self.screen.until_seen(&format!("{PROMPT}{line}"));
        let prompts = |screen: &Screen| screen.seen().matches(PROMPT.trim_end()).count();
        let before = prompts(&self.screen);
        self.types("\u{3}");
        // The cleared line stays on the screen, followed by a new prompt.
        crate::process::until("another prompt", || prompts(&self.screen) > before);
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits until the next request can be typed.
    pub(crate) fn at_prompt(&self) {
        self.until_last_line_has(PROMPT.trim_end());
    }

    /// Waits for the end and returns the exit code and the screen.
    pub(crate) fn ends(mut self) -> (Option<i32>, String) {
        let code = ended(&mut self.child).code();
        (code, self.screen.end().0)
    }
}

/// Writes a periodic report that found something into the log, as the auditor of another process does.
fn finds_something(scene: &Scene) {
    let now = chrono::Local::now().fixed_offset();
    let from = now - chrono::TimeDelta::minutes(5);
    let found = artoo_types::Anomaly::ToolFailing { tool: "shell".to_owned(), calls: 6, failed: 3 };
    let report = artoo_types::AuditReport {
        anomalies: vec![found],
        ..artoo_types::AuditReport::empty(artoo_types::AuditTrigger::Periodic, Some(from), now)
    };
    let facts = json!({"trigger": "periodic", "tasks_observed": 1, "until": now, "report": report});
    let what = artoo_auditor::What::Event {
        run_id: artoo_types::RunId::OPERATOR,
        seq: 1,
        from: artoo_types::Role::Auditor,
        kind: artoo_types::MessageKind::AuditReport,
        facts: facts.as_object().unwrap().clone(),
    };
    let (mut log, _) = artoo_auditor::AuditLog::open(&scene.home().join(".artoo"), now).unwrap();
    log.append(&mut [artoo_auditor::Entry { at: now, what }].into()).unwrap();
}

/// A periodic report was shown to nobody.
#[test]
fn what_a_periodic_report_found_is_told_before_the_next_prompt() {
    let scene = Scene::new(counting());
    let mut talk = Talk::begin(&scene, 100, &[]);
    talk.at_prompt();
    finds_something(&scene);
    talk.types("what is");
    talk.screen.until_seen("› what is");
    assert!(!talk.screen.seen().contains("the auditor"), "not in the middle of a line");
    talk.clears("what is");
    talk.types("\r");
    talk.screen.until_seen("tool shell: 3 of 6 calls failed");
    talk.at_prompt();
    talk.types("/audit report --since 1h\r");
    talk.screen.until_seen("1 periodic report, 1 with findings");
    talk.at_prompt();
    talk.types("\u{4}");
    let (code, shown) = talk.ends();
    assert_eq!(code, Some(0));
    assert_eq!(shown.matches("warning: the auditor, ").count(), 1, "once:\n{shown}");
}

/// A model that counts and that resolves follow-ups.
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
    talk.screen.until_seen("✓ Done");
    talk.screen.until_shown_times("recorded:", 1);
    talk.at_prompt();
    talk.types("and now again\r");
    talk.screen.until_seen("understood: How many files are in docs, again?");
    talk.screen.until_shown_times("recorded:", 2);
    talk.at_prompt();
    talk.types("/cost\r");
    talk.screen.until_seen("2 turns, ");
    talk.types("/sessions\r");
    talk.screen.until_seen("  2      How many .txt files");
    // Lesson: lines typed before the prompt was drawn have another line end and were not submitted.
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
    // Lesson: clearing two lines in a row was taken for leaving.
    for draft in ["not sent", "nor this"] {
        talk.types(draft);
        talk.clears(draft);
    }
    talk.types("\u{3}");
    talk.screen.until_seen("Ctrl+C again");
    // Before the prompt is drawn, the terminal makes a signal of the key.
    talk.at_prompt();
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
    talk.screen.until_seen("plan: ");
    talk.types("/cost\r");
    talk.screen.until_seen("next: /cost");
    talk.types("a draft 数");
    talk.screen.until_seen("› a draft 数");
    talk.screen.until_seen("1 turn, ");
    // The text is at the next prompt.
    talk.clears("a draft 数");
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

/// Lesson: the kernel sends SIGHUP only to processes whose controlling terminal it is. Found when a
/// measurement was killed: the program polled for keys forever.
#[test]
fn lesson_a_terminal_that_is_gone_ends_the_program() {
    let scene = Scene::new(counting());
    let (person, programs) = artoo_pseudo_terminal::ends().unwrap();
    let person = File::from(person);
    let stream = || Stdio::from(programs.try_clone().unwrap());
    let mut command = scene.artoo(&[]);
    command.env("TERM", "xterm-256color").stdin(stream()).stdout(stream()).stderr(stream());
    let mut child = command.spawn().unwrap();
    drop((command, programs));
    let mut shown = Vec::new();
    let mut until = |text: &str| {
        while !String::from_utf8_lossy(&shown).contains(text) {
            let mut piece = [0; 1024];
            let count = (&person).read(&mut piece).unwrap();
            shown.extend_from_slice(&piece[..count]);
        }
    };
    until("\u{1b}[6n");
    (&person).write_all(b"\x1b[2;1R").unwrap();
    until("›");
    drop(person);
    assert_eq!(ended(&mut child).code(), Some(129));
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

/// Lesson: on a terminal that marks no pastes, three pasted lines were three runs.
#[test]
fn lesson_a_paste_without_marks_is_one_request() {
    let scene = Scene::new(counting());
    let mut talk = Talk::begin(&scene, 80, &[]);
    talk.types("How many .txt files\rare in docs,\rplease?\r");
    talk.screen.until_shown_times("recorded:", 1);
    talk.at_prompt();
    // Commands are lines, also where they come together.
    talk.types("/plan on\r/plan off\r");
    talk.screen.until_seen("plans run at once");
    talk.at_prompt();
    talk.types("\u{4}");
    assert_eq!(talk.ends().0, Some(0));
    let asked = scene.say(&["sessions", "show", "last"]).ended(0).out;
    assert!(asked.contains("are in docs,") && asked.contains("please?"), "{asked}");
    assert_eq!(scene.runs().len(), 1);

    // Without a line editor as well.
    let scene = Scene::new(counting());
    let mut screen = Screen::new(80);
    let mut command = scene.artoo(&["--plain"]);
    command.stdin(screen.stream()).stdout(screen.stream()).stderr(screen.stream());
    let mut child = command.spawn().unwrap();
    drop(command);
    screen.until_seen("artoo >");
    screen.types("How many .txt files\nare in docs,\nplease?\n");
    screen.until_shown_times("recorded:", 1);
    screen.until_shown_times("artoo > ", 2);
    screen.types("\u{4}");
    assert_eq!(ended(&mut child).code(), Some(0));
    assert_eq!(scene.runs().len(), 1);
}

/// A command that lost its slash costs nothing.
#[test]
fn the_name_of_a_command_alone_is_no_request() {
    let scene = Scene::new(counting());
    let said =
        say_with_input(scene.artoo(&[]).stdin(Stdio::piped()), b"help\nundo\nexit\nnever read\n").ended(2);
    assert!(said.out.contains("/undo"), "{}", said.out);
    said.explains("`undo` alone is no request", "the command: /undo");
    assert_eq!((scene.server().stats().requests, scene.runs().len()), (0, 0));
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
    let bad = say_with_input(scene.artoo(&[]).stdin(Stdio::piped()), b"/undo\n").ended(2);
    bad.explains("nothing was run in this session", "/runs");
    // Lesson: a line that was not UTF-8 ended the whole input.
    let binary = b"\xff\xfe\nHow many .txt files are in docs?\n";
    let binary = say_with_input(scene.artoo(&[]).stdin(Stdio::piped()), binary).ended(2);
    binary.explains("not UTF-8", "iconv");
    assert_eq!(binary.out, "3\n");
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

    // In another folder, the working folder has to be given.
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
            // The command's output is an earlier turn.
            assert!(shown(call).contains("seen-by-the-next"), "{}", shown(call));
        }
        counting()(call)
    });
    let mut talk = Talk::begin(&scene, 100, &[]);
    talk.types("! echo seen-by-the-next | tee new.txt\r");
    talk.screen.until_seen("to take it back: /undo");
    talk.at_prompt();
    talk.types("/diff\r");
    talk.screen.until_seen("+seen-by-the-next");
    talk.at_prompt();
    talk.types("How many .txt files are in docs?\r");
    talk.screen.until_seen("✓ Done");
    talk.at_prompt();
    assert!(scene.folder().join("new.txt").exists());
    talk.types("/undo\r");
    talk.screen.until_seen("nothing");
    talk.at_prompt();
    let command = scene.runs()[0].file_name().unwrap().to_str().unwrap().to_owned();
    talk.types(&format!("/undo {command}\r"));
    talk.screen.until_seen("removed");
    talk.at_prompt();
    talk.types("/diff\r");
    talk.screen.until_seen("nothing was changed in this session");
    talk.at_prompt();
    talk.types("! exit 3\r");
    talk.screen.until_seen("exit status 3");
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

    // In another program, Up recalls the line, and the session continues.
    let mut talk = Talk::begin(&scene, 80, &["--continue"]);
    talk.types("\u{1b}[A");
    talk.clears("Wait for 很久");
    talk.types("\u{4}");
    assert_eq!(talk.ends().0, Some(0));
}

#[test]
fn a_note_reaches_the_run_and_one_that_came_too_late_is_offered() {
    let scene = Scene::new(model(count_plan("Wait"), |_| shell("sleep 1; ls docs/*.txt | wc -l")));
    let mut talk = Talk::begin(&scene, 80, &[]);
    talk.types("Count slowly\r");
    talk.screen.until_seen("plan: ");
    talk.types("only those of 2024\r");
    talk.screen.until_seen("note: only those of 2024");
    talk.screen.until_shown_times("recorded:", 1);
    talk.at_prompt();
    talk.types("\u{4}");
    assert_eq!(talk.ends().0, Some(0));
    assert!(scene.journal().contains("only those of 2024"));
}

/// A conversation that was started from a shell with job control.
fn below_a_shell(scene: &Scene) -> Talk {
    let screen = Screen::new(80);
    let artoo = scene.artoo(&[]);
    #[expect(
        clippy::disallowed_methods,
        reason = "a shell of the person's, from which the program under test is started"
    )]
    let mut command = std::process::Command::new("setsid");
    command.args(["--ctty", "--wait", "bash", "--norc", "--noprofile", "-i"]).env_clear();
    for (name, value) in artoo.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command.env("TERM", "xterm-256color").env("NO_COLOR", "1").env("PS1", "shell$ ");
    command.env("ARTOO", artoo.get_program()).current_dir(artoo.get_current_dir().unwrap());
    let child =
        command.stdin(screen.stream()).stdout(screen.stream()).stderr(screen.stream()).spawn().unwrap();
    drop(command);
    let mut talk = Talk { screen, child };
    talk.screen.until_seen("shell$ ");
    talk.types("\"$ARTOO\"\r");
    talk.screen.until_seen(PROMPT);
    talk
}

/// The program's process: the only one whose working folder and name are these.
fn process_of(scene: &Scene) -> Pid {
    let is_it = |folder: &std::path::Path| {
        std::fs::read_link(folder.join("cwd")).is_ok_and(|cwd| cwd == scene.folder())
            && std::fs::read_to_string(folder.join("comm")).is_ok_and(|name| name.trim_end() == "artoo")
    };
    let entries = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let found = entries.into_iter().find(|folder| is_it(folder)).unwrap();
    Pid::from_raw(found.file_name().unwrap().to_str().unwrap().parse().unwrap()).unwrap()
}

/// Lesson: stopped at the prompt by a signal, and in the foreground again, it heard neither Enter nor Ctrl+C.
#[test]
fn lesson_a_stop_at_the_prompt_leaves_it_as_it_was() {
    for signal in [Signal::STOP, Signal::TSTP] {
        let scene = Scene::new(counting());
        let mut talk = below_a_shell(&scene);
        talk.types("How many");
        talk.screen.until_seen("› How many");
        kill_process(process_of(&scene), signal).unwrap();
        talk.screen.until_seen("Stopped");
        talk.until_last_line_has("shell$");
        talk.types("fg\r");
        // The prompt is drawn again, with what was typed before.
        talk.until_last_line_has("› How many");
        talk.types(" .txt files are in docs?\r");
        talk.screen.until_seen("✓ Done");
        talk.at_prompt();
        talk.types("\u{4}");
        talk.until_last_line_has("shell$");
        talk.types("exit\r");
        assert_eq!(talk.ends().0, Some(0));
    }
}

/// Lesson: after Ctrl+Z and `fg` the terminal stayed in the shell's mode, so input
/// arrived line by line and was echoed twice.
#[test]
fn lesson_ctrl_z_and_fg_while_a_run_works() {
    let scene = Scene::new(model(count_plan("Wait"), |_| shell("sleep 600")));
    let mut talk = below_a_shell(&scene);
    talk.types("Wait for long\r");
    talk.screen.until_seen("sleep 600");
    talk.types("\u{1a}");
    talk.screen.until_seen("Stopped");
    talk.types("fg\r");
    talk.types("a draft\u{7f}\u{7f} 数");
    talk.screen.until_seen("› a dra 数");
    // Ctrl+C at the terminal reaches the run, and the prompt works again.
    talk.types("\u{3}");
    talk.screen.until_seen("the run was interrupted");
    talk.clears("a dra 数");
    talk.types("\u{4}");
    talk.until_last_line_has("shell$");
    talk.types("exit\r");
    assert_eq!(talk.ends().0, Some(0));
}

/// Two runs in the background, one of which asks a question.
#[test]
fn what_works_in_the_background_says_so_above_the_prompt() {
    let scene = Scene::new(model(count_plan("Remove it"), |_| shell("rm docs/a.txt; echo 1")));
    let mut talk = Talk::begin(&scene, 100, &[]);
    talk.types("/attach\r");
    talk.screen.until_seen("nothing of this conversation works in the background");
    talk.at_prompt();
    talk.types("/bg Remove a.txt\r");
    talk.screen.until_seen("/stop it");
    talk.at_prompt();
    talk.types("a draft");
    talk.screen.until_seen("asks you something; answer it: /attach");
    talk.clears("a draft");
    talk.types("/attach\r");
    talk.screen.until_seen("or say what to do instead > ");
    talk.types("n\r");
    talk.screen.until_shown_times("recorded:", 1);
    talk.screen.until_seen("in the background: ");
    talk.at_prompt();
    talk.types("\u{4}");
    assert_eq!(talk.ends().0, Some(0));
    assert!(scene.folder().join("docs/a.txt").exists());
}

/// Lesson: `--plain` was applied to each run but not to the prompt, so the line editor still redrew it.
#[test]
fn lesson_a_screen_reader_has_a_prompt_that_draws_nothing() {
    let scene = Scene::new(counting());
    let mut screen = Screen::new(80);
    let mut command = scene.artoo(&["--plain"]);
    command.env("TERM", "xterm-256color").env("NO_COLOR", "1");
    command.stdin(screen.stream()).stdout(screen.stream()).stderr(screen.stream());
    let mut child = command.spawn().unwrap();
    drop(command);
    screen.until_seen("artoo >");
    screen.types("How many .txt files are in docs?\n");
    screen.until_seen("recorded:");
    screen.until_shown_times("artoo > ", 2);
    screen.types("\u{4}");
    assert_eq!(ended(&mut child).code(), Some(0));
    let (seen, raw) = screen.end();
    assert!(seen.contains("Done: ") && !raw.contains('\u{1b}'), "{raw:?}");
}
