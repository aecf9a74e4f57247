//! Which programs do the work in a command line: with the tool, what a call works with.

use std::iter::Peekable;
use std::str::Chars;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{BlockedTarget, ToolKind, ToolName};

/// A program as a tool starts it. Where a tool runs command lines, the pair is what a call works with; the tool alone says
/// nothing.
///
/// ```
/// use artoo_types::{BlockedProgram, BlockedTarget, ToolName};
/// let shell = |command: &str| BlockedTarget { tool: ToolName::new("shell"), target: command.into() };
/// let names = |command: &str| -> Vec<String> {
///     BlockedProgram::all_in(&shell(command)).into_iter().map(|pair| pair.program).collect()
/// };
/// assert_eq!(names("cd docs && LC_ALL=C /usr/bin/find . | wc -l"), ["find"]);
/// assert_eq!(names("cat a.csv | python3 -c 'import csv; print(1)' | awk '{print $1}'"), ["python3", "awk"]);
/// assert_eq!(names("bash -c 'timeout 5 find docs'"), ["find"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct BlockedProgram {
    /// The tool that starts it.
    pub tool: ToolName,
    /// Its name without a path, for example `python3`.
    pub program: String,
}

impl BlockedProgram {
    /// The programs that do the work of a call, in the order of the command; the first one leads it. Empty for a tool that
    /// runs no commands, and for a command that only prints or prepares.
    ///
    /// What merely hands on, cuts or counts what another program found (`cat`, `sort`, `wc`) is left out, unless there is nothing
    /// else.
    pub fn all_in(call: &BlockedTarget) -> Vec<Self> {
        if !call.tool.is(ToolKind::Shell) {
            return Vec::new();
        }
        let pair = |program| Self { tool: call.tool.clone(), program };
        working_programs(&call.target).into_iter().map(pair).collect()
    }
}

/// How deep one shell is looked for in another.
const MAX_DEPTH: u32 = 4;

fn working_programs(command: &str) -> Vec<String> {
    let mut all = Vec::new();
    collect(command, 0, &mut all);
    let works = |program: &String| !is_plumbing(program);
    if all.iter().any(works) {
        all.retain(works);
    }
    let mut seen = Vec::new();
    for program in all {
        if !seen.contains(&program) {
            seen.push(program);
        }
    }
    seen
}

fn collect(command: &str, depth: u32, found: &mut Vec<String>) {
    if depth > MAX_DEPTH {
        return;
    }
    for segment in segments(command) {
        let mut words = segment.iter().map(String::as_str).peekable();
        while let Some(word) = words.next() {
            if is_redirection(word) {
                if word.ends_with(['<', '>']) {
                    words.next();
                }
            } else if is_shell(word) {
                // What another shell runs is the last of its words that are no options.
                if let Some(inner) = words.find(|word| !word.starts_with('-')) {
                    collect(inner, depth + 1, found);
                }
                break;
            } else if !is_prefix(word) {
                if !is_beside_the_point(word) {
                    found.push(word.rsplit('/').next().unwrap_or(word).to_owned());
                }
                break;
            }
        }
    }
}

/// The simple commands of a command line as words without quotes. Quotes that are not closed end with the text: a target may
/// be cut.
fn segments(command: &str) -> Vec<Vec<String>> {
    let mut reader = Reader { segments: vec![Vec::new()], word: None, quoted_again: 0 };
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => reader.word().extend(chars.by_ref().take_while(|c| *c != '\'')),
            '"' => reader.double_quoted(&mut chars),
            '\\' => reader.word().extend(chars.next()),
            '$' if chars.peek() == Some(&'(') => {}
            ')' if reader.quoted_again > 0 => {
                reader.cut();
                reader.quoted_again -= 1;
                // What follows is the rest of a word, and no program.
                reader.segments.push(vec!["echo".to_owned()]);
                reader.double_quoted(&mut chars);
            }
            '|' | ';' | '&' | '\n' | '(' | ')' | '`' => reader.cut(),
            c if c.is_whitespace() => reader.end_word(),
            c => reader.word().push(c),
        }
    }
    reader.cut();
    reader.segments
}

struct Reader {
    segments: Vec<Vec<String>>,
    word: Option<String>,
    /// Commands within double quotes that are still open.
    quoted_again: u32,
}

impl Reader {
    fn word(&mut self) -> &mut String {
        self.word.get_or_insert_default()
    }

    fn end_word(&mut self) {
        if let (Some(word), Some(segment)) = (self.word.take(), self.segments.last_mut()) {
            // What `find` starts for each file works as well.
            if matches!(word.as_str(), "-exec" | "-execdir" | "-ok") {
                self.segments.push(Vec::new());
            } else if !word.is_empty() {
                segment.push(word);
            }
        }
    }

    fn cut(&mut self) {
        self.end_word();
        self.segments.push(Vec::new());
    }

