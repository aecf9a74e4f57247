//! The kinds of rules that programs follow, and how each is applied.

use super::found::Kind;
use super::options::{Given, take};
use super::value::Value;
use super::walk::{Input, Walker};
use super::{awk, copying, find, git, packing, programs, python, sed, shells, wrappers};

/// What a program does with its words.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rule {
    /// It touches no file.
    Quiet(Options),
    /// It reads its operands but for the first few.
    Reads { skip: usize, options: Options },
    /// It reads this many operands and writes the next.
    ReadsThenWrites { reads: usize, options: Options },
    /// It does the same to each operand but for the first few.
    Each { act: Act, skip: usize, options: Options },
    /// It does this whatever its words are.
    Always(Kind, &'static str),
    /// It does this, unless it has no words but a few plain options: then it only shows something.
    Shows(Kind, &'static str),
    /// With one of these as its first word it only shows something; with others it does this.
    Verbs { harmless: &'static [&'static str], otherwise: Kind, why: &'static str },
    /// It changes what the shell knows.
    Builtin(Builtin),
    /// It starts another program.
    Wraps(wrappers::Wrapper),
    /// It has rules of its own.
    Own(Own),
}

/// Options that mean something to us.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    /// Letters of the options whose value may be the next word, on every system. A letter too many would hide a word; one too few
    /// makes an operand of a value.
    pub(super) values: &'static str,
    /// Options that make more of the program than the rule says.
    pub(super) but: &'static [(&'static str, Act)],
}

/// What is done to one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// Made or overwritten.
    Writes,
    /// Made, if it is not there.
    Makes,
    /// Made, or given another time.
    Touches,
    /// Changed where it is.
    Changes,
    /// Gone.
    Deletes,
    /// Programs run that are named there.
    Runs,
    /// Another effect.
    Other(Kind, &'static str),
}

/// What the shell does itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Builtin {
    Cd,
    /// `set` and `shopt`, harmless with these words.
    Switches(&'static [&'static str]),
    Assigns,
    Read,
    Eval,
    Trap,
    Unset,
    Test,
    Printf,
}

/// Programs whose words are a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Own {
    Find,
    Sed,
    Awk,
    Git,
    Tar,
    Gzip,
    Unzip,
    Copy,
    Move,
    Link,
    Dd,
    Python,
    Shell,
    Date,
    Curl,
    Rsync,
    Mktemp,
}

