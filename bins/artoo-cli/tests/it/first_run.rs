//! Tests of the screen of setup, by `artoo setup` and where a request or a conversation has no model.

use std::path::PathBuf;
use std::process::{Child, Command};

use artoo_llm_http::doubles::{Call, Reply};
use artoo_llm_local::store::CATALOGUE;
use rustix::process::Signal;
use serde_json::json;

use crate::fixture::Scene;
use crate::interrupt::send;
use crate::mock_model::{counting, schema};
use crate::process::{ended, say};
use crate::repl::PROMPT;
use crate::screen::Screen;

const REQUEST: &str = "How many .txt files are in docs?";
/// The first question.
const WAYS: &str = "1, 2 or 3 (";
/// The question for a server. The machine of the test may have some of its own.
const SERVER: &str = "ddress (b: back) > ";

/// A model that also answers what setup asks it.
fn able() -> impl Fn(&Call) -> Reply + Send + Sync + 'static {
    let counting = counting();
    move |call| match schema(call) {
        "greeting" => Reply::text(json!({"greeting": "hello"}).to_string()),
        _ if call.body["tools"].to_string().contains("read_clock") => Reply::text("I have no clock."),
        _ => counting(call),
    }
}

/// The same behind a key.
fn able_with_key() -> impl Fn(&Call) -> Reply + Send + Sync + 'static {
    let able = able();
    move |call| match call.header("authorization") {
        Some("Bearer sk-canary-3") => able(call),
        _ => Reply::status(401, "no"),
    }
}

fn configuration(scene: &Scene) -> PathBuf {
    scene.home().join(".config/artoo/config.toml")
}

fn written(scene: &Scene) -> String {
    std::fs::read_to_string(configuration(scene)).unwrap()
}

fn address(scene: &Scene) -> String {
    format!("{}\n", scene.server().base_url())
}

/// Starts a program at a terminal of 80 columns.
fn begin(mut command: Command) -> (Child, Screen) {
    let screen = Screen::new(80);
    command.env("TERM", "xterm-256color").env("NO_COLOR", "1");
    let child =
        command.stdin(screen.stream()).stdout(screen.stream()).stderr(screen.stream()).spawn().unwrap();
    (child, screen)
}

#[test]
fn a_request_without_a_model_is_asked_for_one_and_then_runs() {
    let scene = Scene::new(able());
    let steps = [(WAYS, "1\n"), (SERVER, &address(&scene))];
    let (code, screen, _) = Screen::new(80).talk(scene.bare(&["run", REQUEST]), &steps);
    assert_eq!(code, Some(0), "{screen}");
    for part in ["artoo needs a model", "It has one model, mock.", "written: ", "✓ Done", "\n3\n"] {
        assert!(screen.contains(part), "no `{part}` in\n{screen}");
    }
    assert_eq!(scene.runs().len(), 1);
    // The short form, and from now on without a question.
    assert_eq!(say(&mut scene.bare(&[REQUEST])).ended(0).out, "3\n");
}

#[test]
fn a_conversation_without_a_model_is_asked_for_one_and_goes_on() {
    let scene = Scene::new(able());
    let (mut child, mut screen) = begin(scene.bare(&[]));
    screen.until_seen(WAYS);
    screen.types("1\n");
    screen.until_seen(SERVER);
    screen.types(&address(&scene));
    screen.until_seen(PROMPT);
    screen.types(&format!("{REQUEST}\r"));
    screen.until_seen("✓ Done");
    screen.until_shown_times(PROMPT.trim_end(), 2);
    screen.types("\u{4}");
    assert_eq!(ended(&mut child).code(), Some(0), "{}", screen.end().0);
    assert_eq!(scene.runs().len(), 1);
}

#[test]
fn a_conversation_can_begin_without_a_model() {
    let scene = Scene::new(able());
    let (mut child, mut screen) = begin(scene.bare(&[]));
    screen.until_seen(WAYS);
    screen.types("q\n");
    screen.until_seen("choose one: /setup");
    screen.until_seen(PROMPT);
    screen.types("/setup\r");
    screen.until_shown_times(WAYS, 2);
    screen.types("1\n");
    screen.until_seen(SERVER);
    screen.types(&address(&scene));
    screen.until_shown_times("written: ", 1);
    screen.until_shown_times("mock", 2);
    screen.types("\u{4}");
    assert_eq!(ended(&mut child).code(), Some(0), "{}", screen.end().0);
}

#[test]
fn without_a_terminal_nothing_is_asked() {
    let scene = Scene::new(able());
    for line in [&["run", REQUEST][..], &["run", "--json", REQUEST], &[REQUEST]] {
        say(&mut scene.bare(line)).ended(2).explains("no model is set up", "artoo setup");
    }
    let (code, screen, _) = Screen::new(80).talk(scene.bare(&["run", "--quiet", REQUEST]), &[]);
    assert_eq!(code, Some(2), "{screen}");
    assert!(!screen.contains(WAYS), "{screen}");
}

