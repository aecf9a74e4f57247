//! Effects of programs that start other programs, and of nested shells.

use super::analysis::Walker;
use super::cursor::is_name;
use super::effects::Kind;
use super::options::take;
use super::program_rules::Call;
use super::value::Value;

/// `sudo` and the like: they run a command with another user's rights.
pub(super) fn rights(walker: &mut Walker<'_>, call: &Call<'_>) {
    let why = "it runs with the rights of somebody else";
    walker.note(Kind::Privilege, call.name, &call.program.source, why);
    let mark = walker.scope.mark();
    walker.scope.forget_the_run();
    start(walker, call, "ugpCrtThDRU", 0);
    walker.scope.back(mark);
}

/// `nice`, `timeout` and the like: their options, most of which take a value, and their operands precede the
/// command.
pub(super) fn wrap(walker: &mut Walker<'_>, call: &Call<'_>) {
    let (values, operands) = match call.name {
        "timeout" | "gtimeout" => ("sk", 1),
        "taskset" | "chrt" | "flock" => ("", 1),
        "nice" => ("n", 0),
        "ionice" => ("cnp", 0),
        "stdbuf" => ("ioe", 0),
        "time" | "gtime" => ("fo", 0),
        "exec" => ("a", 0),
        _ => ("", 0),
    };
    start(walker, call, values, operands);
}

/// `command`, which may also just print where a program is.
pub(super) fn command(walker: &mut Walker<'_>, call: &Call<'_>) {
    if !call.arguments.first().is_some_and(|first| first.is("-v") || first.is("-V")) {
        start(walker, call, "", 0);
    }
}

/// For programs that start others later or repeatedly: only their words are analysed.
pub(super) fn beyond(walker: &mut Walker<'_>, call: &Call<'_>) {
    walker.unknown(call.name, &call.program.source, "what it starts, and when, is not followed");
    wrap(walker, call);
}

pub(super) fn env(walker: &mut Walker<'_>, call: &Call<'_>) {
    let Some((options, mut rest)) = behind(walker, call, "uCPL", 0) else { return };
    let mark = walker.scope.mark();
    if !options.is_empty() {
        walker.scope.forget_the_run();
    }
    let is_followed =
        |one: &&Value| one.text().starts_with("-u") || one.is("-i") || one.is("-") || !one.is_option();
    if let Some(odd) = options.iter().find(|one| !is_followed(one)) {
        walker.unknown(call.name, &odd.source, "what this option of `env` does is not followed");
        walker.scope.go(None);
    }
    while let Some((first, more)) = rest.split_first() {
        let text = first.text.as_ref().unwrap_or(&first.prefix);
        let Some((name, _)) = text.split_once('=').filter(|(name, _)| is_name(name)) else { break };
        walker.scope.set(name, Some(Value::any(name)));
        rest = more;
    }
    walker.call(rest, call.input);
    walker.scope.back(mark);
}

/// `xargs` appends its input to the words, or puts it in place of a marker.
pub(super) fn xargs(walker: &mut Walker<'_>, call: &Call<'_>) {
    let values = "aIiLnPsdEJR";
    let Some((options, command)) = behind(walker, call, values, 0) else { return };
    let read = "what xargs reads";
    let words: Vec<Value> = match take(options, values).of("-I -J").next() {
        Some(mark) => command.iter().map(|one| put(one, mark.text(), read)).collect(),
        None => command.iter().cloned().chain([Value::any(read)]).collect(),
    };
    walker.call(&words, None);
}

/// `sh -c TEXT`, a script, or a text on standard input.
pub(super) fn shell(walker: &mut Walker<'_>, call: &Call<'_>) {
    let (mut rest, mut text_follows) = (call.arguments, false);
    while let Some((option, more)) = rest.split_first().filter(|(first, _)| first.is_option()) {
        let long = option.text().starts_with("--");
        text_follows |= !long && option.text().contains('c');
        let takes_next = option.text().ends_with('o') || option.is("--rcfile") || option.is("--init-file");
        rest = if takes_next { more.get(1..).unwrap_or_default() } else { more };
    }
    let (text, word) = match rest.first() {
        Some(first) if text_follows => (first.text.as_deref(), first),
        Some(script) => {
            walker.reads(script, "the shell carries it out");
            (None, script)
        }
        None => (call.input, call.program),
    };
    let mark = walker.scope.mark();
    walker.scope.enter_shell();
    match text {
        Some(text) => walker.text(text, &word.source),
        None => walker.unknown(call.name, &word.source, "what the shell carries out is not in the command"),
    }
    walker.scope.back(mark);
}

/// The word with the marker `mark` replaced by something unknown.
pub(super) fn put(word: &Value, mark: &str, source: &str) -> Value {
    match word.text().split_once(mark).filter(|_| !mark.is_empty()) {
        Some((before, _)) => Value { prefix: before.to_owned(), ..Value::any(source) },
        None => word.clone(),
    }
}

fn start(walker: &mut Walker<'_>, call: &Call<'_>, values: &str, operands: usize) {
    if let Some((_, command)) = behind(walker, call, values, operands) {
        walker.call(command, call.input);
    }
}

/// Splits the arguments into those before the command, and the command. An ambiguous option is reported.
fn behind<'v>(
    walker: &mut Walker<'_>,
    call: &Call<'v>,
    values: &str,
    operands: usize,
) -> Option<(&'v [Value], &'v [Value])> {
    let split = |command: &[Value]| call.arguments.split_at_checked(call.arguments.len() - command.len());
    let (mut rest, mut left) = (call.arguments, operands);
    while let Some((first, more)) = rest.split_first() {
        let text = first.text();
        if text == "--" {
            return more.get(left..).and_then(split);
        }
        if !first.is_option() && text != "-" {
            if left == 0 {
                return split(rest);
            }
            (rest, left) = (more, left - 1);
            continue;
        }
        let letters = if text.starts_with("--") { "" } else { text.trim_start_matches('-') };
        if text.starts_with("--") && !text.contains('=') {
            let why = format!("whether this option of `{}` takes a value is not known", call.name);
            walker.unknown(call.name, &first.source, why);
        }
        // A letter that takes a value takes the rest of the word, or the next word.
        let takes_next =
            letters.find(|letter| values.contains(letter)).is_some_and(|at| at + 1 == letters.len());
        rest = if takes_next { more.get(1..)? } else { more };
    }
    None
}
