//! The table of who is shown which fact, in which form and up to which size.
//!
//! The table is data in this one place. Prompts are built by it, tests compare whole runs with it, and the
//! docs print it.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whose prompt it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Viewer {
    /// R1, which understands the request.
    Perceiver,
    /// R2, which plans.
    Planner,
    /// R3, which carries out a step.
    Executor,
    /// R4a, which judges a step.
    StepJudge,
    /// R4b, which judges the results against the request.
    RequestJudge,
}

impl Viewer {
    /// All of them, in the order in which a run meets them.
    pub const ALL: [Self; 5] =
        [Self::Perceiver, Self::Planner, Self::Executor, Self::StepJudge, Self::RequestJudge];

    /// Its name in the docs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Perceiver => "R1",
            Self::Planner => "R2",
            Self::Executor => "R3",
            Self::StepJudge => "R4a",
            Self::RequestJudge => "R4b",
        }
    }
}

/// The kind of model that is shown a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reader {
    /// A capable model.
    Capable,
    /// A weak model, which is shown less, because it copies what it is shown.
    Guided,
}

impl Reader {
    /// The reader by a model's profile.
    pub const fn of(guided: bool) -> Self {
        if guided { Self::Guided } else { Self::Capable }
    }
}

/// A kind of fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fact {
    /// The request, with the user's notes.
    Request,
    /// Earlier requests of the session, and what came of them. R2 is shown those whose result the user rejected, and all of
    /// them where it may answer from what it knows.
    EarlierTurns,
    /// The user's standing instructions (`AGENTS.md`).
    Instructions,
    /// The user's laws.
    Laws,
    /// What memory knows of such work.
    Lessons,
    /// The user's answers, consents, refusals and notes in this run.
    UserStatements,
    /// Date, folder and platform.
    Place,
    /// Tools, programs, sandbox, network, consent, and whether the user is there.
    Environment,
    /// The files of the working folder, as they are now.
    Listing,
    /// The steps of earlier plans of this run, and how they ended.
    EarlierPlans,
    /// The calls of earlier plans of this run, and what they changed.
    EarlierCalls,
    /// What earlier steps of this plan found.
    EarlierResults,
    /// The calls of the step or the plan in question, with their outputs and changes.
    Calls,
    /// The criteria by which the result is judged.
    Criteria,
    /// What a judge found wrong: with the attempt before, and after the plan before.
    Findings,
    /// What code noticed about the result that is judged.
    Notes,
    /// The result that is judged.
    Result,
}

impl Fact {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 17] = [
        Self::Request,
        Self::EarlierTurns,
        Self::Instructions,
        Self::Laws,
        Self::Lessons,
        Self::UserStatements,
        Self::Place,
        Self::Environment,
        Self::Listing,
        Self::EarlierPlans,
        Self::EarlierCalls,
        Self::EarlierResults,
        Self::Calls,
        Self::Criteria,
        Self::Findings,
        Self::Notes,
        Self::Result,
    ];

    /// What it is, in the docs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Request => "the request, with notes",
            Self::EarlierTurns => "earlier turns of the session",
            Self::Instructions => "standing instructions",
            Self::Laws => "the user's laws",
            Self::Lessons => "lessons of memory",
            Self::UserStatements => "what the user said in this run",
            Self::Place => "date, folder, platform",
            Self::Environment => "environment: programs, sandbox, network, consent, user",
            Self::Listing => "listing of the folder, current",
            Self::EarlierPlans => "steps of earlier plans",
            Self::EarlierCalls => "calls and changes of earlier plans",
            Self::EarlierResults => "results of earlier steps",
            Self::Calls => "calls, outputs and changes",
            Self::Criteria => "criteria",
            Self::Findings => "what a judge found wrong",
            Self::Notes => "what code noticed about the result",
            Self::Result => "the result",
        }
    }
}

/// How a fact is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Not at all.
    Absent,
    /// Whole.
    Whole,
    /// Up to a limit, with a mark where it is cut.
    Cut(Limit),
    /// As much as the model's context has room for: texts share it, and each cut is marked.
    Room,
}

/// How much of a kind of fact is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// At most so many, the newest.
    pub items: usize,
    /// At most so many characters of each.
    pub characters: usize,
}

/// About how many characters a mark takes.
const MARK: usize = 32;

impl Limit {
    /// The text up to the limit, with a mark that says how much is left out. A text that is longer by no more than
    /// the mark is shown whole.
    ///
    /// ```
    /// use artoo_case_file::visibility::Limit;
    ///
    /// let limit = Limit { items: 1, characters: 3 };
    /// assert_eq!(limit.cut("abcdef"), "abcdef");
    /// assert_eq!(limit.cut(&"a".repeat(43)), "aaa [... 40 more characters ...]");
    /// ```
    pub fn cut(self, text: &str) -> Cow<'_, str> {
        let Some((end, _)) = text.char_indices().nth(self.characters) else { return Cow::Borrowed(text) };
        let (shown, rest) = text.split_at(end);
        let left_out = rest.chars().count();
        if left_out < MARK {
            return Cow::Borrowed(text);
        }
        Cow::Owned(format!("{shown} [... {left_out} more characters ...]"))
    }

    /// The newest items up to the limit, and how many older ones are left out.
    pub fn newest<T>(self, items: &[T]) -> (usize, &[T]) {
        let left_out = items.len().saturating_sub(self.items);
        (left_out, items.get(left_out..).unwrap_or_default())
    }
}

impl Form {
    /// Whether anything of the fact is shown.
    pub const fn is_shown(self) -> bool {
        match self {
            Self::Absent => false,
            Self::Whole | Self::Cut(_) | Self::Room => true,
        }
    }

