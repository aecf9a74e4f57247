//! The simulated model: a fixed policy in place of a language model, as a function from a prompt to an
//! answer.
//!
//! It stands for a model that can do each request, but does not know this machine: for a kind of request it
//! has plausible ways in a fixed order and takes the first without evidence against it. It knows the home
//! only from the prompt: the output of calls, and memory. It believes what it reads, so wrong memory misleads
//! it. It plans one step, with the criterion that the output is a number, and reads neither usage texts nor
//! lists of programs.

mod advice;
mod prompt;
mod ways;

use serde_json::{Value, json};

use prompt::Seen;
use ways::{Subject, Way};

/// The answer to a request in the format of chat completions.
pub fn answer(body: &Value) -> String {
    let schema = body.pointer("/response_format/json_schema/name").and_then(Value::as_str);
    let seen = Seen::of(body);
    match schema.unwrap_or_default() {
        "plan" => plan(&seen).to_string(),
        "action" => action(&seen, may_give_up(body)).to_string(),
        "verdict" => verdict(&seen).to_string(),
        "parts" => parts(&seen, further(body)).to_string(),
        // The story of a failure, the text of a rule: not simulated.
        "" => "It could not be done.".to_owned(),
        _ => "{}".to_owned(),
    }
}

fn plan(seen: &Seen) -> Value {
    let intent = seen.request().unwrap_or_default();
    json!({"subtasks": [{"intent": intent, "sequence": 1, "kind": "find_out",
        "criteria": [{"check": "output_number", "text": "The output is the number that is asked for"}]}]})
}

fn action(seen: &Seen, may_give_up: bool) -> Value {
    let call = |command: &str, answers: bool| json!({"tool": "shell", "arguments": {"command": command}, "output_is_answer": answers});
    let chosen = seen.step().and_then(|step| Subject::of(&step)).and_then(|subject| {
        let mut ways = subject.ways_with(&advice::folders(seen.told(), &subject));
        let votes = advice::votes(seen.told(), &subject);
        // Stable sort: among ways with equal votes the more plausible one comes first.
        ways.sort_by_key(|way| std::cmp::Reverse(votes.get(&way.manner).copied().unwrap_or_default()));
        let found = seen.found(&subject).map(|path| subject.at(&path));
        let left = || found.iter().chain(&ways).filter(|way| !seen.made(&way.command));
        let bound = seen.must_begin_with();
        let fits = |way: &&Way| {
            bound.as_deref().is_some_and(|program| way.command.split(' ').next() == Some(program))
        };
        left().find(fits).or_else(|| left().next()).cloned()
    });
    match chosen {
        Some(way) => call(&way.command, way.answers),
        None if may_give_up => json!({"give_up": "every way that is known was tried"}),
        None => call("ls", false),
    }
}

/// A judge that passes what an output supports.
fn verdict(seen: &Seen) -> Value {
    let (reason, verdict) = read(seen);
    json!({"reason": reason, "verdict": verdict, "class": "logical"})
}

fn read(seen: &Seen) -> (&'static str, &'static str) {
    let shown = seen.told().contains("<<<data");
    if shown { ("the output shows it", "pass") } else { ("nothing shows it", "fail") }
}

/// The same judge for the whole: the request is one part, met by the last call, and each further criterion is
/// met with it.
fn parts(seen: &Seen, further: u64) -> Value {
    let (reason, verdict) = read(seen);
    let (quote, call) = (seen.request(), seen.last_call());
    let parts = json!([{"quote": quote, "reason": reason, "call": call, "verdict": verdict}]);
    let one = |number: u64| json!({"criterion": number, "reason": reason, "verdict": verdict, "call": call});
    match further {
        0 => json!({"parts": parts}),
        _ => json!({"parts": parts, "verdicts": (1..=further).map(one).collect::<Vec<_>>()}),
    }
}

/// The number of further criteria of a judge of the whole.
fn further(body: &Value) -> u64 {
    let verdicts = "/response_format/json_schema/schema/properties/verdicts/minItems";
    body.pointer(verdicts).and_then(Value::as_u64).unwrap_or_default()
}

fn may_give_up(body: &Value) -> bool {
    let turns = body.pointer("/response_format/json_schema/schema/anyOf").and_then(Value::as_array);
    turns.into_iter().flatten().any(|turn| turn.pointer("/properties/give_up").is_some())
}

#[cfg(test)]
mod tests;
