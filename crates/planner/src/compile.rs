//! Compiles a draft into a plan: criteria become checks, and groups are numbered.

use std::{collections::BTreeMap, path::PathBuf};

use artoo_checks::{lint, lint_text, matches_any_text, met_by};
use artoo_llm_client::inline;
use artoo_text::is_name_pattern;
use artoo_types::{Check, Criterion, Mode, PlannedSubTask, StepKind, TaskSpec};

use crate::guided::as_one_step;
use crate::{CriterionDraft, PlanDraft, SubTaskDraft, guessed_pattern};

/// The kind of model that wrote a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// A capable model: its steps stay as written.
    Capable,
    /// A weak model: its plan is one step in the request's own words, and criteria that only a reader could judge
    /// are dropped.
    Guided,
}

/// The maximum length of the request quoted in each step, in characters.
const LONGEST_REQUEST: usize = 8000;

/// The longest request that can be used as an intent, in characters.
pub(crate) const LONGEST_INTENT: usize = 1000;

/// Turns a draft into subtasks and task criteria.
///
/// ```
/// use artoo_planner::{Author, CriterionDraft, PlanDraft, SubTaskDraft, compile, conformance};
/// use artoo_types::StepKind;
///
/// let count = SubTaskDraft {
///     intent: "Count the files".into(),
///     sequence: 7,
///     kind: StepKind::FindOut,
///     criteria: vec![CriterionDraft::OutputNumber { text: "It is a number".into() }],
/// };
/// let spec = conformance::task("How many files are there?");
/// let (subtasks, criteria) = compile(&PlanDraft::of(vec![count]), &spec, Author::Capable, 0);
/// assert_eq!((subtasks[0].sequence, criteria.len()), (1, 0));
/// ```
///
/// `kept` is the number of subtasks that come first in the plan's positions.
///
/// The step that ends the plan has no criterion for a reader: these become criteria of the task, since the whole
/// is judged right after it, and its judge sees all of it. An answer must not be empty. A check that names what the
/// model cannot know (a value that is not in the request, a path with wildcards, a file for a question) is
/// dropped: it would turn a guess into a rule. Criteria that say little are left out on purpose: what any run
/// meets says nothing.
pub fn compile(
    draft: &PlanDraft,
    spec: &TaskSpec,
    author: Author,
    kept: usize,
) -> (Vec<PlannedSubTask>, Vec<Criterion>) {
    let draft = &match author {
        Author::Guided => as_one_step(draft),
        Author::Capable => draft.clone(),
    };
    let groups = dense_groups(draft);
    // With kept subtasks, even a single new subtask is only a part.
    let is_whole = kept == 0 && draft.subtasks.len() == 1;
    let fits = spec.intent.chars().count() <= LONGEST_INTENT;
    let english = draft.english.as_deref().map(str::trim).filter(|english| !english.is_empty());
    let planned = |drafted: &SubTaskDraft| {
        let own = drafted.intent.trim();
        let (intent, context) = match author {
            // The request in English says more than a step of it.
            Author::Guided if is_whole && fits => {
                (spec.intent.clone(), planned_as(english.unwrap_or(own), &spec.intent))
            }
            // A short plan has no words of its own: its step is the request.
            Author::Capable if is_whole && fits && (own.is_empty() || own == spec.intent) => {
                (spec.intent.clone(), String::new())
            }
            Author::Guided | Author::Capable => (own.to_owned(), request(spec, english)),
        };
        PlannedSubTask {
            kind: drafted.kind,
            context,
            ..PlannedSubTask::new(
                groups.get(&drafted.sequence).copied().unwrap_or(1),
                intent,
                criteria(drafted, spec, author),
            )
        }
    };
    let mut subtasks: Vec<PlannedSubTask> = draft.subtasks.iter().map(planned).collect();
    let mut of_the_task = Vec::new();
    if let Some(last) = sole_last(&mut subtasks) {
        let (checked, read) =
            std::mem::take(&mut last.success_criteria).into_iter().partition(|one| one.check.is_some());
        (last.success_criteria, of_the_task) = (checked, read);
        of_the_task.iter_mut().for_each(|one: &mut Criterion| one.of_last_step = !is_whole);
    }
    subtasks.iter_mut().for_each(|subtask| at_least_something(&mut subtask.success_criteria));
    (subtasks, of_the_task)
}

