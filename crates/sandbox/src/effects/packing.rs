//! Archives and compressed files.

use super::found::Kind;
use super::value::Value;
use super::walk::Walker;

/// Long options of `tar` that only say what is read or shown.
const HARMLESS: [&str; 14] = [
    "--list",
    "--verbose",
    "--gzip",
    "--bzip2",
    "--xz",
    "--zstd",
    "--file",
    "--directory",
    "--exclude",
    "--wildcards",
    "--create",
    "--full-time",
    "--auto-compress",
    "--totals",
];

pub(super) fn tar(walker: &mut Walker<'_>, arguments: &[Value]) {
    let (mut letters, mut file, mut operands) = (String::new(), None, Vec::new());
    let mut at = 0;
    while let Some(value) = arguments.get(at) {
        at += 1;
        let Some(text) = value.text.as_deref() else {
            if value.may_be_option() {
                walker.unknown("tar", &value.source, "it may become an option that writes or runs");
            }
            operands.push(value.clone());
            continue;
        };
        let first = at == 1;
        if text.starts_with("--") {
            let (name, given) =
                text.split_once('=').map_or((text, None), |(name, given)| (name, Some(given)));
            let known = HARMLESS.contains(&name)
                && (given.is_some() || !["--file", "--directory", "--exclude"].contains(&name));
            match name {
                "--list" => letters.push('t'),
                "--create" => letters.push('c'),
                "--file" => file = given.map(Value::known),
                _ => {}
            }
            if !known {
                walker.unknown(
                    "tar",
                    &value.source,
                    "this option of `tar` may write, delete or run something",
                );
            }
        } else if let Some(cluster) = text.strip_prefix('-').or(Some(text).filter(|_| first)) {
            let mut rest = cluster.chars();
            while let Some(letter) = rest.next() {
                letters.push(letter);
                let attached: String = rest.clone().collect();
                if matches!(letter, 'f' | 'C') && (text.starts_with('-') || first) {
                    // Without a dash the values stand behind the whole cluster, as they do behind its last letter.
                    let value = if attached.is_empty() || !text.starts_with('-') {
                        at += 1;
                        arguments.get(at - 1).cloned().unwrap_or_default()
                    } else {
                        Value::known(attached)
                    };
                    if letter == 'f' {
                        file = Some(value);
                    } else {
                        walker.scope.folder = None;
                    }
                    if text.starts_with('-') {
                        break;
                    }
                }
            }
        } else {
            operands.push(value.clone());
        }
    }
    if let Some(far) = file.as_ref().filter(|file| file.text.as_deref().is_none_or(|text| text.contains(':')))
    {
        walker.unknown("tar", &far.source, "the archive may be on another machine");
    }
    if let Some(odd) = letters.chars().find(|one| !"tcxvfzjJaCpkmhPO".contains(*one)) {
        walker.unknown("tar", &format!("-{odd}"), "this option of `tar` is not followed");
    }
    let modes: Vec<char> = letters.chars().filter(|one| "tcxruAd".contains(*one)).collect();
    match modes.as_slice() {
        ['t'] => {
            if let Some(file) = file {
                walker.reads(&file, "`tar` lists it");
            }
        }
        ['x'] if letters.contains('O') => {
            if let Some(file) = file {
                walker.reads(&file, "`tar` shows what is in it");
            }
        }
        ['c'] => {
            operands.iter().for_each(|operand| walker.reads(operand, "`tar` packs it"));
            if let Some(file) = file.filter(|file| !file.is("-")) {
                walker.writes(&file, "`tar` writes it");
            }
        }
        ['x'] => walker.note(
            Kind::Overwrites,
            "what the archive contains",
            "x",
            "unpacking overwrites files of the same names",
        ),
        _ => walker.unknown("tar", "tar", "what it does with the archive is not followed"),
    }
}

/// `gzip` and its like put a packed file in the place of the file, unless told to write to the output.
pub(super) fn gzip(walker: &mut Walker<'_>, program: &Value, arguments: &[Value]) {
    let shows = arguments.iter().any(|one| {
        let letters = one.text().strip_prefix('-').unwrap_or_default();
        let long = letters.strip_prefix('-');
        match long {
            Some(long) => ["stdout", "to-stdout", "list", "test"].contains(&long),
            None => {
                letters.chars().all(|one| "cdklntv0123456789q".contains(one))
                    && letters.contains(['c', 'l', 't'])
            }
        }
    });
    let writes = arguments.iter().find(|one| {
        one.text().starts_with("-o") || one.text().starts_with("--o") || one.text().starts_with("--rm")
    });
    let operands: Vec<&Value> =
        arguments.iter().filter(|one| !one.text().starts_with('-') || one.text.is_none()).collect();
    if let Some(option) = writes {
        walker.unknown(program.text(), &option.source, "this option writes or deletes a file");
    }
    for operand in operands {
        if shows {
            walker.reads(operand, "it is unpacked to the output");
        } else {
            walker.deletes(operand, &format!("`{}` puts another file in its place", program.text()));
        }
    }
}

pub(super) fn unzip(walker: &mut Walker<'_>, arguments: &[Value]) {
    let shows = arguments.first().is_some_and(|first| {
        ["-l", "-v", "-p", "-c", "-t", "-Z", "-Z1", "-lv", "-z"].contains(&first.text())
    });
    for operand in arguments.iter().filter(|one| !one.text().starts_with('-')) {
        walker.reads(operand, "`unzip` reads it");
    }
    if !shows {
        walker.note(
            Kind::Overwrites,
            "what the archive contains",
            "unzip",
            "unpacking overwrites files of the same names",
        );
    }
}
