//! The tools, with a client of the older protocol.

use std::fs;

use serde_json::{Value, json};

use super::{call, client, run_task, text};
use crate::fixture::{REQUEST, Scene, deleting, notes};
use crate::json_rpc::Peer;
use crate::mock_model::counting;

#[test]
fn a_task_is_a_run_with_progress_and_a_result_that_says_what_it_is_worth() {
    let scene = Scene::new(counting());
    let mut client = client(&scene, &[], &json!({}));
    let tools = client.ask("tools/list", &json!({}));
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["run_task", "answer", "undo", "explain", "list_runs", "show_run", "recall"]);
    let mut task = run_task(&scene, "How many .txt files are in docs?");
    task["_meta"] = json!({"progressToken": "p"});
    let answer = client.ask("tools/call", &task);
    let result = &answer["result"]["structuredContent"];
    assert_eq!((&result["status"], &result["exit_code"]), (&json!("confirmed"), &json!(0)), "{answer}");
    assert!(text(&answer).starts_with('3') && text(&answer).contains("✓ **Done.**"), "{}", text(&answer));
    let progress: Vec<&Value> =
        client.seen.iter().filter(|message| message["method"] == "notifications/progress").collect();
    assert!(
        progress.iter().any(|one| one["params"]["message"] == "Count the .txt files in docs"),
        "{progress:#?}"
    );
    let counts: Vec<f64> = progress.iter().map(|one| one["params"]["progress"].as_f64().unwrap()).collect();
    assert!(counts.is_sorted() && counts.len() > 1, "{counts:?}");

    let run = result["run"].as_str().unwrap();
    let listed = client.ask("tools/call", &call("list_runs", &json!({})));
    assert!(listed["result"]["structuredContent"].to_string().contains(run), "{listed}");
    let explained = client.ask("tools/call", &call("explain", &json!({"run": run})));
    assert!(explained["result"]["structuredContent"].is_object(), "{explained}");
    let shown = client.ask("tools/call", &call("show_run", &json!({"run": "last"})));
    assert!(text(&shown).contains("ls docs/*.txt | wc -l"), "{}", text(&shown));
    let recalled =
        client.ask("tools/call", &call("recall", &json!({"about": "How many .txt files are in docs?"})));
    assert_ne!(recalled["result"]["isError"], true, "{recalled}");
    // A further request knows of the first one.
    let again = json!({"request": "And once more?", "folder": scene.folder(), "session": result["session"]});
    let again = client.ask("tools/call", &call("run_task", &again));
    assert_eq!(again["result"]["structuredContent"]["session"], result["session"], "{again}");
    assert_eq!(client.leave(), Some(0));
}

/// Begins the request that asks, and takes its question as the result of the call.
fn asking(client: &mut Peer, scene: &Scene) -> Value {
    let answer = client.ask("tools/call", &run_task(scene, REQUEST));
    let result = answer["result"]["structuredContent"].clone();
    assert_eq!(result["status"], "asking", "{answer}");
    assert!(notes(scene).exists(), "nothing happens before the answer");
    result
}

#[test]
fn a_question_is_answered_in_another_call_and_the_change_is_undone() {
    let scene = deleting();
    let mut client = client(&scene, &[], &json!({}));
    let asked = asking(&mut client, &scene);
    assert!(asked["question"].as_str().unwrap().contains("notes.txt"), "{asked}");
    let wrong = client.ask("tools/call", &call("answer", &json!({"run": asked["run"], "answer": "sure"})));
    assert!(text(&wrong).contains("there are yes, no"), "{}", text(&wrong));
    assert!(notes(&scene).exists(), "what is no answer grants nothing");
    let done = client.ask("tools/call", &call("answer", &json!({"run": asked["run"], "answer": "yes"})));
    assert_eq!(done["result"]["structuredContent"]["status"], "confirmed", "{done}");
    assert!(!notes(&scene).exists());
    let twice = client.ask("tools/call", &call("answer", &json!({"run": asked["run"], "answer": "yes"})));
    assert!(text(&twice).contains("asks nothing here"), "{}", text(&twice));
    let undone = client.ask("tools/call", &call("undo", &json!({"run": asked["run"]})));
    assert_ne!(undone["result"]["isError"], true, "{undone}");
    assert_eq!(fs::read_to_string(notes(&scene)).unwrap(), "a year's work\n");
}

#[test]
fn a_no_is_in_the_result() {
    let scene = deleting();
    let mut client = client(&scene, &[], &json!({}));
    let asked = asking(&mut client, &scene);
    let done = client.ask("tools/call", &call("answer", &json!({"run": asked["run"], "answer": "no"})));
    let refused = &done["result"]["structuredContent"]["not_allowed"][0];
    assert!(refused["command"].as_str().unwrap().contains("rm ~/artoo_workspace/notes.txt"), "{done}");
    assert_eq!(refused["reason"], "the person did not agree", "{done}");
    assert!(text(&done).contains("Not done, for it was not allowed:"), "{}", text(&done));
    assert!(notes(&scene).exists());
}

