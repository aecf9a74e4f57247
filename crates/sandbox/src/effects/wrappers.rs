//! Programs that start other programs.

use super::found::Kind;
use super::rules::Builtin;
use super::scope::Scope;
use super::value::Value;
use super::walk::{Input, Walker};

/// How a program names the one that it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrapper {
    /// `sudo` and its like: with the rights of somebody else.
    Rights,
    /// `env`.
    Env,
    /// Options, of which these letters take a value, then so many operands, then the command.
    Options { values: &'static str, operands: usize },
    /// `time`, whose `-o` writes a file.
    Time,
    /// `command`, which can also only say where a program is.
    Command,
    /// `xargs`.
    Xargs,
    /// `busybox` and its like: the program is the next word.
    Busybox,
    /// What it starts is not followed.
    Beyond,
}

pub(super) fn run(
    walker: &mut Walker<'_>,
    wrapper: Wrapper,
    program: &Value,
    arguments: &[Value],
    input: &Input,
) {
    match wrapper {
        Wrapper::Rights => {
            walker.note(
                Kind::Privilege,
                program.text(),
                &program.source,
                "it runs with the rights of somebody else",
            );
            if let Some(command) = behind(walker, program, arguments, "ugpCrtThDRU", 0) {
                inner(walker, command, input);
            }
        }
        Wrapper::Env => env(walker, program, arguments, input),
        Wrapper::Options { values, operands } => {
            if let Some(command) = behind(walker, program, arguments, values, operands) {
                inner(walker, command, input);
            }
        }
        Wrapper::Time => {
            if let Some(command) = behind(walker, program, arguments, "f", 0) {
                inner(walker, command, input);
            }
            if let Some(option) = arguments
                .iter()
                .take_while(|one| one.may_be_option())
                .find(|one| !one.is("-p") && !one.is("-v"))
            {
                walker.unknown(program.text(), &option.source, "this option may write a file");
            }
        }
        Wrapper::Command => {
            let shows = arguments.first().is_some_and(|first| first.is("-v") || first.is("-V"));
            if !shows && let Some(command) = behind(walker, program, arguments, "", 0) {
                inner(walker, command, input);
            }
        }
        Wrapper::Xargs => xargs(walker, program, arguments),
        Wrapper::Busybox => inner(walker, arguments, input),
        Wrapper::Beyond => {
            walker.unknown(program.text(), &program.source, "what it starts, and when, is not followed");
            if let Some(command) = behind(walker, program, arguments, "n", 0) {
                inner(walker, command, input);
            }
        }
    }
}

/// The command behind options and operands, or nothing where that is unclear or there is none.
fn behind<'v>(
    walker: &mut Walker<'_>,
    program: &Value,
    arguments: &'v [Value],
    values: &str,
    operands: usize,
) -> Option<&'v [Value]> {
    let (mut at, mut left) = (0, operands);
    while let Some(value) = arguments.get(at) {
        let Some(text) = value.text.as_deref().filter(|_| !value.splits) else {
            if left > 0 && !value.may_be_option() {
                (at, left) = (at + 1, left - 1);
                continue;
            }
            walker.unknown(
                &value.source,
                &value.source,
                format!("which program `{}` starts shows only when it runs", program.text()),
            );
            return None;
        };
        let cluster = text.strip_prefix('-').filter(|rest| !rest.is_empty() && !rest.starts_with('-'));
        if text == "--" {
            at += 1;
            return arguments.get(at + left..);
        } else if text.starts_with("--") {
            // Whether a long option takes the next word shows only where it stands behind `=`.
            let alone = [
                "--foreground",
                "--preserve-status",
                "--verbose",
                "--null",
                "--non-interactive",
                "--wait",
                "--set-home",
                "--login",
            ];
            if !text.contains('=') && !alone.contains(&text) {
                walker.unknown(
                    text,
                    &value.source,
                    format!("whether this option of `{}` takes a value is not known", program.text()),
                );
            }
            at += 1;
        } else if let Some(letters) = cluster {
            let takes = letters.find(|letter| values.contains(letter));
            at += if takes.is_some_and(|at| at + 1 == letters.len()) { 2 } else { 1 };
        } else if left > 0 {
            (at, left) = (at + 1, left - 1);
        } else {
            return arguments.get(at..);
        }
    }
    None
}

