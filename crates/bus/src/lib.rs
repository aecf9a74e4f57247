//! The bus: the only channel between roles, and the only way to observe them.
//!
//! A role holds a [`Port`]: it receives the kinds that its contract names, losslessly and in one order, and
//! can publish only those that its contract lists ([`contract`] is the table). Views hold an [`Observer`] of
//! one run, the auditor a [`Tap`] of all runs; both may fall behind without slowing publishers, and are then
//! told exactly which messages they missed. A recorder ([`RunBus::record`]) sees everything. What goes on at this
//! moment is no message: [`Activities`].
//!
//! *Architecture invariant*: the bus knows no role's behaviour, no prompt, no model, no file and no network.
//! It never waits for a receiver, and it never silently loses a message that it has accepted.
//!
//! ```
//! use std::sync::Arc;
//! use artoo_bus::{Bus, BusLimits, SystemClock};
//! use artoo_types::{Role, RunId, Warning};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let bus = Bus::new(Arc::new(SystemClock::new()), BusLimits::default());
//! let run = bus.open(RunId::OPERATOR).unwrap();
//! let mut observer = run.observe(16);
//! let planner = run.port(Role::Planner).unwrap();
//!
//! let seq = planner.publish(Warning { role: Role::Planner, message: "look here".into() }).unwrap();
//! let seen = observer.recv().await.unwrap();
//! assert_eq!(seen.envelope().unwrap().seq, seq);
//! # });
//! ```

mod activity;
mod bus;
mod clock;
pub mod contract;
#[cfg(feature = "test-util")]
pub mod doubles;
mod error;
mod mailbox;
mod observer;
mod observer_queue;
mod port;
mod refused_message;
mod role_set;
mod run;
mod run_bus;
mod run_clock;
mod tap;

pub use activity::{Activities, Activity};
pub use bus::{Bus, BusLimits};
pub use clock::{Clock, ManualClock, SystemClock};
pub use error::{BusError, RunFailure};
pub use observer::{Lag, LostRange, Observed, Observer};
pub use port::{Port, Sender, Takeover};
pub use refused_message::{Refusal, RefusalReason};
pub use role_set::RoleSet;
pub use run::Recorder;
pub use run_bus::RunBus;
pub use tap::{Tap, TapStop};
