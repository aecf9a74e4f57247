//! `sed`: which of its commands write, read or run.

use super::cursor::bracket;
use super::found::Kind;
use super::value::Value;
use super::walk::Walker;

pub(super) fn run(walker: &mut Walker<'_>, arguments: &[Value]) {
    let (mut scripts, mut operands, mut in_place) = (Vec::new(), Vec::new(), None);
    let (mut at, mut over) = (0, false);
    while let Some(value) = arguments.get(at) {
        at += 1;
        if over || !value.may_be_option() {
            operands.push(value.clone());
            continue;
        }
        let Some(text) = value.text.as_deref() else {
            walker.unknown(
                &value.source,
                &value.source,
                "it may become an option of `sed` that changes files",
            );
            operands.push(value.clone());
            continue;
        };
        let plain = text.strip_prefix('-').is_some_and(|letters| {
            !letters.is_empty() && letters.chars().all(|one| matches!(one, 'n' | 'E' | 'r' | 's' | 'u' | 'z'))
        });
        if text == "--" {
            over = true;
        } else if plain
            || ["--quiet", "--silent", "--regexp-extended", "--posix", "--null-data", "--separate"]
                .contains(&text)
        {
        } else if text.starts_with("-i")
            || text.starts_with("-I")
            || text.starts_with("--in-place")
            || text.starts_with("-ni")
            || text.starts_with("-Ei")
            || text.starts_with("-ri")
        {
            in_place = Some(value.clone());
        } else if let Some(letters) = text.strip_prefix('-').and_then(|letters| letters.strip_suffix('e'))
            && letters.chars().all(|one| matches!(one, 'n' | 'E' | 'r' | 's' | 'u' | 'z'))
        {
            scripts.push(arguments.get(at).cloned().unwrap_or_default());
            at += 1;
        } else if let Some(script) = text.strip_prefix("--expression=").or_else(|| text.strip_prefix("-e")) {
            scripts.push(Value { source: value.source.clone(), ..Value::known(script) });
        } else {
            walker.unknown("sed", &value.source, "this option of `sed` is not followed");
        }
    }
    if scripts.is_empty() && !operands.is_empty() {
        scripts.push(operands.remove(0));
    }
    for script in &scripts {
        match &script.text {
            Some(text) => commands(walker, text, &script.source),
            None => walker.unknown("sed", &script.source, "the commands of `sed` show only when it runs"),
        }
    }
    for operand in &operands {
        match &in_place {
            Some(option) => walker.changes(operand, &format!("`sed {}` changes it in place", option.source)),
            None => walker.reads(operand, "`sed` reads it"),
        }
    }
    if let (Some(option), true) = (&in_place, operands.is_empty()) {
        walker.note(Kind::Overwrites, "the files of sed", &option.source, "it changes them in place");
    }
}

/// Reads the commands; whatever is not surely without effect is unknown.
fn commands(walker: &mut Walker<'_>, text: &str, word: &str) {
    if let Err((kind, why)) = read(text) {
        walker.note(kind, format!("the commands {text:?} of sed"), word, why);
    }
}

type Found = Result<(), (Kind, &'static str)>;

fn read(text: &str) -> Found {
    const UNCLEAR: (Kind, &str) = (Kind::Unknown, "these commands of `sed` are not followed");
    const RUNS: (Kind, &str) = (Kind::Unknown, "`e` of `sed` runs a command");
    const WRITES: (Kind, &str) = (Kind::Overwrites, "`w` of `sed` writes a file");
    let all: Vec<char> = text.chars().collect();
    let mut at = 0;
    let here = |at: usize| all.get(at).copied();
    // Behind a delimiter: where the next one stands that is not escaped. In brackets it may stand for itself, which is not guessed.
    let delimited = |from: usize, delimiter: char| -> Result<usize, (Kind, &'static str)> {
        let mut at = from;
        loop {
            match here(at) {
                None | Some('\n') => return Err(UNCLEAR),
                Some('\\') => at += 2,
                Some('[') => {
                    let close = bracket(&all, at);
                    let inside = close.and_then(|close| all.get(at..close)).unwrap_or_default();
                    if inside.contains(&delimiter) || inside.contains(&'\n') {
                        return Err(UNCLEAR);
                    }
                    at = close.unwrap_or(at) + 1;
                }
                Some(one) if one == delimiter => return Ok(at + 1),
                Some(_) => at += 1,
            }
        }
    };
    loop {
        match here(at) {
            None => return Ok(()),
            Some(one)
                if one.is_whitespace()
                    || one == ';'
                    || one == '{'
                    || one == '}'
                    || one == '!'
                    || one == ','
                    || one == '~'
                    || one == '+'
                    || one == '$'
                    || one.is_ascii_digit() =>
            {
                at += 1;
            }
            Some('/') => {
                at = delimited(at + 1, '/')?;
                while matches!(here(at), Some('I' | 'M')) {
                    at += 1;
                }
            }
            Some('=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F') => {
                at += 1
            }
            Some('q' | 'Q' | 'l' | 'L') => at += 1,
            Some('#') => {
                while here(at).is_some_and(|one| one != '\n') {
                    at += 1;
                }
            }
            // Text up to the end of the line.
            Some('a' | 'i' | 'c') => {
                while let Some(one) = here(at).filter(|one| *one != '\n') {
                    if one == '\\' {
                        return Err(UNCLEAR);
                    }
                    at += 1;
                }
            }
            Some('b' | 't' | 'T' | ':') => {
                while here(at).is_some_and(|one| one != '\n' && one != ';') {
                    at += 1;
                }
            }
            Some(kind @ ('s' | 'y')) => {
                let delimiter = here(at + 1)
                    .filter(|one| !one.is_alphanumeric() && *one != '\\' && !one.is_whitespace())
                    .ok_or(UNCLEAR)?;
                at = delimited(at + 2, delimiter)?;
                at = delimited(at, delimiter)?;
                // Flags.
                while let Some(flag) = here(at).filter(|_| kind == 's') {
                    match flag {
                        'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9' => at += 1,
                        'e' => return Err(RUNS),
                        'w' => return Err(WRITES),
                        _ => break,
                    }
                }
            }
            Some('e') => return Err(RUNS),
            Some('w' | 'W') => return Err(WRITES),
            Some(_) => return Err(UNCLEAR),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn what_only_prints_is_told_from_what_writes_or_runs() {
        for text in [
            "s/a/b/g",
            "/ERROR/p",
            "1,5d",
            "$p",
            "s|/a|/b|",
            "/x/!d",
            "1!G;h;$!d",
            "y/abc/xyz/",
            "1i header; w x",
            "10q",
            "/a/,/b/p",
            "s/[0-9]*//gI",
        ] {
            assert_eq!(read(text), Ok(()), "{text}");
        }
        for text in [
            "s/a/b/w out",
            "w out",
            "1e rm x",
            "s/a/rm x/e",
            "s/a/b/ge",
            "/x/w out",
            "r x",
            "a text\\\nw x",
            "s[/[e",
            "s/[/]/w/e",
            "s/[^]/]x/y/e",
            "s/[[:a:]/]/y/e",
            "p;e",
            "{w x\n}",
            "s/a\\/b/c/e",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
