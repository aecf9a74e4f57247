use std::sync::{Arc, Mutex};
use std::time::Duration;

use artoo_mkct_memory::{InMemory, MemoryError, MemoryService, Template};
use artoo_shared_memory::{LAST_CYCLE, Rhythm, dream, last_dream};
use artoo_types::{DreamReport, MegramState};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::fixtures::{Flaw, Flawed, experience, memory, pair};

struct Dreaming {
    memory: Arc<InMemory>,
    run_ended: Arc<Notify>,
    /// The time of each report.
    reports: Arc<Mutex<Vec<(Duration, DreamReport)>>>,
    task: JoinHandle<Result<(), MemoryError>>,
}

fn dreaming() -> Dreaming {
    let (memory, run_ended) = (memory(), Arc::new(Notify::new()));
    let reports = Arc::new(Mutex::new(Vec::new()));
    let (mind, ended, told) = (memory.clone(), run_ended.clone(), reports.clone());
    let began = Instant::now();
    let task = tokio::spawn(async move {
        let report = |did| told.lock().unwrap().push((began.elapsed(), did));
        dream(mind.as_ref(), &Template, Rhythm::default(), &ended, report).await
    });
    Dreaming { memory, run_ended, reports, task }
}

impl Dreaming {
    fn learn(&self, numbers: std::ops::RangeInclusive<u128>) {
        for number in numbers {
            self.memory.write(experience(number, MegramState::Accept)).unwrap();
        }
    }

    /// In whole seconds: tokio's timer has millisecond resolution.
    fn reported_at(&self) -> Vec<u64> {
        self.reports.lock().unwrap().iter().map(|(after, _)| after.as_secs()).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn the_dreamer_wakes_every_five_minutes_until_the_memory_is_closed() {
    let dreaming = dreaming();
    tokio::task::yield_now().await;
    dreaming.learn(1..=6);
    let (space, entity) = pair();
    sleep(Duration::from_secs(299)).await;
    assert_eq!(dreaming.memory.query_c(&space, &entity).await.unwrap(), []);
    sleep(Duration::from_secs(2)).await;
    assert_eq!(dreaming.memory.query_c(&space, &entity).await.unwrap().len(), 1);
    // Idle cycles are not reported.
    sleep(Duration::from_secs(3000)).await;
    assert_eq!(dreaming.reported_at(), [300]);
    assert_eq!(dreaming.reports.lock().unwrap()[0].1.promoted.len(), 1);
    dreaming.memory.close().await.unwrap();
    assert!(dreaming.task.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_run_that_ended_wakes_it_when_it_is_quiet() {
    let dreaming = dreaming();
    tokio::task::yield_now().await;
    dreaming.learn(1..=6);
    // Consecutive runs: no cycle between them.
    for _ in 0..10 {
        dreaming.run_ended.notify_one();
        sleep(Duration::from_secs(1)).await;
    }
    assert_eq!(dreaming.reported_at(), [0; 0]);
    sleep(Duration::from_secs(5)).await;
    assert_eq!(dreaming.reported_at(), [11]);
    // While runs continue, the period applies.
    dreaming.learn(11..=16);
    for _ in 0..400 {
        dreaming.run_ended.notify_one();
        sleep(Duration::from_secs(1)).await;
    }
    assert_eq!(dreaming.reported_at(), [11, 300]);
}

#[tokio::test(start_paused = true)]
async fn a_failed_cycle_ends_the_dreamer_with_its_reason() {
    let memory = Flawed::new(Flaw::CannotBeRead);
    let ended = dream(memory.as_ref(), &Template, Rhythm::default(), &Notify::new(), |_| {}).await;
    assert!(matches!(ended, Err(MemoryError::Store(_))), "{ended:?}");
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_process_waits_for_one_short_cycle() {
    let memory = memory();
    for number in 1..=6 {
        memory.write(experience(number, MegramState::Accept)).unwrap();
    }
    assert_eq!(last_dream(memory.as_ref()).await.unwrap().map(|did| did.promoted.len()), Some(1));
    assert_eq!(last_dream(memory.as_ref()).await.unwrap(), None, "nothing was left");
    let began = Instant::now();
    assert_eq!(last_dream(Flawed::new(Flaw::Hangs).as_ref()).await.unwrap(), None);
    assert!(began.elapsed() < LAST_CYCLE * 2, "{:?}", began.elapsed());
}
