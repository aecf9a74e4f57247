use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{EditFile, Glob, Grep, ReadFile, Shell, Tool, WriteFile};

fn taken(tool: &dyn Tool, given: Value) -> Result<Value, String> {
    let given = given.as_object().unwrap().clone();
    let taken = coerced(given, &tool.arguments(), &tool.name(), tool.file_content());
    taken.map(Value::Object).map_err(|error| error.to_string())
}

#[test]
fn what_can_mean_one_thing_is_taken_as_that() {
    let edits = json!([{"old": "1", "new": "2"}]);
    let in_lines = json!([{"old": "1\n\ta", "new": "2"}]);
    let table: [(&dyn Tool, Value, Value); 29] = [
        (&ReadFile, json!({"path": "a", "first_line": "2"}), json!({"path": "a", "first_line": 2})),
        (&ReadFile, json!({"path": "a", "first_line": 2.0}), json!({"path": "a", "first_line": 2})),
        (&ReadFile, json!({"path": "a", "first_line": " 2.0 "}), json!({"path": "a", "first_line": 2})),
        (&ReadFile, json!({"path": "a", "last_line": null}), json!({"path": "a"})),
        (&ReadFile, json!({"path": 7}), json!({"path": "7"})),
        (&ReadFile, json!({"path": ["a"]}), json!({"path": "a"})),
        (&ReadFile, json!({"path": "a", "explanation": "to see it"}), json!({"path": "a"})),
        (&ReadFile, json!({"path": "a", "toolSummary": "A file"}), json!({"path": "a"})),
        (&ReadFile, json!({"path": "a", "is_background": false, "encoding": ""}), json!({"path": "a"})),
        (&ReadFile, json!({"path": "a", "name": "read_file"}), json!({"path": "a"})),
        (&ReadFile, json!({"arguments": {"path": "a"}}), json!({"path": "a"})),
        (&ReadFile, json!({"args": {"path": "a"}, "id": null}), json!({"path": "a"})),
        (&ReadFile, json!({"input": "{\"path\": \"a\"}"}), json!({"path": "a"})),
        (
            &Shell,
            json!({"command": "ls", "timeout_seconds": "5"}),
            json!({"command": "ls", "timeout_seconds": 5}),
        ),
        (
            &Shell,
            json!({"command": "ls", "background": "False"}),
            json!({"command": "ls", "background": false}),
        ),
        (&Shell, json!({"command": "ls", "background": 1}), json!({"command": "ls", "background": true})),
        (&Glob, json!({"pattern": "*", "kind": "Files"}), json!({"pattern": "*", "kind": "files"})),
        (&Grep, json!({"pattern": 42, "context": "1"}), json!({"pattern": "42", "context": 1})),
        (
            &EditFile,
            json!({"path": "a", "edits": {"old": "1", "new": "2"}}),
            json!({"path": "a", "edits": edits}),
        ),
        (&EditFile, json!({"path": "a", "edits": edits.to_string()}), json!({"path": "a", "edits": edits})),
        (
            &EditFile,
            json!({"path": "a", "edits": edits[0].to_string()}),
            json!({"path": "a", "edits": edits}),
        ),
        (
            &EditFile,
            json!({"path": "a", "edits": [edits[0].to_string()]}),
            json!({"path": "a", "edits": edits}),
        ),
        (
            &EditFile,
            json!({"path": "a", "edits": "[{\"old\": \"1\n\ta\", \"new\": \"2\"}]"}),
            json!({"path": "a", "edits": in_lines}),
        ),
        (
            &EditFile,
            json!({"path": "a", "edits": Value::from(edits.to_string()).to_string()}),
            json!({"path": "a", "edits": edits}),
        ),
        (&EditFile, json!({"path": "a", "old": 1, "new": "2"}), json!({"path": "a", "edits": edits})),
        (
            &EditFile,
            json!({"path": "a", "edits": [{"old": "1", "new": "2", "all": "true", "reason": "so"}], "patch": null}),
            json!({"path": "a", "edits": [{"old": "1", "new": "2", "all": true}]}),
        ),
        (
            &WriteFile,
            json!({"path": "n.json", "content": {"a": 1}}),
            json!({"path": "n.json", "content": "{\n  \"a\": 1\n}\n"}),
        ),
        (
            &WriteFile,
            json!({"path": "n.json", "content": ["a"]}),
            json!({"path": "n.json", "content": "[\n  \"a\"\n]\n"}),
        ),
        (&WriteFile, json!({"path": "n", "content": 42}), json!({"path": "n", "content": "42"})),
    ];
    for (tool, given, expected) in table {
        assert_eq!(taken(tool, given.clone()), Ok(expected), "{given}");
    }
}

