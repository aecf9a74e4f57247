//! Property: a written line equals the redacted value.

use artoo_redaction::{JsonWriter, Redactor};
use proptest::prelude::*;
use serde_json::{Value, json};

fn value() -> impl Strategy<Value = Value> {
    let text = "(hunter22!\"\n|sk-0123456789abcdef|token=|\n|\\PC|[a-z]{1,9}|[\\x00-\\x1f]|\"|\\\\){0,6}";
    let leaf =
        prop_oneof![text.prop_map(Value::from), any::<i32>().prop_map(Value::from), Just(Value::Null),];
    leaf.prop_recursive(3, 24, 4, move |inner| {
        let name = prop_oneof![Just("password".to_owned()), Just("api_key".to_owned()), "[a-z]{0,4}".boxed()];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn a_line_is_what_the_redacted_value_would_be(values in prop::collection::vec(value(), 1..4)) {
        let redactor = Redactor::new().secret("hunter22!\"\n");
        let mut writer = JsonWriter::new(redactor.clone());
        for value in values {
            let mut line = Vec::new();
            writer.write(&value, &mut line).unwrap();
            let mut tree = value;
            redactor.apply_to_value(&mut tree);
            prop_assert_eq!(String::from_utf8(line).unwrap(), tree.to_string());
        }
    }
}

#[test]
fn the_name_of_a_field_gives_its_value_away() {
    let mut value = json!({
        "arguments": {"password": "apple", "headers": {"X-Api-Key": "pear"}, "tokens": 5},
        "list": ["password", "apple"],
    });
    Redactor::new().apply_to_value(&mut value);
    let expected = json!({
        "arguments": {"password": "[redacted: password]", "headers": {"X-Api-Key": "[redacted: api key]"}, "tokens": 5},
        "list": ["password", "apple"],
    });
    assert_eq!(value, expected);
}
