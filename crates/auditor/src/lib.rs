//! R6, the auditor: sees every message, keeps a record that shows when it was changed, and reports to the operator alone.
//!
//! [`AuditWriter`] is its own thread between a tap of the bus and the [`AuditLog`], a hash-chained file of JSON lines with
//! a few [`facts()`] per message and never its text. [`report()`] computes the specification's report from that file for any
//! window, [`verify()`] finds any line that was edited, removed, moved or cut, and [`run`] is the actor that answers the
//! operator.
//!
//! A report is a fold over lines: what it looks for is the closed set [`artoo_types::Anomaly`], and where it draws its
//! lines is said in [`threshold`]. After a hole in the log the watches that need every message of a run are silent about that
//! run; the hole itself is reported. `drift_alerts` compares shares (failed results, failing verdicts, unusable answers and
//! others) of each role with the log before, and speaks only where both samples are large and the difference is plain. Finer
//! signs of drift (styles of plans, verdicts against graders) are not computed.
//!
//! *Architecture invariant*: nothing here can influence a run. The auditor knows no other role's code and publishes
//! nothing but `AuditReport`, to the user; it keeps no text of a user, a model, a tool or a file; it holds no state that
//! a report depends on but the log; and it reads no clock and no environment: folder, clock and known names are given.
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

mod batch;
mod convergence;
mod drift;
mod error;
mod fact;
mod facts;
mod fan_in;
mod findings;
mod fold;
mod follow;
mod head;
mod identity;
mod line;
mod log;
mod own_file;
mod rates;
mod raw;
mod report;
mod role;
mod run_findings;
mod run_record;
mod tail;
pub mod threshold;
mod verify;
mod vocabulary;
mod writer;

pub use batch::{Entry, What};
pub use error::AuditError;
pub use facts::{Facts, facts};
pub use fold::ReportFold;
pub use follow::{Following, Seen};
pub use line::{Gap, GapLine, Line, NO_LINE};
pub use log::{AuditLog, LOG_NAME};
pub use report::{Window, report, reported_until};
pub use role::{LogReporter, Reporter, run};
pub use run_findings::RunFindings;
pub use threshold::PERIOD;
pub use verify::{Verified, VerifyError, is_begun, verify};
pub use vocabulary::Vocabulary;
pub use writer::{AuditWriter, OnTrouble, Progress, warning};
