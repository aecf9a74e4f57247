//! Runs the auditor (R6) beside the runs: its bus tap, its log, and the operator's queries.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use artoo_auditor::{AuditError, AuditLog, AuditWriter, LogReporter, PERIOD, Vocabulary};
use artoo_bus::{Bus, Clock, Port, RunBus};
use artoo_types::{AuditQuery, AuditReport, AuditTrigger, Message, Role, RunId};
use chrono::{DateTime, FixedOffset};
use tokio::sync::Mutex as AsyncMutex;

use crate::BuildError;

/// How many messages the auditor may lag before it records a gap.
const TAP: usize = 65_536;

/// The auditor of one process.
pub(crate) struct Audit {
    operator: RunBus,
    user: AsyncMutex<Asking>,
    writer: Mutex<Option<AuditWriter>>,
    trouble: Arc<Mutex<Option<String>>>,
}

/// The operator's port, and the number of answers in flight to it: each question gets one, in order, even if
/// its caller stopped waiting.
struct Asking {
    port: Port,
    owed: u64,
}

impl Audit {
    /// Opens the log in the data folder and starts listening. `known` are the names of models and tools that
    /// may appear in the log in clear.
    pub(crate) fn start(
        bus: &Bus,
        clock: &Arc<dyn Clock>,
        data_folder: &Path,
        known: Vec<String>,
    ) -> Result<Self, BuildError> {
        let (log, gaps) = AuditLog::open(data_folder, clock.now())?;
        let path = log.path().to_owned();
        let trouble = Arc::new(Mutex::new(gaps.first().map(|gap| format!("the audit log has a gap: {gap}"))));
        let report = {
            let trouble = Arc::clone(&trouble);
            Box::new(move |error: &AuditError| {
                let told = artoo_auditor::warning(error).message;
                // The caller reports it once, in full, when the run has ended.
                tracing::debug!(%error, "the audit log cannot be written");
                *trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
            })
        };
        let writer =
            AuditWriter::start(bus.tap(TAP), log, Vocabulary::new(known), Arc::clone(clock), report)?;
        let operator = bus.open(RunId::OPERATOR)?;
        let user = AsyncMutex::new(Asking { port: operator.port(Role::User)?, owed: 0 });
        let reporter = Arc::new(LogReporter::new(path, Some(writer.progress())));
        tokio::spawn(artoo_auditor::run(operator.port(Role::Auditor)?, reporter, Arc::clone(clock), PERIOD));
        Ok(Self { operator, user, writer: Mutex::new(Some(writer)), trouble })
    }

    /// R5's port in the operator's run, for memory's work that no run requested. One at a time.
    pub(crate) fn memory_port(&self) -> Result<Port, BuildError> {
        Ok(self.operator.port(Role::SharedMemory)?)
    }

    /// Asks for a report; `None` if the auditor has ended. A caller that stops waiting leaves no answer
    /// behind for the next one.
    pub(crate) async fn report(&self, since: Option<DateTime<FixedOffset>>) -> Option<AuditReport> {
        let mut user = self.user.lock().await;
        user.port.publish(AuditQuery { since }).ok()?;
        user.owed = user.owed.saturating_add(1);
        loop {
            let envelope = user.port.recv().await?;
            if let Message::AuditReport(report) = envelope.message.as_ref()
                && report.trigger == AuditTrigger::OnDemand
            {
                user.owed = user.owed.saturating_sub(1);
                if user.owed == 0 {
                    return Some(report.clone());
                }
            }
        }
    }

    /// A problem of the log, if any.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes the pending messages and ends the auditor.
    pub(crate) async fn close(&self) {
        self.operator.close();
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(writer) = writer else { return };
        // Joining the thread waits for the disk, so it must not block the runtime.
        let stopped = tokio::task::spawn_blocking(move || writer.stop()).await;
        if let Ok(Err(error)) = stopped {
            tracing::debug!(%error, "the audit log is not complete");
            let trouble =
                format!("the audit log is not complete: {}", artoo_auditor::warning(&error).message);
            self.trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(trouble);
        }
    }
}
