//! `find`: which files, and what is done with each.

use super::found::Kind;
use super::value::Value;
use super::walk::{Input, Walker};
use super::wrappers::inner;

/// Words without a value.
const PLAIN: [&str; 38] = [
    "-print",
    "-print0",
    "-ls",
    "-prune",
    "-quit",
    "-not",
    "!",
    "(",
    ")",
    ",",
    "-a",
    "-o",
    "-and",
    "-or",
    "-empty",
    "-follow",
    "-xdev",
    "-mount",
    "-depth",
    "-d",
    "-daystart",
    "-true",
    "-false",
    "-readable",
    "-writable",
    "-executable",
    "-noleaf",
    "-nouser",
    "-nogroup",
    "-nowarn",
    "-warn",
    "-ignore_readdir_race",
    "-noignore_readdir_race",
    "-H",
    "-L",
    "-P",
    "-E",
    "-x",
];

/// Words with one value.
const ONE: [&str; 38] = [
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-regex",
    "-iregex",
    "-type",
    "-xtype",
    "-size",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-newer",
    "-anewer",
    "-cnewer",
    "-maxdepth",
    "-mindepth",
    "-perm",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-links",
    "-inum",
    "-samefile",
    "-lname",
    "-ilname",
    "-regextype",
    "-printf",
    "-used",
    "-fstype",
    "-context",
    "-D",
];

/// Words that do more than look.
const ACTING: [&str; 9] =
    ["-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0", "-fprintf", "-fls"];

pub(super) fn run(walker: &mut Walker<'_>, arguments: &[Value]) {
    let (mut at, mut places) = (0, true);
    while let Some(value) = arguments.get(at) {
        at += 1;
        let Some(text) = value.text.as_deref() else {
            if let Some(word) = ACTING.iter().find(|word| value.may_be(word)) {
                walker.unknown(&value.source, &value.source, format!("it may become `{word}`"));
            } else if places {
                walker.reads(value, "find goes through it");
            }
            continue;
        };
        if places && !text.starts_with(['-', '!', '(']) {
            walker.reads(value, "find goes through it");
        } else if PLAIN.contains(&text) || text.starts_with("-O") {
            places &= ["-H", "-L", "-P", "-E", "-x", "-d"].contains(&text) || text.starts_with("-O");
        } else if ONE.contains(&text) || text.starts_with("-newer") {
            places &= text == "-D";
            // A value that may become several words pushes acting words where tests are looked for.
            if let Some(next) = arguments.get(at)
                && (next.splits || (next.many && ACTING.iter().any(|word| next.may_be(word))))
            {
                walker.unknown(&next.source, &next.source, "it may become more than one word");
            }
            at += 1;
        } else if text == "-delete" {
            walker.note(Kind::Deletes, "what find finds", &value.source, "`-delete` deletes it");
        } else if ["-exec", "-execdir", "-ok", "-okdir"].contains(&text) {
            let rest = arguments.get(at..).unwrap_or_default();
            let length = rest.iter().position(|one| one.is(";") || one.is("+")).unwrap_or(rest.len());
            let command: Vec<Value> = rest.iter().take(length).map(found).collect();
            at += length + 1;
            walker.aside(|walker| {
                if text.ends_with("dir") {
                    walker.scope.folder = None;
                }
                inner(walker, &command, &Input::Nothing);
            });
        } else if ["-fprint", "-fprint0", "-fls", "-fprintf"].contains(&text) {
            let file = arguments.get(at).cloned().unwrap_or_default();
            walker.writes(&file, "find writes what it finds to it");
            at += if text == "-fprintf" { 2 } else { 1 };
        } else {
            walker.unknown(text, &value.source, "what this word of `find` does is not known");
        }
    }
}

/// A word of the inner command: `{}` is a path, which begins like the places.
fn found(word: &Value) -> Value {
    match word.text.as_deref().and_then(|text| text.split_once("{}")) {
        None => word.clone(),
        // find puts its places first, so a path that it finds begins with one of them and is no option.
        Some((before, _)) => {
            let prefix = if before.is_empty() { "./".to_owned() } else { before.to_owned() };
            let many = word.is("{}");
            Value { prefix, many, ..Value::one("what find finds") }
        }
    }
}
