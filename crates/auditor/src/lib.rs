//! R6, the auditor: observes every message, keeps a tamper-evident log, and reports to the operator alone.
//!
//! [`AuditWriter`] is a thread between a tap of the bus and the [`AuditLog`], a hash-chained file of JSON
//! lines with a few [`facts()`] per message and never its text. [`report()`] computes the specification's
//! report from that file for any window, [`verify()`] finds any line that was edited, removed, moved or cut,
//! and [`run`] is the actor that answers the operator.
//!
//! A report is a fold over lines: it looks for the closed set [`artoo_types::Anomaly`], and its thresholds
//! are in [`thresholds`]. After a gap in the log the checks that need every message of a run are skipped for
//! that run; the gap itself is reported. `drift_alerts` compares rates (failed results, failing verdicts,
//! unusable answers and others) of each role with the log before, and reports only if both samples are large
//! and the difference is significant. Finer signs of drift (styles of plans, verdicts against graders) are
//! not computed.
//!
//! *Architecture invariant*: nothing here can influence a run. The auditor knows no other role's code and
//! publishes nothing but `AuditReport`, to the user; it keeps no text of a user, a model, a tool or a file; a
//! report depends on no state but the log; and the auditor reads no clock and no environment: folder, clock
//! and known names are passed in.
//!
//! ```
//! use std::sync::Arc;
//! use artoo_auditor::{AuditLog, AuditWriter, Vocabulary, Window, report, verify};
//! use artoo_bus::{Bus, BusLimits, Clock, SystemClock};
//! use artoo_types::{AuditTrigger, Role, RunId, Warning};
//!
//! # let folder = tempfile::tempdir()?;
//! let clock = Arc::new(SystemClock::new());
//! let bus = Bus::new(clock.clone(), BusLimits::default());
//! let (log, found) = AuditLog::open(folder.path(), clock.now())?;
//! assert!(found.is_empty(), "a new log has no gaps");
//! let path = log.path().to_owned();
//! let on_trouble = Box::new(|error: &artoo_auditor::AuditError| eprintln!("{error}"));
//! let writer = AuditWriter::start(bus.tap(4096), log, Vocabulary::default(), clock.clone(), on_trouble)?;
//!
//! let run = bus.open(RunId::new(uuid::Uuid::now_v7()))?;
//! run.port(Role::Planner)?.publish(Warning { role: Role::Planner, message: "never in the log".into() })?;
//! writer.stop()?;
//!
//! assert_eq!(verify(&path)?.lines, 1);
//! let window = Window::new(AuditTrigger::OnDemand, None, clock.now());
//! assert_eq!(report(&path, &window)?.tasks_observed, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod account;
mod actor;
mod batch;
mod chain_end;
mod convergence;
mod drift;
mod error;
mod fact_access;
mod facts;
mod fan_in;
mod findings;
mod fold;
mod head;
mod identity;
mod index;
mod line;
mod log;
mod own_file;
mod rates;
mod raw_lines;
mod report;
mod run_findings;
mod run_record;
mod segment;
mod tail_follow;
mod tally;
pub mod thresholds;
mod verify;
mod vocabulary;
mod writer;

pub use account::{Account, MissingCause, MissingMessages, RunOnRecord, account};
pub use actor::{LogReporter, Reporter, run};
pub use batch::{Entry, What};
pub use error::AuditError;
pub use facts::{Facts, facts};
pub use fold::ReportFold;
pub use line::{Gap, GapLine, Line, NO_LINE, Seal, SealLine};
pub use log::{AuditLog, LOG_NAME};
pub use report::{Window, report, reported_until};
pub use run_findings::RunFindings;
pub use tail_follow::{Following, Seen};
pub use thresholds::PERIOD;
pub use verify::{Truncation, Verified, VerifyError, log_exists, verify};
pub use vocabulary::Vocabulary;
pub use writer::{AuditWriter, OnWriteError, Progress, warning};
