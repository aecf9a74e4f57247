//! What is known of variables, functions and the working folder at a place in a script.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;

use super::syntax::{Assignment, Command, Form, Part, Script, Word};
use super::value::Value;

#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    /// Variables whose value is known. What is not here may hold anything.
    pub(super) variables: BTreeMap<String, Value>,
    /// Functions that are defined for certain; `None` where that depends.
    pub(super) functions: BTreeMap<String, Option<Rc<Command>>>,
    /// Where relative paths lead, if that is known.
    pub(super) folder: Option<PathBuf>,
}

impl Scope {
    /// Whether nothing else is known in the other.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let bodies = |scope: &Self| -> Vec<(String, Option<*const Command>)> {
            scope.functions.iter().map(|(name, body)| (name.clone(), body.as_ref().map(Rc::as_ptr))).collect()
        };
        self.variables == other.variables && self.folder == other.folder && bodies(self) == bodies(other)
    }

    /// After one of two ways was gone: what both agree on.
    pub(super) fn meet(&mut self, other: &Self) {
        self.variables.retain(|name, value| other.variables.get(name) == Some(value));
        if self.folder != other.folder {
            self.folder = None;
        }
        let same = |a: Option<&Rc<Command>>, b: Option<&Rc<Command>>| match (a, b) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            _ => false,
        };
        for (name, body) in &other.functions {
            let own = self.functions.get(name).and_then(Option::as_ref);
            if !same(own, body.as_ref()) {
                self.functions.insert(name.clone(), None);
            }
        }
        for (name, body) in &mut self.functions {
            if !same(body.as_ref(), other.functions.get(name).and_then(Option::as_ref)) {
                *body = None;
            }
        }
    }
}

/// Everything that a script assigns.
#[derive(Debug, Default)]
pub(super) struct Assigned {
    /// Those that are given a figure.
    figures: BTreeSet<String>,
    /// Those that hold something else somewhere.
    texts: BTreeSet<String>,
    /// Some program assigns where it pleases.
    hidden: bool,
}

/// Builtins that assign to variables which they are given as words.
const ASSIGNING: [&str; 17] = [
    "read",
    "export",
    "declare",
    "typeset",
    "local",
    "readonly",
    "printf",
    "mapfile",
    "readarray",
    "getopts",
    "unset",
    "let",
    "eval",
    "source",
    ".",
    "builtin",
    "command",
];

impl Assigned {
    /// Names whose values are figures all over the script. Arithmetic with other names may run commands.
    pub(super) fn numbers(&self) -> BTreeSet<String> {
        if self.hidden { BTreeSet::new() } else { self.figures.difference(&self.texts).cloned().collect() }
    }

    pub(super) fn script(&mut self, script: &Script) {
        for list in &script.lists {
            list.first
                .iter()
                .chain(list.rest.iter().flat_map(|(_, more)| more))
                .for_each(|one| self.command(one));
        }
    }

    pub(super) fn command(&mut self, command: &Command) {
        command.redirects.iter().for_each(|redirect| self.word(&redirect.target));
        match &command.form {
            Form::Simple { assignments, words } => {
                assignments.iter().for_each(|assignment| self.assignment(assignment));
                words.iter().for_each(|word| self.word(word));
                let name = words.first().and_then(Word::plain);
                let printf = name.as_deref() == Some("printf");
                let assigns = !words.is_empty() && name.is_none_or(|name| ASSIGNING.contains(&name.as_str()));
                self.hidden |= assigns && (!printf || words.iter().any(|word| word.source.starts_with("-v")));
            }
            Form::Group(script) | Form::Subshell(script) => self.script(script),
            Form::If(scripts) => scripts.iter().for_each(|script| self.script(script)),
            Form::While(condition, body) => {
                self.script(condition);
                self.script(body);
            }
            Form::For { name, words, body } => {
                self.texts.insert(name.clone());
                words.iter().flatten().for_each(|word| self.word(word));
                self.script(body);
            }
            Form::Case { words, branches } => {
                words.iter().for_each(|word| self.word(word));
                branches.iter().for_each(|script| self.script(script));
            }
            Form::Function { body, .. } => self.command(body),
            Form::Test(words) => words.iter().for_each(|word| self.word(word)),
            // Arithmetic assigns figures.
            Form::Arithmetic(_) => {}
        }
    }

    fn assignment(&mut self, assignment: &Assignment) {
        let empty = |part: &&Part| match part {
            Part::Quotes => true,
            Part::Text(text) => text.is_empty(),
            Part::Glob(_)
            | Part::Home
            | Part::HomeOf
            | Part::Brace(_)
            | Part::Variable { .. }
            | Part::Expansion { .. }
            | Part::Output { .. }
            | Part::Process(_)
            | Part::Sum(_) => false,
        };
        let parts: Vec<&Part> = assignment.value.parts.iter().filter(|part| !empty(part)).collect();
        let figure = match parts.as_slice() {
            [Part::Sum(_)] => true,
            [Part::Text(text)] => {
                let digits = text.strip_prefix('-').unwrap_or(text);
                !digits.is_empty() && digits.chars().all(|one| one.is_ascii_digit())
            }
            _ => false,
        };
        let names = if figure { &mut self.figures } else { &mut self.texts };
        names.insert(assignment.name.clone());
        self.word(&assignment.value);
    }

    fn word(&mut self, word: &Word) {
        for part in &word.parts {
            match part {
                Part::Expansion { words, .. } => words.iter().for_each(|word| self.word(word)),
                Part::Output { script, .. } | Part::Process(script) => self.script(script),
                Part::Sum(_)
                | Part::Text(_)
                | Part::Quotes
                | Part::Glob(_)
                | Part::Home
                | Part::HomeOf
                | Part::Brace(_)
                | Part::Variable { .. } => {}
            }
        }
    }
}
