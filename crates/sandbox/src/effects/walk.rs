//! Goes through a script as a shell would, carrying along what is known, and notes every effect.

use std::collections::BTreeSet;

use super::expand::Expanded;
use super::found::{Cause, Effects, Kind};
use super::place::Place;
use super::programs;
use super::reader::read;
use super::scope::{Assigned, Scope};
use super::syntax::{Assignment, Command, Form, How, Joint, List, Part, Redirect, Script, Word};
use super::value::Value;

/// Commands that are looked at, those of functions and loops each time. Beyond it nothing is known.
const MOST_STEPS: usize = 4_000;

/// How deep functions may call functions.
const DEEPEST_CALL: usize = 8;

/// How deep commands may lie within commands, those of functions and inner shells among them.
const DEEPEST_COMMAND: usize = 60;

/// Characters of texts within texts that are read.
const MOST_CHARACTERS: usize = 256 * 1024;

/// What a command reads from its standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Input {
    /// Nobody types: a command of a run has no input.
    Nothing,
    /// This text.
    Text(String),
    /// What another program or a file gives.
    Anything,
}

pub(super) struct Walker<'a> {
    pub(super) place: Place<'a>,
    pub(super) effects: Effects,
    pub(super) scope: Scope,
    /// How deep texts lie within texts.
    pub(super) depth: usize,
    /// The word that makes links, after which a path may lead anywhere.
    pub(super) links: Option<String>,
    /// How often something is made.
    pub(super) makings: usize,
    numbers: BTreeSet<String>,
    calls: usize,
    steps: usize,
    nesting: usize,
    characters: usize,
    /// `cd` may have failed, so the folder holds behind `&&` only.
    folder_is_likely: bool,
}

impl<'a> Walker<'a> {
    pub(super) fn new(place: Place<'a>) -> Self {
        let scope = Scope { folder: Some(place.working_folder.to_owned()), ..Scope::default() };
        Self {
            place,
            effects: Effects { creates_only_where_free: true, ..Effects::default() },
            scope,
            depth: 0,
            links: None,
            makings: 0,
            numbers: BTreeSet::new(),
            calls: 0,
            steps: 0,
            nesting: 0,
            characters: 0,
            folder_is_likely: false,
        }
    }

    /// A whole text: what was asked for, or the text of an inner shell.
    pub(super) fn text(&mut self, text: &str, word: &str, input: &Input) {
        self.characters = self.characters.saturating_add(text.len());
        if self.characters > MOST_CHARACTERS {
            return self.unknown(
                "the command",
                word,
                "texts within texts are too long to be followed to their end",
            );
        }
        match read(text, self.depth) {
            Err(why) => self.unknown("the command", word, why.0),
            Ok(script) => {
                let outer = std::mem::take(&mut self.numbers);
                // The variables of an inner shell may come from outside it.
                if self.depth == 0 {
                    let mut assigned = Assigned::default();
                    assigned.script(&script);
                    self.numbers = assigned.numbers();
                }
                self.depth += 1;
                self.script(&script, input);
                self.depth -= 1;
                self.numbers = outer;
            }
        }
    }

    pub(super) fn note(&mut self, kind: Kind, what: impl Into<String>, word: &str, why: impl Into<String>) {
        let cause = Cause { what: what.into(), word: word.to_owned(), why: why.into() };
        let list = self.effects.of_mut(kind);
        if !list.iter().any(|known| known.what == cause.what) {
            list.push(cause);
        }
    }

    pub(super) fn unknown(&mut self, what: impl Into<String>, word: &str, why: impl Into<String>) {
        self.note(Kind::Unknown, what, word, why);
    }

    pub(super) fn script(&mut self, script: &Script, input: &Input) {
        for list in &script.lists {
            if self.is_exhausted() {
                return;
            }
            if list.beside {
                self.aside(|walker| walker.list(list, &Input::Nothing));
            } else {
                self.list(list, input);
            }
        }
    }

