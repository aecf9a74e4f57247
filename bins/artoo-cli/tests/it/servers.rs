//! Servers of tools that others wrote, in runs of the program: what they may do, what is asked, and what is undone.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use artoo_llm_http::doubles::{Call, Reply};
use serde_json::{Value, json};

use crate::fixture::Scene;
use crate::mock_model::model;
use crate::process::{Said, ended, until};

const REQUEST: &str = "Note down that the shop is closed";

/// A model that calls this tool, and then answers in words of its own.
fn calling(tool: &'static str, arguments: Value) -> impl Fn(&Call) -> Reply + Send + Sync + 'static {
    let plan = json!({"subtasks": [{"intent": "Use the tool", "sequence": 1, "kind": "find_out",
        "criteria": [{"text": "The tool was used", "check": null}]}]});
    let turns = AtomicUsize::new(0);
    model(plan, move |_| {
        if turns.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
            json!({"tool": tool, "arguments": arguments})
        } else {
            json!({"answer": "The tool was used."})
        }
    })
}

/// `artoo` with the programs of the test tools in its search path.
fn artoo(scene: &Scene, line: &[&str]) -> Command {
    let mut command = scene.artoo(line);
    command.env("PATH", artoo_test_needs::path());
    command
}

fn say(scene: &Scene, line: &[&str]) -> Said {
    crate::process::say(&mut artoo(scene, line))
}

fn notes(scene: &Scene) -> PathBuf {
    let folder = scene.home().join("notes");
    fs::create_dir_all(&folder).unwrap();
    folder.canonicalize().unwrap()
}

/// Adds the server of files, which would write anywhere in the home and may write in `notes` alone.
fn add_files(scene: &Scene) {
    let (home, notes) = (scene.home().canonicalize().unwrap(), notes(scene));
    let line = ["mcp", "add", "files", "--folder", notes.to_str().unwrap(), "--yes"];
    let program = ["--", "mcp-server-filesystem", home.to_str().unwrap()];
    let added = say(scene, &[&line[..], &program[..]].concat()).ended(0);
    assert!(added.out.contains("write_file"), "{}", added.out);
}

#[test]
fn a_call_is_asked_about_and_what_it_changed_is_undone() {
    if !artoo_test_needs::has("mcp-server-filesystem") {
        return;
    }
    let file = |scene: &Scene| notes(scene).join("shop.txt");
    let scene = Scene::new(|_| Reply::text("not yet"));
    let arguments = json!({"path": file(&scene), "content": "closed\n"});
    let scene = scene.answering(calling("files__write_file", arguments));
    fs::write(file(&scene), "open\n").unwrap();
    add_files(&scene);
    // Nobody is there: a no, which the exit code tells.
    let refused = say(&scene, &["run", REQUEST]).ended(5);
    assert_eq!(fs::read_to_string(file(&scene)).unwrap(), "open\n", "{}", refused.err);
    let done = say(&scene, &["run", "--json", "--yes", "unknown", REQUEST]);
    assert_eq!(fs::read_to_string(file(&scene)).unwrap(), "closed\n", "{}\n{}", done.out, done.err);
    assert!(done.out.contains("\"change\":\"changed\""), "{}", done.out);
    say(&scene, &["undo"]).ended(0);
    assert_eq!(fs::read_to_string(file(&scene)).unwrap(), "open\n");
    assert_eq!(left(&scene), 0, "a server outlived its run");
}

#[test]
fn the_kernel_refuses_what_was_not_granted_whatever_the_server_would_do() {
    if !artoo_test_needs::has("mcp-server-filesystem") {
        return;
    }
    let scene = Scene::new(|_| Reply::text("not yet"));
    // The server would write here: this is in the folder that it is told of. Hooks and configuration of a repository are closed.
    let config = notes(&scene).join(".git/config");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(&config, "[core]\n").unwrap();
    let scene = scene.answering(calling("files__write_file", json!({"path": config, "content": "x"})));
    add_files(&scene);
    let tried = say(&scene, &["run", "--json", "--yes", "unknown", REQUEST]);
    assert_eq!(fs::read_to_string(&config).unwrap(), "[core]\n");
    assert!(tried.out.contains("EROFS") || tried.out.contains("EACCES"), "{}", tried.out);
    assert!(tried.out.contains("the server files says that the call failed"), "{}", tried.out);
}

