//! R5, shared memory: answers the planner's questions and takes the controller's Megrams, for one run at a time.
//!
//! [`answer()`] is the whole behaviour, one message in, messages out; [`run()`] is the actor around it; [`dream()`] is the
//! Dreamer's timer. What the memory is, is up to its [`artoo_mkct_memory::MemoryService`]; [`conformance`] tells whether
//! one keeps to its contract.
//!
//! *Architecture invariant*: this crate knows no prompt, no model, no file and no other role's code. It gives the planner
//! data, never text for a prompt, and takes a Megram from nobody but R7.
//!
//! ```
//! use std::sync::Arc;
//! use artoo_bus::{Bus, BusLimits, Clock, SystemClock};
//! use artoo_mkct_memory::{InMemory, MemoryService, Rules};
//! use artoo_types::{Entity, MegramId, MemoryQuery, Message, Role, RunId, Space};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
//! let clock = Arc::new(SystemClock::new());
//! let bus = Bus::new(clock.clone(), BusLimits::default());
//! let run = bus.open(RunId::OPERATOR)?;
//! let mint = || MegramId::new(uuid::Uuid::now_v7());
//! let memory: Arc<dyn MemoryService> = Arc::new(InMemory::new(Rules::default(), move || clock.now(), mint));
//! tokio::spawn(artoo_shared_memory::run(run.port(Role::SharedMemory)?, memory));
//!
//! let mut planner = run.port(Role::Planner)?;
//! planner.publish(MemoryQuery { space: Space::intent("Count the files"), entity: Entity::local() })?;
//! let reply = planner.recv().await.ok_or("the run ended")?;
//! assert!(matches!(&*reply.message, Message::MemoryReply(reply) if reply.sops.is_empty()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod actor;
mod answer;
pub mod conformance;
mod dream;

pub use actor::run;
pub use answer::{PATIENCE, answer};
pub use dream::{CYCLE, dream};