#[test]
fn what_may_mean_several_stays_for_the_tool_to_refuse() {
    let table: [(&dyn Tool, Value); 15] = [
        (&ReadFile, json!({"path": "a", "first_line": "two"})),
        (&ReadFile, json!({"path": "a", "first_line": "1,000"})),
        (&ReadFile, json!({"path": "a", "first_line": "007"})),
        (&ReadFile, json!({"path": "a", "first_line": 2.5})),
        (&ReadFile, json!({"path": ["a", "b"]})),
        (&ReadFile, json!({"path": 1.10})),
        (&ReadFile, json!({"path": {"a": 1}})),
        (&ReadFile, json!({"path": "a", "frist_line": 3})),
        (&ReadFile, json!({"path": "a", "limit": 3})),
        (&Shell, json!({"command": "ls", "cwd": "/tmp"})),
        (&Shell, json!({"command": "ls", "dry_run": true})),
        (&Shell, json!({"command": {"a": 1}})),
        (&Shell, json!({"command": "ls", "background": "yes"})),
        (&EditFile, json!({"path": "a", "edits": "old: 1, new: 2"})),
        (&EditFile, json!({"path": "a", "edits": [{"old": "1"}]})),
    ];
    for (tool, given) in table {
        assert_eq!(taken(tool, given.clone()), Ok(given.clone()), "{given}");
    }
    for (path, content) in
        [("a.txt", json!(["a", "b"])), ("a.yaml", json!({"a": 1})), ("a.csv", json!([[1]]))]
    {
        let refusal = taken(&WriteFile, json!({"path": path, "content": content})).unwrap_err();
        assert!(refusal.contains("give"), "{refusal}");
    }
}

/// A schema with all that the tools use, and a value that fits it.
fn schema_and_value() -> impl Strategy<Value = (Value, Value)> {
    let leaf = prop_oneof![
        "\\PC{0,8}".prop_map(|text| (json!({"type": "string"}), json!(text))),
        "[\\[{\"0-9tf,. ]{0,8}".prop_map(|text| (json!({"type": "string"}), json!(text))),
        any::<i64>().prop_map(|number| (json!({"type": "integer"}), json!(number))),
        any::<i32>().prop_map(|number| (json!({"type": "number"}), json!(f64::from(number) / 2.0))),
        any::<bool>().prop_map(|truth| (json!({"type": "boolean"}), json!(truth))),
        Just((json!({"enum": ["a", "A", "b"]}), json!("A"))),
        Just((json!({"type": ["string", "null"]}), Value::Null)),
        Just((json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}), json!("2"))),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), 0usize..3).prop_map(|((schema, value), count)| {
                (json!({"type": "array", "items": schema}), Value::Array(vec![value; count]))
            }),
            (prop::collection::btree_map("[a-c]{1,2}|explanation", inner, 0..3), any::<bool>()).prop_map(
                |(members, is_closed)| {
                    let schemas: Arguments =
                        members.iter().map(|(name, member)| (name.clone(), member.0.clone())).collect();
                    let values: Arguments =
                        members.iter().map(|(name, member)| (name.clone(), member.1.clone())).collect();
                    let schema =
                        json!({"type": "object", "properties": schemas, "additionalProperties": !is_closed});
                    (schema, Value::Object(values))
                }
            ),
        ]
    })
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        "[\\[\\]{}\":,a0-9. tre]{0,10}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 10, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("path|old|new|edits|content|[a-b]", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn arguments_that_fit_are_not_changed((schema, value) in schema_and_value()) {
        prop_assert!(fits(&value, &schema));
        prop_assert_eq!(coerced_value(&value, &schema), Some(value.clone()));
        let whole = json!({"type": "object", "properties": {"it": schema}, "additionalProperties": false});
        let given: Arguments = [("it".to_owned(), value)].into_iter().collect();
        prop_assert_eq!(coerced(given.clone(), &whole, &ToolName::new("tool"), None).unwrap(), given);
    }

    /// Whatever a model writes: once taken, it is taken the same again, and what was coerced fits.
    #[test]
    fn coercion_ends_where_it_leads(given in any_value(), at in 0usize..6) {
        let tools: [&dyn Tool; 6] = [&ReadFile, &WriteFile, &EditFile, &Shell, &Grep, &Glob];
        let Value::Object(given) = given else { return Ok(()) };
        let Ok(once) = taken(tools[at], Value::Object(given)) else { return Ok(()) };
        prop_assert_eq!(taken(tools[at], once.clone()), Ok(once));
    }
}
