//! What every front end of artoo shares: the [`Host`] that begins runs for it, and a [`HostedRun`], which is one run as a stream of
//! events and questions.
//!
//! A front end is a crate that speaks one protocol: to an editor, to another agent, to a browser. It asks its host to begin a run, shows
//! each [`Step`] of it, and gives answers through the run's [`Answerer`](artoo_runtime::Answerer). The host is the program that artoo
//! runs in: it reads the configuration, connects the models and opens the memory. So a further front end takes one crate, and nothing in
//! `artoo-runtime` changes. Design: `docs/design/front-ends.md`.
//!
//! *Architecture invariant*: this crate knows no protocol, no terminal and no configuration. It decides nothing: what is asked and what
//! an answer means are the runtime's.
//!
//! ```
//! use artoo_front_end::{HostRequest, RunMode};
//!
//! let request = HostRequest::new("How many files are here?", "/srv/letters".into());
//! assert_eq!((request.mode, request.session), (RunMode::Auto, None));
//! ```

mod activity_text;
mod choices;
mod confirm;
mod error;
mod host;
mod hosted_run;
mod result_text;
mod worth;

pub use activity_text::{activity_detail, activity_text};
pub use artoo_tools::OpenFiles;
pub use choices::{Choice, ChoiceMeaning, choices, question_text};
pub use confirm::{Confirm, Confirmation, NobodyConfirms};
pub use error::{HostError, HostErrorKind};
pub use host::{
    Attachment, ClientServer, ClientServerKind, Form, Host, HostRequest, Inquiry, Reply, RunMode, SetUp,
};
pub use hosted_run::{HostedRun, Step, WhileRunning};
pub use result_text::{result_text, undo_text};
pub use worth::{EndFacts, Worth};
