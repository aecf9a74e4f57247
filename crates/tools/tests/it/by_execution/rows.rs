//! The tables: one command per line, after a stable id, its kind and the program that it needs.

use std::collections::BTreeMap;

use super::tree::{Fence, Tree};

/// Commands that change, delete or plant something.
pub(crate) const DESTRUCTIVE: &str = include_str!("destructive.tsv");
/// Commands that only read, or create new files where that is free.
pub(crate) const HARMLESS: &str = include_str!("harmless.tsv");

/// One command of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) id: &'static str,
    pub(crate) kind: &'static str,
    /// The required program, if it is not on every machine.
    needs: Option<&'static str>,
    /// Whether its output is deterministic.
    pub(crate) is_exact: bool,
    text: &'static str,
}

impl Row {
    /// The rows of a table.
    pub(crate) fn all(table: &'static str) -> Vec<Self> {
        let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
        lines.map(|line| Self::read(line).unwrap_or_else(|| panic!("not a row: {line}"))).collect()
    }

    fn read(line: &'static str) -> Option<Self> {
        let mut parts = line.splitn(4, '\t');
        let (id, kind, needs, text) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let varying = text.strip_prefix("varies\t");
        Some(Self {
            id,
            kind,
            needs: Some(needs).filter(|needs| *needs != "-"),
            is_exact: varying.is_none(),
            text: varying.unwrap_or(text),
        })
    }

    /// Its command in this tree. `@PID@` is a process that does not belong to the run.
    pub(crate) fn command(&self, tree: &Tree, pid: Option<i32>) -> String {
        let text = self.text.replace('⏎', "\n").replace('⇥', "\t").replace("@NEW@", &tree.marker());
        text.replace("@PID@", &pid.map(|pid| pid.to_string()).unwrap_or_default())
    }

    pub(crate) fn has_victim(&self) -> bool {
        self.text.contains("@PID@") || self.kind == "signal"
    }

    /// Whether the machine itself may prevent it: by permissions, or by missing user namespaces, for
    /// instance.
    pub(crate) fn is_attempt(&self) -> bool {
        self.kind.starts_with("attempt-")
    }

    /// Whether its effect may come after its end.
    pub(crate) fn acts_later(&self) -> bool {
        matches!(self.kind, "later" | "signal" | "attempt-schedule")
    }

    /// How much of the machine it may change when run without artoo.
    pub(crate) fn fence(&self) -> Fence {
        match self.kind {
            // The kernel's rules forbid attributes, signals to other processes and terminals, and they cover
            // one tree.
            "ed" | "extended-attributes" | "shared-folders" | "signal" | "terminal" => Fence::None,
            _ => Fence::Tree,
        }
    }

    fn can_run(&self) -> bool {
        self.needs.is_none_or(artoo_test_needs::is_there)
    }
}

/// The rows whose programs are installed, and how many rows each missing program excludes.
pub(crate) fn runnable(rows: Vec<Row>) -> (Vec<Row>, BTreeMap<&'static str, usize>) {
    let (here, missing): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(Row::can_run);
    let mut programs = BTreeMap::new();
    for program in missing.iter().filter_map(|row| row.needs) {
        *programs.entry(program).or_default() += 1;
    }
    (here, programs)
}
