//! R5, shared memory: answers the planner's queries and stores the controller's Megrams, for one run at a
//! time.
//!
//! [`answer()`] is the whole behaviour, one message in, messages out; [`run()`] is the actor around it;
//! [`dream()`] schedules the Dreamer, and [`ModelDistiller`] writes the text of its rules. The memory itself
//! is an [`artoo_mkct_memory::MemoryService`]; [`conformance`] checks its contract.
//!
//! *Architecture invariant*: this crate knows no provider, no file and no other role's code. No model is
//! called in the path of a run. It gives the planner data, never text for a prompt, and accepts Megrams only
//! from R7.
//! ```
//! use std::sync::Arc;
//! use artoo_bus::{Bus, BusLimits, Clock, SystemClock};
//! use artoo_mkct_memory::{InMemory, MemoryService, Rules};
//! use artoo_redaction::Redactor;
//! use artoo_types::{Entity, MegramId, MemoryQuery, Message, Role, RunId, Space, TagPair};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
//! let clock = Arc::new(SystemClock::new());
//! let bus = Bus::new(clock.clone(), BusLimits::default());
//! let run = bus.open(RunId::OPERATOR)?;
//! let mint = || MegramId::new(uuid::Uuid::now_v7());
//! let memory: Arc<dyn MemoryService> = Arc::new(InMemory::new(Rules::default(), move || clock.now(), mint));
//! tokio::spawn(artoo_shared_memory::run(run.port(Role::SharedMemory)?, memory, Redactor::new()));
//!
//! let mut planner = run.port(Role::Planner)?;
//! let pair = TagPair::new(Space::intent("Count the files"), Entity::local());
//! planner.publish(MemoryQuery { pairs: vec![pair], like: None })?;
//! let reply = planner.recv().await.ok_or("the run ended")?;
//! assert!(matches!(&*reply.message, Message::MemoryReply(reply) if reply.recalled.len() == 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod actor;
mod answer;
#[cfg(feature = "test-util")]
pub mod conformance;
mod distil;
mod dream;

pub use actor::run;
pub use answer::{PATIENCE, answer};
pub use distil::{DISTIL_PROMPT, ModelDistiller};
pub use dream::{LAST_CYCLE, Rhythm, dream, last_dream};
