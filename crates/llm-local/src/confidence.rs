//! The model's confidence in the values that it chose from lists.

use artoo_llm_client::Choice;
use serde_json::Value;

/// For each field of the answer whose schema enumerates its values: the product of the probabilities of the
/// chosen value's tokens. `tokens` are the byte lengths of the answer's tokens, and the probability of each
/// among the allowed ones. A field with an unknown probability is omitted.
pub(crate) fn of(schema: &Value, answer: &[u8], tokens: &[(usize, Option<f32>)]) -> Vec<Choice> {
    let fields = schema.get("properties").and_then(Value::as_object);
    let listed = fields.into_iter().flatten().filter(|(_, field)| lists_values(schema, field));
    listed
        .filter_map(|(name, _)| {
            let (begin, end) = value_of(name, answer)?;
            let probability = probability(tokens, begin, end)?;
            // Rounding cannot leave the range.
            let permille = (probability.clamp(0.0, 1.0) * 1000.0).round() as u16;
            Some(Choice { field: name.clone(), permille })
        })
        .collect()
}

/// Whether a schema enumerates the allowed values: as `enum`, or one by one.
fn lists_values(root: &Value, schema: &Value) -> bool {
    if let Some(place) = schema.get("$ref").and_then(Value::as_str).and_then(|place| place.strip_prefix('#'))
    {
        // Only one step: a reference may lead to itself.
        return root
            .pointer(place)
            .is_some_and(|schema| schema.get("$ref").is_none() && lists_values(root, schema));
    }
    let is_value = |schema: &Value| schema.get("const").is_some() || schema.get("enum").is_some();
    let one_of = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array);
    schema.get("enum").is_some() || one_of.is_some_and(|several| several.iter().all(is_value))
}

/// The span of a string field's value in the answer, with its quotes. The JSON is compact, and quotes inside
/// strings are escaped, so the field's quoted name before a colon is the field.
fn value_of(name: &str, answer: &[u8]) -> Option<(usize, usize)> {
    let field = format!("{}:\"", Value::from(name));
    let begin = answer.windows(field.len()).position(|part| part == field.as_bytes())? + field.len() - 1;
    let mut is_escaped = false;
    for (at, byte) in answer.iter().enumerate().skip(begin + 1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return Some((begin, at + 1)),
            _ => {}
        }
    }
    None
}

fn probability(tokens: &[(usize, Option<f32>)], begin: usize, end: usize) -> Option<f32> {
    let (mut at, mut product) = (0, 1.0);
    for (length, odds) in tokens {
        let token = at..at + length;
        at = token.end;
        if token.start < end && token.end > begin {
            product *= (*odds)?;
        }
    }
    Some(product)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(answer: &str, tokens: &[(&str, Option<f32>)], expected: &[(&str, u16)]) {
        let schema = json!({
            "properties": {
                "class": {"enum": ["logical", "unknown"]},
                "loop": {"$ref": "#/$defs/Loop"},
                "reason": {"type": "string"},
                "verdict": {"$ref": "#/$defs/Verdict"},
            },
            "$defs": {
                "Verdict": {"oneOf": [{"const": "pass"}, {"const": "fail"}]},
                "Loop": {"$ref": "#/$defs/Loop"},
            },
        });
        assert_eq!(tokens.iter().map(|(text, _)| *text).collect::<String>(), answer);
        let lengths: Vec<_> = tokens.iter().map(|(text, odds)| (text.len(), *odds)).collect();
        let choice =
            |(field, permille): &(&str, u16)| Choice { field: (*field).to_owned(), permille: *permille };
        let expected: Vec<_> = expected.iter().map(choice).collect();
        assert_eq!(of(&schema, answer.as_bytes(), &lengths), expected);
    }

    #[test]
    fn a_choice_is_as_likely_as_its_tokens_together() {
        check(
            r#"{"reason":"it \"verdict\":\"fail\"","verdict":"pass","class":"unknown"}"#,
            &[
                (r#"{"reason":""#, Some(1.0)),
                (r#"it \"verdict\":\"fail\""#, None),
                (r#"","verdict":""#, Some(1.0)),
                ("pa", Some(0.5)),
                ("ss", Some(0.5)),
                (r#"","class":""#, Some(1.0)),
                ("unknown", Some(0.9)),
                (r#""}"#, Some(1.0)),
            ],
            &[("class", 900), ("verdict", 250)],
        );
    }

    #[test]
    fn what_is_not_known_or_not_there_is_left_out() {
        check(
            r#"{"verdict":"pass","class":"unkn"#,
            &[
                (r#"{"verdict":""#, Some(1.0)),
                ("pass", None),
                (r#"","class":""#, Some(1.0)),
                ("unkn", Some(0.5)),
            ],
            &[],
        );
        check("{}", &[("{}", Some(1.0))], &[]);
        check("", &[], &[]);
    }
}
