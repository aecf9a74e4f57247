//! Wording of what memory contributed to a run.

use artoo_types::{Experience, GuardAction, Held, HeldEnd, MemoryGuard, Origin, RecallReason};

/// Maximum number of shared words that are named.
const SHARED: usize = 6;

/// A call that memory advises against.
pub(super) fn guard(guard: &MemoryGuard) -> String {
    let how = match guard.action {
        GuardAction::Refuse => "must not be called",
        GuardAction::Confirm => "is called with care only",
    };
    let lesson = if guard.lesson.is_empty() { String::new() } else { format!(": {}", guard.lesson) };
    format!("memory: {} {} {how}{lesson}", guard.target.tool, guard.target.target)
}

/// Outcome of a call that memory held back, without the id of the memory.
pub(super) fn held_in_words(held: &Held) -> String {
    self::held(&Held { because: Vec::new(), ..held.clone() })
}

/// Outcome of a call that memory held back.
pub(crate) fn held(held: &Held) -> String {
    let advice = match held.action {
        GuardAction::Refuse => "memory advises against it",
        GuardAction::Confirm => "memory advises caution",
    };
    let came = match (held.action, held.came) {
        (_, HeldEnd::Refused) => "not called",
        (GuardAction::Refuse, HeldEnd::Agreed) => "overridden once",
        (GuardAction::Confirm, HeldEnd::Agreed) => "confirmed",
        (_, HeldEnd::Tried) => "only tried, nothing of it lasts",
    };
    let because = held.because.first().map(|id| format!(" ({id})")).unwrap_or_default();
    format!("{advice}{because}: {came}")
}

/// An experience with its date and origin.
pub(super) fn experience(told: &Experience) -> String {
    let whose = told.origin.map(|origin| format!(", {}", self::origin(origin))).unwrap_or_default();
    format!("{}{whose}: {}", told.created_at.format("%Y-%m-%d"), told.content)
}

/// Origin of an experience.
pub(super) fn origin(origin: Origin) -> String {
    match origin {
        Origin::Run(run) => format!("run {run}"),
        Origin::Person => "said by you".to_owned(),
        Origin::Dreamer => "drawn from experience".to_owned(),
        Origin::Import => "imported".to_owned(),
        Origin::Revoked(run) => format!("about run {run}"),
    }
}

/// Why it was recalled; empty if it was asked for.
pub(super) fn why(reason: &RecallReason) -> String {
    match reason {
        RecallReason::Asked => String::new(),
        RecallReason::Similar { score, shared } => {
            let shared: Vec<&str> = shared.iter().take(SHARED).map(String::as_str).collect();
            let shared =
                if shared.is_empty() { String::new() } else { format!(", both say {}", shared.join(", ")) };
            format!(" (alike {score:.2}{shared})")
        }
    }
}

#[cfg(test)]
mod tests {
    use artoo_types::{MegramId, RecallReason};

    use super::*;

    #[test]
    fn what_came_of_a_call_that_was_held_back() {
        let id: MegramId = "01970000-0000-7000-8000-000000000001".parse().unwrap();
        let told = |action, came| held(&Held { action, because: vec![id], came });
        assert_eq!(
            told(GuardAction::Refuse, HeldEnd::Refused),
            format!("memory advises against it ({id}): not called")
        );
        assert_eq!(
            told(GuardAction::Refuse, HeldEnd::Agreed),
            format!("memory advises against it ({id}): overridden once")
        );
        assert_eq!(
            told(GuardAction::Confirm, HeldEnd::Agreed),
            format!("memory advises caution ({id}): confirmed")
        );
        assert_eq!(
            told(GuardAction::Confirm, HeldEnd::Tried),
            format!("memory advises caution ({id}): only tried, nothing of it lasts")
        );
    }

    #[test]
    fn why_a_pair_came() {
        assert_eq!(why(&RecallReason::Asked), "");
        let shared = vec!["txt".to_owned(), "文件".to_owned()];
        assert_eq!(why(&RecallReason::Similar { score: 0.625, shared }), " (alike 0.62, both say txt, 文件)");
        assert_eq!(why(&RecallReason::Similar { score: 1.0, shared: Vec::new() }), " (alike 1.00)");
    }
}
