//! The memory query before a plan. Pure.

use artoo_types::{
    BlockedTarget, Entity, MemoryQuery, Space, SubTaskOutcome, Surroundings, TagPair, TaskSpec,
};

/// The maximum number of calls of the previous plan in a query, latest first.
const CALLS: usize = 32;

/// The scope of the memory query. Source: `docs/deviations.md`, "What R2 asks".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asking {
    /// The tag pair of the intent, the same in the working folder, the calls of the previous plan, and
    /// similar requests.
    #[default]
    All,
    /// The tag pair of the intent alone: the letter of the specification.
    Literal,
}

impl Asking {
    /// The query before a plan for this task. `outcomes` are those of the previous plan.
    ///
    /// ```
    /// use artoo_planner::{Asking, conformance};
    ///
    /// let cx = conformance::context("Count the files");
    /// let query = Asking::All.question(&cx.spec, &cx.surroundings, &[]);
    /// let pairs: Vec<String> = query.pairs.iter().map(ToString::to_string).collect();
    /// assert_eq!(pairs, ["(intent:count_the_files, env:local)", "(intent:count_the_files, path:/home/ada/work)"]);
    /// assert_eq!(query.like.as_deref(), Some("Count the files"));
    /// assert_eq!(Asking::Literal.question(&cx.spec, &cx.surroundings, &[]).pairs, query.pairs[..1]);
    /// ```
    pub fn question(
        self,
        spec: &TaskSpec,
        surroundings: &Surroundings,
        outcomes: &[SubTaskOutcome],
    ) -> MemoryQuery {
        let space = Space::intent(&spec.intent);
        let mut pairs = vec![TagPair::new(space.clone(), Entity::local())];
        let like = match self {
            Self::Literal => None,
            Self::All => {
                pairs.push(TagPair::new(space, Entity::folder(&surroundings.working_folder)));
                for call in outcomes.iter().flat_map(|outcome| &outcome.tool_calls).rev() {
                    let pair = TagPair::of_call(&BlockedTarget::of(&call.tool, &call.arguments));
                    if pairs.len() < 2 + CALLS && !pairs.contains(&pair) {
                        pairs.push(pair);
                    }
                }
                Some(spec.intent.clone())
            }
        };
        MemoryQuery { pairs, like }
    }
}
