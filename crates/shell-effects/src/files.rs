//! Effects of programs that write one of their file arguments: `cp`, `mv`, `ln`, `dd`, `rsync`, `sed` and the
//! like.

use super::analysis::Walker;
use super::effects::Kind;
use super::options::{Given, any, take};
use super::program_rules::Call;
use super::value::Value;

/// Options that do not change the destination.
const PLAIN: &str = "-f -i -n -p -s -u -v --force --verbose --no-clobber --symbolic";

/// The sources and the destination. An option that is not modelled is reported.
fn ends(walker: &mut Walker<'_>, call: &Call<'_>) -> Option<(Vec<Value>, Value)> {
    let mut given = take(call.arguments, "tSgmo");
    let folder = given.of("-t --target-directory").next().cloned();
    unread(walker, call, &given, &[PLAIN, "-t --target-directory"].join(" "));
    let to = folder.or_else(|| given.operands.pop())?;
    Some((given.operands, to))
}

/// Reports the first option that is not in `followed`.
fn unread(walker: &mut Walker<'_>, call: &Call<'_>, given: &Given, followed: &str) {
    if let Some((option, _)) = given.options.iter().find(|(option, _)| !any(option, followed)) {
        let why = format!("what this option of `{}` does is not followed", call.name);
        walker.unknown(call.name, option, why);
    }
}

pub(super) fn copy(walker: &mut Walker<'_>, call: &Call<'_>) {
    let Some((from, to)) = ends(walker, call) else { return };
    for one in &from {
        walker.reads(one, &format!("`{}` copies it", call.name));
        walker.copies(one, &to, &format!("`{}` writes it", call.name));
    }
}

/// `mv`: the source is gone, and so is whatever was at the destination.
pub(super) fn rename(walker: &mut Walker<'_>, call: &Call<'_>) {
    let Some((from, to)) = ends(walker, call) else { return };
    for one in &from {
        walker.alters(Kind::Deletes, one, "`mv` moves it away");
        walker.copies(one, &to, "`mv` puts something there");
    }
}

pub(super) fn link(walker: &mut Walker<'_>, call: &Call<'_>) {
    let Some((from, to)) = ends(walker, call) else { return };
    for one in &from {
        walker.copies(one, &to, "`ln` makes a link there");
    }
    if from.is_empty() {
        walker.copies(&to, &to.with("."), "`ln` makes a link there");
    }
}

pub(super) fn dd(walker: &mut Walker<'_>, call: &Call<'_>) {
    for argument in call.arguments {
        match argument.text.as_deref().and_then(|text| text.split_once('=')) {
            Some(("of", to)) => walker.writes(&argument.with(to), "`dd` writes it"),
            Some(("if", from)) => walker.reads(&argument.with(from), "`dd` reads it"),
            Some(_) => {}
            None => walker.unknown(&argument.source, &argument.source, "this word of `dd` is not followed"),
        }
    }
}

pub(super) fn rsync(walker: &mut Walker<'_>, call: &Call<'_>) {
    let given = take(call.arguments, "ef");
    let far = given.operands.iter().find(|one| one.source.contains(':'));
    if let Some(far) = far {
        walker.note(Kind::OutsideMachine, &far.source, &far.source, "it copies to or from another machine");
    }
    if given.has("--delete --delete-after --delete-before --delete-excluded --remove-source-files") {
        walker.note(Kind::Deletes, "what `rsync` finds", "rsync", "an option tells it to delete files");
    }
    if let Some((to, from)) = given.operands.split_last() {
        from.iter().for_each(|one| walker.reads(one, "`rsync` copies it"));
        if !to.source.contains(':') {
            walker.alters(Kind::Overwrites, to, "`rsync` brings it in line with another folder");
        }
    }
}

/// `uniq` and the like: the first operand is read, the second is written.
pub(super) fn filter(walker: &mut Walker<'_>, call: &Call<'_>) {
    let operands = take(call.arguments, "fswlgco").operands;
    for operand in operands.iter().take(1) {
        walker.reads(operand, &format!("`{}` reads it", call.name));
    }
    for operand in operands.iter().skip(1) {
        walker.writes(operand, &format!("`{}` writes it", call.name));
    }
}

/// `sed` runs a program in its own language and changes files in place if told to.
pub(super) fn sed(walker: &mut Walker<'_>, call: &Call<'_>) {
    let given = take(call.arguments, "ef");
    let script = usize::from(!given.has("-e -f --expression --file"));
    let in_place = given.has("-i -I --in-place");
    for operand in given.operands.iter().skip(script) {
        if in_place {
            walker.alters(Kind::Overwrites, operand, "`sed` changes it");
        } else {
            walker.reads(operand, "`sed` reads it");
        }
    }
    if !in_place {
        walker.unknown(call.name, &call.program.source, super::programs::CODE);
    }
}
