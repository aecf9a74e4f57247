//! Reports an answer that arrives, some times a second.

use std::time::Duration;

use artoo_llm_client::{Progress, Reporter};
use tokio::time::Instant;

/// The least time between two reports. To count the tokens takes longer than to take a piece.
const PACE: Duration = Duration::from_millis(200);

/// One answer that arrives.
pub(crate) struct Arrival<'a> {
    reporter: &'a Reporter,
    /// When its first token had arrived.
    first: Option<Instant>,
    /// When its tokens were counted last.
    counted: Option<Instant>,
}

impl<'a> Arrival<'a> {
    /// An answer of which nothing has arrived.
    pub(crate) fn new(reporter: &'a Reporter) -> Self {
        Self { reporter, first: None, counted: None }
    }

    /// A further piece has arrived; `count` counts the tokens so far.
    pub(crate) fn on_piece(&mut self, count: impl FnOnce() -> u64) {
        let now = Instant::now();
        let is_soon = self.counted.is_some_and(|then| now.duration_since(then) < PACE);
        if is_soon || !self.reporter.has_listener() {
            return;
        }
        self.counted = Some(now);
        let tokens = count();
        // A server that keeps the connection alive sends no tokens.
        if tokens > 0 {
            let first = *self.first.get_or_insert(now);
            let within_ms = u64::try_from(now.duration_since(first).as_millis()).unwrap_or(u64::MAX);
            self.reporter.report(Progress::ReceivingAnswer { tokens, within_ms });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// A thousand pieces a second are five reports, and keep-alives are none.
    #[tokio::test(start_paused = true)]
    async fn reports_come_at_their_pace() {
        let heard: Arc<Mutex<Vec<Progress>>> = Arc::default();
        let listener = Arc::clone(&heard);
        let reporter = Reporter::new(move |progress| listener.lock().unwrap().push(progress));
        let mut arrival = Arrival::new(&reporter);
        arrival.on_piece(|| 0);
        tokio::time::advance(PACE).await;
        for tokens in 1..=1000 {
            arrival.on_piece(|| tokens);
            tokio::time::advance(Duration::from_millis(1)).await;
        }
        let said = |tokens, within_ms| Progress::ReceivingAnswer { tokens, within_ms };
        let expected = [said(1, 0), said(201, 200), said(401, 400), said(601, 600), said(801, 800)];
        assert_eq!(*heard.lock().unwrap(), expected);
    }

    #[test]
    fn nobody_counts_where_nobody_listens() {
        Arrival::new(&Reporter::default()).on_piece(|| panic!("it is counted"));
    }
}
