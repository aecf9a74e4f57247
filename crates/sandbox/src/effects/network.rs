//! Programs that ask other machines, or send them something.

use super::found::Kind;
use super::options::{any, take};
use super::rules::Call;
use super::value::Value;
use super::walk::Walker;

/// Options that send something, by their beginnings.
const SENDING: &str = "-d -F -T -X -u -Q --data --form --upload --request --json --post --method --body --mail \
                       --quote --config --url-query";

/// Words of `http` that send something.
const METHODS: [&str; 4] = ["POST", "PUT", "DELETE", "PATCH"];

/// `curl`, `wget` and their like.
pub(super) fn fetch(walker: &mut Walker<'_>, call: &Call<'_>) {
    let is_wget = call.name == "wget";
    let (values, saves, more) = match is_wget {
        true => ("OoPeUaiQtTw", "-O --output-document", "-P -r -m"),
        false => ("odFTXuHAeKcDQbm", "-o --output", "-O -J -c -D"),
    };
    let given = take(call.arguments, values);
    let to = address(&given.operands).map_or("another machine", |one| one.source.as_str());
    walker.note(Kind::Network, to, &call.program.source, "it asks another machine");
    let method = call.arguments.iter().find(|one| METHODS.contains(&one.text()));
    // The letters of `wget` mean something else.
    let is_sending = |one: &str, option: &str| option.starts_with(one) && (!is_wget || one.starts_with("--"));
    let option = given
        .options
        .iter()
        .find(|(option, _)| SENDING.split_ascii_whitespace().any(|one| is_sending(one, option)));
    let word = method.map(|one| one.source.as_str()).or(option.map(|(option, _)| option.as_str()));
    if let Some(word) = word {
        walker.note(Kind::OutsideMachine, to, word, "it may send something to another machine");
    }
    for (option, value) in &given.options {
        if any(option, saves) {
            walker.writes(value, &format!("`{}` writes it", call.name));
        } else if any(option, more) {
            walker.unknown(call.name, option, "this option may write files");
        }
    }
}

/// The word that looks most like the name of a machine.
pub(super) fn address(arguments: &[Value]) -> Option<&Value> {
    let with = |signs: &[char]| arguments.iter().find(|one| one.source.contains(signs) && !one.is_option());
    with(&['@', ':']).or_else(|| with(&['.'])).filter(|one| !one.is("."))
}