/// The step after which the whole is judged, unless several end at the same time.
fn sole_last(subtasks: &mut [PlannedSubTask]) -> Option<&mut PlannedSubTask> {
    let end = subtasks.iter().map(|subtask| subtask.sequence).max();
    let mut last = subtasks.iter_mut().filter(|subtask| Some(subtask.sequence) == end);
    let one = last.next();
    if last.next().is_none() { one } else { None }
}

/// Prefix of the planner's own words.
const PLANNED_AS: &str = "As planned: ";

/// The planner's own words, added to a step whose intent is the request: the request loses nothing by
/// restating, and the new method of a replan still reaches the executor.
fn planned_as(own: &str, request: &str) -> String {
    let own = inline(own);
    if own.is_empty() || own == inline(request) { String::new() } else { format!("{PLANNED_AS}{own}") }
}

/// The words that identify a step: the planner's own, if its intent is the request.
pub(crate) fn own_words(subtask: &PlannedSubTask) -> &str {
    let first = subtask.context.lines().next().unwrap_or_default();
    first.strip_prefix(PLANNED_AS).unwrap_or(&subtask.intent)
}

/// The request verbatim, for each subtask: nothing is lost, whatever the plan restates. With the request in English,
/// if the planner gave it.
fn request(spec: &TaskSpec, english: Option<&str>) -> String {
    let shown: String = spec.intent.chars().take(LONGEST_REQUEST).collect();
    let rest = spec.intent.chars().count() - shown.chars().count();
    let mark = if rest == 0 { String::new() } else { format!(" [... {rest} more characters ...]") };
    let english = english.map(inline).filter(|english| *english != inline(&spec.intent));
    let english = english.map(|english| format!("\nIn English: {english}")).unwrap_or_default();
    format!("Request, of which the step is a part: {shown}{mark}{english}")
}

/// Renumbers the draft's groups as 1, 2, 3 in their order, whatever their numbers (lesson N2: sequence 0 hung
/// the ancestor).
fn dense_groups(draft: &PlanDraft) -> BTreeMap<u32, u32> {
    let mut groups: BTreeMap<u32, u32> = draft.subtasks.iter().map(|subtask| (subtask.sequence, 0)).collect();
    for (number, group) in (1..).zip(groups.values_mut()) {
        *group = number;
    }
    groups
}

fn criteria(drafted: &SubTaskDraft, spec: &TaskSpec, author: Author) -> Vec<Criterion> {
    let mut criteria = Vec::new();
    for criterion in &drafted.criteria {
        match check(criterion, drafted, spec) {
            Some(checks) => criteria.extend(checks),
            None if author == Author::Guided => {}
            None if says_nothing(criterion.text(), drafted, spec) => {}
            None => criteria.push(judged(criterion.text())),
        }
    }
    criteria
}

/// Whether a reader's criterion is empty, or only repeats the step or the request, by which the result is judged anyway.
fn says_nothing(text: &str, drafted: &SubTaskDraft, spec: &TaskSpec) -> bool {
    [&drafted.intent, &spec.intent].into_iter().any(|intent| lint_text(text, intent).is_err())
}

/// Ensures at least one criterion: if there is none, that the output is not empty.
fn at_least_something(criteria: &mut Vec<Criterion>) {
    if criteria.is_empty() {
        criteria.push(verifiable("The output is not empty", Check::any_output()));
    }
}

