use std::time::Duration;

use artoo_mkct_memory::{MemoryError, MemoryService};
use artoo_shared_memory::{CYCLE, dream};
use artoo_types::MegramState;

use crate::given::{Flaw, Flawed, experience, memory, pair};

#[tokio::test(start_paused = true)]
async fn the_dreamer_wakes_every_five_minutes_until_the_memory_is_closed() {
    let memory = memory();
    let dreamer = tokio::spawn(dream(memory.clone(), CYCLE));
    tokio::task::yield_now().await;
    for number in 1..=6 {
        memory.write(experience(number, MegramState::Accept)).unwrap();
    }
    let (space, entity) = pair();
    tokio::time::sleep(CYCLE - Duration::from_secs(1)).await;
    assert_eq!(memory.query_c(&space, &entity).await.unwrap(), []);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(memory.query_c(&space, &entity).await.unwrap().len(), 1);
    memory.close().await.unwrap();
    assert!(dreamer.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_failed_cycle_ends_the_dreamer_with_its_reason() {
    let ended = dream(Flawed::new(Flaw::CannotBeRead), CYCLE).await;
    assert!(matches!(ended, Err(MemoryError::Store(_))), "{ended:?}");
}
