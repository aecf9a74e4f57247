//! What of the laws and of memory was in the prompt behind a call.

use artoo_types::{BlockedTarget, Briefing, MegramId, ToolCall};

use crate::guided;

/// The laws and lessons of a step that were in the prompt behind its last call: the laws in every prompt, the
/// lessons in every prompt but those of guided programs that are told the request alone. `is_derived` says
/// whether the call was derived by a guided model.
pub(crate) fn told(
    briefing: &Briefing,
    is_whole: bool,
    is_derived: bool,
    last: Option<&ToolCall>,
) -> Vec<MegramId> {
    let command =
        last.filter(|_| is_derived).map(|call| BlockedTarget::of(&call.tool, &call.arguments).target);
    let hears_lessons = command.is_none_or(|command| guided::hears_lessons(&command, is_whole));
    let lessons = briefing.lessons.iter().filter(|_| hears_lessons).map(|lesson| lesson.id());
    briefing.laws.iter().map(|law| law.id).chain(lessons).collect()
}

#[cfg(test)]
mod tests {
    use artoo_types::{CallEnding, CallId, Law, ToolKind};
    use uuid::Uuid;

    use super::*;

    fn id(number: u128) -> MegramId {
        MegramId::new(Uuid::from_u128(number))
    }

    /// A guided program that meets the whole request is told the laws and no lesson; everything else is told both.
    #[test]
    fn lesson_only_what_a_prompt_held_counts_as_told() {
        let rule = artoo_types::SopRecord {
            id: id(2),
            space: artoo_types::Space::intent("count"),
            entity: artoo_types::Entity::local(),
            content: "with find".to_owned(),
            polarity: artoo_types::Polarity::Practice,
            sources: Vec::new(),
        };
        let briefing = Briefing {
            laws: vec![Law { id: id(1), content: "never".to_owned() }],
            lessons: vec![artoo_types::Lesson::Rule(rule)],
            ..Briefing::default()
        };
        let call = |command: &str| {
            let arguments = [("command".to_owned(), command.into())].into_iter().collect();
            let at = chrono::DateTime::UNIX_EPOCH.fixed_offset();
            let ending = CallEnding::Exited { status: 0 };
            ToolCall::new(CallId::new(Uuid::nil()), ToolKind::Shell.into(), arguments, ending, at)
        };
        let (python, shell) = (call("python3 -c 'print(3)'"), call("find . | wc -l"));
        let told = |is_whole, is_derived, last| told(&briefing, is_whole, is_derived, Some(last)).len();
        assert_eq!(told(true, true, &python), 1);
        assert_eq!(told(false, true, &python), 2);
        assert_eq!(told(true, true, &shell), 2);
        assert_eq!(told(true, false, &python), 2, "a model that chooses its calls is told all of it");
    }
}
