//! Whether one model is known to be weaker than another. A judge of the whole may not be: it would accept what a strong planner got wrong.

use crate::{LlmClient, parameters};

/// A model, as far as its strength is told by where it is and what it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contender<'a> {
    /// Its name.
    pub model: &'a str,
    /// Its server; `None` is the embedded model.
    pub server: Option<&'a str>,
}

impl<'a> Contender<'a> {
    /// The model behind a client.
    pub fn of(client: &'a dyn LlmClient) -> Self {
        Self { model: client.model(), server: client.server() }
    }
}

/// Why a judge of the whole is known to be weaker than the planner whose plan it judges. `None` where it is not, or nothing is known.
/// `executor` is the model of the tool tier, which is the weaker one wherever it is another.
///
/// ```
/// use artoo_llm_client::{Contender, weaker_judge};
///
/// let model = |model| Contender { model, server: Some("http://localhost:1") };
/// let (planner, executor) = (model("qwen2.5:7b"), model("qwen2.5:3b"));
/// assert!(weaker_judge(model("qwen2.5:1.5b"), planner, executor).is_some());
/// assert_eq!(weaker_judge(model("qwen2.5:32b"), planner, executor), None);
/// ```
pub fn weaker_judge(
    judge: Contender<'_>,
    planner: Contender<'_>,
    executor: Contender<'_>,
) -> Option<&'static str> {
    if judge == planner {
        None
    } else if judge == executor {
        Some("it is the model of the tool tier")
    } else if judge.server.is_none() && planner.server.is_some() {
        Some("it is the embedded model")
    } else {
        let fewer = parameters(judge.model)? < parameters(planner.model)?;
        fewer.then_some("its name says that it has fewer parameters")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(model: &str) -> Contender<'_> {
        Contender { model, server: Some("http://localhost:1") }
    }

    #[test]
    fn a_weaker_judge_is_refused_and_an_unknown_one_is_not() {
        let refused = |planner: &str, executor: &str, judge: &str| {
            weaker_judge(model(judge), model(planner), model(executor)).is_some()
        };
        assert!(!refused("a", "b", "a"));
        assert!(refused("a", "b", "b"));
        assert!(!refused("a", "b", "c"));
        assert!(refused("qwen2.5:7b", "x", "qwen2.5:1.5b"));
        assert!(!refused("qwen2.5:7b", "x", "qwen2.5:32b"));
        assert!(!refused("big", "x", "qwen2.5:1.5b"));
        let local = Contender { model: "e", server: None };
        assert!(weaker_judge(local, model("a"), model("b")).is_some());
    }
}
