//! R1, the perceiver: carries the user's request into the system with full fidelity.
//!
//! A receiver, not a resolver: it adds no assumption, sets no criterion and picks no tool. Where there is no earlier turn
//! to resolve, the request is copied by code, word for word, and no model is asked.
//!
//! To replace it, implement [`Perceiver`] and hand it to the runtime's builder.
//!
//! *Architecture invariant*: this crate knows no other role. It reads no environment, no clock and no file; what it needs of
//! place and time is in the request.

mod actor;
mod behaviour;
mod error;
mod faithful;

pub use actor::run;
pub use behaviour::Perceiver;
pub use error::PerceiveError;
pub use faithful::{FaithfulPerceiver, MAX_REQUEST_BYTES, SYSTEM_PROMPT};
