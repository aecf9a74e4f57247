//! Questions before a run, to the user of a front end.

use std::sync::{Arc, mpsc};

use artoo_front_end::{Confirm, Confirmation};
use tokio::runtime::Handle;

use crate::run::BeforeRun;
use crate::terminal::Terminal;

/// The user of a front end.
pub(super) struct ByFrontEnd {
    confirm: Arc<dyn Confirm>,
    /// The threads on which the front end works.
    threads: Handle,
}

impl ByFrontEnd {
    pub(super) fn new(confirm: Arc<dyn Confirm>, threads: Handle) -> Self {
        Self { confirm, threads }
    }
}

impl BeforeRun for ByFrontEnd {
    fn is_there(&self) -> bool {
        self.confirm.is_there()
    }

    fn confirm(&self, _: &mut Terminal, confirmation: Confirmation) -> bool {
        let (send, answer) = mpsc::sync_channel(1);
        let confirm = Arc::clone(&self.confirm);
        self.threads.spawn(async move {
            // The host may have ended meanwhile.
            let _ = send.send(confirm.confirm(confirmation).await);
        });
        // A front end that is gone drops its answer, which is a no.
        answer.recv().unwrap_or(false)
    }

    fn warn(&self, terminal: &mut Terminal, warning: &str) {
        terminal.warning(warning);
        self.confirm.notice(warning);
    }
}
