//! What words become: variables, patterns, substitutions.

use super::cursor::LONGEST;
use super::syntax::{Part, Word};
use super::value::Value;
use super::walk::{Input, Walker};

/// Words from words, with the effects of what is carried out on the way.
pub(super) trait Expanded {
    /// All words that one becomes.
    fn expand(&mut self, word: &Word) -> Vec<Value>;
    /// The value of an assignment: never split.
    fn expand_one(&mut self, word: &Word) -> Value;
}

/// Variables that decide which programs run, how they behave, or how the shell reads the rest.
const DECIDING: [&str; 35] = [
    "PATH",
    "IFS",
    "ENV",
    "HOME",
    "WORKSPACE",
    "PWD",
    "OLDPWD",
    "CDPATH",
    "SHELL",
    "SHELLOPTS",
    "TMPDIR",
    "TMP",
    "TEMP",
    "PS4",
    "PROMPT_COMMAND",
    "POSIXLY_CORRECT",
    "TERMINFO",
    "TERMCAP",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "MANPAGER",
    "BROWSER",
    "TAR_OPTIONS",
    "TAPE",
    "RSYNC_RSH",
    "GZIP",
    "XZ_OPT",
    "XZ_DEFAULTS",
    "JQ_LIBRARY_PATH",
    "TIME",
    "LINENO",
    "CC",
    "MAKEFLAGS",
    "RIPGREP_CONFIG_PATH",
];

/// Beginnings of such names.
const FAMILIES: [&str; 22] = [
    "LD_", "DYLD_", "BASH", "GIT_", "PYTHON", "PERL", "RUBY", "NODE", "LESS", "AWK", "GAWK", "SSH_", "GREP_",
    "MAKE", "CARGO", "RUST", "NPM_", "JAVA", "GCONV", "MALLOC", "FZF_", "LUA",
];

#[derive(Default)]
struct Made {
    text: String,
    prefix: Option<String>,
    suffix: String,
    splits: bool,
    many: bool,
    number: bool,
}

impl Made {
    fn push(&mut self, text: &str) {
        if self.prefix.is_none() {
            self.text.push_str(text);
        }
        self.suffix.push_str(text);
        // Values of values grow without end; less known is as true.
        if self.suffix.len() > LONGEST {
            self.gap();
            self.splits = true;
        }
    }

    /// Something nobody knows comes here.
    fn gap(&mut self) {
        if self.prefix.is_none() {
            self.prefix = Some(self.text.clone());
        }
        self.suffix.clear();
    }
}

impl Expanded for Walker<'_> {
    fn expand(&mut self, word: &Word) -> Vec<Value> {
        if let [Part::Variable { name, quoted: false }] = word.parts.as_slice()
            && let Some(text) = self.variable(name).text
        {
            let pattern = text.contains(['*', '?', '[', '\\']);
            return text
                .split_ascii_whitespace()
                .map(|one| if pattern { Value::any(&word.source) } else { Value::known(one) })
                .map(|value| Value { source: word.source.clone(), ..value })
                .collect();
        }
        let braces = brace_expands(word);
        let mut made = Made::default();
        for part in &word.parts {
            self.part(part, &mut made, braces);
        }
        if made.number && word.parts.len() > 1 {
            made.number = false;
        }
        vec![finish(made, word)]
    }

    fn expand_one(&mut self, word: &Word) -> Value {
        let mut made = Made::default();
        for part in &word.parts {
            match part {
                Part::Glob(one) | Part::Brace(one) => made.push(&one.to_string()),
                Part::Text(_)
                | Part::Quotes
                | Part::Home
                | Part::HomeOf
                | Part::Variable { .. }
                | Part::Expansion { .. }
                | Part::Output { .. }
                | Part::Process(_)
                | Part::Sum(_) => self.part(part, &mut made, false),
            }
        }
        (made.splits, made.number) = (false, false);
        finish(made, word)
    }
}

