//! Deeds: requests that ask to make or change something, and what a plan must say of them.
//!
//! A plan that takes a deed for a question is done when somebody says so. Nobody would look at the file.

use artoo_checks::file_paths;
use artoo_types::{Criterion, OutcomeStatus, SubTaskOutcome, TaskSpec};

use crate::{AnswerKind, CriterionDraft, PlanContext, PlanDraft, Previous, SubTaskDraft};

/// Verbs with which a request for a deed begins.
const VERBS: [&str; 20] = [
    "create", "write", "make", "save", "add", "append", "rename", "move", "copy", "delete", "remove", "put",
    "extract", "compress", "convert", "generate", "download", "replace", "store", "export",
];
/// Words of courtesy before them.
const COURTESY: [&str; 8] = ["please", "kindly", "can", "could", "would", "will", "you", "now"];
/// Words for what a deed is done to.
const THINGS: [&str; 5] = ["file", "folder", "directory", "archive", "link"];

/// Whether the words of a request ask for a deed: a verb for one comes first, and a file, or a word for one, follows. English only; of
/// requests in other languages nothing is known.
pub(crate) fn is_asked_for(request: &str) -> bool {
    let mut words = from_the_verb(request).map(bare);
    let begins_with_a_verb = words.next().is_some_and(|word| VERBS.contains(&word.as_str()));
    begins_with_a_verb
        && (words.any(|word| THINGS.contains(&word.as_str())) || file_paths(request).next().is_some())
}

/// The words of a request, without those of courtesy before them.
fn from_the_verb(request: &str) -> impl Iterator<Item = &str> {
    let words = request.split_whitespace().filter(|word| !bare(word).is_empty());
    words.skip_while(|word| COURTESY.contains(&bare(word).as_str()))
}

/// A word without the marks around it.
fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// Whether anything that a plan does, or has done, is looked at as a deed.
pub(crate) fn is_looked_at<'a>(
    planned: impl IntoIterator<Item = &'a Criterion>,
    cx: &'a PlanContext,
) -> bool {
    let done = cx.previous.iter().flat_map(|previous| &previous.outcomes);
    let done =
        done.filter(|outcome| outcome.status == OutcomeStatus::Matched).flat_map(|outcome| &outcome.criteria);
    planned.into_iter().chain(done).any(Criterion::is_about_a_deed)
}

/// The longest request in characters that stands as an intent.
const LONGEST_INTENT: usize = 1000;

/// What a subtask is to do. Where it is the whole task it is the request itself, word for word: nothing can be lost by
/// restating it.
pub(crate) fn intent(drafted: &SubTaskDraft, is_whole: bool, spec: &TaskSpec) -> String {
    let fits = spec.intent.chars().count() <= LONGEST_INTENT;
    if is_whole && fits { spec.intent.clone() } else { drafted.intent.trim().to_owned() }
}

/// What the failed subtasks of the plan before had to show of their deeds.
pub(crate) fn missed(previous: &Previous) -> Vec<Criterion> {
    let mut missed: Vec<Criterion> = Vec::new();
    let failed = |outcome: &&SubTaskOutcome| outcome.status != OutcomeStatus::Matched;
    for criterion in previous.outcomes.iter().filter(failed).flat_map(|outcome| &outcome.criteria) {
        if criterion.is_about_a_deed() && !missed.contains(criterion) {
            missed.push(criterion.clone());
        }
    }
    missed
}

/// The draft with its last step as a deed, where none is one and one is still missing: a model that failed to make something
/// likes to plan a question in its place.
pub(crate) fn with_the_missed(draft: PlanDraft, previous: &Previous) -> PlanDraft {
    let mut draft = draft;
    let has_one = draft.subtasks.iter().any(|subtask| subtask.kind != AnswerKind::FindOut);
    if !has_one
        && !missed(previous).is_empty()
        && let Some(last) = draft.subtasks.iter_mut().max_by_key(|subtask| subtask.sequence)
    {
        last.kind = AnswerKind::Create;
    }
    draft
}

