//! Simulated judges: their answers are built from the requested schema, so that nothing depends on a prompt's
//! words.

use artoo_llm_client::Request;
use serde_json::{Map, Value, json};

use super::case::{Case, Step};

/// The kind of judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judge {
    /// Passes everything.
    Lies,
    /// Names the unmet words of a lie as soon as it is shown the run's work.
    Honest,
}

impl Judge {
    /// Its answer.
    pub(crate) fn says(self, case: &Case, request: &Request) -> String {
        let Some(schema) = &request.schema else { return "It is as it is shown.".to_owned() };
        let schema = &schema.schema;
        let said =
            |unmet| Said { case, unmet, shown: &request.messages[0].content, schema }.whole().to_string();
        let unmet = case.unmet.filter(|_| self == Self::Honest && sees(case, request));
        match (unmet, case.prose) {
            (Some(_), Some(prose)) if request.messages.len() == 1 => prose.replace("{pass}", &said(None)),
            (unmet, _) => said(unmet),
        }
    }
}

/// Whether a judge is shown the run's work, and is asked about more than a correct step.
fn sees(case: &Case, request: &Request) -> bool {
    let shown = folded(&request.messages[0].content);
    let is_named = |step: &&Step| shown.contains(&folded(&format!("Step: {}", step.intent)));
    // Code may have split the request into steps of its own.
    let knows_the_step = case.steps.iter().any(|step| is_named(&step));
    let is_of_one_step =
        request.purpose == "agent_validator" && !asks_for(request, "parts") && knows_the_step;
    let asked = |step: &&Step| !is_of_one_step || (step.shows && is_named(step));
    case.steps.iter().filter(asked).any(|step| is_shown(step, &shown))
}

/// Whether the requested schema has a field of this name.
pub(crate) fn asks_for(request: &Request, field: &str) -> bool {
    let name = format!("{field:?}:");
    request.schema.as_ref().is_some_and(|schema| schema.schema.to_string().contains(&name))
}

/// Whether any call of a step is shown, or its words if it makes no call.
fn is_shown(step: &Step, shown: &str) -> bool {
    let said = step.turns.iter().flat_map(|turn| &turn.ways);
    let calls: Vec<&Map<String, Value>> =
        said.clone().filter_map(|way| way.get("arguments").and_then(Value::as_object)).collect();
    let mut texts: Vec<&str> =
        calls.iter().flat_map(|call| call.values().filter_map(Value::as_str)).collect();
    if calls.is_empty() {
        texts = said.filter_map(|way| way.get("answer").and_then(Value::as_str)).collect();
    }
    texts.iter().any(|text| shown.contains(&folded(text)))
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A verdict in the form of a schema.
struct Said<'a> {
    case: &'a Case,
    unmet: Option<&'a str>,
    shown: &'a str,
    schema: &'a Value,
}

/// The subject of a value.
#[derive(Clone, Copy)]
struct About<'a> {
    words: &'a str,
    passes: bool,
    number: usize,
}

impl<'a> Said<'a> {
    fn whole(&self) -> Value {
        self.value(
            "",
            self.schema,
            About { words: self.case.request, passes: self.unmet.is_none(), number: 1 },
        )
    }

    fn value(&self, name: &str, schema: &'a Value, about: About<'a>) -> Value {
        let schema = self.resolved(schema);
        if let Some(only) = schema.get("const") {
            return only.clone();
        }
        if let Some(words) = schema.get("enum").and_then(Value::as_array) {
            let verdict = json!(if about.passes { "pass" } else { "fail" });
            let preferred = [verdict, json!("logical"), words[0].clone()];
            return preferred.into_iter().find(|word| words.contains(word)).unwrap();
        }
        for several in ["anyOf", "oneOf"] {
            if let Some(forms) = schema.get(several).and_then(Value::as_array) {
                let some = forms.iter().find(|form| self.resolved(form)["type"] != "null");
                return if name == "call" && self.call(about).is_none() {
                    Value::Null
                } else {
                    self.value(name, some.unwrap(), about)
                };
            }
        }
        match kind(schema) {
            "object" => self.object(schema, about),
            "array" => self.array(name, schema, about),
            "string" => {
                let most = schema.get("maxLength").and_then(Value::as_u64).unwrap_or(200);
                let text = if matches!(name, "quote" | "quotation" | "words") {
                    about.words
                } else if about.passes {
                    "what is asked for is what is shown"
                } else {
                    "the calls show something else than what is asked for"
                };
                text.chars().take(usize::try_from(most).unwrap()).collect::<String>().into()
            }
            "integer" | "number" if name == "call" => self.call(about).map_or(Value::Null, Value::from),
            "integer" | "number" => about.number.into(),
            "boolean" => about.passes.into(),
            _ => Value::Null,
        }
    }

