//! Known variables and the working folder at a point in the text.

use std::collections::BTreeMap;
use std::mem;
use std::path::{Path, PathBuf};

use super::value::Value;

/// Variables that every run sets, so that they have a value even if not assigned.
const OF_EVERY_RUN: [&str; 3] = ["HOME", "WORKSPACE", "PWD"];

#[derive(Debug)]
pub(super) struct Scope {
    /// Variables with a known value. A variable not listed may hold anything.
    variables: BTreeMap<String, Value>,
    /// The working folder, if known.
    folder: Option<PathBuf>,
    /// Undo log: the old value before each change.
    log: Vec<Before>,
}

#[derive(Debug)]
enum Before {
    Variable(String, Option<Value>),
    Folder(Option<PathBuf>),
    Shell(BTreeMap<String, Value>),
}

impl Scope {
    pub(super) fn new(folder: &Path) -> Self {
        Self { variables: BTreeMap::new(), folder: Some(folder.to_owned()), log: Vec::new() }
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Value> {
        self.variables.get(name)
    }

    pub(super) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Sets a variable; `None` means an unknown value.
    pub(super) fn set(&mut self, name: &str, value: Option<Value>) {
        let before = match value {
            Some(value) => self.variables.insert(name.to_owned(), value),
            None => self.variables.remove(name),
        };
        self.log.push(Before::Variable(name.to_owned(), before));
    }

    /// Changes the working folder; `None` means unknown.
    pub(super) fn go(&mut self, folder: Option<PathBuf>) {
        self.log.push(Before::Folder(mem::replace(&mut self.folder, folder)));
    }

    /// A position for [`back`](Self::back) and [`doubt`](Self::doubt).
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Reverts the changes since `mark`: they happened in another process.
    pub(super) fn back(&mut self, mark: usize) {
        while self.log.len() > mark {
            match self.log.pop() {
                Some(Before::Variable(name, Some(value))) => drop(self.variables.insert(name, value)),
                Some(Before::Variable(name, None)) => drop(self.variables.remove(&name)),
                Some(Before::Folder(folder)) => self.folder = folder,
                Some(Before::Shell(variables)) => self.variables = variables,
                None => {}
            }
        }
    }

    /// Forgets what changed since `mark`: the changes may or may not have happened.
    pub(super) fn doubt(&mut self, mark: usize) {
        for before in self.log.iter().skip(mark) {
            match before {
                Before::Variable(name, _) => drop(self.variables.remove(name)),
                Before::Folder(_) => self.folder = None,
                Before::Shell(_) => self.variables.clear(),
            }
        }
    }

    /// Enters another shell, which may not have these variables.
    pub(super) fn enter_shell(&mut self) {
        let forgotten = OF_EVERY_RUN.into_iter().filter(|name| self.variables.contains_key(*name));
        let forgotten = forgotten.map(|name| (name.to_owned(), Value::any(name))).collect();
        self.log.push(Before::Shell(mem::replace(&mut self.variables, forgotten)));
    }

    /// Marks the variables that every run sets as unknown.
    pub(super) fn forget_the_run(&mut self) {
        OF_EVERY_RUN.into_iter().for_each(|name| self.set(name, Some(Value::any(name))));
    }
}
