//! From a draft to a plan: criteria become checks, groups are numbered, second derivations are added.

use std::{collections::BTreeMap, path::PathBuf};

use artoo_checks::{lint, met_by, takes_any_text};
use artoo_types::{Check, Criterion, Mode, PlannedSubTask, TaskSpec};

use crate::guided::{deed, prose, untouched::untouched};
use crate::{AnswerKind, CriterionDraft, PlanDraft, SubTaskDraft};

/// What [`compile`] may add.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileOptions {
    /// Derive the answer to every question a second time by other means, and accept only where both agree. What a model
    /// would judge about such an answer is then left to the agreement.
    pub second_derivation: bool,
    /// Whether the draft is a weak model's: what its words and those of the request say is then corrected and added to, see `guided`.
    pub guided: bool,
}

/// Takes every output that there is.
pub(crate) const NOT_EMPTY: &str = r"\S";

/// The most characters of a request that each step is told.
const LONGEST_REQUEST: usize = 8000;

/// Turns a draft into subtasks and task criteria.
///
/// ```
/// use artoo_planner::{AnswerKind, CompileOptions, CriterionDraft, PlanDraft, SubTaskDraft, compile, conformance};
///
/// let count = SubTaskDraft {
///     intent: "Count the files".into(),
///     sequence: 1,
///     kind: AnswerKind::FindOut,
///     criteria: vec![CriterionDraft::OutputNumber { text: "It is a number".into() }],
/// };
/// let options = CompileOptions { second_derivation: true, guided: true };
/// let spec = conformance::task("How many files are there?");
/// let (subtasks, criteria) = compile(&PlanDraft::of(vec![count]), &spec, options, 0);
/// assert_eq!((subtasks.len(), criteria.len()), (2, 1)); // derived twice, and both must agree
/// assert_eq!(subtasks[1].independent_of, [0]);
/// ```
///
/// `kept` is the number of subtasks that come first in the plan's positions.
///
/// Code adds what always holds: a change must end without an error and is looked at by a reader where no check looks into it, an
/// answer must not be empty, and, for a guided model, a file that the request tells to leave as it is must be as it was. A check that names what the
/// model cannot know (a value that is not in the request, a path with wildcards, a file for a question) is dropped: it would
/// turn a guess into a rule. Criteria that say little are left out on purpose: each one makes D smaller for a real failure.
pub fn compile(
    draft: &PlanDraft,
    spec: &TaskSpec,
    options: CompileOptions,
    kept: usize,
) -> (Vec<PlannedSubTask>, Vec<Criterion>) {
    let groups = dense_groups(draft);
    // With kept subtasks even a single new one is only a part.
    let is_whole = kept == 0 && draft.subtasks.len() == 1;
    let mut subtasks = Vec::new();
    let mut agreements = Vec::new();
    for (index, drafted) in draft.subtasks.iter().enumerate() {
        let group = groups.get(&drafted.sequence).copied().unwrap_or(1);
        let confirmed = options.second_derivation && drafted.kind == AnswerKind::FindOut;
        let is_prose = confirmed
            && options.guided
            && (prose::is_asked_for(&drafted.intent) || (is_whole && prose::is_asked_for(&spec.intent)));
        let twice = confirmed && !is_prose;
        let sequence = if options.second_derivation { 2 * group - 1 } else { group };
        let wanted = criteria(drafted, spec, twice, options.guided);
        subtasks.push(PlannedSubTask {
            sequence,
            intent: if options.guided {
                deed::intent(drafted, is_whole, spec)
            } else {
                drafted.intent.trim().to_owned()
            },
            context: if options.guided && is_whole { String::new() } else { context(spec) },
            success_criteria: if is_prose { told(wanted, spec) } else { at_least_something(wanted) },
            independent_of: Vec::new(),
        });
        if twice {
            agreements.push(index);
        }
    }
    let mut task_criteria = Vec::new();
    if !is_whole && !draft.subtasks.is_empty() {
        task_criteria.push(Criterion {
            text: "The results together answer every part of the request".to_owned(),
            mode: Mode::Plausible,
            check: None,
        });
    }
    for first in agreements {
        let Some(original) = subtasks.get(first) else { continue };
        let second = PlannedSubTask {
            sequence: original.sequence + 1,
            independent_of: vec![kept + first],
            ..original.clone()
        };
        task_criteria.push(agreement(&original.intent, vec![kept + first, kept + subtasks.len()]));
        subtasks.push(second);
    }
    (subtasks, task_criteria)
}

