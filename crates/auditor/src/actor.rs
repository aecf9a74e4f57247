//! The auditor's actor: answers queries of the operator, and makes periodic reports.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use artoo_bus::{Clock, Port};
use artoo_types::{Anomaly, AuditQuery, AuditReport, AuditTrigger, Message};
use async_trait::async_trait;
use chrono::{DateTime, FixedOffset};
use tokio::time::{MissedTickBehavior, interval_at};

use crate::{AuditError, Progress, Window, report, reported_until};

/// R6's behaviour: makes reports.
///
/// *Contract*: a report covers everything that was published before the operator's message `after`; the same
/// question asked twice of the same log has the same answer; asking changes nothing. *Called by* [`run`], one
/// report at a time. *Cancellation*: dropping the future abandons the report. *Must not*: publish, or keep
/// state that a report depends on: a restart must not change what is reported.
#[async_trait]
pub trait Reporter: Send + Sync {
    /// Makes the report of a window. `after` is the number of the operator's query, if there was one.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    async fn report(&self, window: Window, after: Option<u64>) -> Result<AuditReport, AuditError>;

    /// Start of this process's first periodic report: the end of another process's last one. `None`, the
    /// default, is the start of this process. Called once, when that report is due.
    async fn reported_until(&self) -> Option<DateTime<FixedOffset>> {
        None
    }
}

/// Default reporter: computes every report from the audit log.
#[derive(Clone, Debug)]
pub struct LogReporter {
    log: PathBuf,
    progress: Option<Progress>,
}

impl LogReporter {
    /// Reports from this log. Given the progress of its writer, a report waits at most a second for the
    /// messages published before the query.
    pub fn new(log: PathBuf, progress: Option<Progress>) -> Self {
        Self { log, progress }
    }
}

#[async_trait]
impl Reporter for LogReporter {
    async fn report(&self, window: Window, after: Option<u64>) -> Result<AuditReport, AuditError> {
        let mut late = false;
        if let (Some(progress), Some(after)) = (&self.progress, after) {
            late = !progress.clone().reaches(after, Duration::from_secs(1)).await;
        }
        let log = self.log.clone();
        let mut report =
            tokio::task::spawn_blocking(move || report(&log, &window)).await.unwrap_or_else(|error| {
                Err(AuditError::Read { path: self.log.clone(), source: std::io::Error::other(error) })
            })?;
        if late {
            report.anomalies.push(Anomaly::LogBehind);
        }
        Ok(report)
    }

    async fn reported_until(&self) -> Option<DateTime<FixedOffset>> {
        let log = self.log.clone();
        // An unreadable log is mentioned in the report itself.
        tokio::task::spawn_blocking(move || reported_until(&log)).await.ok()?.ok()?
    }
}

/// Runs R6 on its port of the operator's run ([`artoo_types::RunId::OPERATOR`]) until that is closed: one
/// report for each query, and one every `period` about what happened since the previous one, even if another
/// process made that.
///
/// Every query is answered: if the log cannot be read, the report says so.
pub async fn run(mut port: Port, reporter: Arc<dyn Reporter>, clock: Arc<dyn Clock>, period: Duration) {
    let start = clock.now();
    let mut reported = None;
    let mut timer = interval_at(tokio::time::Instant::now() + period, period);
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let (window, after) = tokio::select! {
            biased;
            received = port.recv() => {
                let Some(envelope) = received else { return };
                let Some(AuditQuery { since }) = query(&envelope.message) else { continue };
                (Window::new(AuditTrigger::OnDemand, *since, clock.now()), Some(envelope.seq))
            }
            _ = timer.tick() => {
                let now = clock.now();
                let since = match reported.replace(now) {
                    Some(since) => since,
                    None => reporter.reported_until().await.unwrap_or(start).min(now),
                };
                (Window::new(AuditTrigger::Periodic, Some(since), now), None)
            }
        };
        let asked = window.clone();
        let answer = reporter.report(window, after).await;
        let answer = answer.unwrap_or_else(|error| unreadable(&asked, &error));
        if let Err(error) = port.publish(answer) {
            tracing::warn!(%error, "the bus refused a report of the auditor");
        }
    }
}

/// The contract sends only queries to the auditor.
fn query(message: &Message) -> Option<&AuditQuery> {
    message.payload::<AuditQuery>()
}

fn unreadable(window: &Window, error: &AuditError) -> AuditReport {
    AuditReport {
        anomalies: vec![Anomaly::LogUnreadable { reason: crate::warning(error).message }],
        ..AuditReport::empty(window.trigger, window.since, window.now)
    }
}
