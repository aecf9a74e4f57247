//! Shells inside shells, and small programs with a rule of their own.

use super::found::Kind;
use super::value::Value;
use super::walk::{Input, Walker};

/// `sh -c TEXT`, a script, or a text on the standard input.
pub(super) fn run(walker: &mut Walker<'_>, program: &Value, arguments: &[Value], input: &Input) {
    let name = program.text();
    let mut rest = arguments;
    let mut text_follows = false;
    while let [first, more @ ..] = rest {
        let Some(text) = first.text.as_deref() else { break };
        let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) else { break };
        rest = more;
        if text == "--" || letters == "s" {
            continue;
        }
        let takes = letters.strip_suffix('o').unwrap_or(letters);
        if letters == "-posix" || letters == "-norc" || letters == "-noprofile" {
            continue;
        }
        if !takes.chars().all(|one| matches!(one, 'c' | 'e' | 'u' | 'x' | 'l' | 'n' | 'v')) {
            return walker.unknown(name, &first.source, "this option of the shell is not followed");
        }
        text_follows |= takes.contains('c');
        if letters.ends_with('o') {
            rest = match rest {
                [option, more @ ..]
                    if option.is("pipefail") || option.is("errexit") || option.is("nounset") =>
                {
                    more
                }
                _ => return walker.unknown(name, &first.source, "this option of the shell is not followed"),
            };
        }
    }
    let carry_out = |walker: &mut Walker<'_>, text: &str, word: &str| {
        walker.aside(|walker| {
            walker.scope.variables.clear();
            walker.scope.functions.clear();
            walker.text(text, word, input);
        });
    };
    match rest.first() {
        Some(Value { text: Some(text), source, .. }) if text_follows => carry_out(walker, text, source),
        Some(first) if text_follows => {
            walker.unknown(
                name,
                &first.source,
                "the text that the shell carries out shows only when it runs",
            );
        }
        Some(script) => {
            walker.reads(script, "the shell carries it out");
            walker.unknown(name, &script.source, "what a script does is not looked at");
        }
        None => match input {
            Input::Text(text) => carry_out(walker, &text.clone(), &program.source),
            Input::Nothing => {}
            Input::Anything => {
                walker.unknown(name, &program.source, "the shell carries out what another program writes");
            }
        },
    }
}

/// `date` shows the time, or sets it.
pub(super) fn date(walker: &mut Walker<'_>, arguments: &[Value]) {
    let mut at = 0;
    while let Some(value) = arguments.get(at) {
        at += 1;
        let text = value.text.as_deref().unwrap_or(&value.prefix);
        let takes_next = ["-d", "-r", "--date", "--reference", "-v", "-f"].contains(&text);
        // BSD's `-j` says that nothing is set.
        let shows = text.starts_with('+')
            || ["-u", "-j", "-R", "-n"].contains(&text)
            || ["-d", "-r", "-I", "-v", "--date", "--iso", "--rfc", "--utc", "--ref", "--univ"]
                .iter()
                .any(|known| text.starts_with(known))
            || (text == "-f" && arguments.iter().any(|one| one.is("-j")));
        if takes_next {
            at += 1;
        }
        if !shows {
            return walker.note(
                Kind::Privilege,
                "the clock",
                &value.source,
                "it may set the time of the system",
            );
        }
    }
}

/// `curl`, `wget` and their like.
pub(super) fn curl(walker: &mut Walker<'_>, program: &Value, arguments: &[Value]) {
    const SENDS: [&str; 24] = [
        "-d",
        "-F",
        "-T",
        "-X",
        "-u",
        "--data",
        "--form",
        "--upload",
        "--request",
        "--json",
        "--post",
        "--method",
        "--body",
        "--mail",
        "-Q",
        "--quote",
        "POST",
        "PUT",
        "DELETE",
        "PATCH",
        "-K",
        "--config",
        "--url-query",
        "-E",
    ];
    for argument in arguments {
        let text = argument.text.as_deref().unwrap_or(&argument.source);
        if let Some(option) = SENDS.iter().find(|option| text.starts_with(**option)) {
            let why = format!("`{option}` may send something to another machine");
            walker.note(Kind::OutsideMachine, program.text(), &argument.source, why);
        }
        let writes = ["-o", "-O", "--output", "--remote", "-J", "-c", "--cookie-jar", "-D", "-P", "-r", "-m"];
        if writes.iter().any(|option| text.starts_with(option)) {
            walker.unknown(program.text(), &argument.source, "this option may write files");
        }
    }
    let to = arguments
        .iter()
        .find(|one| !one.may_be_option())
        .map_or("another machine", |one| one.source.as_str());
    walker.note(Kind::Network, to, &program.source, "it asks another machine");
}
