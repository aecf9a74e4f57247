//! The kinds of rules for programs, and how each is applied.

use super::analysis::Walker;
use super::effects::Kind;
use super::network;
use super::options::{any, take};
use super::value::Value;

/// What a program does with its arguments.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// Reads its operands except the first few. The given option letters take a value; the given options do
    /// more.
    Reads(usize, &'static str, But),
    /// Does the same to each operand except the first few. The given option letters take a value.
    Each(Act, usize, &'static str),
    /// Has this effect whatever its arguments are.
    Always(Kind, &'static str),
    /// Has this effect, but without arguments, or with one of these as its first, it only shows something.
    Verbs(Kind, &'static str, &'static str),
    /// A shell builtin, which starts no program.
    Builtin(Own),
    /// Handled by a function.
    Own(Own),
}

/// Options, separated by blanks, and what is done to their values.
pub(super) type But = &'static [(&'static str, Act)];

/// A handler for a program.
pub(super) type Own = fn(&mut Walker<'_>, &Call<'_>);

/// A program being started.
#[derive(Clone, Copy)]
pub(super) struct Call<'v> {
    /// The word that names it.
    pub(super) program: &'v Value,
    /// Its name in the table.
    pub(super) name: &'v str,
    pub(super) arguments: &'v [Value],
    /// The text of its input, if the command contains it.
    pub(super) input: Option<&'v str>,
}

/// What is done to one operand.
#[derive(Debug, Clone, Copy)]
pub(super) enum Act {
    /// Created or overwritten.
    Writes,
    /// Created if missing.
    Makes,
    /// Changed in place.
    Changes,
    /// Deleted.
    Deletes,
    /// Another effect.
    Other(Kind, &'static str),
}

impl Walker<'_> {
    /// Reports the effects of a known program.
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