impl Walker<'_> {
    /// Starts a program that is no function.
    pub(super) fn run(&mut self, argv: &[Value], input: &Input) {
        let Some((program, arguments)) = argv.split_first() else { return };
        let name = programs::name(program.text());
        let Some(rule) = name.and_then(programs::rule) else {
            self.note(Kind::Runs, program.text(), &program.source, "it is started");
            return self.unknown(program.text(), &program.source, "what this program does is not known");
        };
        let name = name.unwrap_or_default();
        if !matches!(rule, Rule::Builtin(_)) {
            self.note(Kind::Runs, name, &program.source, "it is started");
        }
        // Any of these only says what the program is. With other words behind, it may be something else.
        if let [only] = arguments
            && (only.is("--help") || only.is("--version"))
            && !matches!(rule, Rule::Builtin(_))
        {
            return;
        }
        match rule {
            Rule::Quiet(options) => {
                self.options(program, arguments, options);
            }
            Rule::Reads { skip, options } => {
                let operands = self.options(program, arguments, options);
                for operand in operands.iter().skip(skip) {
                    self.reads(operand, &format!("`{name}` reads it"));
                }
            }
            Rule::ReadsThenWrites { reads, options } => {
                let operands = self.options(program, arguments, options);
                // A word that may become several makes one of them the file that is written.
                if operands.iter().any(|operand| operand.splits || operand.many) {
                    return self.unknown(
                        name,
                        &program.source,
                        format!("`{name}` writes one of its operands"),
                    );
                }
                for (at, operand) in operands.iter().enumerate() {
                    if at < reads {
                        self.reads(operand, &format!("`{name}` reads it"));
                    } else if !operand.is("-") {
                        self.writes(operand, &format!("`{name}` writes it"));
                    }
                }
            }
            Rule::Each { act, skip, options } => {
                let operands = self.options(program, arguments, options);
                if operands.len() <= skip && !matches!(act, Act::Writes | Act::Makes) {
                    self.act(act, &Value::one(format!("what `{name}` is given")), name);
                }
                for operand in operands.iter().skip(skip) {
                    self.act(act, operand, name);
                }
            }
            Rule::Always(kind, why) => self.note(kind, name, &program.source, why),
            Rule::Shows(kind, why) => {
                let shows = |one: &&Value| !["-f", "-s", "-i", "-I", "-l", "-n"].contains(&one.text());
                if let Some(first) = arguments.iter().find(shows) {
                    self.note(kind, name, &first.source, why);
                }
            }
            Rule::Verbs { harmless, otherwise, why } => {
                let verb = arguments.first();
                let sets =
                    |text: &str| ["-o", "-c", "--o", "--c"].iter().any(|begin| text.starts_with(begin));
                let plain = arguments.iter().all(|one| one.text.as_deref().is_some_and(|text| !sets(text)));
                if !plain || !verb.is_some_and(|verb| harmless.contains(&verb.text())) {
                    self.note(otherwise, name, verb.map_or("", |verb| verb.source.as_str()), why);
                }
            }
            Rule::Builtin(builtin) => self.builtin(builtin, program, arguments, input),
            Rule::Wraps(wrapper) => wrappers::run(self, wrapper, program, arguments, input),
            Rule::Own(own) => self.own(own, program, arguments, input),
        }
    }

    fn own(&mut self, own: Own, program: &Value, arguments: &[Value], input: &Input) {
        match own {
            Own::Find => find::run(self, arguments),
            Own::Sed => sed::run(self, arguments),
            Own::Awk => awk::run(self, arguments),
            Own::Git => git::run(self, arguments),
            Own::Tar => packing::tar(self, arguments),
            Own::Gzip => packing::gzip(self, program, arguments),
            Own::Unzip => packing::unzip(self, arguments),
            Own::Copy => copying::copy(self, program, arguments),
            Own::Move => copying::rename(self, arguments),
            Own::Link => copying::link(self, arguments),
            Own::Dd => copying::dd(self, arguments),
            Own::Rsync => copying::rsync(self, arguments),
            Own::Mktemp => copying::mktemp(self, arguments),
            Own::Python => python::run(self, program, arguments, input),
            Own::Shell => shells::run(self, program, arguments, input),
            Own::Date => shells::date(self, arguments),
            Own::Curl => shells::curl(self, program, arguments),
        }
    }

    /// Notes what the options do and gives the operands.
    pub(super) fn options(&mut self, program: &Value, arguments: &[Value], options: Options) -> Vec<Value> {
        let Given { operands, hits, unsure } = take(arguments, options);
        for (act, value) in hits {
            self.act(act, &value, program.text());
        }
        for value in unsure {
            let why = format!("it may become an option of `{}` that does more than read", program.text());
            self.unknown(&value.source, &value.source, why);
        }
        operands
    }

    fn act(&mut self, act: Act, value: &Value, name: &str) {
        match act {
            Act::Writes => self.writes(value, &format!("`{name}` writes it")),
            Act::Makes => self.makes(value, &format!("`{name}` makes it"), false),
            Act::Touches => self.makes(value, &format!("`{name}` makes it or sets its time"), true),
            Act::Changes => self.changes(value, &format!("`{name}` changes it")),
            Act::Deletes => self.deletes(value, &format!("`{name}` deletes it")),
            Act::Runs => {
                self.unknown(&value.source, &value.source, format!("`{name}` runs what is named there"))
            }
            Act::Other(kind, why) => self.note(kind, &value.source, &value.source, why),
        }
    }
}