fn finish(made: Made, word: &Word) -> Value {
    let source = word.source.clone();
    match made.prefix {
        None => Value { text: Some(made.text), source, ..Value::default() },
        Some(prefix) => Value {
            text: None,
            prefix,
            suffix: made.suffix,
            splits: made.splits,
            many: made.many,
            number: made.number,
            source,
        },
    }
}

/// Whether `{a,b}` or `{1..9}` makes several words of one.
fn brace_expands(word: &Word) -> bool {
    let opens = word.parts.iter().any(|part| matches!(part, Part::Brace('{')));
    opens
        && word.parts.iter().any(|part| match part {
            Part::Brace(one) => *one == ',',
            Part::Text(text) => text.contains(".."),
            Part::Quotes
            | Part::Glob(_)
            | Part::Home
            | Part::HomeOf
            | Part::Variable { .. }
            | Part::Expansion { .. }
            | Part::Output { .. }
            | Part::Process(_)
            | Part::Sum(_) => false,
        })
}

impl Walker<'_> {
    fn part(&mut self, part: &Part, made: &mut Made, braces: bool) {
        match part {
            Part::Text(text) => made.push(text),
            Part::Quotes => {}
            Part::Brace(one) if braces => {
                if *one == '{' {
                    made.gap();
                }
                made.suffix.clear();
                made.many = true;
            }
            Part::Brace(one) => made.push(&one.to_string()),
            Part::Glob(_) => {
                made.gap();
                made.many = true;
            }
            Part::Home => made.push(&self.place.home.to_string_lossy()),
            Part::HomeOf => made.gap(),
            Part::Variable { name, quoted } => {
                let value = self.variable(name);
                match value.text {
                    Some(text) if *quoted || !text.contains([' ', '\t', '\n', '*', '?', '[', '\\']) => {
                        made.push(&text);
                    }
                    _ => {
                        made.push(&value.prefix);
                        made.gap();
                        made.push(&value.suffix);
                        made.number = value.number;
                        made.splits |= !quoted && !value.number;
                    }
                }
            }
            Part::Expansion { words, number, quoted } => {
                words.iter().for_each(|word| drop(self.expand(word)));
                made.gap();
                made.number = *number;
                // `"$@"` is many words even within quotes.
                made.splits |= !number && (!quoted || words.is_empty());
            }
            Part::Output { script, quoted } => {
                self.aside(|walker| walker.script(script, &Input::Nothing));
                made.gap();
                made.splits |= !quoted;
            }
            Part::Process(script) => {
                self.aside(|walker| walker.script(script, &Input::Anything));
                made.push("/dev/fd/");
                made.gap();
            }
            Part::Sum(sum) => {
                self.sum(&sum.names);
                made.gap();
                made.number = true;
            }
        }
    }

    fn variable(&self, name: &str) -> Value {
        if self.is_number(name) {
            return Value { number: true, source: format!("${name}"), ..Value::default() };
        }
        let folder = || self.scope.folder.as_ref().map(|folder| Value::known(folder.to_string_lossy()));
        let found = match self.scope.variables.get(name) {
            Some(value) => Some(value.clone()),
            None if name == "HOME" => Some(Value::known(self.place.home.to_string_lossy())),
            None if name == "WORKSPACE" => Some(Value::known(self.place.workspace.to_string_lossy())),
            None if name == "PWD" => folder(),
            None => None,
        };
        found.unwrap_or_else(|| Value::any(format!("${name}")))
    }

    /// Assignments that change what other words mean.
    pub(super) fn check_name(&mut self, name: &str, source: &str, for_a_command: bool) {
        let upper = name.chars().any(|one| one.is_ascii_uppercase());
        let harmless = name.starts_with("LC_")
            || ["LANG", "LANGUAGE", "TZ", "COLUMNS", "LINES", "NO_COLOR"].contains(&name);
        let deciding = DECIDING.contains(&name) || FAMILIES.iter().any(|family| name.starts_with(family));
        if deciding || (for_a_command && upper && !harmless) {
            self.unknown(name, source, "this variable changes what programs do");
        }
    }
}
