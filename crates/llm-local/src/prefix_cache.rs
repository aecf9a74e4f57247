//! In-memory LRU cache of model states after constant system texts.

use std::sync::Arc;

use crate::engine::State;

/// States after the most recently used system texts, the latest at the end.
pub(crate) struct Prefixes {
    kept: Vec<(Arc<str>, State)>,
    limit: usize,
}

impl Prefixes {
    /// Keeps up to `limit` states.
    pub(crate) fn new(limit: usize) -> Self {
        Self { kept: Vec::new(), limit }
    }

    /// A copy of the state after this text, if cached.
    pub(crate) fn get(&mut self, system: &str) -> Option<State> {
        let place = self.kept.iter().position(|(text, _)| **text == *system)?;
        let found = self.kept.remove(place);
        let state = found.1.clone();
        self.kept.push(found);
        Some(state)
    }

    /// Caches the state after this text; the least recently used one is evicted.
    pub(crate) fn keep(&mut self, system: &Arc<str>, state: &State) {
        if self.limit == 0 {
            return;
        }
        self.kept.retain(|(text, _)| text != system);
        if self.kept.len() >= self.limit {
            self.kept.remove(0);
        }
        self.kept.push((Arc::clone(system), state.clone()));
    }
}