#[test]
fn where_nobody_is_to_be_asked_the_answer_is_no() {
    let scene = deleting();
    let mut client = client(&scene, &[], &json!({}));
    let task = json!({"request": REQUEST, "folder": scene.folder(), "approval_mode": "never"});
    let done = client.ask("tools/call", &call("run_task", &task));
    assert!(!done["result"]["structuredContent"]["not_allowed"].as_array().unwrap().is_empty(), "{done}");
    assert!(notes(&scene).exists());
}

#[test]
fn a_client_with_forms_is_asked_while_it_waits() {
    for (answer, is_left) in [
        (json!({"action": "accept", "content": {"answer": "yes"}}), false),
        (json!({"action": "accept", "content": {"answer": "everything"}}), true),
        (json!({"action": "decline"}), true),
        (json!({"action": "cancel"}), true),
    ] {
        let scene = deleting();
        let mut client = client(&scene, &[], &json!({"elicitation": {}}));
        let turn = client.request("tools/call", &run_task(&scene, REQUEST));
        let form = client.asked("elicitation/create");
        assert!(form["params"]["message"].as_str().unwrap().contains("notes.txt"), "{form}");
        assert!(notes(&scene).exists());
        client.answer(&form, &answer);
        let done = client.answered(turn);
        assert_ne!(done["result"]["structuredContent"]["status"], "asking", "{done}");
        assert_eq!(notes(&scene).exists(), is_left, "{answer}: {done}");
    }
}

#[test]
fn a_client_that_leaves_while_a_question_is_open_has_said_no() {
    let scene = deleting();
    let mut client = client(&scene, &[], &json!({}));
    asking(&mut client, &scene);
    assert_eq!(client.leave(), Some(0));
    assert!(notes(&scene).exists());
    let journal = scene.journal();
    let last = journal.lines().last().unwrap();
    assert!(last.contains("final_result"), "{last}");
}

#[test]
fn two_calls_at_once_are_two_runs() {
    let scene = deleting();
    let mut client = client(&scene, &[], &json!({}));
    let calls = [0, 1].map(|_| client.request("tools/call", &run_task(&scene, REQUEST)));
    let mut runs = calls.map(|_| {
        let answer = client.until(|message| message["result"]["structuredContent"]["status"] == "asking");
        answer["result"]["structuredContent"]["run"].as_str().unwrap().to_owned()
    });
    runs.sort();
    assert_ne!(runs[0], runs[1]);
    for run in runs {
        client.ask("tools/call", &call("answer", &json!({"run": run, "answer": "no"})));
    }
    assert!(notes(&scene).exists());
}

#[test]
fn what_makes_no_sense_is_refused_with_its_reason() {
    let scene = Scene::new(counting());
    let docs = scene.folder().join("docs");
    let mut client = client(&scene, &["--folder", docs.to_str().unwrap()], &json!({}));
    let mut why = |tool: &str, arguments: Value| {
        let answer = client.ask("tools/call", &call(tool, &arguments));
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        text(&answer).to_owned()
    };
    let task = |folder: &str| json!({"request": "x", "folder": folder});
    assert!(why("run_task", task("docs")).contains("is not absolute"));
    assert!(why("run_task", task("/no/such/folder")).contains("cannot be used"));
    assert!(why("run_task", task(scene.folder().to_str().unwrap())).contains("outside of the folders"));
    let sneaky = docs.join("..");
    assert!(why("run_task", task(sneaky.to_str().unwrap())).contains("outside of the folders"));
    assert!(why("run_task", json!({"folder": docs})).contains("missing field `request`"));
    for run in ["no such run", "last"] {
        assert!(why("undo", json!({"run": run})).contains("undoes the runs that it began"), "{run}");
    }
    let unknown = client.ask("tools/call", &call("format_disk", &json!({})));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    client.write("this is no JSON");
    client.write("{\"jsonrpc\": \"2.0\", \"id\": 5, \"method\": 7}");
    let inside = client.ask("tools/call", &call("run_task", &task(docs.to_str().unwrap())));
    assert_eq!(inside["result"]["isError"], false, "{inside}");
    let run = inside["result"]["structuredContent"]["run"].clone();
    let own = client.ask("tools/call", &call("undo", &json!({ "run": run })));
    assert!(!text(&own).contains("undoes the runs that it began"), "{own}");
    assert_eq!(scene.runs().len(), 1);
}
