//! The way of a derived command: its language and its programs, by what is executed. The language that was asked for,
//! comments and wrappers do not count.

use std::sync::LazyLock;

use regex::Regex;

use super::code_block::{Language, PYTHON, is_query};
use super::majority::programs;

/// The maximum depth of shells within shells that are unwrapped.
const MAX_DEPTH: u32 = 4;

/// The language of a command, and what does its work. Two commands that share a program may make the same mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) language: Language,
    /// The names of its programs. For a program in Python, its statements: the interpreter alone does nothing.
    pub(super) work: Vec<String>,
}

impl Way {
    /// The way of a command.
    pub(super) fn of(command: &str) -> Self {
        if is_query(command) {
            return Self { language: Language::Sql, work: vec![command.to_owned()] };
        }
        let named = programs(command);
        let is_python = |program: &String| program.starts_with("python");
        if !named.iter().all(is_python) {
            return Self { language: Language::Shell, work: named };
        }
        let program = python_program(command, 0).unwrap_or_else(|| command.to_owned());
        match started_programs(&program) {
            Some(work) => Self { language: Language::Shell, work },
            None => Self { language: Language::Python, work: vec![statements(&program)] },
        }
    }
}

/// The text that `python3 -c` runs in a command that does nothing else.
fn python_program(command: &str, depth: u32) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    let words = shlex::split(command)?;
    let is_before =
        |word: &&String| *word == "env" || *word == "command" || *word == "exec" || word.contains('=');
    let words: Vec<&String> = words.iter().skip_while(is_before).collect();
    match words.as_slice() {
        [python, option, program, ..] if python.ends_with(PYTHON) && *option == "-c" => {
            Some((*program).clone())
        }
        [shell, option, inner]
            if shell.ends_with("sh") && option.starts_with('-') && option.ends_with('c') =>
        {
            python_program(inner, depth + 1)
        }
        _ => None,
    }
}

/// The programs that a program in Python starts; `None` if it starts none.
fn started_programs(program: &str) -> Option<Vec<String>> {
    static START: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let calls =
            "run|call|check_call|check_output|Popen|popen|getoutput|getstatusoutput|system|execvp|spawnvp";
        Regex::new(&format!(r#"\b(?:{calls})\(\s*(\[?)\s*[rbf]?(?:"([^"]*)"|'([^']*)')"#)).ok()
    });
    let starts_some =
        ["subprocess.", "os.system", "os.popen", "Popen("].iter().any(|word| program.contains(word));
    if !starts_some {
        return None;
    }
    let mut started = Vec::new();
    for found in START.as_ref()?.captures_iter(program) {
        let Some(text) = found.get(2).or_else(|| found.get(3)) else { continue };
        let is_list = found.get(1).is_some_and(|bracket| !bracket.is_empty());
        let is_one = is_list && text.as_str() != "bash" && text.as_str() != "sh";
        started.extend(if is_one { vec![text.as_str().to_owned()] } else { programs(text.as_str()) });
    }
    // It starts something that cannot be read off.
    Some(if started.is_empty() { vec!["subprocess".to_owned()] } else { started })
}

/// A program in Python without its comments, blank lines and imports.
fn statements(program: &str) -> String {
    let is_import = |line: &&str| line.starts_with("import ") || line.starts_with("from ");
    let bare = without_comments(program);
    let lines = bare.lines().map(str::trim_end).filter(|line| !line.trim().is_empty() && !is_import(line));
    let text = lines.collect::<Vec<_>>().join("\n");
    if text.is_empty() { program.to_owned() } else { text }
}

fn without_comments(program: &str) -> String {
    let mut text = String::with_capacity(program.len());
    let mut rest = program;
    // The quotation mark that ends the string which the rest begins in.
    let mut within: Option<&str> = None;
    while let Some(first) = rest.chars().next() {
        let opens = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|mark| rest.starts_with(mark));
        let taken = match within {
            None if first == '#' => {
                rest = rest.find('\n').and_then(|end| rest.get(end..)).unwrap_or_default();
                continue;
            }
            None => {
                within = opens;
                opens.map_or(first.len_utf8(), str::len)
            }
            Some(_) if first == '\\' => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
            Some(mark) if rest.starts_with(mark) => {
                within = None;
                mark.len()
            }
            Some(_) => first.len_utf8(),
        };
        let (before, after) = rest.split_at_checked(taken).unwrap_or((rest, ""));
        text.push_str(before);
        rest = after;
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::subject::quoted;
    use super::*;

    fn of(command: &str) -> (Language, Vec<String>) {
        let Way { language, work } = Way::of(command);
        (language, work)
    }

    #[test]
    fn what_is_executed_counts_and_not_what_was_asked_for() {
        let python = |program: &str| (Language::Python, vec![program.to_owned()]);
        let shell =
            |programs: &[&str]| (Language::Shell, programs.iter().map(|one| (*one).to_owned()).collect());
        for (command, way) in [
            ("grep -c a b.txt # counts", shell(&["grep"])),
            ("bash -c 'grep -c a b.txt'", shell(&["grep"])),
            ("find . | wc -l", shell(&["find"])),
            ("python3 -c 'print(9)'", python("print(9)")),
            ("python3 -c 'print(9) # nine'", python("print(9)")),
            ("python3 -c 'import os\n\n# nine\nprint(9)'", python("print(9)")),
            ("env LC_ALL=C python3 -c 'print(9)'", python("print(9)")),
            ("bash -c \"python3 -c 'print(9)'\"", python("print(9)")),
            ("/usr/bin/python3 -c 'print(\"# no comment\")'", python("print(\"# no comment\")")),
            (
                "python3 -c 'import subprocess\nprint(subprocess.run([\"git\", \"log\"], text=True).stdout)'",
                shell(&["git"]),
            ),
            ("python3 -c 'import os; os.system(\"grep -c a b.txt\")'", shell(&["grep"])),
            ("python3 -c 'import os; print(os.popen(f).read())'", shell(&["subprocess"])),
        ] {
            assert_eq!(of(command), way, "{command}");
        }
    }

    proptest! {
        #[test]
        fn any_command_has_a_way(command in any::<String>()) {
            let _ = Way::of(&command);
        }

        #[test]
        fn comments_make_no_other_way(lines in prop::collection::vec("[a-z]{1,6}\\([0-9]\\)", 1..4), comment in "[a-z \"]{0,12}") {
            let plain = format!("python3 -c {}", quoted(&lines.join("\n")));
            let commented = format!("python3 -c {}", quoted(&lines.join(&format!(" # {comment}\n\n"))));
            prop_assert_eq!(of(&plain), of(&commented));
        }
    }
}