/// Each subtask is told the request, word for word: whatever a plan restates, nothing is lost.
fn context(spec: &TaskSpec) -> String {
    let shown: String = spec.intent.chars().take(LONGEST_REQUEST).collect();
    let rest = spec.intent.chars().count() - shown.chars().count();
    let mark = if rest == 0 { String::new() } else { format!(" [... {rest} more characters ...]") };
    format!("Request, of which the step is a part: {shown}{mark}")
}

/// The task criterion that the derivations at these positions agree.
pub(crate) fn agreement(intent: &str, subtasks: Vec<usize>) -> Criterion {
    Criterion {
        text: format!("Two different ways to do this give the same answer: {intent}"),
        mode: Mode::Verifiable,
        check: Some(Check::SameAnswer { subtasks }),
    }
}

/// Groups as 1, 2, 3 in the order of the draft's numbers, whatever those are (lesson N2: sequence 0 hung the ancestor).
fn dense_groups(draft: &PlanDraft) -> BTreeMap<u32, u32> {
    let mut groups: BTreeMap<u32, u32> = draft.subtasks.iter().map(|subtask| (subtask.sequence, 0)).collect();
    for (number, group) in (1..).zip(groups.values_mut()) {
        *group = number;
    }
    groups
}

fn criteria(drafted: &SubTaskDraft, spec: &TaskSpec, twice: bool, guided: bool) -> Vec<Criterion> {
    let mut criteria = Vec::new();
    let (staying, deleted) = if guided { named_files(drafted, spec) } else { Default::default() };
    if drafted.kind != AnswerKind::FindOut {
        criteria.push(verifiable("The last call succeeded", Check::ExitStatus { equals: 0 }));
        let gone = |path: &PathBuf| {
            verifiable(&format!("{} is gone", path.display()), Check::FileAbsent { path: path.clone() })
        };
        criteria.extend(deleted.iter().map(gone));
        let stays = |path: &PathBuf| {
            let text = format!("{} is as it was", path.display());
            verifiable(&text, Check::FileUnchanged { path: path.clone() })
        };
        criteria.extend(staying.iter().map(stays));
    }
    // "The file is deleted", with a check that it is there: a small model knows no other check of a file. And what stays as it was is not
    // written in this run.
    let says_otherwise = |criterion: &CriterionDraft| {
        let path = file_of(criterion).and_then(|path| file(path, drafted.kind, spec));
        path.is_some_and(|path| deleted.contains(&path) || staying.contains(&path))
    };
    let mut drafted = drafted.clone();
    drafted.criteria.retain(|criterion| !says_otherwise(criterion));
    for criterion in &drafted.criteria {
        match check(criterion, &drafted, spec) {
            Some(checks) => criteria.extend(checks),
            None if twice && guided => {}
            None => criteria.push(Criterion {
                text: criterion.text().to_owned(),
                mode: Mode::Plausible,
                check: None,
            }),
        }
    }
    if drafted.kind != AnswerKind::FindOut && !criteria.iter().any(looks_at_the_deed) {
        // That a command ended well and a file is there says nothing about what is in it.
        criteria.push(Criterion {
            text: "What was made or changed is what was asked for, as the calls and files show".to_owned(),
            mode: Mode::Plausible,
            check: None,
        });
    }
    criteria
}

