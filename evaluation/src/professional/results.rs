//! What the professional tasks came to, as data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{plain::Plain, task::Verdict};
use crate::by_hand::{Asked, Match, Tokens};

/// One game that was played to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Played {
    /// The task.
    pub name: String,
    /// What kind of work it is.
    pub about: String,
    /// Whether somebody did something wrong on purpose.
    pub sabotaged: bool,
    /// How the run ended, in its own word.
    pub directive: String,
    /// Its exit code; none where it was ended by a signal.
    pub exit: Option<i32>,
    /// What it came to.
    pub verdict: Verdict,
    /// What speaks against it.
    pub objections: Vec<String>,
    /// What the person read at its end.
    pub answer: String,
    /// Model calls.
    pub calls: u64,
    /// The longest chain of calls that had to wait for each other.
    pub depth: u32,
    /// Tokens by role.
    pub roles: BTreeMap<String, Tokens>,
    /// Questions to the person: for consent, for words, for a plan.
    pub questions: u64,
    /// Seconds of artoo's own: no model took any time.
    pub seconds: f64,
    /// Questions that read otherwise than when they were answered.
    pub reworded: u64,
    /// Questions that nobody has answered.
    pub open: u64,
    /// What a plain loop would have sent.
    pub plain: Plain,
}

impl Played {
    /// Whether it said that the work is done.
    pub(crate) fn accepted(directive: &str) -> bool {
        matches!(directive, "accept" | "success")
    }

    /// Whether a replay may pass: the work is right or honestly not done, what was sabotaged is not accepted, and nothing was asked that
    /// nobody had answered.
    pub(crate) fn passes(&self) -> bool {
        let is_fair = match self.sabotaged {
            // What ends as close enough names what is not met, and has its own exit code.
            true => self.directive != "accept",
            false => self.verdict != Verdict::Wrong,
        };
        is_fair && self.open == 0 && !self.directive.is_empty()
    }

    /// All its tokens.
    pub(crate) fn tokens(&self) -> Tokens {
        sum(self.roles.values())
    }
}

/// Tokens of several together.
pub(crate) fn sum<'a>(tokens: impl IntoIterator<Item = &'a Tokens>) -> Tokens {
    tokens.into_iter().fold(Tokens::default(), |sum, one| Tokens {
        prompt: sum.prompt.saturating_add(one.prompt),
        cached: sum.cached.saturating_add(one.cached),
        completion: sum.completion.saturating_add(one.completion),
    })
}

/// The tokens of each role.
pub(crate) fn by_role(asked: &[Asked]) -> BTreeMap<String, Tokens> {
    let mut roles: BTreeMap<String, Tokens> = BTreeMap::new();
    for one in asked {
        let role = roles.entry(one.role.clone()).or_default();
        *role = sum([&*role, &one.tokens]);
    }
    roles
}

/// How many questions were found so.
pub(crate) fn found(asked: &[Asked], found: Match) -> u64 {
    asked.iter().filter(|one| one.found == found).map(|_| 1).sum()
}

/// All games, and under what conditions they were measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Games {
    /// The command.
    pub command: String,
    /// The day.
    pub date: String,
    /// The machine.
    pub machine: String,
    /// The games.
    pub played: Vec<Played>,
}
