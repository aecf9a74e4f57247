use std::sync::Arc;

use artoo_mkct_memory::{MemoryService, Rules};
use artoo_shared_memory::conformance::{Now, check_all};

use crate::given::{Flaw, Flawed, in_memory};

#[tokio::test]
async fn the_memory_in_memory_keeps_every_law() {
    let make = |now: Now| -> Arc<dyn MemoryService> { Arc::new(in_memory(Rules::default(), now)) };
    assert_eq!(check_all(&make).await, Ok(()));
}

/// A suite that lets a flaw pass proves nothing.
#[tokio::test]
async fn the_suite_finds_what_is_wrong_with_a_memory() {
    let cases = [
        (Flaw::DropsWrites, "a_query_sees_earlier_writes"),
        (Flaw::WritesUnderscoresForPipes, "two_names_never_share_a_bucket"),
        (Flaw::NeverCloses, "a_closed_memory_gives_and_takes_nothing"),
        (Flaw::NeverDreams, "recall_is_by_rules_alone"),
        (Flaw::IgnoresFeedback, "feedback_speaks_against_its_rule"),
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

/// The literal specification breaks the laws that the lessons gave us; that is why they are not its rules.
#[tokio::test]
async fn the_literal_specification_does_not_pass() {
    let make = |now: Now| -> Arc<dyn MemoryService> { Arc::new(in_memory(Rules::spec_v0_8(), now)) };
    let found = check_all(&make).await.unwrap_err();
    assert!(found.starts_with("consolidated_sources_count_once"), "{found}");
}
