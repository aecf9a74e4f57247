//! Generators of model answers: sense, nonsense, silence, errors, and lies.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fixture::{open_question, question, steps, verdict};

/// One answer.
#[derive(Clone, Debug)]
pub(super) enum Saying {
    Text(String),
    /// An answer that fits the asking role.
    To(Fitting),
    Error,
    Misconfigured,
    Hang,
    Panic,
    Late(String),
    Cut(String),
    Refused(String),
    Huge,
}

/// One answer for each role that asks.
#[derive(Clone, Debug)]
pub(super) struct Fitting {
    perceiver: String,
    planner: String,
    executor: String,
    judge: String,
}

impl Fitting {
    pub(super) fn for_purpose(&self, purpose: &str) -> &str {
        match purpose {
            "perceiver" => &self.perceiver,
            "planner" => &self.planner,
            "executor" => &self.executor,
            _ => &self.judge,
        }
    }
}

fn call(tool: &str, word: &str, is_answer: bool) -> Value {
    json!({"tool": tool, "arguments": {"word": word}, "output_is_answer": is_answer})
}

fn shaped(pattern: &str) -> Value {
    json!({"subtasks": [{"intent": "Count the apples", "sequence": 1, "kind": "find_out", "criteria": [
        {"text": "It is a count", "check": "output_matches", "value": pattern},
    ]}]})
}

fn plan() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => Just(question("Count apples")),
        1 => Just(open_question("Name an apple")),
        2 => Just(steps(&[("Count apples", 1), ("Count fruit", 1), ("Add nothing", 2)])),
        1 => prop::sample::select(vec![r"^\d+$", ".", r"\d", "(", "apple"]).prop_map(shaped),
        1 => Just(json!({"do": "answer", "criteria": [], "text": "There are 9."})),
    ]
}

fn action() -> impl Strategy<Value = Value> {
    let tool = prop::sample::select(vec!["count", "list", "noise", "lose"]);
    let answers = vec![
        "3",
        "There are 3.",
        "4",
        "0",
        "7",
        "9",
        "-3",
        "3 or 4",
        "30",
        "three",
        "Boskoop",
        "SUCCESS: all criteria met: 5",
        " ",
        "a3.txt",
        "3.4",
        "1,003",
    ];
    prop_oneof![
        5 => (tool, "[a-z]{0,2}", any::<bool>()).prop_map(|(tool, word, is)| call(tool, &word, is)),
        4 => prop::sample::select(answers).prop_map(|text| json!({"answer": text})),
        1 => Just(json!({"give_up": "there are 8"})),
        1 => Just(json!({"tool": "shell", "arguments": {"command": "echo 6"}, "output_is_answer": true})),
    ]
}

fn judgement() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => any::<bool>().prop_map(verdict),
        1 => Just(json!({"reason": "It is not met.", "verdict": "pass", "class": "logical"})),
        1 => Just(json!({"reason": "ok", "verdict": "accept", "class": "logical"})),
    ]
}

/// An answer that fits the asking role, and need not be true.
fn fitting() -> impl Strategy<Value = Saying> {
    (plan(), action(), judgement()).prop_map(|(plan, action, judgement)| {
        Saying::To(Fitting {
            perceiver: json!({"intent": "How many apples are there? Somebody said 7."}).to_string(),
            planner: plan.to_string(),
            executor: action.to_string(),
            judge: judgement.to_string(),
        })
    })
}

/// An answer that some role may have asked for.
fn sensible() -> impl Strategy<Value = String> {
    prop_oneof![Just(json!({"intent": "Count the apples"})), plan(), action(), judgement()]
        .prop_map(|value| value.to_string())
}

pub(super) fn saying() -> impl Strategy<Value = Saying> {
    let senseless = prop_oneof![
        ".{0,40}",
        Just(String::new()),
        Just("null".to_owned()),
        Just("{\"subtasks\": []}".to_owned()),
        Just("{\"tool\": 7, \"arguments\": []}".to_owned()),
        Just("[".repeat(200)),
        Just("{\"type\": \"object\", \"properties\": {}}".to_owned()),
    ];
    prop_oneof![
        10 => fitting(),
        6 => sensible().prop_map(Saying::Text),
        3 => senseless.prop_map(Saying::Text),
        1 => sensible().prop_map(Saying::Late),
        1 => sensible().prop_map(Saying::Cut),
        1 => sensible().prop_map(Saying::Refused),
        1 => Just(Saying::Error),
        1 => Just(Saying::Misconfigured),
        1 => Just(Saying::Hang),
        1 => Just(Saying::Panic),
        1 => Just(Saying::Huge),
    ]
}

/// The answers of a well-behaved model, in the order in which a run asks.
pub(super) fn sane() -> Vec<Saying> {
    let plan = steps(&[("Count apples", 1), ("Count fruit", 1), ("Add nothing", 2)]);
    let calls = ["a", "b", "c"].map(|word| call("count", word, true));
    let values = [vec![plan], calls.to_vec(), vec![verdict(true)]].concat();
    values.into_iter().map(|value| Saying::Text(value.to_string())).collect()
}

/// The same with some answers replaced: most random sequences end while planning, these go deep.
pub(super) fn nearly_sane() -> impl Strategy<Value = Vec<Saying>> {
    let again = [steps(&[("Add them", 1)]), call("count", "d", true), open_question("Name an apple")];
    let again = again.into_iter().map(|value| Saying::Text(value.to_string()));
    let long: Vec<Saying> = sane().into_iter().chain(again).collect();
    let all = long.len();
    (prop::collection::vec((0..all, saying()), 1..4), prop::collection::vec(fitting(), 0..12), any::<bool>())
        .prop_map(move |(changes, rest, twice)| {
            let mut script = long.clone();
            if twice {
                script.extend(long.clone());
            }
            for (at, saying) in changes {
                script[at] = saying;
            }
            script.extend(rest);
            script
        })
}

/// Always an answer of the right form, without end: only the rules stand against it.
pub(super) fn liar() -> impl Strategy<Value = Vec<Saying>> {
    prop::collection::vec(fitting(), 20..60)
}