/// The criteria, or that there is an output at all.
fn at_least_something(mut criteria: Vec<Criterion>) -> Vec<Criterion> {
    if criteria.is_empty() {
        let pattern = NOT_EMPTY.to_owned();
        criteria.push(verifiable("The output is not empty", Check::OutputMatches { pattern }));
    }
    criteria
}

/// The files that the request tells to leave as they are, but for those that the step itself is to delete; and those.
fn named_files(drafted: &SubTaskDraft, spec: &TaskSpec) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let deleted = deed::deleted(&drafted.intent);
    let staying = untouched(&spec.intent).into_iter().filter(|path| !deleted.contains(path));
    (staying.map(PathBuf::from).collect(), deleted.into_iter().map(PathBuf::from).collect())
}

/// The criteria of an answer in words: it is more than a heading and no longer than was asked for, and a reader judges whether it tells
/// what was asked.
fn told(mut criteria: Vec<Criterion>, spec: &TaskSpec) -> Vec<Criterion> {
    criteria.push(verifiable(
        "The answer has at least four words",
        Check::OutputMatches { pattern: r"(\S+\s+){3}\S".to_owned() },
    ));
    if let Some(most) = prose::most_sentences(&spec.intent) {
        let sentences = if most == 1 { "sentence" } else { "sentences" };
        let pattern = prose::at_most_sentences(most);
        let text = format!("The answer has at most {most} {sentences}");
        criteria.push(verifiable(&text, Check::OutputMatches { pattern }));
    }
    if criteria.iter().all(|criterion| criterion.check.is_some()) {
        criteria.push(Criterion {
            text: "The answer tells what was asked about, as the calls show it, and adds nothing".to_owned(),
            mode: Mode::Plausible,
            check: None,
        });
    }
    criteria
}

/// Whether a criterion looks at what was made: a reader's, or a check of a file's content. A form is no content, and a test suite passes where the
/// failing test was deleted.
fn looks_at_the_deed(criterion: &Criterion) -> bool {
    matches!(criterion.check, None | Some(Check::FileContains { .. } | Check::SameLines { .. }))
}

/// The checks that decide a drafted criterion; none where only a reader can.
fn check(criterion: &CriterionDraft, drafted: &SubTaskDraft, spec: &TaskSpec) -> Option<Vec<Criterion>> {
    let kind = drafted.kind;
    let is_question = kind == AnswerKind::FindOut;
    let one = |check: Check| lint(&check).is_ok().then(|| vec![verifiable(criterion.text(), check)]);
    match criterion {
        CriterionDraft::None { .. } => None,
        // What is said of a deed is a remark. What it should say, the file should hold.
        CriterionDraft::OutputContains { value, .. } if !is_question && named(value, spec) => {
            one(Check::FileContains { path: made(drafted, spec)?, value: value.clone() })
        }
        CriterionDraft::OutputNumber { .. } | CriterionDraft::OutputMatches { .. } if !is_question => None,
        CriterionDraft::OutputNumber { .. } => one(Check::OutputNumber { min: None, max: None }),
        // The words of a question are seldom those of its answer.
        CriterionDraft::OutputContains { .. } => None,
        // What every text meets decides nothing, and what the question itself meets says nothing about its answer; a reader may.
        CriterionDraft::OutputMatches { value, .. }
            if takes_any_text(value) || met_by(value, &spec.intent) || met_by(value, &drafted.intent) =>
        {
            None
        }
        CriterionDraft::OutputMatches { value, .. } => one(Check::OutputMatches { pattern: value.clone() }),
        CriterionDraft::FileExists { path, .. } => {
            let path = file(path, kind, spec)?;
            let written = format!("{} was written in this run", path.display());
            Some(vec![
                verifiable(criterion.text(), Check::FileExists { path: path.clone() }),
                verifiable(&written, Check::FileNewer { path }),
            ])
        }
        CriterionDraft::FileContains { path, value, .. } if named(value, spec) => {
            one(Check::FileContains { path: file(path, kind, spec)?, value: value.clone() })
        }
        CriterionDraft::FileContains { .. } => None,
        CriterionDraft::FileJson { path, schema, .. } => {
            let schema = serde_json::from_str(schema).ok()?;
            one(Check::FileJson { path: file(path, kind, spec)?, schema })
        }
        CriterionDraft::Table { path, columns, min_rows, max_rows, .. } => one(Check::Table {
            path: file(path, kind, spec)?,
            columns: columns.clone(),
            min_rows: *min_rows,
            max_rows: *max_rows,
        }),
        CriterionDraft::SameLines { path, other, .. } => {
            one(Check::SameLines { path: file(path, kind, spec)?, other: file(other, kind, spec)? })
        }
        // Whether the tests pass may be the question.
        CriterionDraft::CommandSucceeds { .. } if is_question => None,
        CriterionDraft::CommandSucceeds { text, command } => {
            let check = Check::CommandSucceeds { command: command.clone() };
            // Whoever looks at the plan sees what will run.
            let text = format!("{text} (`{}` succeeds)", command.trim());
            lint(&check).is_ok().then(|| vec![verifiable(&text, check)])
        }
    }
}