#[test]
fn a_server_is_told_of_its_folders_and_writes_nowhere_else() {
    if !artoo_test_needs::has("mcp-server-filesystem") {
        return;
    }
    let scene = Scene::new(|_| Reply::text("not yet"));
    let elsewhere = scene.home().canonicalize().unwrap().join("elsewhere.txt");
    let scene = scene.answering(calling("files__write_file", json!({"path": elsewhere, "content": "x"})));
    add_files(&scene);
    let tried = say(&scene, &["run", "--json", "--yes", "unknown", REQUEST]);
    assert!(!elsewhere.exists());
    // The kernel refuses it; the server does so itself once it has read which folders it has.
    let refused = ["EROFS", "EACCES", "Access denied - path outside allowed directories"];
    assert!(refused.iter().any(|words| tried.out.contains(words)), "{}", tried.out);
}

#[test]
fn a_rule_allows_a_tool_for_good() {
    if !artoo_test_needs::has("mcp-server-filesystem") {
        return;
    }
    let scene = Scene::new(|_| Reply::text("not yet"));
    let file = notes(&scene).join("shop.txt");
    let scene = scene.answering(calling("files__write_file", json!({"path": file, "content": "closed\n"})));
    add_files(&scene);
    let rules = "[[rule]]\ndecision = \"allow\"\neffects = [\"unknown\"]\nprogram = \"files__write_file\"\nreason = \"my notes\"\n\
                 matches = [\"files__write_file '{}'\"]\nspares = [\"files__move_file '{}'\"]\n";
    fs::write(scene.home().join(".config/artoo/policy.toml"), rules).unwrap();
    let checked = say(&scene, &["policy", "check", "files__write_file '{}'"]).ended(0);
    assert!(checked.out.contains("my notes"), "{}", checked.out);
    let done = say(&scene, &["run", REQUEST]);
    assert_eq!(fs::read_to_string(file).unwrap(), "closed\n", "{}\n{}", done.out, done.err);
}

#[test]
fn a_server_that_can_change_nothing_is_not_asked_about() {
    if !artoo_test_needs::has("mcp-server-time") {
        return;
    }
    let scene = Scene::new(calling("time__get_current_time", json!({"timezone": "UTC"})));
    say(&scene, &["mcp", "add", "time", "--yes", "--", "mcp-server-time", "--local-timezone", "UTC"])
        .ended(0);
    let done = say(&scene, &["run", "--json", "What time is it?"]);
    assert!(
        done.out.contains("\"tool\":\"time__get_current_time\"") && done.out.contains("UTC"),
        "{}",
        done.out
    );
    assert!(!done.out.contains("approval.requested"), "{}", done.out);
}

#[test]
fn what_nobody_has_approved_is_not_offered() {
    if !artoo_test_needs::has("mcp-server-time") {
        return;
    }
    let scene = Scene::new(crate::mock_model::counting());
    let config = scene.home().join(".config/artoo");
    fs::create_dir_all(&config).unwrap();
    let table = "[mcp.servers.time]\ncommand = \"mcp-server-time\"\n[mcp.servers.gone]\ncommand = \"no-such-program\"\n";
    fs::write(config.join("config.toml"), table).unwrap();
    let done = say(&scene, &["run", "How many .txt files are in docs?"]).ended(0);
    assert!(done.err.contains("2 tools of the server time are not offered"), "{}", done.err);
    assert!(done.err.contains("artoo mcp test time"), "{}", done.err);
    assert!(done.err.contains("the server gone was not started"), "{}", done.err);
    let offered = |call: &Call| call.body.to_string().contains("time__get_current_time");
    assert!(!scene.server().calls().iter().any(offered), "a model has read what nobody approved");
}

#[test]
fn a_folder_offers_servers_and_starts_none() {
    let scene = Scene::new(crate::mock_model::counting());
    let marker = scene.home().join("started");
    let address = json!({"url": "http://127.0.0.1:9/mcp", "headers": {"X-Key": "${OPENAI_API_KEY}"}});
    let offer = json!({"mcpServers": {"sneaky": {"command": "touch", "args": [marker]}, "far": address}});
    fs::write(scene.folder().join(".mcp.json"), offer.to_string()).unwrap();
    let done = say(&scene, &["run", "How many .txt files are in docs?"]).ended(0);
    assert!(done.err.contains(".mcp.json offers servers of tools, and none is started"), "{}", done.err);
    assert!(!marker.exists());
}

