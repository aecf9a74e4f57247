//! Effects of download programs (`curl`, `wget` and the like), and the host name among a program's arguments.

use super::analysis::Walker;
use super::effects::Kind;
use super::options::{any, take};
use super::program_rules::Call;
use super::value::Value;

/// Options that send something, by their prefixes.
const SENDING: &str = "-d -F -T -X -u -Q --data --form --upload --request --json --post --method --body --mail \
                       --quote --config --url-query";

/// `curl`, `wget` and the like.
pub(super) fn fetch(walker: &mut Walker<'_>, call: &Call<'_>) {
    let (values, saves, more, sends) = match call.name {
        "wget" => ("OoPeUaiQtTw", "-O --output-document", "-P -r -m", "--post --method --body"),
        _ => ("odFTXuHAeKcDQbm", "-o --output", "-O -J -c -D", SENDING),
    };
    let given = take(call.arguments, values);
    let to = address(&given.operands).map_or("another machine", |one| one.source.as_str());
    walker.note(Kind::Network, to, &call.program.source, "it asks another machine");
    for (option, value) in &given.options {
        if sends.split_ascii_whitespace().any(|one| option.starts_with(one)) {
            walker.note(Kind::OutsideMachine, to, option, "it may send something to another machine");
        } else if any(option, saves) {
            walker.writes(value, &format!("`{}` writes it", call.name));
        } else if any(option, more) {
            walker.unknown(call.name, option, "this option may write files");
        }
    }
}

/// The word that looks most like a host name.
pub(super) fn address(arguments: &[Value]) -> Option<&Value> {
    let with = |signs: &[char]| arguments.iter().find(|one| one.source.contains(signs) && !one.is_option());
    with(&['@', ':']).or_else(|| with(&['.'])).filter(|one| !one.is("."))
}