    /// Reads on within double quotes, up to their end or to a command in them.
    fn double_quoted(&mut self, chars: &mut Peekable<Chars<'_>>) {
        while let Some(c) = chars.next() {
            match c {
                '"' => return,
                '\\' => self.word().extend(chars.next()),
                '$' if chars.peek() == Some(&'(') => {
                    chars.next();
                    self.cut();
                    self.quoted_again += 1;
                    return;
                }
                c => self.word().push(c),
            }
        }
    }
}

fn is_redirection(word: &str) -> bool {
    word.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['<', '>'])
}

fn is_shell(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    matches!(name, "sh" | "bash" | "dash" | "zsh" | "ksh" | "eval")
}

/// Programs that hand on, cut or count what others found.
fn is_plumbing(program: &str) -> bool {
    matches!(
        program,
        "cat"
            | "cut"
            | "head"
            | "nl"
            | "sort"
            | "tail"
            | "tee"
            | "tr"
            | "uniq"
            | "wc"
            | "rev"
            | "paste"
            | "column"
    )
}

/// Commands that prepare the work or report it, and heads of loops: not what does it.
fn is_beside_the_point(program: &str) -> bool {
    matches!(
        program,
        "cd" | "export"
            | "set"
            | "echo"
            | "printf"
            | "true"
            | "false"
            | "exit"
            | "read"
            | "for"
            | "case"
            | "done"
            | "fi"
            | "esac"
            | "{}"
            | "+"
    )
}

/// What stands before the program: assignments, wrappers with their options and times, words of the shell's grammar.
fn is_prefix(word: &str) -> bool {
    let number = word.trim_end_matches(['s', 'm', 'h', 'd']);
    if word.starts_with('-')
        || (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
    {
        return true;
    }
    let assignment = word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    });
    let word = word.rsplit('/').next().unwrap_or(word);
    let wrapper = matches!(
        word,
        "time"
            | "nice"
            | "env"
            | "command"
            | "exec"
            | "sudo"
            | "nohup"
            | "timeout"
            | "xargs"
            | "stdbuf"
            | "busybox"
            | "setsid"
    );
    let grammar =
        matches!(word, "if" | "then" | "else" | "elif" | "while" | "until" | "do" | "!" | "{" | "}" | "$");
    assignment || wrapper || grammar
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_programs_that_work_are_told_from_those_that_hand_on() {
        let table: [(&str, &[&str]); 24] = [
            ("find docs | wc -l", &["find"]),
            ("echo $(find docs | wc -l)", &["find"]),
            ("echo \"there are $(find docs | wc -l) files\" | grep -c x", &["find", "grep"]),
            ("for f in docs/*; do wc -l \"$f\"; done", &["wc"]),
            ("if test -f x; then cat x; fi", &["test"]),
            ("sudo -n nice -n 10 env A=1 du -sh .", &["du"]),
            ("timeout 1.5s /opt/bin/rg x", &["rg"]),
            ("7z l a.7z", &["7z"]),
            ("printf 'x\\n' | sort", &["sort"]),
            ("cat logs/app.log", &["cat"]),
            ("cat logs/app.log | grep -c ERROR", &["grep"]),
            ("(cd docs; ls)", &["ls"]),
            ("bash -c 'timeout 5 find docs'", &["find"]),
            ("sh -c \"bash -c 'jq . a.json'\"", &["jq"]),
            ("find . -name '*.log' -exec grep -l x {} + | sort", &["find", "grep"]),
            ("find . -print0 | xargs -0 -n 1 grep x", &["find", "grep"]),
            ("< a.csv awk '{print $1}'", &["awk"]),
            ("awk -F, '{a += $5; find(x) | perl; } END {print a}' a.csv 2>/dev/null", &["awk"]),
            ("python3 -c 'import os; print(len(os.listdir(\"find\")))'", &["python3"]),
            ("perl -e 'open my $fh, '<', \"a.csv\" or die; while (<$fh>) { s", &["perl"]),
            ("echo hello", &[]),
            ("", &[]),
            ("'", &[]),
            ("数文件 -r", &["数文件"]),
        ];
        for (command, expected) in table {
            assert_eq!(working_programs(command), expected, "{command}");
        }
    }

    #[test]
    fn a_tool_that_runs_no_commands_has_no_programs() {
        let glob = BlockedTarget { tool: ToolName::new("glob"), target: "find".to_owned() };
        assert_eq!(BlockedProgram::all_in(&glob), []);
    }

    proptest! {
        #[test]
        fn any_text_is_a_command(command in "[ '\"$()`|;&<>{}a-z\\\\-]{0,60}|.{0,80}") {
            for program in working_programs(&command) {
                prop_assert!(!program.chars().any(char::is_whitespace) || command.contains(['\'', '"', '\\']));
            }
        }
    }
}
