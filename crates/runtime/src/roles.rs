//! The crates of the roles that can be replaced: the trait of each, what it is given, and with `test-util` its conformance suite.

pub use artoo_agent_validator as agent_validator;
pub use artoo_executor as executor;
pub use artoo_ggs as ggs;
pub use artoo_ggs_core as ggs_core;
pub use artoo_meta_validator as meta_validator;
pub use artoo_perceiver as perceiver;
pub use artoo_planner as planner;