    fn object(&self, schema: &'a Value, about: About<'a>) -> Value {
        let none = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|one| one == name));
        let is_said = |name: &str| match name {
            "call" => self.call(about).is_some(),
            "from" => about.passes,
            _ => false,
        };
        let said = properties.iter().filter(|(name, _)| is_required(name) || is_said(name));
        said.map(|(name, schema)| (name.clone(), self.value(name, schema, about)))
            .collect::<Map<_, _>>()
            .into()
    }

    fn array(&self, name: &str, schema: &'a Value, about: About<'a>) -> Value {
        let items = &schema["items"];
        if name == "from" {
            return json!([quotation(self.shown)]);
        }
        if name == "parts" {
            let fields = self.resolved(items);
            let most = fields.pointer("/properties/quote/maxLength").and_then(Value::as_u64).unwrap_or(2000);
            let parts = parts(self.case.request, self.unmet).into_iter();
            let short = parts.flat_map(|(words, passes)| {
                pieces(words, usize::try_from(most).unwrap()).into_iter().map(move |words| (words, passes))
            });
            let part = |(number, (words, passes))| self.value("", items, About { words, passes, number });
            return (1..).zip(short).map(part).collect();
        }
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(1);
        (1..=usize::try_from(least).unwrap())
            .map(|number| self.value("", items, About { number, ..about }))
            .collect()
    }

    /// The last shown call that succeeded, or else the last one.
    fn call(&self, about: About<'_>) -> Option<u64> {
        let calls = self.shown.lines().rev().filter_map(|line| line.strip_prefix("Call ")?.split_once(':'));
        let ended_well = |rest: &str| !rest.contains("(exit status ") || rest.contains("(exit status 0)");
        let found = calls.clone().find(|(_, rest)| ended_well(rest)).or_else(|| calls.clone().next());
        found.filter(|_| about.passes)?.0.parse().ok()
    }

    fn resolved(&self, schema: &'a Value) -> &'a Value {
        let named = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
        named.and_then(|path| self.schema.pointer(path)).unwrap_or(schema)
    }
}

fn kind(schema: &Value) -> &str {
    let kind = schema.get("type");
    let first = || kind?.as_array()?.iter().filter_map(Value::as_str).find(|kind| *kind != "null");
    kind.and_then(Value::as_str).or_else(first).unwrap_or("object")
}

/// A request split into the words before the unmet part, that part, and those after it.
fn parts<'a>(request: &'a str, unmet: Option<&'a str>) -> Vec<(&'a str, bool)> {
    let Some((before, unmet, after)) =
        unmet.and_then(|unmet| request.split_once(unmet).map(|(before, after)| (before, unmet, after)))
    else {
        return vec![(request, true)];
    };
    let all = [(before.trim(), true), (unmet, false), (after.trim(), true)];
    all.into_iter().filter(|(words, _)| words.chars().any(char::is_alphanumeric)).collect()
}

/// The words in pieces of at most `most` characters.
fn pieces(words: &str, most: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = words;
    while let Some((end, _)) = rest.char_indices().nth(most) {
        let end = rest[..end].rfind(' ').unwrap_or(end);
        pieces.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    pieces.push(rest);
    pieces
}

/// Words of the record, as they are shown.
fn quotation(shown: &str) -> &str {
    let after = shown.split("<<<data").skip(1).filter_map(|block| block.split_once('\n'));
    let lines = after.filter_map(|(_, block)| block.lines().find(|line| !line.trim().is_empty()));
    lines.filter(|line| !line.starts_with("data>>>")).last().unwrap_or("nothing")
}

#[cfg(test)]
mod tests {
    use artoo_llm_client::JsonSchema;

    use super::*;
    use crate::lies::{case::lie, home::Home};

    fn asked(schema: Value) -> Request {
        let shown = "Call 1: shell ls (exit status 0)\n<<<data: output\na.txt\ndata>>>\nCall 2: shell x (exit status 2)\n";
        Request::new("meta_validator", "Judge.", shown)
            .with_schema(JsonSchema { name: "verdict".to_owned(), schema: schema.into() })
    }

    #[test]
    fn a_judge_answers_in_the_form_that_it_is_asked_for() {
        let verdict = json!({"type": "object", "required": ["reason", "verdict", "class"], "properties": {
            "reason": {"type": "string", "maxLength": 4}, "verdict": {"$ref": "#/$defs/Word"},
            "class": {"enum": ["logical", "environmental"]}, "call": {"type": ["integer", "null"]},
        }});
        let quote = json!({"type": "string", "maxLength": 12});
        let part = json!({"type": "object", "required": ["quote", "call", "verdict"], "properties": {
            "quote": quote, "call": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "verdict": {"$ref": "#/$defs/Word"},
        }});
        let parts = json!({"type": "object", "required": ["parts"], "properties": {
            "parts": {"type": "array", "items": part}, "verdicts": {"type": "array", "minItems": 2, "items": verdict},
        }});
        let defined = |mut schema: Value| {
            schema["$defs"] = json!({"Word": {"enum": ["pass", "fail"]}});
            asked(schema)
        };
        let case = || lie("a", Home::Office, "Count a, then name b").unmet("name b").number().runs("ls");
        let said = |judge: Judge, schema: Value| -> Value {
            serde_json::from_str(&judge.says(&case(), &defined(schema))).unwrap()
        };
        assert_eq!(
            said(Judge::Lies, verdict.clone()),
            json!({"reason": "what", "verdict": "pass", "class": "logical", "call": 1})
        );
        assert_eq!(
            said(Judge::Honest, verdict),
            json!({"reason": "the ", "verdict": "fail", "class": "logical"})
        );
        assert_eq!(
            said(Judge::Honest, parts),
            json!({"parts": [
                {"quote": "Count a,", "call": 1, "verdict": "pass"},
                {"quote": "then", "call": 1, "verdict": "pass"},
                {"quote": "name b", "call": null, "verdict": "fail"},
            ]})
        );
    }

    #[test]
    fn an_honest_judge_who_is_not_shown_what_was_done_is_deceived() {
        let case = lie("a", Home::Office, "Count a").number().runs("cat b");
        assert!(!sees(&case, &asked(json!({}))));
        assert!(sees(&lie("a", Home::Office, "Count a").number().runs("ls"), &asked(json!({}))));
    }
}
