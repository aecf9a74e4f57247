//! A request on its way in: what the user said, where and when, and R1's faithful copy of it.

use std::{borrow::Cow, path::PathBuf};

use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Amount, Checkpoints, Instruction, Prices, RunId, TaskId};

/// What the user asked, with everything that a role may need to know of the place and the time. User to R1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UserRequest {
    /// The request, verbatim.
    pub text: String,
    /// What that text is.
    #[serde(default, skip_serializing_if = "Errand::is_task")]
    pub errand: Errand,
    /// Where and when it was asked.
    pub surroundings: Surroundings,
    /// The last turns of the session, oldest first, at most five.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<Turn>,
    /// What the person wants of all work here, the most general first. Planner and executor are told it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<Instruction>,
    /// Where it applies and when it must be done, as the user stated it beside the words.
    #[serde(default, skip_serializing_if = "Constraints::is_none")]
    pub constraints: Constraints,
    /// What the run may spend.
    pub limits: Limits,
    /// What its models cost, where that is known.
    #[serde(default, skip_serializing_if = "Prices::is_empty")]
    pub prices: Prices,
    /// Whether somebody is there to be asked back.
    #[serde(default, skip_serializing_if = "is_false")]
    pub person_present: bool,
}

/// What a run is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Errand {
    /// To work on a request.
    #[default]
    Task,
    /// To carry out one command of the person's own, for a shell. Nobody plans and nobody judges.
    Command,
}

impl Errand {
    /// Whether it is the usual one.
    pub fn is_task(&self) -> bool {
        match self {
            Self::Task => true,
            Self::Command => false,
        }
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

/// How many earlier turns a request carries at most. Source: specification v0.8, R1.
pub const MAX_TURNS: usize = 5;

impl UserRequest {
    /// The newest [`MAX_TURNS`] of its turns, oldest first: all that R1 may resolve against, however many a caller sends along.
    pub fn recent_turns(&self) -> &[Turn] {
        let first = self.turns.len().saturating_sub(MAX_TURNS);
        self.turns.get(first..).unwrap_or_default()
    }
}

/// One earlier turn of a session: what was asked and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Turn {
    /// The user's words.
    pub input: String,
    /// The answer, and the summary of the run if that says more; cut.
    pub result: String,
    /// The first files that its run changed, a line for each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The name by which its run can be taken back; `None` where it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
    /// The run of the turn; `None` where the caller does not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// How the user rejected its result; `None` where they kept it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejected: Option<Rejection>,
}

impl Turn {
    /// A turn of an unknown run, whose result was kept.
    pub fn new(input: impl Into<String>, result: impl Into<String>) -> Self {
        let (files, undo) = (Vec::new(), None);
        Self { input: input.into(), result: result.into(), files, undo, run_id: None, rejected: None }
    }

    /// What is known of the turn beside its answer, a line for each.
    ///
    /// ```
    /// let turn = artoo_types::Turn { undo: Some("8c74b3f2f2b5".into()), ..artoo_types::Turn::new("Make it", "made") };
    /// assert_eq!(turn.beside(), "run 8c74b3f2f2b5, which can be taken back\n");
    /// ```
    pub fn beside(&self) -> String {
        let undo = self.undo.iter().map(|name| format!("run {name}, which can be taken back\n"));
        undo.chain(self.files.iter().map(|file| format!("{file}\n"))).collect()
    }
}

/// How the user rejected the result of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rejection {
    /// They undid what its run did to files.
    Undone,
    /// They said that they meant something else.
    Corrected,
}

impl Rejection {
    /// What the user did, for prompts and for memory, after "the user".
    pub fn words(self) -> &'static str {
        match self {
            Self::Undone => "undid what it did to files",
            Self::Corrected => "said that it was not what they meant",
        }
    }
}

/// Where and when a run happens. The binary looks it up; roles are given it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Surroundings {
    /// Local date and time with its offset.
    pub now: DateTime<FixedOffset>,
    /// The IANA name of the local zone where it is known, otherwise the offset, for example `Europe/Berlin`.
    pub zone: String,
    /// The folder that relative paths mean.
    pub working_folder: PathBuf,
    /// The folder for results that belong nowhere else, which `$WORKSPACE` means.
    pub workspace: PathBuf,
    /// The user's home folder, which `~` means.
    pub home: PathBuf,
    /// The operating system, for example `linux`.
    pub platform: String,
}

impl Surroundings {
    /// Local date, time and zone in one line, for prompts: `Now: Saturday 2026-03-14 09:26 (Asia/Shanghai)`. Whoever reasons needs it,
    /// and needs it alike.
    pub fn now_line(&self) -> String {
        format!("Now: {} ({})", self.now.format("%A %Y-%m-%d %H:%M"), self.zone)
    }
}

/// What a run may spend. Source: specification v0.8, "Loss Hyperparameters" and R4a.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Replans after the first plan; 3 replans are up to 4 plans.
    pub max_replans: u32,
    /// Corrections per subtask; 2 corrections are up to 3 attempts.
    pub max_retries: u32,
    /// The time that Omega is measured against, in milliseconds. The clock stops while a person is asked.
    pub time_budget_ms: u64,
    /// When the run ends, in milliseconds, where the user stated a time budget. A budget that nobody stated ends nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_time_ms: Option<u64>,
    /// The sum of prompt and completion tokens, where it is bounded.
    pub max_tokens: Option<u64>,
    /// What model calls may cost together, where that is bounded, in the currency of the run's prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<Amount>,
    /// When the user is asked whether it shall go on.
    #[serde(default = "never", skip_serializing_if = "Checkpoints::is_none")]
    pub checkpoints: Checkpoints,
}

