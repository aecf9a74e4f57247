//! `cp`, `mv`, `ln`, `dd` and their like: from one place to another.

use super::found::Kind;
use super::value::Value;
use super::walk::Walker;

/// Options of `cp` and `install` that do not change where something goes.
const LETTERS: &str = "rRapvnifLPdxu";

pub(super) fn copy(walker: &mut Walker<'_>, program: &Value, arguments: &[Value]) {
    let name = program.text();
    let mut operands = Vec::new();
    for value in arguments {
        let plain = |letters: &str| !letters.is_empty() && letters.chars().all(|one| LETTERS.contains(one));
        match value.text.as_deref() {
            Some(text) if text.strip_prefix('-').is_some_and(plain) => {
                // What may copy links may let a later path lead anywhere.
                if text.contains(['r', 'R', 'a', 'd', 'P']) {
                    walker.links = Some(value.source.clone());
                }
            }
            Some(text) if ["--recursive", "--verbose", "--preserve", "--force"].contains(&text) => {
                walker.links = Some(value.source.clone());
            }
            Some(text) if text.starts_with('-') => {
                walker.unknown(name, &value.source, format!("this option of `{name}` is not followed"));
            }
            Some(_) => operands.push(value.clone()),
            None => {
                if value.may_be_option() {
                    walker.unknown(
                        &value.source,
                        &value.source,
                        format!("it may become an option of `{name}`"),
                    );
                }
                operands.push(value.clone());
            }
        }
    }
    let Some((to, from)) = operands.split_last() else { return };
    if to.splits || to.many {
        return walker.unknown(&to.source, &to.source, "which file is written shows only when it runs");
    }
    for one in from {
        walker.reads(one, &format!("`{name}` copies it"));
        walker.copies(one, to, &format!("`{name}` writes it"));
    }
}

/// `mv`: what stood there is gone, and what stood at the other end too.
pub(super) fn rename(walker: &mut Walker<'_>, arguments: &[Value]) {
    let operands: Vec<&Value> = arguments.iter().filter(|one| !one.text().starts_with('-')).collect();
    let Some((to, from)) = operands.split_last() else { return };
    if from.is_empty() {
        return walker.deletes(to, "`mv` moves it away");
    }
    for one in from {
        walker.deletes(one, "`mv` moves it away");
        walker.copies(one, to, "`mv` puts something there");
    }
}

pub(super) fn link(walker: &mut Walker<'_>, arguments: &[Value]) {
    let plain = |one: &&Value| {
        let text = one.text();
        text == "-s" || text == "-v" || text == "-sv" || text == "-vs"
    };
    let operands: Vec<&Value> = arguments.iter().filter(|one| !plain(one)).collect();
    if let Some(option) = operands.iter().find(|one| one.may_be_option()) {
        return walker.unknown(
            "ln",
            &option.source,
            "this option of `ln` may put the link in the place of a file",
        );
    }
    walker.links = Some("ln".to_owned());
    match operands.as_slice() {
        [from, to] => walker.copies(from, to, "`ln` makes a link there"),
        [from] => {
            let here = Value { source: from.source.clone(), ..Value::known(".") };
            walker.copies(from, &here, "`ln` makes a link there");
        }
        _ => walker.unknown("ln", "ln", "where the links are made is not followed"),
    }
}

pub(super) fn dd(walker: &mut Walker<'_>, arguments: &[Value]) {
    for argument in arguments {
        let Some(text) = argument.text.as_deref() else {
            walker.unknown(&argument.source, &argument.source, "it may name a file that `dd` writes");
            continue;
        };
        let part = |rest: &str| {
            // Some shells replace `~` here.
            let home = rest
                .strip_prefix("~/")
                .map(|rest| walker.place.home.join(rest).to_string_lossy().into_owned());
            Value { source: argument.source.clone(), ..Value::known(home.unwrap_or_else(|| rest.to_owned())) }
        };
        if let Some(rest) = text.strip_prefix("of=") {
            let to = part(rest);
            walker.writes(&to, "`dd` writes it");
        } else if let Some(rest) = text.strip_prefix("if=") {
            let from = part(rest);
            walker.reads(&from, "`dd` reads it");
        } else if ![
            "bs=",
            "ibs=",
            "obs=",
            "count=",
            "skip=",
            "seek=",
            "status=",
            "conv=",
            "iflag=",
            "oflag=",
            "cbs=",
            "--help",
            "--version",
        ]
        .iter()
        .any(|known| text.starts_with(known))
        {
            walker.unknown("dd", &argument.source, "this word of `dd` is not followed");
        }
    }
}

pub(super) fn rsync(walker: &mut Walker<'_>, arguments: &[Value]) {
    let far = arguments.iter().find(|one| !one.text().starts_with('-') && one.source.contains(':'));
    if let Some(far) = far {
        walker.note(Kind::OutsideMachine, &far.source, &far.source, "it copies to or from another machine");
    }
    if let Some(option) =
        arguments.iter().find(|one| one.text().starts_with("--del") || one.text().starts_with("--remove"))
    {
        walker.note(Kind::Deletes, "what `rsync` finds", &option.source, "this option deletes files");
    }
    walker.note(
        Kind::Overwrites,
        "what `rsync` finds at its end",
        "rsync",
        "it brings one folder in line with another",
    );
}

/// `mktemp` makes a file or a folder with a new name among the temporary files.
pub(super) fn mktemp(walker: &mut Walker<'_>, arguments: &[Value]) {
    match arguments.iter().find(|one| !one.is("-d") && !one.is("-q")) {
        Some(odd) => walker.unknown("mktemp", &odd.source, "where it makes the file is not followed"),
        None => {
            walker.note(Kind::Creates, "a new name among the temporary files", "mktemp", "`mktemp` makes it")
        }
    }
}
