//! A corpus of answers as models really send them, most of them from the ancestor's bug list.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn check(text: &str, expected: Value) {
    match extract_json(text, Want::Object) {
        Ok(found) => assert_eq!(found.value, expected, "{text:?}"),
        Err(error) => panic!("{text:?}: {error}"),
    }
}

fn check_error(text: &str, expected: &str) {
    match extract_json(text, Want::Object) {
        Ok(found) => panic!("{text:?} gave {}", found.value),
        Err(error) => assert_eq!(error.to_string(), expected, "{text:?}"),
    }
}

#[test]
fn lesson_31_trailing_text() {
    check(r#"{"a": 1} Done."#, json!({"a": 1}));
    check("{\"a\": 1}\n\nI hope this helps! }", json!({"a": 1}));
    check("{\"a\": 1}}}", json!({"a": 1}));
}

#[test]
fn lesson_102_preamble() {
    check(r#"Sure, here is the plan: {"a": 1}"#, json!({"a": 1}));
    check(r#"I use {curly} and {} no, {"a": 1}"#, json!({}));
    check(r#"The set {x, y} and [1] and ["b"] lead to {"a": 1}"#, json!({"a": 1}));
    check(r#"see [link](http://x) and "quotes { ": {"a": 1}"#, json!({"a": 1}));
    check(r#"{"a", "b"} is a set. {"a": 1}"#, json!({"a": 1}));
}

#[test]
fn fences() {
    check("```json\n{\"a\": 1}\n```", json!({"a": 1}));
    check("```\n{\"a\": 1}\n```\nDone.", json!({"a": 1}));
    check("Here:\n~~~JSON\n{\n  \"a\": \"```\"\n}\n~~~", json!({"a": "```"}));
    check("`{\"a\": 1}`", json!({"a": 1}));
}

#[test]
fn the_first_of_two_values_counts() {
    let found = extract_json("{\"a\": 1}\n{\"a\": 2}", Want::Object).unwrap();
    assert_eq!(found, Extracted { value: json!({"a": 1}), start: 0, end: 8, alone: false, more: true });
    let found = extract_json("{\"a\": 1} or {\"b\":", Want::Object).unwrap();
    assert!(!found.more);
}

#[test]
fn strings_may_hold_anything() {
    check(r#"x {"cmd": "echo \"}\" { [ \\"} y"#, json!({"cmd": "echo \"}\" { [ \\"}));
    check(r#"{"re": "^\\{[^}]*\\}$", "b": {"c": "]"}}"#, json!({"re": "^\\{[^}]*\\}$", "b": {"c": "]"}}));
    check("答えは {\"文件\": \"最大.txt 🙂\"} です", json!({"文件": "最大.txt 🙂"}));
    check("\u{feff}{\"a\": \"\\ud83d\\ude00\"}", json!({"a": "😀"}));
}

#[test]
fn half_a_value_is_no_value() {
    check_error("", "there is no JSON value in the answer");
    check_error("No JSON here.", "there is no JSON value in the answer");
    check_error(
        r#"{"subtasks": [{"intent": "a"}, {"inte"#,
        "the JSON value that begins at byte 0 is cut off",
    );
    check_error(r#"ok {"a"#, "the JSON value that begins at byte 3 is cut off");
    check_error(
        r#"{"a": None, "b": {"c": 1}}"#,
        "the JSON value that begins at byte 0 is malformed: expected value at line 1 column 7",
    );
    check_error(
        r#"{"a": 1,}"#,
        "the JSON value that begins at byte 0 is malformed: trailing comma at line 1 column 9",
    );
}

#[test]
fn an_array_of_objects_is_not_one_object() {
    check(r#"[{"a": 1}, {"a": 2}]"#, json!([{"a": 1}, {"a": 2}]));
    check_error(r#"[{"a": 1}, {"a": 2"#, "the JSON value that begins at byte 0 is cut off");
}

#[test]
fn whole_scalars_count_where_anything_does() {
    assert_eq!(extract_json(" 42 ", Want::Any).unwrap().value, json!(42));
    assert_eq!(extract_json("\"yes\"", Want::Any).unwrap().value, json!("yes"));
    assert_eq!(extract_json("about 42", Want::Any), Err(ExtractError::Nothing));
    assert_eq!(extract_json("[1, 2] so", Want::Array).unwrap().value, json!([1, 2]));
    assert_eq!(extract_json("[\"a\", \"b", Want::Array), Err(ExtractError::Cut { at: 0 }));
}

#[test]
fn limits() {
    let long = " ".repeat(MAX_ANSWER_BYTES + 1);
    assert_eq!(extract_json(&long, Want::Any), Err(ExtractError::TooLong { bytes: MAX_ANSWER_BYTES + 1 }));
    let nested = |n: usize| format!("{}1{}", "{\"a\":".repeat(n), "}".repeat(n));
    assert!(extract_json(&nested(MAX_DEPTH), Want::Object).is_ok());
    for n in [MAX_DEPTH + 1, 126, 127, 128, 10_000] {
        assert_eq!(extract_json(&nested(n), Want::Object), Err(ExtractError::TooDeep { at: 0 }), "{n}");
    }
}

#[test]
fn hostile_brackets_take_linear_time() {
    for unit in ["{", "[", "{\"", "[\"", "[[1,", "{\"a\":", "{ ", "[1,1,"] {
        let text = unit.repeat(MAX_ANSWER_BYTES / 16 / unit.len());
        assert!(extract_json(&text, Want::Any).is_err());
        assert!(extract_json(&text, Want::Object).is_err());
    }
}

fn arb_object() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((".*", inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    });
    prop::collection::vec((".*", value), 0..4).prop_map(|fields| Value::Object(fields.into_iter().collect()))
}

proptest! {
    #[test]
    fn never_panics(text in ".*", brackets in "[{}\\[\\]\":,a1\\\\ ]*") {
        for want in [Want::Object, Want::Array, Want::Any] {
            let _ = extract_json(&text, want);
            let _ = extract_json(&brackets, want);
        }
    }

    #[test]
    fn finds_a_value_in_any_prose(value in arb_object(), before in "[^{\\[]*", after in ".*", pretty in any::<bool>()) {
        let json = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let text = format!("{before}{}{after}", json.unwrap());
        let found = extract_json(&text, Want::Object).unwrap();
        prop_assert_eq!(found.value, value);
        prop_assert_eq!(found.start, before.len());
        prop_assert_eq!(found.end, text.len() - after.len());
    }

    #[test]
    fn never_takes_a_part_for_the_whole(value in arb_object(), keep in 0.0..1.0_f64) {
        let json = serde_json::to_string(&value).unwrap();
        let cut = json.floor_char_boundary((json.len() as f64 * keep) as usize);
        prop_assert!(extract_json(&json[..cut], Want::Object).is_err());
    }
}