/// The question is put once for each content of the file.
#[test]
fn an_offer_of_a_folder_is_asked_about_until_it_changes() {
    if !artoo_test_needs::has("mcp-server-time") {
        return;
    }
    let scene = Scene::new(calling("clock__get_current_time", json!({"timezone": "UTC"})));
    let offer = |zone: &str| {
        let server = json!({"command": "mcp-server-time", "args": ["--local-timezone", zone]});
        let file = json!({"mcpServers": {"clock": server}}).to_string();
        fs::write(scene.folder().join(".mcp.json"), file).unwrap();
    };
    offer("UTC");
    let mut editor = crate::json_rpc::Peer::start(&mut artoo(&scene, &["acp"]));
    editor.ask("initialize", &json!({"protocolVersion": 1, "clientCapabilities": {}}));
    let opened = editor.ask("session/new", &json!({"cwd": scene.folder(), "mcpServers": []}));
    let session = opened["result"]["sessionId"].clone();
    let mut questions_of_a_turn = || {
        let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": "What time is it?"}]});
        let turn = editor.request("session/prompt", &prompt);
        let mut questions = Vec::new();
        loop {
            let message = editor.next().unwrap();
            if message["method"] == "session/request_permission" {
                questions.push(message["params"]["toolCall"].to_string());
                editor.answer(&message, &json!({"outcome": {"outcome": "selected", "optionId": "yes"}}));
            } else if message["id"] == turn && message.get("method").is_none() {
                return questions;
            }
        }
    };
    let first = questions_of_a_turn();
    assert_eq!(first.len(), 2, "{first:#?}");
    assert!(first[0].contains("mcp-server-time") && first[0].contains(".mcp.json"), "{first:#?}");
    assert!(first[1].contains("the server clock offers 2 tools"), "{first:#?}");
    assert_eq!(questions_of_a_turn(), Vec::<String>::new());
    offer("Europe/Berlin");
    let changed = questions_of_a_turn();
    assert!(changed[0].contains("Europe/Berlin"), "{changed:#?}");
}

#[test]
fn a_server_is_added_listed_shown_and_removed() {
    if !artoo_test_needs::has("mcp-server-time") {
        return;
    }
    let scene = Scene::new(crate::mock_model::counting());
    say(&scene, &["mcp", "add", "time", "--yes", "--", "mcp-server-time"]).ended(0);
    say(&scene, &["mcp", "add", "time", "--", "mcp-server-time"])
        .ended(2)
        .explains("already", "artoo mcp remove time");
    let listed = say(&scene, &["mcp", "list"]).ended(0);
    assert_eq!(
        listed.out,
        "SERVER  TOOLS       REACHED BY       IT MAY\ntime    2 approved  mcp-server-time  read only\n"
    );
    let row: Value = serde_json::from_str(&say(&scene, &["mcp", "list", "--json"]).ended(0).out).unwrap();
    assert_eq!((&row["name"], &row["approved"]), (&json!("time"), &json!(2)));
    let shown = say(&scene, &["mcp", "show", "time"]).ended(0);
    assert!(shown.out.contains("tool get_current_time"), "{}", shown.out);
    let checked = say(&scene, &["doctor"]);
    assert!(checked.out.contains("2 tools; it may read only"), "{}", checked.out);
    say(&scene, &["mcp", "test", "tim"])
        .ended(2)
        .explains("no server is named `tim`", "did you mean `time`?");
    say(&scene, &["mcp", "login", "time"]).ended(2).explains("asks for no login", "as a variable");
    say(&scene, &["mcp", "remove", "time"]).ended(0);
    assert_eq!(say(&scene, &["mcp", "list", "--json"]).ended(0).out, "");
    let secret =
        ["mcp", "add", "hub", "--url", "https://example.org/mcp", "--header", "Authorization: Bearer abc"];
    say(&scene, &secret).ended(2).explains("looks like a secret", "a variable of your environment");
}

#[test]
fn no_server_outlives_a_program_that_is_killed() {
    if !artoo_test_needs::has("mcp-server-filesystem") {
        return;
    }
    let scene = Scene::new(|_| Reply::stall());
    add_files(&scene);
    let mut command = artoo(&scene, &["run", REQUEST]);
    let mut child = command.stdin(Stdio::null()).spawn().unwrap();
    scene.until_asked(1);
    assert!(left(&scene) > 0, "the server runs");
    child.kill().unwrap();
    ended(&mut child);
    until("the end of the server", || left(&scene) == 0);
    // What a killed artoo could not remove, the next one does.
    let own = scene.home().join(".artoo/mcp/tmp");
    assert_eq!(fs::read_dir(&own).unwrap().count(), 1);
    say(&scene, &["mcp", "test", "files"]).ended(0);
    assert_eq!(fs::read_dir(&own).unwrap().count(), 0);
}

