//! Whether a call goes ahead: pure, so that every case stands in one table.

use artoo_sandbox::{Class, Decision};
use artoo_types::Approval;

/// What the decision about a call goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    /// What the effects alone decide.
    pub decision: Decision,
    /// How much there is to lose.
    pub class: Class,
    /// Before which effects a person is to be asked.
    pub approval: Approval,
    /// Whether one of the effects was denied before in this run.
    pub forbidden: bool,
    /// Whether the call can be tried first where nothing of it lasts.
    pub preview: bool,
}

/// What happens with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// It runs.
    Run,
    /// It runs where nothing of it lasts, and what it did is decided about.
    Preview,
    /// A person is asked. Without one the answer is no.
    Ask,
    /// It does not run, whoever says yes.
    Refuse,
}

/// Decides. The strictest of what applies wins.
///
/// ```
/// use artoo_sandbox::{Class, Decision};
/// use artoo_tools::{Case, Step, gate};
/// use artoo_types::Approval;
///
/// let removal = Case {
///     decision: Decision::Ask,
///     class: Class::Irreversible,
///     approval: Approval::Auto,
///     forbidden: false,
///     preview: false,
/// };
/// assert_eq!(gate(removal), Step::Ask);
/// assert_eq!(gate(Case { preview: true, ..removal }), Step::Preview);
/// assert_eq!(gate(Case { forbidden: true, preview: true, ..removal }), Step::Refuse);
/// ```
pub fn gate(case: Case) -> Step {
    match (case.decision, case.class) {
        _ if case.forbidden => Step::Refuse,
        (Decision::Deny, _) => Step::Refuse,
        (Decision::Allow, Class::ReadOnly) => Step::Run,
        (Decision::Allow, Class::Reversible | Class::Unknown | Class::Irreversible) => match case.approval {
            Approval::Ask => Step::Ask,
            Approval::Auto | Approval::Never => Step::Run,
        },
        // What cannot be known is known afterwards, and then there may be nothing to ask.
        (Decision::Ask, _) if case.preview => Step::Preview,
        (Decision::Ask, _) => Step::Ask,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_table() {
        use Approval::{Ask as Always, Auto, Never};
        use Class::{Irreversible, ReadOnly, Reversible, Unknown};
        use Decision::{Allow, Ask, Deny};
        // Decision, class, approval: without and with a preview.
        let table = [
            (Allow, ReadOnly, Always, Step::Run, Step::Run),
            (Allow, ReadOnly, Auto, Step::Run, Step::Run),
            (Allow, ReadOnly, Never, Step::Run, Step::Run),
            (Allow, Reversible, Always, Step::Ask, Step::Ask),
            (Allow, Reversible, Auto, Step::Run, Step::Run),
            (Allow, Reversible, Never, Step::Run, Step::Run),
            (Ask, Unknown, Always, Step::Ask, Step::Preview),
            (Ask, Unknown, Auto, Step::Ask, Step::Preview),
            (Ask, Unknown, Never, Step::Ask, Step::Preview),
            (Ask, Irreversible, Always, Step::Ask, Step::Preview),
            (Ask, Irreversible, Auto, Step::Ask, Step::Preview),
            (Ask, Irreversible, Never, Step::Ask, Step::Preview),
            (Deny, ReadOnly, Auto, Step::Refuse, Step::Refuse),
            (Deny, Reversible, Auto, Step::Refuse, Step::Refuse),
            (Deny, Unknown, Always, Step::Refuse, Step::Refuse),
            (Deny, Irreversible, Never, Step::Refuse, Step::Refuse),
        ];
        for (decision, class, approval, without, with) in table {
            let case = |forbidden, preview| Case { decision, class, approval, forbidden, preview };
            assert_eq!(gate(case(false, false)), without, "{:?}", case(false, false));
            assert_eq!(gate(case(false, true)), with, "{:?}", case(false, true));
            assert_eq!(gate(case(true, false)), Step::Refuse);
            assert_eq!(gate(case(true, true)), Step::Refuse);
        }
    }
}
