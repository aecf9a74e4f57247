//! Estimates the tokens that a plain tool-calling loop would have used for the same tool calls: one growing
//! conversation, and nothing else.

use serde::{Deserialize, Serialize};

use super::results::sum;
use crate::by_hand::{Asked, Tokens};

/// The role whose turns a plain loop has as well.
const EXECUTOR: &str = "executor";

/// The figures of a plain loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Plain {
    /// Model calls: one for each turn of the executor with tool calls, and one for the answer.
    pub calls: u64,
    /// Its tokens. Of each prompt, the whole prompt before it is cached.
    pub tokens: Tokens,
}

impl Plain {
    /// The loop for the questions of a run. Its first prompt is the executor's own system prompt and tools,
    /// and the request of `request` tokens; each further one contains all earlier calls and results. Results
    /// that no later turn of the executor saw are not counted, nor is an answer that was not a turn of the
    /// executor: both make the loop cheaper than it would be.
    pub(crate) fn of(asked: &[Asked], request: u64) -> Self {
        let turns: Vec<(usize, &Asked)> =
            asked.iter().enumerate().filter(|(_, asked)| asked.role == EXECUTOR).collect();
        let mut length = turns.first().map_or(0, |(_, first)| first.constant).saturating_add(request);
        let mut plain = Self::default();
        let (mut before, mut answer) = (0, 0);
        for (at, turn) in &turns {
            if turn.calls == 0 {
                answer = turn.tokens.completion;
                continue;
            }
            plain.add(length, before, turn.tokens.completion);
            before = length;
            let results = turns.iter().find(|(_, later)| later.after == Some(*at));
            let results = results.map_or(0, |(_, later)| later.added);
            length = length.saturating_add(turn.tokens.completion).saturating_add(results);
        }
        plain.add(length, before, answer);
        plain
    }

    /// Adds a call, whose prompt begins with the `cached` tokens of the prompt before it.
    fn add(&mut self, prompt: u64, cached: u64, completion: u64) {
        self.calls = self.calls.saturating_add(1);
        self.tokens = sum([&self.tokens, &Tokens { prompt, cached, completion }]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_hand::{Match, Tokens};

    fn asked(role: &str, after: Option<usize>, added: u64, completion: u64, calls: usize) -> Asked {
        let tokens = Tokens { prompt: 0, cached: 0, completion };
        Asked {
            role: role.into(),
            found: Match::Same,
            depth: 1,
            tokens,
            constant: 100,
            added,
            after,
            calls,
            is_repair: false,
        }
    }

    #[test]
    fn a_conversation_that_grows() {
        let run = [
            asked("planner", None, 500, 50, 0),
            asked("executor", None, 30, 10, 1),
            asked("executor", Some(1), 40, 20, 2),
            asked("executor", Some(2), 60, 5, 0),
            asked("agent_validator", None, 500, 50, 0),
            // Another step.
            asked("executor", None, 30, 7, 1),
            asked("executor", Some(5), 9, 3, 0),
        ];
        // 108; + 10 + 40; + 20 + 60; + 7 + 9.
        let (prompt, cached) = (108 + 158 + 238 + 254, 108 + 158 + 238);
        let tokens = Tokens { prompt, cached, completion: 10 + 20 + 7 + 3 };
        assert_eq!(Plain::of(&run, 8), Plain { calls: 4, tokens });
        let tokens = Tokens { prompt: 8, ..Tokens::default() };
        assert_eq!(Plain::of(&[], 8), Plain { calls: 1, tokens });
    }
}