    /// What happens in another process: the shell itself keeps its variables and its folder.
    pub(super) fn aside<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        let (scope, likely) = (self.scope.clone(), self.folder_is_likely);
        let result = work(self);
        (self.scope, self.folder_is_likely) = (scope, likely);
        result
    }

    fn is_exhausted(&self) -> bool {
        self.steps > MOST_STEPS
    }

    fn list(&mut self, list: &List, input: &Input) {
        self.pipeline(&list.first, input);
        if list.rest.is_empty() {
            if std::mem::take(&mut self.folder_is_likely) {
                self.scope.folder = None;
            }
            return;
        }
        let mut ways = self.scope.clone();
        for (joint, commands) in &list.rest {
            if *joint == Joint::Or {
                self.settle_folder(&mut ways);
                self.scope = ways.clone();
            }
            self.pipeline(commands, input);
            ways.meet(&self.scope);
        }
        self.scope = ways;
        let mut scope = std::mem::take(&mut self.scope);
        self.settle_folder(&mut scope);
        self.scope = scope;
    }

    fn settle_folder(&mut self, scope: &mut Scope) {
        if std::mem::take(&mut self.folder_is_likely) {
            scope.folder = None;
        }
    }

    fn pipeline(&mut self, commands: &[Command], input: &Input) {
        if let [only] = commands {
            return self.command(only, input);
        }
        for (at, command) in commands.iter().enumerate() {
            let input = if at == 0 { input } else { &Input::Anything };
            self.aside(|walker| walker.command(command, input));
        }
    }

    fn command(&mut self, command: &Command, input: &Input) {
        self.steps += 1;
        if self.is_exhausted() {
            return self.unknown("the command", "", "it is too long to be followed to its end");
        }
        if self.nesting >= DEEPEST_COMMAND {
            return self.unknown("the command", "", "commands lie within commands too deep");
        }
        self.nesting += 1;
        self.carry_out(command, input);
        self.nesting -= 1;
    }

    fn carry_out(&mut self, command: &Command, input: &Input) {
        let mut own = input.clone();
        for redirect in &command.redirects {
            self.redirect(redirect, &mut own);
        }
        match &command.form {
            Form::Simple { assignments, words } => self.simple(assignments, words, &own),
            Form::Group(script) => self.script(script, &own),
            Form::Subshell(script) => self.aside(|walker| walker.script(script, &own)),
            Form::If(scripts) => {
                for script in scripts {
                    self.perhaps(|walker| walker.script(script, &own));
                }
            }
            Form::While(condition, body) => self.repeat(|walker| {
                walker.script(condition, &own);
                walker.script(body, &own);
            }),
            Form::For { name, words, body } => {
                let values = match words {
                    Some(words) => words.iter().flat_map(|word| self.expand(word)).collect(),
                    None => vec![Value::any("$@")],
                };
                let value = either(name, &values);
                self.repeat(|walker| {
                    walker.assign(name, value.clone());
                    walker.script(body, &own);
                });
            }
            Form::Case { words, branches } => {
                words.iter().for_each(|word| drop(self.expand(word)));
                for script in branches {
                    self.perhaps(|walker| walker.script(script, &own));
                }
            }
            Form::Function { name, body } => {
                if programs::rule(name).is_some() {
                    self.unknown(name, name, "it gives a known program another meaning");
                }
                self.scope.functions.insert(name.clone(), Some(body.clone()));
            }
            Form::Test(words) => self.test(words),
            Form::Arithmetic(sum) => {
                self.sum(&sum.names);
            }
        }
    }

    /// What may happen or not.
    fn perhaps(&mut self, work: impl FnOnce(&mut Self)) {
        let before = self.scope.clone();
        work(self);
        self.scope.meet(&before);
    }

    /// What may happen any number of times: until another time would not make less known.
    fn repeat(&mut self, mut work: impl FnMut(&mut Self)) {
        for _ in 0..4 {
            let before = self.scope.clone();
            work(self);
            self.scope.meet(&before);
            if self.scope.is_same(&before) || self.is_exhausted() {
                return;
            }
        }
        self.scope.variables.clear();
        self.scope.folder = None;
        work(self);
        self.scope.variables.clear();
        self.scope.folder = None;
    }

    fn simple(&mut self, assignments: &[Assignment], words: &[Word], input: &Input) {
        let mut argv = Vec::new();
        for word in words {
            argv.extend(self.expand(word));
        }
        for assignment in assignments {
            let value = self.expand_one(&assignment.value);
            let source = format!("{}={}", assignment.name, assignment.value.source);
            self.check_name(&assignment.name, &source, !words.is_empty());
            // Before a command it holds for that command, and with some commands of some shells for good.
            let sure = words.is_empty() && !assignment.appends;
            self.assign(&assignment.name, if sure { value } else { Value::any(source) });
        }
        if !argv.is_empty() {
            self.call(&argv, input);
        }
    }

    pub(super) fn assign(&mut self, name: &str, value: Value) {
        self.scope.variables.insert(name.to_owned(), value);
    }

    /// Whether a name belongs to a program, a function, or nobody knows what.
    pub(super) fn call(&mut self, argv: &[Value], input: &Input) {
        let Some((program, _)) = argv.split_first() else { return };
        let Some(name) = program.text.clone() else {
            return self.unknown(
                &program.source,
                &program.source,
                "which program this is shows only when it runs",
            );
        };
        match self.scope.functions.get(&name).cloned() {
            None => self.run(argv, input),
            Some(Some(body)) if self.calls < DEEPEST_CALL => {
                self.calls += 1;
                self.command(&body, input);
                self.calls -= 1;
            }
            Some(Some(_)) => self.unknown(&name, &program.source, "functions call functions too deep"),
            Some(None) => {
                self.unknown(&name, &program.source, "which function this is shows only when it runs")
            }
        }
    }

    fn redirect(&mut self, redirect: &Redirect, input: &mut Input) {
        let values = self.expand(&redirect.target);
        let word = redirect.target.source.as_str();
        let value = match values.as_slice() {
            [one] if !one.many && !one.splits => one.clone(),
            _ => Value::one(word),
        };
        match redirect.how {
            How::Here => *input = value.text.map_or(Input::Anything, Input::Text),
            How::Read => {
                self.reads(&value, "its content is the input");
                *input = if value.is("/dev/null") { Input::Nothing } else { Input::Anything };
            }
            How::Write => self.writes(&value, "`>` writes to it"),
            How::Append => self.writes(&value, "`>>` adds to it"),
            How::Duplicate => {
                let text = value.text.as_deref().unwrap_or("?");
                let digits = text.strip_suffix('-').unwrap_or(text);
                if !digits.chars().all(|one| one.is_ascii_digit()) {
                    self.writes(&value, "`>&` writes to it");
                }
            }
        }
    }

    /// `cd`. The folder is certain where it exists.
    pub(super) fn change_folder(&mut self, to: Option<&Value>) {
        let home = Value::known(self.place.home.to_string_lossy());
        let to = to.unwrap_or(&home);
        self.folder_is_likely = false;
        match self.at(to) {
            None => self.scope.folder = None,
            Some(path) => {
                self.folder_is_likely = !matches!(self.place.paths.look(&path), super::Seen::Folder(_));
                self.scope.folder = Some(path);
            }
        }
    }

    pub(super) fn is_number(&self, name: &str) -> bool {
        self.numbers.contains(name)
    }

    pub(super) fn sum(&mut self, names: &[String]) {
        for name in names {
            if !self.is_number(name) {
                self.unknown(
                    name,
                    name,
                    "arithmetic carries out what the variable holds, and that may be a command",
                );
            }
            self.scope.variables.remove(name);
        }
    }

    /// `[[ … ]]`: its comparisons of figures are arithmetic.
    fn test(&mut self, words: &[Word]) {
        let compares =
            |word: &Word| ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"].contains(&word.source.as_str());
        let compared = words.iter().any(compares);
        for word in words {
            let figure = word.parts.iter().all(|part| match part {
                Part::Variable { name, .. } => self.is_number(name),
                Part::Expansion { number, .. } => *number,
                Part::Output { .. } | Part::Process(_) | Part::Glob(_) => false,
                Part::Text(_) | Part::Quotes | Part::Home | Part::HomeOf | Part::Brace(_) | Part::Sum(_) => {
                    true
                }
            });
            let letters = word
                .plain()
                .is_some_and(|text| !text.starts_with('-') && text.chars().any(|one| !one.is_ascii_digit()));
            if word.source == "-v" || (compared && (!figure || letters)) && !compares(word) {
                self.unknown(&word.source, &word.source, "[[…]] carries out what stands there as arithmetic");
            }
            drop(self.expand(word));
        }
    }
}

/// One value for what may be any of several.
fn either(name: &str, values: &[Value]) -> Value {
    let mut all = values.iter();
    let Some(first) = all.next() else { return Value::one(format!("${name}")) };
    let parts = |value: &Value| match &value.text {
        Some(text) => (text.clone(), text.clone()),
        None if value.splits => (String::new(), String::new()),
        None => (value.prefix.clone(), value.suffix.clone()),
    };
    if values.len() == 1 && first.text.is_some() {
        return first.clone();
    }
    let (mut prefix, mut suffix) = parts(first);
    for value in all {
        let (before, after) = parts(value);
        prefix = common(prefix.chars(), before.chars());
        suffix = common(suffix.chars().rev(), after.chars().rev()).chars().rev().collect();
    }
    Value { prefix, suffix, source: format!("${name}"), ..Value::default() }
}

fn common(one: impl Iterator<Item = char>, other: impl Iterator<Item = char>) -> String {
    one.zip(other).take_while(|(one, other)| one == other).map(|(one, _)| one).collect()
}
