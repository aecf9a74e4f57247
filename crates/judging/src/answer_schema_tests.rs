use artoo_llm_client::{
    ModelProfile, Request,
    doubles::{self, Expect, ScriptedModel},
};
use artoo_types::{Criterion, Finding, ToolCall};
use proptest::prelude::*;

use super::*;
use crate::conformance::{call, criterion};
use crate::{Grounds, Seen, WholeRequest, ask_verdicts, ask_whole};

const REQUEST: &str =
    "Count the files in docs and write the number 7 into notes/a.md, then say who made b.txt";

fn calls() -> [ToolCall; 3] {
    [call(1, "7\n", true), call(2, "a.md\n", true), call(3, "ada b.txt\n", true)]
}

/// The findings and the number of requests, for this answer and none after it.
fn judged(answer: &Value, further: &[Criterion], by_parts: bool) -> (Option<Vec<Finding>>, usize) {
    let model = ScriptedModel::new()
        .profiled(ModelProfile::default())
        .always(Expect::any(), doubles::Answer::text(answer.to_string()));
    let calls = calls();
    let seen = Seen { calls: calls.iter().collect(), earlier: &[], answer: "7" };
    let question = |_: &[Criterion]| Request::new("judge", "Judge.", "all of it");
    let whole = WholeRequest { text: REQUEST, laws: &[], grounds: Grounds::Shown };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let found = runtime.block_on(async {
        if !by_parts {
            return ask_verdicts(&model, &seen, further, &question).await.ok();
        }
        let (whole, mut rest) = ask_whole(&model, &seen, whole, further, &question).await.ok()?;
        rest.insert(0, whole);
        Some(rest)
    });
    (found, model.requests().len())
}

/// A verdict as the prompts describe it, with what may be left out left out or not.
fn verdict() -> impl Strategy<Value = Value> {
    let class = prop_oneof![Just(json!("logical")), Just(json!("environmental")), Just(Value::Null)];
    (any::<bool>(), class, prop::option::of(1..=3), any::<bool>(), any::<bool>()).prop_map(
        |(passes, class, call, leaves_out, says_more)| {
            let word = if passes { "pass" } else { "fail" };
            let mut verdict =
                json!({"reason": "the call shows it", "verdict": word, "class": null, "call": call});
            if !passes {
                verdict["class"] = class;
            }
            if leaves_out && let Some(fields) = verdict.as_object_mut() {
                fields.retain(|_, value| !value.is_null());
            }
            if says_more {
                verdict["confidence"] = json!(0.9);
            }
            verdict
        },
    )
}

/// The request in pieces, each with a verdict, of which the first names a call.
fn parts() -> impl Strategy<Value = Vec<Value>> {
    let words: Vec<&str> = REQUEST.split(' ').collect();
    let cuts = prop::collection::btree_set(1..words.len(), 0..4);
    (cuts, prop::collection::vec(verdict(), 5)).prop_map(move |(cuts, verdicts)| {
        let mut parts = Vec::new();
        let mut begin = 0;
        for (end, mut part) in cuts.into_iter().chain([words.len()]).zip(verdicts) {
            part["quote"] = json!(words[begin..end].join(" "));
            if begin == 0 && part.get("call").is_none_or(Value::is_null) {
                part["call"] = json!(1);
            }
            parts.push(part);
            begin = end;
        }
        parts
    })
}

proptest! {
    /// artoo's own contradictions cost calls: whatever the prompts ask for, the reader takes at once.
    #[test]
    fn an_answer_that_follows_the_prompt_is_taken_at_once(
        parts in parts(),
        verdicts in prop::collection::vec(verdict(), 0..3),
        numbered in any::<bool>(),
        empty in prop_oneof![Just(None), Just(Some(Value::Null)), Just(Some(json!([])))],
    ) {
        let words = |verdicts: &[Value]| verdicts.iter().map(|one| one["verdict"] == "pass").collect::<Vec<_>>();
        let passes = |found: &[Finding]| {
            found.iter().map(|one| matches!(one, Finding::Pass { .. })).collect::<Vec<_>>()
        };
        let further: Vec<Criterion> = verdicts.iter().map(|_| criterion("it is right")).collect();
        let mut listed = verdicts.clone();
        for (number, one) in (1..).zip(&mut listed).filter(|_| numbered) {
            one["criterion"] = json!(number);
        }
        let mut answer = json!({"parts": parts});
        if listed.is_empty() {
            empty.into_iter().for_each(|empty| answer["verdicts"] = empty);
        } else {
            answer["verdicts"] = json!(listed);
        }
        let (found, requests) = judged(&answer, &further, true);
        prop_assert_eq!(requests, 1, "{}", answer);
        let mut expected = words(&verdicts);
        expected.insert(0, words(&parts).into_iter().all(|passes| passes));
        prop_assert_eq!(passes(&found.unwrap()), expected);

        if !listed.is_empty() {
            let answer = if let [only] = listed.as_slice() { only.clone() } else { json!({"verdicts": listed}) };
            let (found, requests) = judged(&answer, &further, false);
            prop_assert_eq!(requests, 1, "{}", answer);
            prop_assert_eq!(passes(&found.unwrap()), words(&verdicts));
        }
    }
}

/// A strict server takes closed, flat objects with all their keys, and none of the keywords that it does not know.
#[test]
fn each_object_is_closed_and_has_all_its_keys() {
    fn look(schema: &Value) {
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            assert_eq!(schema["additionalProperties"], false);
            assert_eq!(schema["required"], json!(properties.keys().collect::<Vec<_>>()));
            properties.values().for_each(look);
        }
        schema.get("items").into_iter().for_each(look);
        for keyword in ["oneOf", "anyOf", "default", "minLength", "maxLength", "$ref"] {
            assert_eq!(schema.get(keyword), None, "{schema}");
        }
    }
    for schema in [verdicts(1), verdicts(3), super::parts(0, false), super::parts(2, true)] {
        look(&schema.schema);
    }
}