/// The checks that decide a drafted criterion; `None` if only a reader can.
fn check(criterion: &CriterionDraft, drafted: &SubTaskDraft, spec: &TaskSpec) -> Option<Vec<Criterion>> {
    let kind = drafted.kind;
    let is_question = kind.is_find_out();
    let one = |check: Check| lint(&check).is_ok().then(|| vec![verifiable(criterion.text(), check)]);
    match criterion {
        CriterionDraft::None { .. } => None,
        // For a change, the output is only a remark. What it should say, the file should contain.
        CriterionDraft::OutputContains { value, .. } if !is_question && named(value, spec) => {
            one(Check::FileContains { path: made(drafted)?, value: value.clone() })
        }
        CriterionDraft::OutputNumber { .. } | CriterionDraft::OutputMatches { .. } if !is_question => None,
        CriterionDraft::OutputNumber { .. } => one(Check::OutputNumber { min: None, max: None }),
        // The words of a question are seldom those of its answer.
        CriterionDraft::OutputContains { .. } => None,
        // A pattern that every text matches decides nothing, one that the question itself matches says
        // nothing about its answer, and one whose words occur in neither is a guess; a reader may judge.
        CriterionDraft::OutputMatches { value, .. }
            if matches_any_text(value)
                || met_by(value, &spec.intent)
                || met_by(value, &drafted.intent)
                || guessed_pattern::guesses(value, &spec.intent) =>
        {
            None
        }
        CriterionDraft::OutputMatches { value, .. } => one(Check::OutputMatches { pattern: value.clone() }),
        CriterionDraft::FileExists { path, .. } => {
            let path = file(path, kind)?;
            let written = format!("{} was written in this run", path.display());
            Some(vec![
                verifiable(criterion.text(), Check::FileExists { path: path.clone() }),
                verifiable(&written, Check::FileNewer { path }),
            ])
        }
        CriterionDraft::FileAbsent { path, .. } => one(Check::FileAbsent { path: file(path, kind)? }),
        CriterionDraft::FileUnchanged { path, .. } => one(Check::FileUnchanged { path: file(path, kind)? }),
        CriterionDraft::FileContains { path, value, .. } if named(value, spec) => {
            one(Check::FileContains { path: file(path, kind)?, value: value.clone() })
        }
        CriterionDraft::FileContains { .. } => None,
        CriterionDraft::FileJson { path, schema, .. } => {
            let schema = serde_json::from_str(schema).ok()?;
            one(Check::FileJson { path: file(path, kind)?, schema })
        }
        CriterionDraft::Table { path, columns, min_rows, max_rows, .. } => one(Check::Table {
            path: file(path, kind)?,
            columns: columns.clone(),
            min_rows: *min_rows,
            max_rows: *max_rows,
        }),
        CriterionDraft::SameLines { path, other, .. } => {
            one(Check::SameLines { path: file(path, kind)?, other: file(other, kind)? })
        }
        // Whether the tests pass may be the question itself.
        CriterionDraft::CommandSucceeds { .. } if is_question => None,
        CriterionDraft::CommandSucceeds { text, command } => {
            let check = Check::CommandSucceeds { command: command.clone() };
            // The plan as shown to the person includes the command that will run.
            let text = format!("{text} (`{}` succeeds)", command.trim());
            lint(&check).is_ok().then(|| vec![verifiable(&text, check)])
        }
    }
}

/// The file that the draft says will be made.
fn made(drafted: &SubTaskDraft) -> Option<PathBuf> {
    drafted.criteria.iter().filter_map(file_of).find_map(|path| file(path, drafted.kind))
}

/// The file that a drafted criterion refers to.
fn file_of(criterion: &CriterionDraft) -> Option<&str> {
    match criterion {
        CriterionDraft::FileExists { path, .. }
        | CriterionDraft::FileContains { path, .. }
        | CriterionDraft::FileJson { path, .. }
        | CriterionDraft::Table { path, .. }
        | CriterionDraft::SameLines { path, .. } => Some(path),
        CriterionDraft::None { .. }
        | CriterionDraft::FileAbsent { .. }
        | CriterionDraft::FileUnchanged { .. }
        | CriterionDraft::CommandSucceeds { .. }
        | CriterionDraft::OutputNumber { .. }
        | CriterionDraft::OutputContains { .. }
        | CriterionDraft::OutputMatches { .. } => None,
    }
}

fn judged(text: &str) -> Criterion {
    Criterion::new(text, Mode::Plausible)
}

fn verifiable(text: &str, check: Check) -> Criterion {
    Criterion::checked(text, check)
}

/// Whether the request itself names the value; any other value is the model's guess.
fn named(value: &str, spec: &TaskSpec) -> bool {
    spec.intent.to_lowercase().contains(&value.to_lowercase())
}

/// A path as the planner wrote it, where a check can use it: of something made or changed, and of one file.
fn file(path: &str, kind: StepKind) -> Option<PathBuf> {
    let path = path.trim();
    let is_usable = !kind.is_find_out() && !path.is_empty() && !is_name_pattern(path);
    is_usable.then(|| PathBuf::from(path))
}