/// Another program, found as the wrapper finds it: never a function or a builtin of the shell. A builtin that wraps finds builtins.
pub(super) fn inner(walker: &mut Walker<'_>, command: &[Value], input: &Input) {
    let Some(program) = command.first() else { return };
    if program.text.is_none() {
        return walker.unknown(
            &program.source,
            &program.source,
            "which program this is shows only when it runs",
        );
    }
    // Programs within programs within programs.
    walker.depth += 1;
    if walker.depth > super::cursor::DEEPEST {
        walker.unknown(&program.source, &program.source, "programs start programs too deep");
    } else {
        walker.run(command, input);
    }
    walker.depth -= 1;
}

fn env(walker: &mut Walker<'_>, program: &Value, arguments: &[Value], input: &Input) {
    let splits = |one: &&Value| {
        one.text().starts_with("-S")
            || one.text().starts_with("--s")
            || one.text().starts_with("-vS")
            || one.text().starts_with("-iS")
    };
    if let Some(option) = arguments.iter().take_while(|one| one.may_be_option()).find(splits) {
        return walker.unknown(program.text(), &option.source, "it splits a text into words in its own way");
    }
    let Some(mut rest) = behind(walker, program, arguments, &String::from_iter(ENV_VALUES), 0) else {
        return;
    };
    take_away(walker, program, arguments.get(..arguments.len() - rest.len()).unwrap_or_default());
    if arguments
        .iter()
        .take_while(|one| one.may_be_option())
        .any(|one| one.text().starts_with("-C") || one.text().starts_with("--c"))
    {
        walker.scope.folder = None;
    }
    while let [first, more @ ..] = rest {
        let Some((name, _)) = first.text.as_deref().unwrap_or(&first.prefix).split_once('=') else { break };
        walker.check_name(name, &first.source, true);
        rest = more;
    }
    inner(walker, rest, input);
}

/// The options of `env` that take a value.
const ENV_VALUES: [char; 4] = ['u', 'C', 'P', 'L'];

/// The options of `env` that unset variables: what it starts does not find them.
fn take_away(walker: &mut Walker<'_>, program: &Value, options: &[Value]) {
    let mut options = options.iter();
    while let Some(option) = options.next() {
        let text = option.text();
        let cluster = text.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
        // The first letter that takes a value takes the rest, or the next word.
        let (flags, valued) = cluster.split_at(cluster.find(ENV_VALUES).unwrap_or(cluster.len()));
        let value = match valued.get(1..) {
            Some("") => options.next().map(Value::text),
            value => value,
        };
        if let (true, Some(name)) = (valued.starts_with('u'), value) {
            walker.check_name(name, &option.source, true);
        }
        if let Some(name) = text.strip_prefix("--unset=") {
            walker.check_name(name, &option.source, true);
        }
        if flags.contains('i') || text.starts_with("--i") {
            walker.unknown(program.text(), &option.source, "it takes every variable away");
        }
    }
}

fn xargs(walker: &mut Walker<'_>, program: &Value, arguments: &[Value]) {
    let Some(command) = behind(walker, program, arguments, "aIiLnPsdEJR", 0) else { return };
    let options = arguments.get(..arguments.len() - command.len()).unwrap_or_default();
    let mark = options.iter().enumerate().find_map(|(at, one)| {
        let rest = one.text().strip_prefix("-I").or_else(|| one.text().strip_prefix("-J"))?;
        if rest.is_empty() {
            arguments.get(at + 1).map(|next| next.text().to_owned())
        } else {
            Some(rest.to_owned())
        }
    });
    if options.iter().any(|one| one.text().starts_with("-i") || one.text().starts_with("--replace")) {
        walker.unknown("xargs", &program.source, "where it puts what it reads is not followed");
    }
    let mut words = Vec::new();
    let mut put = false;
    for word in command {
        let text = word.text.as_deref().unwrap_or(&word.source);
        match mark.as_deref().filter(|mark| !mark.is_empty()).and_then(|mark| text.split_once(mark)) {
            Some((before, after)) => {
                put = true;
                let value =
                    Value { prefix: before.to_owned(), suffix: after.to_owned(), ..Value::one(&word.source) };
                words.push(value);
            }
            None => words.push(word.clone()),
        }
    }
    if !put {
        words.push(Value::any("what xargs reads"));
    }
    inner(walker, &words, &Input::Nothing);
}

