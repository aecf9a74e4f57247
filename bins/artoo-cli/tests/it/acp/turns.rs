//! One prompt: what the client is shown, asked, and can stop.

use std::fs;

use serde_json::{Value, json};

use super::{prompt, with_session};
use crate::fixture::{REQUEST, Scene, deleting, notes};
use crate::mock_model::{count_plan, counting, model, shell};
use crate::process::until;

#[test]
fn a_prompt_is_a_run_with_its_plan_calls_and_result() {
    let scene = Scene::new(counting());
    let (mut editor, session) = with_session(&scene, json!({}));
    let answer = editor.ask("session/prompt", &prompt(&session, "How many .txt files are in docs?"));
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
    let plan = editor.updates("plan").last().unwrap()["entries"].clone();
    let done =
        json!([{"content": "Count the .txt files in docs", "priority": "medium", "status": "completed"}]);
    assert_eq!(plan, done);
    let call = editor.updates("tool_call")[0].clone();
    assert_eq!(
        (call["kind"].as_str(), call["title"].as_str()),
        (Some("execute"), Some("ls docs/*.txt | wc -l"))
    );
    let updates = editor.updates("tool_call_update");
    assert!(updates.iter().any(|update| update["status"] == "completed"), "{updates:#?}");
    assert!(editor.said().starts_with("3"), "{}", editor.said());
    assert!(editor.said().contains("✓ **Done.**"), "{}", editor.said());
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn a_question_has_the_answers_of_the_terminal_and_a_yes_makes_the_change() {
    let scene = deleting();
    let (mut editor, session) = with_session(&scene, json!({}));
    let turn = editor.request("session/prompt", &prompt(&session, REQUEST));
    let asked = editor.asked("session/request_permission");
    let options: Vec<&str> = asked["params"]["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["optionId"].as_str().unwrap())
        .collect();
    assert_eq!(options, ["yes", "always", "no"], "{asked:#}");
    let text = asked["params"]["toolCall"]["content"].to_string();
    assert!(text.contains("deletes ") && text.contains("notes.txt"), "{text}");
    assert!(notes(&scene).exists(), "nothing happens before the answer");
    editor.choose(&asked, "yes");
    assert_eq!(editor.answered(turn)["result"]["stopReason"], "end_turn");
    assert!(!notes(&scene).exists());
    // And it is taken back where it was done.
    let answer = editor.ask("session/prompt", &prompt(&session, "/undo"));
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
    assert_eq!(fs::read_to_string(notes(&scene)).unwrap(), "a year's work\n", "{}", editor.said());
}

#[test]
fn a_no_an_unknown_choice_and_an_error_leave_everything_as_it_is() {
    let answers: [Value; 4] = [
        json!({"result": {"outcome": {"outcome": "selected", "optionId": "no"}}}),
        json!({"result": {"outcome": {"outcome": "selected", "optionId": "yes, everything"}}}),
        json!({"result": {"outcome": {"outcome": "cancelled"}}}),
        json!({"error": {"code": -32601, "message": "no such method"}}),
    ];
    for mut answer in answers {
        let scene = deleting();
        let (mut editor, session) = with_session(&scene, json!({}));
        let turn = editor.request("session/prompt", &prompt(&session, REQUEST));
        let asked = editor.asked("session/request_permission");
        (answer["jsonrpc"], answer["id"]) = (json!("2.0"), asked["id"].clone());
        editor.write(&answer.to_string());
        assert_eq!(editor.answered(turn)["result"]["stopReason"], "end_turn", "{answer}");
        assert_eq!(fs::read_to_string(notes(&scene)).unwrap(), "a year's work\n", "{answer}");
    }
}

#[test]
fn the_answer_always_writes_a_rule_that_holds_for_the_next_run() {
    let scene = deleting();
    let (mut editor, session) = with_session(&scene, json!({}));
    let turn = editor.request("session/prompt", &prompt(&session, REQUEST));
    let asked = editor.asked("session/request_permission");
    editor.choose(&asked, "always");
    editor.answered(turn);
    assert!(!notes(&scene).exists());
    let rules = fs::read_to_string(scene.home().join(".config/artoo/policy.toml")).unwrap();
    assert!(rules.contains("agreed to in the editor") && rules.contains("notes.txt"), "{rules}");
    fs::write(notes(&scene), "another year's work\n").unwrap();
    editor.ask("session/prompt", &prompt(&session, REQUEST));
    assert!(!notes(&scene).exists(), "{:#?}", editor.seen);
}

#[test]
fn a_session_that_only_reads_changes_nothing_and_asks_nothing() {
    let scene = deleting();
    let (mut editor, session) = with_session(&scene, json!({}));
    let set = editor.ask("session/set_mode", &json!({"sessionId": session, "modeId": "read-only"}));
    assert!(set.get("result").is_some(), "{set}");
    editor.ask("session/prompt", &prompt(&session, REQUEST));
    assert!(notes(&scene).exists());
    assert!(editor.seen.iter().all(|message| message["method"] != "session/request_permission"));
    let unknown = editor.ask("session/set_mode", &json!({"sessionId": session, "modeId": "yolo"}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

#[test]
fn a_cancelled_prompt_ends_and_leaves_no_process() {
    let marker = format!("600.{}", std::process::id());
    let command = format!("sleep {marker}");
    let scene = Scene::new(model(count_plan("Wait"), move |_| shell(&command)));
    let (mut editor, session) = with_session(&scene, json!({}));
    let turn = editor.request("session/prompt", &prompt(&session, "Wait for it"));
    until("the command", || is_running(&marker));
    editor.notify("session/cancel", &json!({"sessionId": session}));
    // A second one changes nothing.
    editor.notify("session/cancel", &json!({"sessionId": session}));
    assert_eq!(editor.answered(turn)["result"]["stopReason"], "cancelled");
    assert!(!is_running(&marker), "the command went on");
    // The session goes on.
    let listed = editor.ask("session/prompt", &prompt(&session, "/runs"));
    assert_eq!(listed["result"]["stopReason"], "end_turn");
    assert!(editor.said().contains("Wait for it"), "{}", editor.said());
}

/// Whether a process has this word on its command line.
fn is_running(word: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.into_iter().any(|line| line.split(|byte| *byte == 0).any(|argument| argument == word.as_bytes()))
}

#[test]
fn a_client_that_leaves_while_a_question_is_open_has_said_no() {
    let scene = deleting();
    let (mut editor, session) = with_session(&scene, json!({}));
    editor.request("session/prompt", &prompt(&session, REQUEST));
    editor.asked("session/request_permission");
    assert_eq!(editor.leave(), Some(0));
    assert!(notes(&scene).exists());
    let journal = scene.journal();
    let last = journal.lines().last().unwrap();
    assert!(last.contains("final_result"), "{last}");
}

#[test]
fn two_prompts_of_one_session_do_not_mix_and_those_of_two_sessions_run_together() {
    let scene = deleting();
    let (mut editor, session) = with_session(&scene, json!({}));
    let first = editor.request("session/prompt", &prompt(&session, REQUEST));
    let asked = editor.asked("session/request_permission");
    let second = editor.ask("session/prompt", &prompt(&session, REQUEST));
    assert_eq!(second["error"]["code"], -32602, "{second}");
    assert!(second["error"]["message"].as_str().unwrap().contains("being worked on"), "{second}");
    // Another session works while the question of the first one is open.
    let opened = editor.ask("session/new", &json!({"cwd": scene.folder(), "mcpServers": []}));
    let other = opened["result"]["sessionId"].as_str().unwrap().to_owned();
    let beside = editor.request("session/prompt", &prompt(&other, REQUEST));
    let asked_beside = editor.asked("session/request_permission");
    assert_eq!(asked_beside["params"]["sessionId"], other.as_str());
    editor.choose(&asked_beside, "no");
    assert_eq!(editor.answered(beside)["result"]["stopReason"], "end_turn");
    editor.choose(&asked, "no");
    assert_eq!(editor.answered(first)["result"]["stopReason"], "end_turn");
    assert!(notes(&scene).exists());
}

#[test]
fn what_is_unsaved_in_the_editor_is_read_written_and_given_back_by_undo() {
    let scene = Scene::new(|_| artoo_llm_http::doubles::Reply::text("not yet"));
    let file = scene.folder().canonicalize().unwrap().join("docs/a.txt");
    let edit = json!({"path": file, "edits": [{"old": "typed", "new": "changed"}]});
    let scene = scene.answering(model(
        count_plan("Change a word"),
        move |_| json!({"tool": "edit_file", "arguments": edit, "output_is_answer": false}),
    ));
    let (mut editor, session) =
        with_session(&scene, json!({"fs": {"readTextFile": true, "writeTextFile": true}}));
    let turn = editor.request("session/prompt", &prompt(&session, "Change typed to changed in docs/a.txt"));
    let mut buffer = "typed and not saved\n".to_owned();
    let mut saved = Vec::new();
    loop {
        let message = editor.next().unwrap();
        match message["method"].as_str() {
            Some("fs/read_text_file") => editor.answer(&message, &json!({"content": buffer})),
            Some("fs/write_text_file") => {
                buffer = message["params"]["content"].as_str().unwrap().to_owned();
                fs::write(&file, &buffer).unwrap();
                saved.push(buffer.clone());
                editor.answer(&message, &json!({}));
            }
            Some("session/request_permission") => {
                let text = message.to_string();
                assert!(
                    text.contains("typed and not saved"),
                    "the question is about what the user sees: {text}"
                );
                assert_eq!(
                    fs::read_to_string(&file).unwrap(),
                    "text\n",
                    "nothing is saved before the answer"
                );
                editor.choose(&message, "yes");
            }
            _ if message["id"] == turn => break,
            _ => {}
        }
        if saved.len() > 1 {
            break;
        }
    }
    assert_eq!(saved, ["typed and not saved\n", "changed and not saved\n"]);
    editor.notify("session/cancel", &json!({"sessionId": session}));
    editor.answered(turn);
    editor.ask("session/prompt", &prompt(&session, "/undo"));
    assert_eq!(fs::read_to_string(&file).unwrap(), "typed and not saved\n", "{}", editor.said());
}