/// A key is never written; where the variable is missing, it is told how to set it.
#[test]
fn a_server_that_wants_a_key_is_given_a_variable() {
    let scene = Scene::new(able_with_key());
    let variable = "Variable with your key (b: back) > ";
    let steps = [
        (WAYS, "1\n"),
        (SERVER, &address(&scene)),
        (variable, "sk-typed-by-mistake\n"),
        (variable, "OTHER_KEY\n"),
        (variable, "MY_KEY\n"),
    ];
    let mut command = scene.bare(&["setup"]);
    command.env("MY_KEY", "sk-canary-3");
    let (code, screen, raw) = Screen::new(80).talk(command, &steps);
    assert_eq!(code, Some(0), "{screen}");
    for part in ["it answered 401", "That is no name of a variable", "export OTHER_KEY=YOUR_KEY", "try it: "]
    {
        assert!(screen.contains(part), "no `{part}` in\n{screen}");
    }
    assert_eq!(raw.matches("sk-typed").count(), 1, "only what the terminal itself shows");
    let written = written(&scene);
    assert!(written.contains("key_env = \"MY_KEY\"") && !written.contains("canary"), "{written}");
}

#[test]
fn a_key_that_is_set_is_taken_and_one_that_is_not_is_explained() {
    let scene = Scene::new(able());
    let keys = "1, 2 or 3 (Enter: Anthropic";
    let steps = [("1, 2 or 3 (Enter: ", "2\n"), (keys, "1\n"), (keys, "7\n"), (keys, "\n")];
    let mut command = scene.bare(&["setup"]);
    command.env("ANTHROPIC_API_KEY", "sk-canary-2");
    let (code, screen, raw) = Screen::new(80).talk(command, &steps);
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.contains("export OPENAI_API_KEY=YOUR_KEY"), "{screen}");
    let written = written(&scene);
    for part in ["provider = \"anthropic\"", "key_env = \"ANTHROPIC_API_KEY\""] {
        assert!(written.contains(part), "{written}");
    }
    assert!(!written.contains("canary") && !raw.contains("canary"));
}

#[test]
fn another_provider_is_an_address_and_a_variable() {
    let scene = Scene::new(able_with_key());
    let steps = [
        (WAYS, "2\n"),
        ("1, 2 or 3 (b: back)", "3\n"),
        ("Address (b: back)", &address(&scene)),
        ("Variable with your key", "MY_KEY\n"),
    ];
    let mut command = scene.bare(&["setup"]);
    command.env("MY_KEY", "sk-canary-3");
    let (code, screen, _) = Screen::new(80).talk(command, &steps);
    assert_eq!(code, Some(0), "{screen}");
    assert!(written(&scene).contains("key_env = \"MY_KEY\""));
}

/// A file of the right length whose hash was verified before. Nobody can run it.
fn installed(scene: &Scene) {
    let entry = &CATALOGUE[0];
    let folder = scene.home().join(".artoo/models");
    std::fs::create_dir_all(&folder).unwrap();
    let file = std::fs::File::create(folder.join(entry.file)).unwrap();
    file.set_len(entry.size).unwrap();
    let modified = file.metadata().unwrap().modified().unwrap();
    let since = modified.duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos().to_string();
    let marker = json!({"sha256": entry.sha256, "size": entry.size, "modified_ns": since});
    std::fs::write(folder.join(format!("{}.verified", entry.file)), marker.to_string()).unwrap();
}

#[test]
fn the_embedded_model_is_a_choice_that_says_what_to_expect() {
    let scene = Scene::new(able());
    installed(&scene);
    let (code, screen, _) = Screen::new(80).talk(scene.bare(&["--plain", "setup"]), &[(WAYS, "3\n")]);
    assert_eq!(code, Some(0), "{screen}");
    for part in
        ["The embedded model qwen2.5-coder-1.5b", "It is installed", "Of 80 requests", "it was there already"]
    {
        assert!(screen.contains(part), "no `{part}` in\n{screen}");
    }
    let written = written(&scene);
    assert!(written.contains("provider = \"local\""), "{written}");
    // Before the first run in a data folder it is said again, and in no later one.
    let about = "About the embedded model: ";
    let errors = |line: &[&str]| say(&mut scene.bare(line)).err;
    assert!(!errors(&["run", "--quiet", REQUEST]).contains(about));
    assert!(errors(&["run", REQUEST]).contains(about));
    assert!(!errors(&["run", REQUEST]).contains(about));
}

