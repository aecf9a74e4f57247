//! The mathematics of the MKCT memory pyramid, and the `MemoryService` interface used by the rest of artoo.
//!
//! Experience is kept as [Megrams](artoo_types::Megram) under tag pairs. [`decay`] defines how an experience
//! fades, [`potentials`] the sums over a pair's experiences, [`sums`] the same in constant time, [`matrix`]
//! the strength of each kind of experience, [`dreamer`] what is promoted, demoted and forgotten, [`due`]
//! when, and [`key`] the keys under which a store keeps all that. [`MemoryService`] is the interface;
//! [`InMemory`] implements it for the life of a process.
//!
//! *Architecture invariant*: this crate knows no clock, no random number, no file, no network, no model and
//! no role. Times and ids are passed in. Everything but [`MemoryService`] and [`InMemory`] is pure: values
//! in, values out.
//! ```
//! use artoo_mkct_memory::{matrix, potentials};
//! use artoo_types::{Entity, MegramId, MegramState, MemoryAction, Space};
//! use chrono::DateTime;
//!
//! let monday = DateTime::parse_from_rfc3339("2026-03-09T09:00:00+01:00")?;
//! let (space, entity) = (Space::intent("Count the files"), Entity::local());
//! let id = MegramId::new("01970000-0000-7000-8000-000000000001".parse::<MegramId>()?.uuid());
//! let accepted = matrix::megram(id, MegramState::Accept, monday, space, entity, "used glob".to_owned());
//!
//! let known = potentials::direct([&accepted], monday);
//! assert_eq!((known.attention, known.decision, known.action), (0.9, 0.9, MemoryAction::Exploit));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod daily_calls;
pub mod decay;
pub mod dreamer;
pub mod due;
mod event;
mod fold;
pub mod forecast;
mod guard;
mod in_memory;
pub mod key;
pub mod matrix;
mod plan_events;
pub mod potentials;
pub mod recall;
mod revocation;
mod rule_text;
mod rules;
mod service;
pub mod similar;
pub mod sums;

pub use daily_calls::{DailyCalls, MAX_DAILY_CALLS};
pub use event::Event;
pub use fold::MemoryFold;
pub use guard::{guard, speaks_from_other_runs};
pub use in_memory::InMemory;
pub use plan_events::contradiction;
pub use revocation::{MAX_REASON, revocations};
pub use rule_text::{compose, polarity};
pub use rules::{Bankruptcy, Rules};
pub use service::{Distiller, FASTEST_DECAY, MemoryError, MemoryService, Template, validate};
