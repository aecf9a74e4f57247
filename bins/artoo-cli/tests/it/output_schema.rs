//! Tests of `--output-schema`: standard output gets JSON that matches the schema, or nothing.

use artoo_llm_http::doubles::Reply;
use serde_json::{Value, json};

use crate::fixture::Scene;
use crate::mock_model::{count_plan, counting, model, schema};

const REQUEST: &str = "How many .txt files are in docs?";

/// A model that counts the .txt files in docs and then returns `value`.
fn saying(value: Value) -> Scene {
    let work = counting();
    Scene::new(move |call| match schema(call) {
        "output" => Reply::text(value.to_string()),
        _ => work(call),
    })
}

/// Writes the schema to a file and returns its path.
fn file(scene: &Scene, text: &str) -> String {
    let path = scene.folder().join("schema.json");
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn count() -> String {
    json!({"type": "object", "required": ["count"], "properties": {"count": {"type": "integer"}}}).to_string()
}

#[test]
fn json_of_the_schema_comes_alone() {
    let scene = saying(json!({"count": 3}));
    let said = scene.say(&["run", "--output-schema", &file(&scene, &count()), REQUEST]).ended(0);
    assert_eq!(said.out, "{\n  \"count\": 3\n}\n");
    assert!(said.err.contains("✓ Done"), "{}", said.err);
    let said = scene.say(&["run", "--quiet", "--output-schema", "schema.json", REQUEST]).ended(0);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("{\n  \"count\": 3\n}\n", ""));
    let said = scene.say(&["run", "--json", "--output-schema", "schema.json", REQUEST]).ended(0);
    let last: Value = serde_json::from_str(said.out.lines().last().unwrap()).unwrap();
    assert_eq!((&last["structured"], &last["output"]), (&json!({"count": 3}), &json!("3")));
}

/// A field is not filled with anything that the run did not find out, and a
/// schema that nothing matches gives no JSON.
#[test]
fn law_0_what_was_not_found_out_is_no_json() {
    let nothing = json!({"not": {}}).to_string();
    for (schema, value) in [(count(), json!({"count": 4})), (nothing, json!({"count": 3}))] {
        let scene = saying(value);
        let schema = file(&scene, &schema);
        let said = scene.say(&["run", "--output-schema", &schema, REQUEST]).ended(3);
        assert_eq!(said.out, "");
        for part in ["✗ There is no JSON of the schema: ", "\n3\n", "done, without the JSON"] {
            assert!(said.err.contains(part), "no `{part}` in\n{}", said.err);
        }
        let said = scene.say(&["runs", "explain", "last"]).ended(0);
        assert!(said.out.contains("no JSON of the schema: "), "{}", said.out);
    }
}

#[test]
fn a_run_that_fell_short_prints_no_json() {
    let scene =
        Scene::new(model(count_plan("Count the ghosts"), |_| json!({"give_up": "there are no ghosts"})));
    let schema = file(&scene, &count());
    let line = ["run", "--max-replans", "0", "--output-schema", &schema, "How many ghosts are in docs?"];
    let said = scene.say(&line).ended(4);
    assert_eq!(said.out, "");
    assert!(said.err.contains("✗ Not finished: there are no ghosts.\n"), "{}", said.err);
}

#[test]
fn what_is_no_schema_is_refused_before_anything_runs() {
    let scene = Scene::new(counting());
    let remote = json!({"$ref": format!("{}/schema.json", scene.server().base_url())}).to_string();
    let long = json!({"title": "x".repeat(1024 * 1024)}).to_string();
    for (text, wrong, hint) in [
        ("{", "the schema is not JSON", "write a JSON Schema"),
        (r#"{"type": "sausage"}"#, "this is not a JSON Schema", "json-schema.org"),
        (&remote, "which is not in it, and nothing is fetched", "$defs"),
        (&long, "more than 65536", "only the fields that you need"),
    ] {
        let schema = file(&scene, text);
        scene.say(&["run", "--output-schema", &schema, REQUEST]).ended(2).explains(wrong, hint);
    }
    let said = scene.say(&["run", "--output-schema", "nowhere.json", REQUEST]).ended(2);
    said.explains("nowhere.json", "give the path of a file with a JSON Schema");
    assert_eq!((scene.server().stats().requests, scene.runs().len()), (0, 0));
}
