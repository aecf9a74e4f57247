//! R7, the Goal Gradient Solver as a role: turns the meta-validator's reports into a directive for the
//! planner, or into the one result that ends the run.
//!
//! *Architecture invariant*: this crate decides nothing itself. The next step is the [`Solver`]'s decision;
//! the role converts, words and remembers. It knows no other role, no prompt and no model, reads no file and
//! no clock (times come with envelopes, ids from the [`Mint`]), and everything but [`run`] is sans-IO:
//! envelopes in, messages out.
//!
//! A run through [`GgsRole`] emits exactly one `FinalResult`, whatever arrives and in whatever order.
//! ```
//! use artoo_ggs::{GgsRole, Mint, Settings};
//! use artoo_ggs_core::Profile;
//! use artoo_types::{Limits, MegramId};
//!
//! let mut next = 0;
//! let mint = Mint::new(move || {
//!     next += 1;
//!     MegramId::new(uuid::Uuid::from_u128(next))
//! });
//! let settings = Settings::new(Profile::Default, &Limits::default(), Default::default(), mint).unwrap();
//! let role = GgsRole::new(settings.solver(), settings);
//! assert!(!role.has_ended());
//! ```
//!
//! Source: specification v0.8, R7; `docs/roles/ggs.md` is its page.

mod actor;
mod behaviour;
mod conclusion;
#[cfg(feature = "test-util")]
pub mod conformance;
mod failed_calls;
mod lessons;
mod means;
mod missing;
mod observe;
mod outputs;
mod result;
mod role;
mod round;
mod settings;
mod summary;
mod text_builder;

pub use actor::run;
pub use behaviour::Solver;
pub use conclusion::Conclusion;
pub use lessons::{Draft, Lessons, MegramRule};
pub use missing::Lacks;
pub use observe::observe;
pub use outputs::{combined_output, is_deliverable, partial_outputs};
pub use result::{answered, failure_report_request, final_result, plan_directive};
pub use role::GgsRole;
pub use round::Round;
pub use settings::{Mint, Settings};