#[test]
fn a_question_of_a_server_goes_to_the_user() {
    if !artoo_test_needs::has("mcp-server-everything") {
        return;
    }
    let scene = Scene::new(calling("everything__trigger-elicitation-request", json!({})));
    say(&scene, &["mcp", "add", "everything", "--yes", "--", "mcp-server-everything"]).ended(0);
    let mut editor = crate::json_rpc::Peer::start(&mut artoo(&scene, &["acp"]));
    let forms = json!({"elicitation": {"form": {}}});
    editor.ask("initialize", &json!({"protocolVersion": 1, "clientCapabilities": forms}));
    let opened = editor.ask("session/new", &json!({"cwd": scene.folder(), "mcpServers": []}));
    let session = opened["result"]["sessionId"].clone();
    let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": "Who am I?"}]});
    let turn = editor.request("session/prompt", &prompt);
    let (mut questions, mut ended) = (Vec::new(), None);
    while ended.is_none() {
        let message = editor.next().unwrap();
        if message["method"] == "elicitation/create" {
            let question = message["params"]["message"].as_str().unwrap().to_owned();
            // The first field is the name, which is required. Everything else is left out.
            let answer = if questions.is_empty() {
                json!({"action": "accept", "content": {"answer": "Ada of the tests"}})
            } else {
                json!({"action": "decline"})
            };
            editor.answer(&message, &answer);
            questions.push(question);
        } else if message["id"] == turn && message.get("method").is_none() {
            ended = Some(message);
        }
    }
    assert!(questions[0].contains("the server everything asks"), "{questions:?}");
    assert!(questions.len() > 1, "{questions:?}");
    let told = |message: &Value| {
        message["params"]["update"]["sessionUpdate"] == "tool_call_update"
            && message.to_string().contains("Ada of the tests")
    };
    assert!(editor.seen.iter().any(told), "{:#?}", editor.seen);
}

/// How many processes have the home of the scene on their command line.
fn left(scene: &Scene) -> usize {
    let home = scene.home().canonicalize().unwrap();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    let has = |line: &Vec<u8>| {
        line.split(|byte| *byte == 0)
            .any(|word| Path::new(std::str::from_utf8(word).unwrap_or_default()) == home)
    };
    lines.filter(has).count()
}

#[test]
fn a_client_of_an_editor_passes_servers_under_the_same_rules() {
    if !artoo_test_needs::has("mcp-server-time") {
        return;
    }
    let scene = Scene::new(calling("clock__get_current_time", json!({"timezone": "UTC"})));
    let mut editor = crate::json_rpc::Peer::start(&mut artoo(&scene, &["acp"]));
    editor.ask("initialize", &json!({"protocolVersion": 1, "clientCapabilities": {}}));
    let server = json!({"name": "clock", "command": "mcp-server-time", "args": ["--local-timezone", "UTC"], "env": []});
    let opened = editor.ask("session/new", &json!({"cwd": scene.folder(), "mcpServers": [server]}));
    let session = opened["result"]["sessionId"].clone();
    let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": "What time is it?"}]});
    let turn = editor.request("session/prompt", &prompt);
    for words in ["clock: mcp-server-time --local-timezone UTC", "the server clock offers 2 tools"] {
        let asked = editor.asked("session/request_permission");
        assert!(asked.to_string().contains(words), "{asked}");
        editor.answer(&asked, &json!({"outcome": {"outcome": "selected", "optionId": "yes"}}));
    }
    assert_eq!(editor.answered(turn)["result"]["stopReason"], "end_turn");
    let called = |message: &Value| message["params"]["update"]["name"] == "clock__get_current_time";
    assert!(editor.seen.iter().any(called), "{:#?}", editor.seen);
}

#[test]
fn a_server_that_wants_a_login_is_added_and_the_login_is_named() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            refuse(stream);
        }
    });
    let scene = Scene::new(crate::mock_model::counting());
    let added = say(&scene, &["mcp", "add", "hub", "--url", &url, "--yes"]).ended(3);
    assert!(added.err.contains("the server hub wants a login"), "{}", added.err);
    assert!(added.err.contains("artoo mcp login hub, and then artoo mcp test hub"), "{}", added.err);
    assert!(say(&scene, &["mcp", "list"]).ended(0).out.contains(&url));
    say(&scene, &["mcp", "test", "hub"]).ended(1).explains("wants a login", "artoo mcp login hub");
}

/// Answers a request as a server that knows nobody.
fn refuse(mut stream: TcpStream) {
    let mut head = [0; 4096];
    if stream.read(&mut head).is_ok() {
        let refusal = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        // The program may have left.
        let _ = stream.write_all(refusal.as_bytes());
    }
}
