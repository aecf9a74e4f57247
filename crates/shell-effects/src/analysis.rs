//! The walker: tracks known state while the parser reads a text, and records every effect.

use std::collections::{BTreeMap, BTreeSet};

use super::context::Place;
use super::cursor::NotRead;
use super::effects::{Cause, Effects, Kind};
use super::parser::{Read, Reader};
use super::programs;
use super::scope::Scope;
use super::value::Value;

/// The longest text that is parsed, in bytes.
const LONGEST: usize = 32 * 1024;

/// The most bytes of nested texts and variables that are processed: values built from values grow without
/// bound.
const MOST_BYTES: usize = 256 * 1024;

/// The deepest nesting of groups, substitutions, inner shells and programs that start programs.
const DEEPEST: usize = 40;

/// The names that a text defines.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The number of assignments to each variable.
    variables: BTreeMap<String, usize>,
    functions: BTreeSet<String>,
}

pub(super) struct Walker<'p> {
    pub(super) place: Place<'p>,
    pub(super) effects: Effects,
    pub(super) scope: Scope,
    /// The current nesting depth.
    pub(super) depth: usize,
    /// All names of the text, from the first pass.
    all: Names,
    /// The names seen in this pass.
    pub(super) met: Names,
    noted: BTreeSet<(Kind, String)>,
    bytes: usize,
}

impl<'p> Walker<'p> {
    pub(super) fn new(place: Place<'p>, all: Names) -> Self {
        Self {
            place,
            effects: Effects::default(),
            scope: Scope::new(place.working_folder),
            depth: 0,
            all,
            met: Names::default(),
            noted: BTreeSet::new(),
            bytes: 0,
        }
    }

    /// Parses a whole text: the command itself, or the text of an inner shell, which `word` gives.
    pub(super) fn text(&mut self, text: &str, word: &str) {
        if text.len() > LONGEST || !self.spend(text.len()) {
            let why = format!("it is longer than {} KiB", LONGEST / 1024);
            return self.note(Kind::Unknown, "the command", word, why);
        }
        let depth = self.depth;
        if let Err(why) = Reader::new(&text.chars().collect::<Vec<_>>(), self).whole() {
            self.note(Kind::Unknown, "the command", word, format!("it is not read to its end: {}", why.0));
        }
        self.depth = depth;
    }

    fn spend(&mut self, bytes: usize) -> bool {
        self.bytes = self.bytes.saturating_add(bytes);
        self.bytes <= MOST_BYTES
    }

    /// Enters one nesting level, or fails: nesting never exhausts the stack.
    pub(super) fn deeper(&mut self) -> Read {
        self.depth += 1;
        if self.depth > DEEPEST { Err(NotRead("it is nested too deep".into())) } else { Ok(()) }
    }

    /// Records an effect, once per kind and object.
    pub(super) fn note(&mut self, kind: Kind, what: impl Into<String>, word: &str, why: impl Into<String>) {
        let what = what.into();
        if self.noted.insert((kind, what.clone())) {
            self.effects.of_mut(kind).push(Cause { what, word: word.to_owned(), why: why.into() });
        }
    }

    pub(super) fn unknown(&mut self, what: impl Into<String>, word: &str, why: impl Into<String>) {
        self.note(Kind::Unknown, what, word, why);
    }

    /// Sets a variable; `None` means an unknown value.
    pub(super) fn assign(&mut self, name: &str, value: Option<Value>) {
        *self.met.variables.entry(name.to_owned()).or_default() += 1;
        self.scope.set(name, value);
    }

    /// The value of a variable. With more than one assignment it is unknown: the use may be in a loop.
    pub(super) fn variable(&mut self, name: &str) -> Option<Value> {
        let length = self.scope.variable(name).map_or(0, |value| value.text().len());
        if !self.spend(length) {
            return None;
        }
        let assigned = self.all.variables.get(name).copied().unwrap_or_default();
        let of_the_run = match name {
            "HOME" => Some(self.place.home),
            "WORKSPACE" => Some(self.place.workspace),
            "PWD" => self.scope.folder(),
            _ => None,
        };
        let value = self.scope.variable(name).filter(|_| assigned < 2).cloned();
        value.or(of_the_run.filter(|_| assigned == 0).map(|path| Value::known(path.to_string_lossy())))
    }

    /// Defines a function.
    pub(super) fn define(&mut self, name: &str) {
        if programs::rule(name).is_some() {
            self.unknown(name, name, "it gives a known program another meaning");
        }
        self.met.functions.insert(name.to_owned());
    }

    /// Runs the program that the first word names, with this text as its input, if known.
    pub(super) fn call(&mut self, words: &[Value], input: Option<&str>) {
        let Some((program, arguments)) = words.split_first() else { return };
        let Some(text) = program.text.as_deref() else {
            let why = "which program this is shows only when it runs";
            return self.unknown(&program.source, &program.source, why);
        };
        let known = programs::name(text).and_then(|name| Some((name, programs::rule(name)?)));
        let Some((name, rule)) = known else {
            if !self.all.functions.contains(text) {
                let why = "what this program does is not known";
                arguments.iter().for_each(|word| self.guards(word, why));
                self.note(Kind::Runs, text, &program.source, "it is started");
                self.unknown(text, &program.source, why);
            }
            return;
        };
        let depth = self.depth;
        match self.deeper() {
            Ok(()) => self.follow(rule, super::program_rules::Call { program, name, arguments, input }),
            Err(why) => self.unknown(name, &program.source, why.0),
        }
        self.depth = depth;
    }
}
