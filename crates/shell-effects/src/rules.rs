//! The kinds of rules that programs follow, and how each is applied.

use super::found::Kind;
use super::network;
use super::options::{any, take};
use super::value::Value;
use super::walk::Walker;

/// What a program does with its words.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// It reads its operands but for the first few. These letters of options take a value; other options do more.
    Reads(usize, &'static str, But),
    /// It does the same to each operand but for the first few. These letters of options take a value.
    Each(Act, usize, &'static str),
    /// It does this whatever its words are.
    Always(Kind, &'static str),
    /// It does this, but without words, or with one of these as its first, it only shows something.
    Verbs(Kind, &'static str, &'static str),
    /// The shell does it itself, so that no program is started.
    Builtin(Own),
    /// It has a rule of its own.
    Own(Own),
}

/// Options, a blank between them, and what is done to what they name.
pub(super) type But = &'static [(&'static str, Act)];

/// A rule of a program's own.
pub(super) type Own = fn(&mut Walker<'_>, &Call<'_>);

/// A program that is started.
#[derive(Clone, Copy)]
pub(super) struct Call<'v> {
    /// The word that names it.
    pub(super) program: &'v Value,
    /// Its name in the table.
    pub(super) name: &'v str,
    pub(super) arguments: &'v [Value],
    /// The text that is its input, where that stands in the command.
    pub(super) input: Option<&'v str>,
}

/// What is done to one thing.
#[derive(Debug, Clone, Copy)]
pub(super) enum Act {
    /// Made or overwritten.
    Writes,
    /// Made, if it is not there.
    Makes,
    /// Changed where it is.
    Changes,
    /// Gone.
    Deletes,
    /// Another effect.
    Other(Kind, &'static str),
}

impl Walker<'_> {
    /// Notes what a known program does.
    pub(super) fn follow(&mut self, rule: Rule, call: Call<'_>) {
        let Call { program, name, arguments, .. } = call;
        if !matches!(rule, Rule::Builtin(_)) {
            self.note(Kind::Runs, name, &program.source, "it is started");
        }
        if let [only] = arguments
            && (only.is("--help") || only.is("--version"))
        {
            return;
        }
        match rule {
            Rule::Reads(skip, values, but) => {
                let given = take(arguments, values);
                for (option, value) in &given.options {
                    for (_, act) in but.iter().filter(|(of, _)| any(option, of)) {
                        self.act(*act, value, name);
                    }
                }
                for operand in given.operands.iter().skip(skip) {
                    self.reads(operand, &format!("`{name}` reads it"));
                }
            }
            Rule::Each(act, skip, values) => {
                for operand in take(arguments, values).operands.iter().skip(skip) {
                    self.act(act, operand, name);
                }
            }
            Rule::Always(kind @ (Kind::Network | Kind::OutsideMachine), why) => {
                let to = network::address(arguments).unwrap_or(program);
                self.note(kind, to.source.as_str(), &to.source, why);
            }
            Rule::Always(kind, why) => {
                arguments.iter().for_each(|word| self.guards(word, why));
                self.note(kind, name, &program.source, why);
            }
            Rule::Verbs(kind, why, shows) => {
                let does = |verb: &&Value| !shows.split_ascii_whitespace().any(|one| verb.is(one));
                if let Some(verb) = arguments.first().filter(does) {
                    self.note(kind, name, &verb.source, why);
                }
            }
            Rule::Builtin(own) | Rule::Own(own) => own(self, &call),
        }
    }

    fn act(&mut self, act: Act, value: &Value, name: &str) {
        match act {
            Act::Writes => self.writes(value, &format!("`{name}` writes it")),
            Act::Makes => self.makes(value, &format!("`{name}` makes it")),
            Act::Changes => self.alters(Kind::Overwrites, value, &format!("`{name}` changes it")),
            Act::Deletes => self.alters(Kind::Deletes, value, &format!("`{name}` deletes it")),
            Act::Other(kind, why) => self.note(kind, name, &value.source, why),
        }
    }
}