/// A record from before there were checkpoints.
fn never() -> Checkpoints {
    Checkpoints::NONE
}

impl Limits {
    /// With a time budget that the user stated: Omega is measured against it, and the run ends with it.
    #[must_use]
    pub fn with_stated_time(self, budget_ms: u64) -> Self {
        Self { time_budget_ms: budget_ms, max_time_ms: Some(budget_ms), ..self }
    }
}

impl Default for Limits {
    /// The specification's 3 replans, 2 corrections and 5 minutes; no bound on time, tokens and money; a question after
    /// every 200 model calls and 2,000,000 uncached tokens.
    fn default() -> Self {
        Self {
            max_replans: 3,
            max_retries: 2,
            time_budget_ms: 300_000,
            max_time_ms: None,
            max_tokens: None,
            max_cost: None,
            checkpoints: Checkpoints::default(),
        }
    }
}

/// The user's goal in structured form. R1 to R2. It carries no success criteria: those are R2's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskSpec {
    /// A short snake_case label.
    pub task_id: TaskId,
    /// The goal, faithfully restated; word for word the request where there was no earlier turn to resolve.
    pub intent: String,
    /// What the user said about scope and time.
    pub constraints: Constraints,
    /// The user's words, verbatim.
    pub raw_input: String,
    /// What the request is about: its words with references resolved, without the frame in which the intent quotes the user. `None` where
    /// the intent has no frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The run whose result this request rejects, as R1 understood it: "no, I meant ...".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrects: Option<RunId>,
    /// The earlier turns that the planner has to know of, oldest first: those whose result the user rejected, the one that this
    /// request corrects included. At most [`MAX_TURNS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Turn>,
}

impl TaskSpec {
    /// The request as it is, with nothing resolved and without constraints.
    pub fn verbatim(text: &str) -> Self {
        Self {
            task_id: TaskId::from_text(text),
            intent: text.to_owned(),
            constraints: Constraints::default(),
            raw_input: text.to_owned(),
            subject: None,
            corrects: None,
            earlier: Vec::new(),
        }
    }

    /// What the request is about, in words that name it: memory files and finds it by these.
    pub fn subject(&self) -> &str {
        self.subject.as_deref().unwrap_or(&self.intent)
    }

    /// The request without the frame in which the intent quotes the user: what it is about, and the user's own words where these are
    /// other ones.
    ///
    /// ```
    /// use artoo_types::TaskSpec;
    ///
    /// let followed = TaskSpec { subject: Some("Count the logs of 2024".into()), ..TaskSpec::verbatim("and of 2024?") };
    /// assert_eq!(followed.in_full(), "Count the logs of 2024\nand of 2024?");
    /// assert_eq!(TaskSpec::verbatim("Count the logs").in_full(), "Count the logs");
    /// ```
    pub fn in_full(&self) -> Cow<'_, str> {
        let (subject, words) = (self.subject(), self.raw_input.trim());
        if subject.contains(words) {
            Cow::Borrowed(subject)
        } else {
            Cow::Owned(format!("{subject}\n{words}"))
        }
    }

    /// The task as it stands when the person has said this while it was worked on: their words follow those of the request, word for word.
    pub fn with_notes(&self, notes: &[String]) -> Self {
        let said = |text: &str| {
            std::iter::once(text).chain(notes.iter().map(String::as_str)).collect::<Vec<_>>().join("\n")
        };
        let subject = self.subject.as_deref().map(said);
        Self { intent: said(&self.intent), raw_input: said(&self.raw_input), subject, ..self.clone() }
    }
}

/// Limits that the user named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Constraints {
    /// The folder that the task applies to, in the user's words: nothing outside of it is changed. Relative to the
    /// working folder.
    pub scope: Option<String>,
    /// When it must be done.
    pub deadline: Option<DateTime<FixedOffset>>,
}

impl Constraints {
    /// Whether the user named none.
    pub fn is_none(&self) -> bool {
        self.scope.is_none() && self.deadline.is_none()
    }

    /// The time budget of a run that begins now: the budget, or less where the deadline comes before its end. `None` where the deadline
    /// has passed.
    ///
    /// ```
    /// use artoo_types::Constraints;
    ///
    /// let at = |time: &str| time.parse().unwrap();
    /// let until = |time| Constraints { deadline: Some(at(time)), ..Constraints::default() };
    /// let now = at("2026-03-14T09:00:00+08:00");
    /// assert_eq!(until("2026-03-14T09:01:00+08:00").time_budget_ms(300_000, now), Some(60_000));
    /// assert_eq!(until("2026-03-14T17:00:00+08:00").time_budget_ms(300_000, now), Some(300_000));
    /// assert_eq!(until("2026-03-14T01:00:00Z").time_budget_ms(300_000, now), None);
    /// assert_eq!(Constraints::default().time_budget_ms(300_000, now), Some(300_000));
    /// ```
    pub fn time_budget_ms(&self, budget_ms: u64, now: DateTime<FixedOffset>) -> Option<u64> {
        let Some(deadline) = self.deadline else { return Some(budget_ms) };
        let left = u64::try_from(deadline.signed_duration_since(now).num_milliseconds()).ok()?;
        (left > 0).then_some(budget_ms.min(left))
    }
}
