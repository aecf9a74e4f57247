//! Sessions: opened, listed, gone on with in another process, and what is wrong with a request.

use serde_json::{Value, json};

use super::editor::Editor;
use super::{prompt, with_session};
use crate::fixture::Scene;
use crate::mock_model::{counting, schema, shown};

const FIRST: &str = "How many .txt files are in docs?";

#[test]
fn what_it_can_do_is_told_without_a_model() {
    let scene = Scene::new(counting());
    let mut editor = Editor::start(&mut scene.bare(&["acp"]));
    let told = editor.ask("initialize", &json!({"protocolVersion": 1, "clientCapabilities": {}}));
    let told = &told["result"];
    assert_eq!(told["protocolVersion"], 1);
    assert_eq!(told["agentCapabilities"]["loadSession"], true);
    assert_eq!(told["authMethods"][0]["id"], "artoo-setup");
    let refused = editor.ask("session/new", &json!({"cwd": scene.folder(), "mcpServers": []}));
    assert_eq!(refused["error"]["code"], -32000, "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("artoo setup"), "{refused}");
    let refused = editor.ask("authenticate", &json!({"methodId": "artoo-setup"}));
    assert_eq!(refused["error"]["code"], -32000, "{refused}");
    assert!(scene.runs().is_empty());
}

#[test]
fn a_session_goes_on_in_another_process() {
    let scene = Scene::new(counting());
    let (mut editor, session) = with_session(&scene, json!({}));
    editor.ask("session/prompt", &prompt(&session, FIRST));
    assert_eq!(editor.leave(), Some(0));

    let mut editor = Editor::start(&mut scene.artoo(&["acp"]));
    editor.ask("initialize", &json!({"protocolVersion": 1, "clientCapabilities": {}}));
    let listed = editor.ask("session/list", &json!({"cwd": scene.folder()}));
    let listed = listed["result"]["sessions"].as_array().unwrap();
    assert_eq!(
        (listed.len(), &listed[0]["sessionId"], &listed[0]["title"]),
        (1, &json!(session), &json!(FIRST))
    );
    let place = json!({"sessionId": session, "cwd": scene.folder(), "mcpServers": []});
    let resumed = editor.ask("session/resume", &place);
    assert_eq!(resumed["result"]["modes"]["currentModeId"], "auto", "{resumed}");
    assert!(editor.updates("user_message_chunk").is_empty(), "who resumes has the history");
    editor.ask("session/prompt", &prompt(&session, "And once more?"));
    let follow_up = |call: &artoo_llm_http::doubles::Call| {
        schema(call).starts_with("resolved") && shown(call).contains(FIRST)
    };
    assert!(scene.server().calls().iter().any(follow_up), "the second request knows of the first one");

    let loaded = editor.ask("session/load", &place);
    assert!(loaded.get("result").is_some(), "{loaded}");
    let said = |kind: &str| -> Vec<String> {
        let updates = editor.updates(kind);
        updates.iter().filter_map(|update| update["content"]["text"].as_str()).map(str::to_owned).collect()
    };
    assert_eq!(said("user_message_chunk"), [FIRST, "And once more?"]);
    let closed = editor.ask("session/close", &json!({"sessionId": session}));
    assert!(closed.get("result").is_some(), "{closed}");
    let refused = editor.ask("session/prompt", &prompt(&session, FIRST));
    assert!(refused["error"]["message"].as_str().unwrap().contains("is not open"), "{refused}");
}

#[test]
fn a_session_without_a_request_can_be_resumed_and_is_not_listed() {
    let scene = Scene::new(counting());
    let (editor, session) = with_session(&scene, json!({}));
    assert_eq!(editor.leave(), Some(0));
    let mut editor = Editor::start(&mut scene.artoo(&["acp"]));
    editor.ask("initialize", &json!({"protocolVersion": 1, "clientCapabilities": {}}));
    let listed = editor.ask("session/list", &json!({}));
    assert_eq!(listed["result"]["sessions"], json!([]));
    let place = json!({"sessionId": session, "cwd": scene.folder(), "mcpServers": []});
    assert!(editor.ask("session/resume", &place).get("result").is_some());
}

#[test]
fn a_question_in_words_is_a_form_or_the_end_of_a_turn() {
    let asking = || {
        let counts = counting();
        Scene::new(move |call| {
            let is_open = schema(call) == "resolved_or_open" && shown(call).contains("the other folder");
            if is_open && !shown(call).contains("I mean docs") {
                return artoo_llm_http::doubles::Reply::text(
                    json!({"questions": ["Which folder?"], "intent": "Count"}).to_string(),
                );
            }
            counts(call)
        })
    };
    // Without forms, the next prompt is the answer.
    let scene = asking();
    let (mut editor, session) = with_session(&scene, json!({}));
    editor.ask("session/prompt", &prompt(&session, FIRST));
    let asked = editor.ask("session/prompt", &prompt(&session, "And in the other folder?"));
    assert_eq!(asked["result"]["stopReason"], "end_turn");
    assert!(editor.said().contains("Which folder?"), "{}", editor.said());
    let runs = scene.runs().len();
    let done = editor.ask("session/prompt", &prompt(&session, "I mean docs"));
    assert_eq!(done["result"]["stopReason"], "end_turn");
    assert_eq!(scene.runs().len(), runs, "the answer is no request of its own");
    assert!(
        editor.said().ends_with("met.") || editor.said().matches("✓ **Done.**").count() == 2,
        "{}",
        editor.said()
    );

    let scene = asking();
    let (mut editor, session) = with_session(&scene, json!({"elicitation": {"form": {}}}));
    editor.ask("session/prompt", &prompt(&session, FIRST));
    let turn = editor.request("session/prompt", &prompt(&session, "And in the other folder?"));
    let form = editor.asked("elicitation/create");
    assert_eq!(form["params"]["message"], "Which folder?", "{form}");
    editor.answer(&form, &json!({"action": "accept", "content": {"answer": "I mean docs"}}));
    assert_eq!(editor.answered(turn)["result"]["stopReason"], "end_turn");
}

#[test]
fn what_makes_no_sense_is_refused_with_its_reason() {
    let scene = Scene::new(counting());
    let (mut editor, session) = with_session(&scene, json!({}));
    let mut refused = |method: &str, parameters: Value| {
        let answer = editor.ask(method, &parameters);
        answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{method}: {answer}")).to_owned()
    };
    let nowhere = json!({"cwd": "docs", "mcpServers": []});
    assert_eq!(refused("session/new", nowhere), "docs is not absolute");
    let gone = json!({"cwd": "/no/such/folder", "mcpServers": []});
    assert_eq!(refused("session/new", gone), "/no/such/folder is no folder");
    assert!(refused("session/prompt", prompt("nobody", "x")).contains("there is no session nobody"));
    let unknown = "019a0000-0000-7000-8000-000000000000";
    let place = json!({"sessionId": unknown, "cwd": scene.folder(), "mcpServers": []});
    assert!(refused("session/resume", place).contains(unknown));
    let empty = json!({"sessionId": session, "prompt": []});
    assert_eq!(refused("session/prompt", empty), "the prompt has no words");
    assert!(!refused("session/steal", json!({})).is_empty());
    editor.write("this is no JSON");
    editor.write("{\"jsonrpc\": \"2.0\", \"id\": {\"a\": 1}, \"method\": 7}");
    // After all of it, it still works.
    let answer = editor.ask("session/prompt", &prompt(&session, FIRST));
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
}

#[test]
fn a_window_in_which_nothing_was_asked_is_no_conversation() {
    let scene = Scene::new(counting());
    // A run of somebody else's is the newest one.
    scene.say(&["run", FIRST]).ended(0);
    let (mut editor, session) = with_session(&scene, json!({}));
    let undone = editor.ask("session/prompt", &prompt(&session, "/undo"));
    assert_eq!(undone["result"]["stopReason"], "end_turn");
    let told = |message: &Value| message.to_string().contains("This session has no run yet");
    assert!(editor.seen.iter().any(told), "{:#?}", editor.seen);
    editor.leave();
    let listed = scene.say(&["sessions", "list"]).ended(0);
    assert!(!listed.out.contains(&session[session.len() - 8..]), "{}", listed.out);
    // What goes on with the newest conversation passes it over.
    scene.say(&["run", "--continue", FIRST]).ended(0);
    let listed = scene.say(&["sessions", "list", "--json"]).ended(0).out;
    let turns: Vec<usize> = listed
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["turns"].as_array().unwrap().len())
        .collect();
    assert_eq!(turns, [2], "{listed}");
}
