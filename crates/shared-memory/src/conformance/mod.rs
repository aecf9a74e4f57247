//! Conformance suite for implementations of [`MemoryService`] under the settled rules
//! ([`artoo_mkct_memory::Rules::default`]).
//!
//! Each law is a function of a [`Factory`]; it creates its own empty memories and returns what it found if
//! the law is broken. [`check_all`] runs them all. They need no test framework and no particular async
//! runtime.
//! ```
//! use std::sync::Arc;
//! use std::sync::atomic::{AtomicU64, Ordering};
//! use artoo_mkct_memory::{InMemory, MemoryService, Rules};
//! use artoo_shared_memory::conformance::{Now, check_all};
//! use artoo_types::MegramId;
//! use uuid::Uuid;
//!
//! let factory = |now: Now| -> Arc<dyn MemoryService> {
//!     Arc::new(InMemory::new(Rules::default(), move || now(), || MegramId::new(Uuid::now_v7())))
//! };
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! check_all(&factory).await
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod pyramid;
mod recall;
mod store;
mod subject;

use std::sync::Arc;

use artoo_mkct_memory::MemoryService;
use chrono::{DateTime, FixedOffset};

pub use pyramid::{
    a_constraint_does_not_demote_itself, a_contradicted_rule_falls, a_revoked_run_advises_nothing,
    consolidated_sources_count_once, feedback_speaks_against_its_rule,
    forgetting_spares_the_young_and_the_rules, recall_is_by_rules_alone,
};
pub use recall::{
    laws_are_the_persons_alone, what_is_asked_for_is_answered_in_order, what_is_like_the_question_is_found,
};
pub use store::{
    a_closed_memory_gives_and_takes_nothing, a_flush_keeps_what_was_written, a_query_sees_earlier_writes,
    an_id_names_one_megram, an_unknown_pair_is_ignored, experience_fades, numbers_out_of_range_are_refused,
    threads_lose_nothing, two_names_never_share_a_bucket, writes_may_come_in_any_order,
};

/// The clock that a law passes to the memory under test, and moves.
pub type Now = Arc<dyn Fn() -> DateTime<FixedOffset> + Send + Sync>;

/// Creates an empty memory that takes the time only from `now`.
pub type Factory = dyn Fn(Now) -> Arc<dyn MemoryService> + Send + Sync;

/// Checks every law.
///
/// # Errors
///
/// The name of the first broken law, and what was found.
pub async fn check_all(make: &Factory) -> Result<(), String> {
    macro_rules! check {
        ($($law:ident),+ $(,)?) => {
            $($law(make).await.map_err(|found| format!("{}: {found}", stringify!($law)))?;)+
        };
    }
    check!(
        an_unknown_pair_is_ignored,
        a_query_sees_earlier_writes,
        experience_fades,
        writes_may_come_in_any_order,
        two_names_never_share_a_bucket,
        an_id_names_one_megram,
        numbers_out_of_range_are_refused,
        threads_lose_nothing,
        recall_is_by_rules_alone,
        consolidated_sources_count_once,
        a_constraint_does_not_demote_itself,
        a_contradicted_rule_falls,
        forgetting_spares_the_young_and_the_rules,
        feedback_speaks_against_its_rule,
        what_is_asked_for_is_answered_in_order,
        what_is_like_the_question_is_found,
        laws_are_the_persons_alone,
        a_revoked_run_advises_nothing,
        a_flush_keeps_what_was_written,
        a_closed_memory_gives_and_takes_nothing,
    );
    Ok(())
}