    /// The limit; none at all where a fact is shown whole, nothing where it is absent.
    pub const fn limit(self) -> Limit {
        match self {
            Self::Absent => Limit { items: 0, characters: 0 },
            Self::Whole | Self::Room => Limit { items: usize::MAX, characters: usize::MAX },
            Self::Cut(limit) => limit,
        }
    }
}

/// How a reader in a role is shown a kind of fact.
///
/// ```
/// use artoo_case_file::visibility::{Fact, Form, Reader, Viewer, form};
///
/// assert!(form(Viewer::RequestJudge, Reader::Capable, Fact::UserStatements).is_shown());
/// assert_eq!(form(Viewer::StepJudge, Reader::Capable, Fact::Instructions), Form::Absent);
/// ```
pub const fn form(viewer: Viewer, reader: Reader, fact: Fact) -> Form {
    use Fact as F;
    use Form::{Absent, Room, Whole};
    use Viewer as V;
    match (viewer, fact) {
        (_, F::Request | F::Place) => Whole,

        (V::Perceiver, F::EarlierTurns) => match reader {
            Reader::Capable => cut(5, 4_000),
            Reader::Guided => cut(2, 200),
        },
        // Its own questions and their answers become part of the request.
        (
            V::Perceiver,
            F::UserStatements
            | F::Instructions
            | F::Laws
            | F::Lessons
            | F::Environment
            | F::Listing
            | F::EarlierPlans
            | F::EarlierCalls
            | F::EarlierResults
            | F::Calls
            | F::Criteria
            | F::Findings
            | F::Notes
            | F::Result,
        ) => Absent,

        (V::Planner, F::Instructions | F::Laws) => Whole,
        (V::Planner, F::Lessons) => cut(usize::MAX, 500),
        (V::Planner, F::UserStatements) => unless_guided(reader, cut(20, 1_000)),
        (V::Planner, F::Environment) => unless_guided(reader, Whole),
        (V::Planner, F::Listing) => unless_guided(reader, Room),
        // The result of a plan that fell short included.
        (V::Planner, F::EarlierPlans | F::EarlierResults | F::Result) => cut(usize::MAX, 600),
        (V::Planner, F::EarlierCalls) => cut(40, 160),
        (V::Planner, F::Criteria) => cut(usize::MAX, 600),
        // One finding on the whole names each unmet part of the request.
        (V::Planner, F::Findings) => cut(usize::MAX, 3_000),
        (V::Planner, F::EarlierTurns) => unless_guided(reader, cut(5, 1_500)),
        (V::Planner, F::Calls | F::Notes) => Absent,

        (V::Executor, F::Instructions | F::Laws | F::Criteria | F::Findings) => Whole,
        (V::Executor, F::Lessons) => cut(usize::MAX, 500),
        (V::Executor, F::UserStatements) => unless_guided(reader, cut(20, 1_000)),
        (V::Executor, F::Environment) => unless_guided(reader, Whole),
        (V::Executor, F::EarlierCalls) => unless_guided(reader, cut(20, 160)),
        (V::Executor, F::EarlierResults | F::Calls) => Room,
        (V::Executor, F::Result) => Whole,
        (V::Executor, F::EarlierTurns | F::Listing | F::EarlierPlans | F::Notes) => Absent,

        (V::StepJudge, F::Laws | F::Criteria | F::Notes) => Whole,
        (V::StepJudge, F::UserStatements) => cut(20, 1_000),
        (V::StepJudge, F::EarlierResults | F::Calls | F::Result) => Room,
        (
            V::StepJudge,
            F::EarlierTurns
            | F::Instructions
            | F::Lessons
            | F::Environment
            | F::Listing
            | F::EarlierPlans
            | F::EarlierCalls
            | F::Findings,
        ) => Absent,

        (V::RequestJudge, F::Laws | F::Criteria | F::Notes) => Whole,
        (V::RequestJudge, F::UserStatements) => cut(20, 1_000),
        (V::RequestJudge, F::EarlierPlans) => Whole,
        (V::RequestJudge, F::EarlierCalls | F::EarlierResults | F::Calls | F::Result) => Room,
        (
            V::RequestJudge,
            F::EarlierTurns | F::Instructions | F::Lessons | F::Environment | F::Listing | F::Findings,
        ) => Absent,
    }
}

const fn cut(items: usize, characters: usize) -> Form {
    Form::Cut(Limit { items, characters })
}

const fn unless_guided(reader: Reader, form: Form) -> Form {
    match reader {
        Reader::Capable => form,
        Reader::Guided => Form::Absent,
    }
}

/// The table as Markdown, for the docs. Where a guided model is shown something else, it stands behind a slash.
pub fn markdown() -> String {
    let mut text = String::from("| fact |");
    for viewer in Viewer::ALL {
        // Writing to a string cannot fail; so below.
        let _ = write!(text, " {} |", viewer.name());
    }
    text.push_str("\n|---|---|---|---|---|---|\n");
    for fact in Fact::ALL {
        let _ = write!(text, "| {} |", fact.name());
        for viewer in Viewer::ALL {
            let capable = words(form(viewer, Reader::Capable, fact));
            let guided = words(form(viewer, Reader::Guided, fact));
            if capable == guided {
                let _ = write!(text, " {capable} |");
            } else {
                let _ = write!(text, " {capable} / {guided} |");
            }
        }
        text.push('\n');
    }
    text
}

fn words(form: Form) -> String {
    match form {
        Form::Absent => "absent".to_owned(),
        Form::Whole => "whole".to_owned(),
        Form::Room => "as the context has room".to_owned(),
        Form::Cut(Limit { items: usize::MAX, characters }) => format!("{characters} characters each"),
        Form::Cut(Limit { items, characters }) => format!("newest {items}, {characters} characters each"),
    }
}