#[test]
fn a_download_that_fails_leads_back_to_the_choice() {
    let scene = Scene::new(able());
    let mut command = scene.bare(&["setup"]);
    // Neither the hub nor a package tool can be reached.
    command.env("HTTPS_PROXY", "http://127.0.0.1:9").env("PATH", "/nowhere");
    let (code, screen, _) = Screen::new(80).talk(command, &[(WAYS, "3\n"), (WAYS, "q\n")]);
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.contains("no source has the model") && screen.contains("nothing was changed"), "{screen}");
    assert!(!configuration(&scene).exists());
}

#[test]
fn a_wrong_answer_is_answered_with_what_is_possible() {
    let scene = Scene::new(able());
    let dead = "http://127.0.0.1:9\n";
    let steps = [
        (WAYS, "7\n"),
        (WAYS, "nonsense\n"),
        (WAYS, "1\n"),
        (SERVER, "nonsense\n"),
        (SERVER, dead),
        (SERVER, "b\n"),
        (WAYS, "q\n"),
    ];
    let (code, screen, _) = Screen::new(80).talk(scene.bare(&["setup"]), &steps);
    assert_eq!(code, Some(0), "{screen}");
    assert_eq!(screen.matches("type 1, 2 or 3, or q to leave").count(), 2, "{screen}");
    for part in ["`nonsense` is no choice: type ", "error: cannot reach", "nothing was changed"] {
        assert!(screen.contains(part), "no `{part}` in\n{screen}");
    }
    assert!(!screen.contains("from 1 to 1 "), "{screen}");
    assert!(!configuration(&scene).exists());
}

#[test]
fn ctrl_c_at_any_question_changes_nothing() {
    for (line, questions) in [
        (&["setup"][..], &[][..]),
        (&["setup"], &[("1\n", SERVER)]),
        (&["setup"], &[("2\n", "1, 2 or 3 (b: back)")]),
        (&["run", REQUEST], &[("1\n", SERVER)]),
        (&[], &[]),
    ] {
        let scene = Scene::new(able());
        let (mut child, mut screen) = begin(scene.bare(line));
        screen.until_seen(WAYS);
        for (answer, question) in questions {
            screen.types(answer);
            screen.until_seen(question);
        }
        send(&child, Signal::INT);
        assert_eq!(ended(&mut child).code(), Some(130), "{line:?}");
        let (shown, _) = screen.end();
        assert!(shown.contains("nothing was changed"), "{line:?}\n{shown}");
        assert!(!configuration(&scene).exists(), "{line:?}");
        assert_eq!(scene.runs().len(), 0);
    }
}

#[test]
fn ctrl_c_while_a_server_is_asked_changes_nothing() {
    let scene = Scene::new(|_| Reply::stall());
    let (mut child, mut screen) = begin(scene.bare(&["setup"]));
    screen.until_seen(WAYS);
    screen.types("1\n");
    screen.until_seen(SERVER);
    screen.types(&address(&scene));
    scene.until_asked(1);
    send(&child, Signal::INT);
    assert_eq!(ended(&mut child).code(), Some(130));
    assert!(screen.end().0.contains("nothing was changed"));
    assert!(!configuration(&scene).exists());
}

#[test]
fn ctrl_d_leaves_and_a_request_that_was_not_made_is_an_error() {
    for (line, code) in [(&["setup"][..], 0), (&["run", REQUEST], 2), (&[], 0)] {
        let scene = Scene::new(able());
        let (found, screen, _) = Screen::new(80).talk(scene.bare(line), &[(WAYS, "\u{4}")]);
        assert_eq!(found, Some(code), "{line:?}\n{screen}");
        assert!(screen.contains("nothing was changed"), "{line:?}\n{screen}");
        assert_eq!(screen.contains("no model is set up\nhint"), code == 2, "{line:?}\n{screen}");
    }
}

#[test]
fn nothing_is_cut_in_the_middle_of_a_word_at_40_columns_and_nothing_is_drawn_with_plain() {
    let scene = Scene::new(able());
    let mut command = scene.bare(&["--plain", "setup"]);
    command.env("TERM", "xterm-256color");
    let screen = Screen::new(40);
    let mut child =
        command.stdin(screen.stream()).stdout(screen.stream()).stderr(screen.stream()).spawn().unwrap();
    drop(command);
    screen.until_seen(WAYS);
    let seen = screen.seen();
    for part in ["A model server", "A provider, with your key", "qwen2.5-coder-1.5b", "licence Apache-2.0"] {
        assert!(seen.contains(part), "no `{part}` in\n{seen}");
    }
    send(&child, Signal::INT);
    assert_eq!(ended(&mut child).code(), Some(130));
    let (_, raw) = screen.end();
    assert!(!raw.contains('\u{1b}'), "{raw:?}");
    assert!(raw.lines().all(|line| line.trim_end().chars().count() < 40), "{raw}");
}