impl Walker<'_> {
    /// What the shell does itself.
    pub(super) fn builtin(&mut self, builtin: Builtin, program: &Value, arguments: &[Value], input: &Input) {
        let name = program.text();
        let plain = |text: &str| super::cursor::is_name(text);
        match builtin {
            Builtin::Cd => {
                let operands: Vec<&Value> =
                    arguments.iter().filter(|one| !["-P", "-L", "--"].contains(&one.text())).collect();
                match operands.as_slice() {
                    [] => self.change_folder(None),
                    [one] if one.text.is_some() && !one.may_be_option() && !one.is("-") => {
                        self.change_folder(Some(one))
                    }
                    _ => self.change_folder(Some(&Value::one("cd"))),
                }
            }
            Builtin::Switches(allowed) => {
                if let Some(odd) = arguments.iter().find(|one| !allowed.contains(&one.text())) {
                    // Behind `--` are arguments of the script, which are never taken as known.
                    if !arguments.first().is_some_and(|first| first.is("--") && name == "set") {
                        self.unknown(name, &odd.source, "this changes how the shell reads the rest");
                    }
                }
            }
            Builtin::Assigns => {
                for argument in arguments {
                    let text = argument.text.clone().unwrap_or_else(|| argument.prefix.clone());
                    let (before, after) =
                        text.split_once('=').map_or((text.as_str(), None), |(a, b)| (a, Some(b)));
                    if ["-r", "-x", "-g", "-p", "-l", "-u"].contains(&before) {
                        continue;
                    }
                    if !plain(before) {
                        self.unknown(name, &argument.source, "which variable this changes is not followed");
                    }
                    self.check_name(before, &argument.source, false);
                    let value = match (&argument.text, after) {
                        (Some(_), Some(after))
                            if !arguments.iter().any(|one| one.text().starts_with('-')) =>
                        {
                            Value::known(after)
                        }
                        _ => Value::any(&argument.source),
                    };
                    self.assign(before, value);
                }
            }
            Builtin::Read | Builtin::Unset => {
                for argument in arguments {
                    let value = argument.text();
                    if plain(value) {
                        self.check_name(value, &argument.source, false);
                        self.assign(value, Value::any(format!("${value}")));
                    } else if argument.text.is_none()
                        || value.contains('[')
                        || (builtin == Builtin::Unset && value.starts_with('-'))
                    {
                        self.unknown(name, &argument.source, "which variable this changes is not followed");
                    }
                }
                if builtin == Builtin::Read {
                    self.assign("REPLY", Value::any("$REPLY"));
                }
            }
            Builtin::Eval => {
                let words: Option<Vec<&str>> = arguments.iter().map(|one| one.text.as_deref()).collect();
                match words {
                    Some(words) => self.text(&words.join(" "), &program.source, input),
                    None => self.unknown(
                        name,
                        &program.source,
                        "the text that it carries out shows only when it runs",
                    ),
                }
            }
            Builtin::Trap => match arguments.first() {
                Some(first) if first.is("-") || first.is("-p") || first.is("-l") || first.is("") => {}
                // It is carried out later, when everything may be different.
                Some(Value { text: Some(text), source, .. }) => self.aside(|walker| {
                    walker.scope = Scope::default();
                    walker.text(text, source, &Input::Nothing);
                }),
                Some(first) => {
                    self.unknown(name, &first.source, "the text that it carries out shows only when it runs")
                }
                None => {}
            },
            Builtin::Test => {
                // `-v` carries out what stands in the brackets of its operand, and old tests take any number of words.
                for (at, one) in arguments.iter().enumerate() {
                    let bare = |next: &Value| next.text.as_deref().is_some_and(|text| !text.contains('['));
                    let harmless = arguments.get(at + 1).is_none_or(bare);
                    if one.is("-v") || one.splits || (one.may_be("-v") && !harmless) {
                        let why = "it may become `-v`, which carries out what stands in brackets";
                        self.unknown(name, &one.source, why);
                    }
                }
            }
            Builtin::Printf => {
                if arguments.first().is_some_and(|first| first.may_be_option() && !first.is("--")) {
                    self.unknown(
                        name,
                        &program.source,
                        "its first word may be an option that changes a variable",
                    );
                }
            }
        }
    }
}
