//! Who answers what is asked before a run begins: the user at the terminal, or the user of a front end.

use artoo_front_end::Confirmation;

use super::answer::is_yes;
use super::ask::Keyboard;
use crate::terminal::{Terminal, neutral, neutral_line};

/// Answers the questions before a run.
pub(crate) trait BeforeRun {
    /// Whether there is somebody to ask. Where nobody is, the caller says what it leaves out.
    fn is_there(&self) -> bool;

    /// Asks, and blocks until the answer. Nobody there is a no.
    fn confirm(&self, terminal: &mut Terminal, confirmation: Confirmation) -> bool;

    /// Tells what the run goes on without.
    fn warn(&self, terminal: &mut Terminal, warning: &str) {
        terminal.warning(warning);
    }
}

/// The user at the terminal.
pub(crate) struct AtTerminal<'a> {
    keyboard: &'a dyn Keyboard,
    is_there: bool,
}

impl<'a> AtTerminal<'a> {
    /// Asks at this keyboard, if a person is there.
    pub(crate) fn new(keyboard: &'a dyn Keyboard, is_there: bool) -> Self {
        Self { keyboard, is_there }
    }
}

impl BeforeRun for AtTerminal<'_> {
    fn is_there(&self) -> bool {
        self.is_there
    }

    fn confirm(&self, terminal: &mut Terminal, confirmation: Confirmation) -> bool {
        if !self.is_there {
            return false;
        }
        let Confirmation { about, lines, question } = confirmation;
        if !about.is_empty() {
            terminal.note(&format!("? {}", neutral_line(&about)));
        }
        // Whole lines: the answer is about all of them.
        for line in lines {
            terminal.note(&format!("    {}", neutral(&line).replace('\t', "    ")));
        }
        self.keyboard.begin();
        terminal.prompt(&format!("{} [y/N] > ", neutral_line(&question)));
        is_yes(&self.keyboard.line())
    }
}
