//! Effects of shell builtins: `cd`, `export`, `eval`, `trap`.

use super::analysis::Walker;
use super::context::Seen;
use super::cursor::is_name;
use super::program_rules::Call;
use super::value::Value;

/// `cd`. If the folder does not exist, it may be created before, or `cd` fails: the working folder is then
/// unknown.
pub(super) fn cd(walker: &mut Walker<'_>, call: &Call<'_>) {
    let home = Value::known(walker.place.home.to_string_lossy());
    let operand = call.arguments.iter().find(|one| !one.is_option());
    let back = call.name == "popd" || operand.is_some_and(|one| one.is("-"));
    let path = walker.at(operand.unwrap_or(&home)).filter(|_| !back);
    walker.scope.go(path.filter(|path| matches!(walker.place.paths.look(path), Seen::Folder(_))));
}

/// `export`, `read`, `unset` and the like: the variables that they name.
pub(super) fn assigns(walker: &mut Walker<'_>, call: &Call<'_>) {
    let keeps = ["export", "declare", "typeset", "local", "readonly"].contains(&call.name);
    let plain = keeps && !call.arguments.iter().any(Value::is_option);
    for argument in call.arguments {
        let text = argument.text.as_ref().unwrap_or(&argument.prefix);
        let (name, value) = text.split_once('=').map_or((text.as_str(), None), |(a, b)| (a, Some(b)));
        if is_name(name) {
            let value = value.filter(|_| plain && argument.text.is_some());
            walker.assign(name, value.map(|value| argument.with(value)));
        }
    }
}

pub(super) fn eval(walker: &mut Walker<'_>, call: &Call<'_>) {
    let words: Option<Vec<&str>> = call.arguments.iter().map(|one| one.text.as_deref()).collect();
    let Some(words) = words else { return not_in_the_command(walker, call) };
    walker.text(&words.join(" "), &call.program.source);
}

/// `trap` runs its text later, when everything may be different.
pub(super) fn trap(walker: &mut Walker<'_>, call: &Call<'_>) {
    let Some(first) = call.arguments.iter().find(|one| !one.is("--")) else { return };
    let mark = walker.scope.mark();
    walker.scope.enter_shell();
    walker.scope.go(None);
    match first.text.as_deref() {
        Some("-" | "-p" | "-l" | "") => {}
        Some(text) => walker.text(text, &first.source),
        None => not_in_the_command(walker, call),
    }
    walker.scope.back(mark);
}

fn not_in_the_command(walker: &mut Walker<'_>, call: &Call<'_>) {
    walker.unknown(call.name, &call.program.source, "the text that it carries out shows only when it runs");
}
