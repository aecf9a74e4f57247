//! `awk`: programs that only compute and print.

use super::cursor::bracket;
use super::value::Value;
use super::walk::Walker;

pub(super) fn run(walker: &mut Walker<'_>, arguments: &[Value]) {
    let mut at = 0;
    while let Some(value) = arguments.get(at) {
        let Some(text) = value.text.as_deref() else { break };
        if text == "-F" || text == "-v" {
            at += 2;
        } else if text == "--" {
            at += 1;
            break;
        } else if text.starts_with("-F") || (text.starts_with("-v") && text.contains('=')) {
            at += 1;
        } else if text.starts_with('-') && text != "-" {
            return walker.unknown("awk", &value.source, "this option of `awk` is not followed");
        } else {
            break;
        }
    }
    // An option whose word may become several would move the program.
    let before = arguments.get(..at).unwrap_or_default();
    if let Some(odd) = before.iter().find(|one| one.splits || one.many) {
        return walker.unknown("awk", &odd.source, "it may become more than one word");
    }
    let Some(program) = arguments.get(at) else { return };
    match &program.text {
        None => walker.unknown("awk", &program.source, "the program of `awk` shows only when it runs"),
        Some(text) => {
            if let Err(why) = read(text) {
                walker.unknown(format!("the program {text:?} of awk"), &program.source, why);
            }
        }
    }
    for operand in arguments.iter().skip(at + 1) {
        // `NAME=VALUE` among the files sets a variable.
        let sets = operand.text().split_once('=').is_some_and(|(name, _)| super::cursor::is_name(name));
        if !sets {
            walker.reads(operand, "`awk` reads it");
        }
    }
}

/// What the last token was, as far as it decides whether `/` begins a pattern or divides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Operator,
    Operand,
    Unclear,
}

/// Whether a program neither writes nor runs anything.
fn read(text: &str) -> Result<(), &'static str> {
    const UNCLEAR: &str = "this program of `awk` is not followed";
    let all: Vec<char> = text.chars().collect();
    let here = |at: usize| all.get(at).copied();
    let (mut at, mut before, mut prints, mut depth) = (0, Before::Operator, None, 0_usize);
    while let Some(one) = here(at) {
        at += 1;
        match one {
            ' ' | '\t' => {}
            // Behind an operator the statement goes on.
            '\n' if before == Before::Operator => {}
            '\n' | ';' | '{' | '}' => (before, prints) = (Before::Operator, None),
            '#' => {
                while here(at).is_some_and(|one| one != '\n') {
                    at += 1;
                }
            }
            '"' => {
                let from = at;
                loop {
                    match here(at) {
                        None | Some('\n') => return Err(UNCLEAR),
                        Some('\\') => at += 2,
                        Some('"') => break,
                        Some(_) => at += 1,
                    }
                }
                if all.get(from..at).unwrap_or_default().iter().collect::<String>().contains("/inet") {
                    return Err("it speaks to other machines");
                }
                at += 1;
                before = Before::Operand;
            }
            '/' => match before {
                Before::Operand => before = Before::Operator,
                Before::Unclear => return Err(UNCLEAR),
                Before::Operator => {
                    loop {
                        match here(at) {
                            None | Some('\n') => return Err(UNCLEAR),
                            Some('\\') => at += 2,
                            // In brackets a slash may stand for itself; awks differ.
                            Some('[') => {
                                let close = bracket(&all, at).ok_or(UNCLEAR)?;
                                let inside = all.get(at..close).unwrap_or_default();
                                if inside.iter().any(|one| matches!(one, '/' | '\n' | '\\')) {
                                    return Err(UNCLEAR);
                                }
                                at = close + 1;
                            }
                            Some('/') => break,
                            Some(_) => at += 1,
                        }
                    }
                    at += 1;
                    before = Before::Operand;
                }
            },
            '|' if here(at) == Some('|') => {
                at += 1;
                before = Before::Operator;
            }
            '|' => return Err("`|` of `awk` runs a program"),
            '>' if prints.is_some_and(|since| depth <= since) => return Err("`>` of `awk` writes a file"),
            '@' | '\\' | '`' => return Err(UNCLEAR),
            '+' | '-' if here(at) == Some(one) => {
                at += 1;
                before = Before::Unclear;
            }
            '(' | '[' => {
                depth += 1;
                before = Before::Operator;
            }
            ')' | ']' => {
                depth = depth.checked_sub(1).ok_or(UNCLEAR)?;
                before = if one == ')' { Before::Unclear } else { Before::Operand };
            }
            _ if one.is_ascii_alphanumeric() || one == '_' || one == '.' => {
                let from = at - 1;
                while here(at).is_some_and(|one| one.is_ascii_alphanumeric() || one == '_' || one == '.') {
                    at += 1;
                }
                let word: String = all.get(from..at).unwrap_or_default().iter().collect();
                before = match word.as_str() {
                    "system" => return Err("`system` of `awk` runs a program"),
                    "print" | "printf" => {
                        prints = Some(depth);
                        Before::Unclear
                    }
                    "getline" | "length" | "return" | "in" | "else" | "do" | "delete" | "exit" | "next"
                    | "function" | "func" => Before::Unclear,
                    _ => Before::Operand,
                };
            }
            _ if one.is_ascii() && !one.is_ascii_control() => before = Before::Operator,
            _ => return Err(UNCLEAR),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn what_only_prints_is_told_from_what_writes_or_runs() {
        for text in [
            "{print $1}",
            "END {print NR}",
            "/ERROR/ {n++} END {print n}",
            "{s+=$1} END {print s/NR}",
            "$3 > 100 {print $1}",
            "/a|b/ || $2 ~ /c/",
            "BEGIN {FS=\"|\"} {print $2}",
            "{if ($2 > m) {m = $2; f = $1}} END {print f, m}",
            "{print ($1 > 3)}",
            "!seen[$0]++",
        ] {
            assert_eq!(read(text), Ok(()), "{text}");
        }
        for text in [
            "BEGIN {system(\"rm x\")}",
            "{print > \"out\"}",
            "{print $1 >> \"out\"}",
            "{print | \"sh\"}",
            "{\"date\" | getline}",
            "{printf \"x\" > $1}",
            "{a / b; \"sh\" | getline; c / d}",
            "@load \"x\"",
            "{ (1) /a/ ; print | \"sh\" ; /b/ }",
            "{print /a/ > \"x\"}",
            "{length /\"/ ; print | \"sh\" #\"/\n}",
            "{print $1,\n $2 > \"x\"}",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