/// The draft with its last step as the deed that the request asks for, where the request says which file it makes or deletes: a small
/// model plans a question in its place, also when it is told not to.
pub(crate) fn as_asked(draft: PlanDraft, request: &str) -> Option<PlanDraft> {
    let mut draft = draft;
    let last = draft.subtasks.iter_mut().max_by_key(|subtask| subtask.sequence)?;
    if !deleted(request).is_empty() {
        request.clone_into(&mut last.intent);
        last.kind = AnswerKind::Change;
        return Some(draft);
    }
    let path = named_result(request)?;
    last.kind = AnswerKind::Create;
    last.criteria.push(CriterionDraft::FileExists { text: format!("{path} is there"), path });
    Some(draft)
}

/// The files that a text asks to delete: nothing but them stands behind the verb, and they are not taken from somewhere. "Remove the word
/// x from a.txt" and "remove a.txt from the list" delete none.
pub(crate) fn deleted(text: &str) -> Vec<&str> {
    const DELETING: [&str; 2] = ["delete", "remove"];
    const BESIDE: [&str; 6] = ["the", "file", "files", "both", "and", "called"];
    let mut words = from_the_verb(text).peekable();
    if !words.next().is_some_and(|verb| DELETING.contains(&bare(verb).as_str())) {
        return Vec::new();
    }
    let is_named = |word: &&str| BESIDE.contains(&bare(word).as_str()) || file_paths(word).next().is_some();
    let files =
        std::iter::from_fn(|| words.next_if(is_named)).filter_map(|word| file_paths(word).next()).collect();
    if words.next().is_some_and(|word| bare(word) == "from") { Vec::new() } else { files }
}

/// The file behind the first word that says where something goes or what it is called.
fn named_result(request: &str) -> Option<String> {
    const BEFORE: [&str; 5] = ["into", "called", "named", "to", "as"];
    let words: Vec<&str> = request.split_whitespace().collect();
    let is_named = |pair: &&[&str]| {
        pair.first().is_some_and(|word| BEFORE.contains(&word.to_lowercase().as_str()))
            && pair.get(1).is_some_and(|word| file_paths(word).next().is_some())
    };
    let found = words.windows(2).find(is_named)?;
    file_paths(found.get(1)?).next().map(|path| path.to_string())
}

#[cfg(test)]
mod tests {
    use super::{deleted, is_asked_for, named_result};

    #[test]
    fn a_request_says_which_files_it_deletes() {
        for (request, files) in [
            ("Delete the file docs/old.txt", &["docs/old.txt"][..]),
            ("Please remove a.txt and `b.txt`.", &["a.txt", "b.txt"]),
            ("Delete a.txt from docs", &[]),
            ("Remove a.txt from the list in b.md", &[]),
            ("Delete a.txt, then say how many are left", &["a.txt"]),
            ("Remove the word old from a.txt", &[]),
            ("Remove line 3 of a.txt", &[]),
            ("Delete the folder old", &[]),
            ("Copy a.txt to b.txt", &[]),
            ("", &[]),
        ] {
            assert_eq!(deleted(request), files, "{request}");
        }
    }

    #[test]
    fn a_request_says_which_file_it_makes() {
        for (request, file) in [
            ("Copy all lines of logs/app.log into a new file called errors.txt.", Some("errors.txt")),
            ("Rename notes.md to ideas.md", Some("ideas.md")),
            ("Write the names into out/names.csv, please", Some("out/names.csv")),
            ("Delete docs/old.txt", None),
            ("Copy docs/plan.md here", None),
            ("Move everything to the folder old", None),
        ] {
            assert_eq!(named_result(request).as_deref(), file, "{request}");
        }
    }

    #[test]
    fn deeds_are_known_by_their_verbs_and_things() {
        let deeds = [
            "Create a file called greeting.txt in the workspace",
            "please write the names of the pictures into pictures.txt",
            "Can you rename notes.md to ideas.md?",
            "Delete the folder old",
            "Copy docs/plan.md here",
        ];
        for request in deeds {
            assert!(is_asked_for(request), "{request}");
        }
        let questions = [
            "How many files did we create?",
            "Write the names of all people who live in Lisbon",
            "Which file was moved last?",
            "Make it short: what is 1.5 times 3?",
            "Is there a file to delete?",
            "",
            "写一个文件",
        ];
        for request in questions {
            assert!(!is_asked_for(request), "{request}");
        }
    }
}
