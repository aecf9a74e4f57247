//! Questions that a draft asks twice.

use crate::{AnswerKind, PlanDraft, SubTaskDraft};

/// Verbs that all ask to find.
const FINDING: [&str; 8] = ["find", "list", "search", "identify", "get", "locate", "show", "retrieve"];

/// The draft without questions that it has asked before: a small model plans "Find the files that ..." and "List the files that
/// ..." as two steps. The first of them stays. "Count the files" is another question than "List the files".
pub(crate) fn without_repeats(draft: PlanDraft) -> PlanDraft {
    let mut asked: Vec<Vec<String>> = Vec::new();
    let is_new = |subtask: &SubTaskDraft| {
        let words = subtask.intent.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let mut question: Vec<String> = words.map(str::to_lowercase).collect();
        if let Some(verb) = question.first_mut().filter(|verb| FINDING.contains(&verb.as_str())) {
            "find".clone_into(verb);
        }
        if subtask.kind != AnswerKind::FindOut {
            return true;
        }
        let is_new = !asked.contains(&question);
        asked.push(question);
        is_new
    };
    PlanDraft { subtasks: draft.subtasks.into_iter().filter(is_new).collect(), ..draft }
}
