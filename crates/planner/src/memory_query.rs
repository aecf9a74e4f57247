//! The memory query before a plan. Pure.

use artoo_types::{Entity, MemoryQuery, Space, Surroundings, TagPair, TaskSpec};

/// The scope of the memory query. Source: `docs/deviations.md`, "What R2 asks".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asking {
    /// The tag pair of the intent, the same in the working folder, and similar requests. What memory holds
    /// against a call is asked when the call is about to be made.
    #[default]
    All,
    /// The tag pair of the intent alone: the letter of the specification.
    Literal,
}

impl Asking {
    /// The query before a plan for this task.
    ///
    /// ```
    /// use artoo_planner::{Asking, conformance};
    ///
    /// let cx = conformance::context("Count the files");
    /// let query = Asking::All.question(&cx.spec, &cx.surroundings);
    /// let pairs: Vec<String> = query.pairs.iter().map(ToString::to_string).collect();
    /// assert_eq!(pairs, ["(intent:count_the_files, env:local)", "(intent:count_the_files, path:/home/ada/work)"]);
    /// assert_eq!(query.like.as_deref(), Some("Count the files"));
    /// assert_eq!(Asking::Literal.question(&cx.spec, &cx.surroundings).pairs, query.pairs[..1]);
    /// ```
    pub fn question(self, spec: &TaskSpec, surroundings: &Surroundings) -> MemoryQuery {
        let space = Space::intent(spec.subject());
        let mut pairs = vec![TagPair::new(space.clone(), Entity::local())];
        let like = match self {
            Self::Literal => None,
            Self::All => {
                pairs.push(TagPair::new(space, Entity::folder(&surroundings.working_folder)));
                Some(spec.subject().to_owned())
            }
        };
        MemoryQuery { pairs, like }
    }
}