/// The file that the draft says will be made.
fn made(drafted: &SubTaskDraft, spec: &TaskSpec) -> Option<PathBuf> {
    drafted.criteria.iter().filter_map(file_of).find_map(|path| file(path, drafted.kind, spec))
}

/// The file that a drafted criterion looks at.
fn file_of(criterion: &CriterionDraft) -> Option<&str> {
    match criterion {
        CriterionDraft::FileExists { path, .. }
        | CriterionDraft::FileContains { path, .. }
        | CriterionDraft::FileJson { path, .. }
        | CriterionDraft::Table { path, .. }
        | CriterionDraft::SameLines { path, .. } => Some(path),
        CriterionDraft::None { .. }
        | CriterionDraft::CommandSucceeds { .. }
        | CriterionDraft::OutputNumber { .. }
        | CriterionDraft::OutputContains { .. }
        | CriterionDraft::OutputMatches { .. } => None,
    }
}

fn verifiable(text: &str, check: Check) -> Criterion {
    Criterion { text: text.to_owned(), mode: Mode::Verifiable, check: Some(check) }
}

/// Whether the request itself names the value; anything else is the model's guess.
fn named(value: &str, spec: &TaskSpec) -> bool {
    spec.intent.to_lowercase().contains(&value.to_lowercase())
}

/// A path that a check can look at: of something made or altered, and without wildcards. Where the request names the file, its words
/// for it stand: a folder that it does not name is the model's guess, and one that it names is meant. A bare name is found in the workspace
/// and in the working folder.
fn file(path: &str, kind: AnswerKind, spec: &TaskSpec) -> Option<PathBuf> {
    let path = path.trim();
    let usable = kind != AnswerKind::FindOut && !path.contains(['*', '?', '[', '{']) && !path.is_empty();
    let name = path.rsplit('/').next().filter(|name| !name.is_empty() && *name != "..");
    let meant = match name {
        Some(name) if path == name || !named(path, spec) => written(name, spec).unwrap_or(path),
        Some(_) | None => path,
    };
    usable.then(|| PathBuf::from(meant))
}

/// How the request writes the path of a file with this name.
fn written<'a>(name: &'a str, spec: &'a TaskSpec) -> Option<&'a str> {
    let edges = |c: char| matches!(c, '"' | '\'' | '`' | ',' | ';' | ':' | '(' | ')' | '!' | '?');
    let words = spec.intent.split_whitespace().map(|word| word.trim_matches(edges).trim_end_matches('.'));
    let mut same = words.filter(|word| word.rsplit('/').next() == Some(name));
    // A name with blanks is no single word.
    same.next().or_else(|| named(name, spec).then_some(name))
}
