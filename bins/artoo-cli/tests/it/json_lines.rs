//! Tests of `--json`: one object per line, each valid for the schema that artoo prints.

use std::io::{BufRead, BufReader};
use std::time::Duration;

use artoo_llm_http::doubles::Reply;
use serde_json::{Value, json};

use crate::fixture::Scene;
use crate::mock_model::{count_plan, counting, model, schema};
use crate::process::ended;

/// The parsed lines, each validated.
fn lines(scene: &Scene, text: &str) -> Vec<Value> {
    let schema = scene.say(&["config", "schema", "--events"]).ended(0).out;
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut number = 0;
    for line in &lines {
        let errors: Vec<String> = validator.iter_errors(line).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{line:#}: {errors:?}");
        assert_eq!(line["v"], json!(1));
        if line["type"] == "progress" {
            assert_eq!(line.get("seq"), None, "it is no event");
        } else {
            number += 1;
            assert_eq!(line["seq"], json!(number));
        }
    }
    lines
}

#[test]
fn every_line_is_valid_and_the_last_tells_the_end() {
    let scene = Scene::new(counting());
    let said = scene.say(&["run", "--json", "How many .txt files are in docs? 数一数 😀"]).ended(0);
    let lines = lines(&scene, &said.out);
    assert_eq!(
        (&lines[0]["type"], &lines[0]["request"]),
        (&json!("run.started"), &json!("How many .txt files are in docs? 数一数 😀"))
    );
    let last = lines.last().unwrap();
    assert_eq!(
        (&last["type"], &last["directive"], &last["exit_code"]),
        (&json!("run.finished"), &json!("accept"), &json!(0))
    );
    assert_eq!(said.err, "", "nothing but the lines");
    // `runs show` prints the same lines.
    let again = scene.say(&["runs", "show", "last", "--json"]).ended(0);
    assert_eq!(again.out, events(&said.out));
}

/// The lines without those of progress, which no record has.
fn events(text: &str) -> String {
    text.lines()
        .filter(|line| !line.contains(r#""type":"progress""#))
        .map(|line| format!("{line}\n"))
        .collect()
}

/// Whoever reads the lines of a run hears of it while a model takes its time, at most once a second.
#[test]
fn what_goes_on_is_told_between_the_events() {
    let answer = counting();
    let scene = Scene::new(move |call| match schema(call) {
        "plan" => answer(call).after(Duration::from_millis(3200)),
        _ => answer(call),
    });
    let said = scene.say(&["run", "--json", "How many .txt files are in docs?"]).ended(0);
    let lines = lines(&scene, &said.out);
    let told: Vec<&Value> = lines.iter().filter(|line| line["type"] == "progress").collect();
    assert!(told.len() >= 2, "{}", said.out);
    let planner: Vec<&Value> = told
        .iter()
        .flat_map(|line| line["activities"].as_array().unwrap())
        .filter(|one| one["role"] == "planner")
        .collect();
    assert!(planner.iter().any(|one| one["progress"] == "waiting_for_model"), "{told:#?}");
    let ages: Vec<u64> = planner.iter().map(|one| one["age_ms"].as_u64().unwrap()).collect();
    assert!(ages.windows(2).all(|pair| pair[0] + 900 <= pair[1]), "at most once a second: {ages:?}");
    let again = scene.say(&["runs", "show", "last", "--json"]).ended(0);
    assert_eq!(again.out, events(&said.out));
}

#[test]
fn an_unmet_end_is_valid_too() {
    let scene = Scene::new(model(count_plan("Count the ghosts"), |_| json!({"give_up": "\u{1b}[2J none"})));
    let said = scene.say(&["run", "--json", "--max-replans", "1", "How many ghosts?"]).ended(4);
    assert!(!said.out.chars().any(|c| c.is_control() && c != '\n'));
    let lines = lines(&scene, &said.out);
    assert!(lines.iter().any(|line| line["type"] == "directive"), "a replan is told");
    assert_eq!(lines.last().unwrap()["exit_code"], json!(4));
}

/// A directive would mean that the task was judged. With a fault, unjudged
/// fields are null, and `error` holds the fault.
#[test]
fn a_fault_is_no_judgement() {
    let scene = Scene::new(|_| Reply::status(401, r#"{"error": {"message": "bad key"}}"#));
    let said = scene.say(&["run", "--json", "How many .txt files are in docs?"]).ended(1);
    let lines = lines(&scene, &said.out);
    assert_eq!(lines[0]["limits"]["time_budget_ms"], json!(300_000));
    let last = lines.last().unwrap();
    assert_eq!((&last["type"], &last["directive"]), (&json!("run.finished"), &Value::Null));
    assert_eq!((&last["error"]["kind"], &last["error"]["role"]), (&json!("provider"), &json!("planner")));
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let scene = Scene::new(counting());
    let mut child = scene.artoo(&["run", "--json", "How many .txt files are in docs?"]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("run.started"));
    assert_eq!(ended(&mut child).code(), Some(0));
    assert!(scene.journal().contains("final_result"), "the run is recorded to its end");
}
