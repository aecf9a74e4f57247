//! What a run lets its planner skip.

use artoo_ggs_core::Profile;
use artoo_planner::Shortcuts;

use crate::{RunRequest, artoo::Parts};

/// What a short request may be spared. Whoever approves the plan is shown a whole one; whoever names a folder, wants a value of a
/// schema or takes nothing but what is accepted wants work that is checked.
pub(super) fn shortcuts(parts: &Parts, request: &RunRequest) -> Shortcuts {
    let wants_work =
        request.output_schema.is_some() || request.constraints.scope.is_some() || parts.options.strict;
    match parts.options.profile {
        Profile::SpecV08 => Shortcuts::None,
        Profile::Default if parts.options.ask_before_plans => Shortcuts::None,
        Profile::Default if wants_work => Shortcuts::ShortPlan,
        Profile::Default => Shortcuts::DirectAnswer,
    }
}
