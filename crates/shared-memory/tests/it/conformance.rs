use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use artoo_memory_store::{Options, Store};
use artoo_mkct_memory::{MemoryService, Rules};
use artoo_shared_memory::conformance::{Now, check_all};

use artoo_types::MegramId;
use uuid::Uuid;

use crate::fixtures::{Flaw, Flawed, in_memory};

#[tokio::test]
async fn the_memory_in_memory_keeps_every_law() {
    let make = |now: Now| -> Arc<dyn MemoryService> { Arc::new(in_memory(Rules::default(), now)) };
    assert_eq!(check_all(&make).await, Ok(()));
}

/// The same laws for the store, each on an empty folder.
#[tokio::test]
async fn the_memory_on_disk_keeps_every_law() {
    let folder = tempfile::tempdir().unwrap();
    let made = AtomicU64::new(0);
    let root = folder.path().to_owned();
    let make = move |now: Now| -> Arc<dyn MemoryService> {
        let memory = root.join(made.fetch_add(1, Ordering::SeqCst).to_string());
        let options = Options::new(memory, move || now(), || MegramId::new(Uuid::now_v7()));
        Arc::new(Store::open(options).unwrap())
    };
    assert_eq!(check_all(&make).await, Ok(()));
}

/// Counter-check: the suite detects every flaw.
#[tokio::test]
async fn the_suite_finds_what_is_wrong_with_a_memory() {
    let cases = [
        (Flaw::DropsWrites, "a_query_sees_earlier_writes"),
        (Flaw::WritesUnderscoresForPipes, "two_names_never_share_a_bucket"),
        (Flaw::NeverCloses, "a_closed_memory_gives_and_takes_nothing"),
        (Flaw::NeverDreams, "recall_is_by_rules_alone"),
        (Flaw::IgnoresFeedback, "feedback_speaks_against_its_rule"),
        (Flaw::RevokesNothing, "a_revoked_run_advises_nothing"),
        (Flaw::FellsAtOnce, "a_contradicted_rule_falls"),
        (Flaw::AnswersBackwards, "what_is_asked_for_is_answered_in_order"),
        (Flaw::FindsNothing, "what_is_like_the_question_is_found"),
        (Flaw::TrustsAnybody, "laws_are_the_persons_alone"),
        (Flaw::HidesLaws, "laws_are_the_persons_alone"),
        (Flaw::CannotBeFlushed, "a_flush_keeps_what_was_written"),
        (Flaw::CannotBeRead, "an_unknown_pair_is_ignored"),
    ];
    for (flaw, law) in cases {
        let make = move |now: Now| -> Arc<dyn MemoryService> {
            Arc::new(Flawed { inner: in_memory(Rules::default(), now), flaw })
        };
        let found = check_all(&make).await.unwrap_err();
        assert!(found.starts_with(law), "{flaw:?}: {found}");
    }
}

/// The literal specification breaks the laws that come from lessons; that is why its rules are not the
/// default.
#[tokio::test]
async fn the_literal_specification_does_not_pass() {
    let make = |now: Now| -> Arc<dyn MemoryService> { Arc::new(in_memory(Rules::spec_v0_8(), now)) };
    let found = check_all(&make).await.unwrap_err();
    assert!(found.starts_with("consolidated_sources_count_once"), "{found}");
}
