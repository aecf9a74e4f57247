use std::sync::Arc;

use artoo_bus::{Bus, BusLimits, ManualClock, Port, RunBus};
use artoo_mkct_memory::MemoryService;
use artoo_redaction::Redactor;
use artoo_types::{MegramState, MegramWrite, MemoryQuery, MemoryReply, Message, Role, RunId, TagPair};
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::fixtures::{Flaw, Flawed, experience, memory, pair, today};

fn start(memory: Arc<dyn MemoryService>, run: u128) -> (RunBus, JoinHandle<()>) {
    let bus = Bus::new(Arc::new(ManualClock::new(today())), BusLimits::default());
    let run = bus.open(RunId::new(Uuid::from_u128(run))).unwrap();
    let actor = tokio::spawn(artoo_shared_memory::run(
        run.port(Role::SharedMemory).unwrap(),
        memory,
        Redactor::new(),
    ));
    (run, actor)
}

async fn ask(planner: &mut Port) -> MemoryReply {
    let (space, entity) = pair();
    planner.publish(MemoryQuery { pairs: vec![TagPair::new(space, entity)], like: None }).unwrap();
    let envelope = planner.recv().await.unwrap();
    assert_eq!(envelope.from, Role::SharedMemory);
    let Message::MemoryReply(reply) = envelope.message.as_ref() else { panic!("{envelope:?}") };
    reply.clone()
}

#[tokio::test]
async fn a_question_sees_every_megram_before_it() {
    let (run, actor) = start(memory(), 1);
    let (mut planner, ggs) = (run.port(Role::Planner).unwrap(), run.port(Role::Ggs).unwrap());
    assert_eq!(ask(&mut planner).await.recalled[0].potentials.attention, 0.0);
    for number in 1..=20 {
        ggs.publish(MegramWrite { megram: experience(number, MegramState::Success) }).unwrap();
        assert_eq!(
            (ask(&mut planner).await.recalled[0].potentials.attention * 10.0).round(),
            number as f64 * 8.0
        );
    }
    run.close();
    actor.await.unwrap();
}

#[tokio::test]
async fn what_one_run_teaches_the_next_one_knows() {
    let memory = memory();
    let (first, actor) = start(memory.clone(), 1);
    let ggs = first.port(Role::Ggs).unwrap();
    ggs.publish(MegramWrite { megram: experience(1, MegramState::Abandon) }).unwrap();
    first.close();
    actor.await.unwrap();
    let (second, actor) = start(memory, 2);
    assert_eq!(ask(&mut second.port(Role::Planner).unwrap()).await.recalled[0].potentials.decision, -0.95);
    second.close();
    actor.await.unwrap();
}

#[tokio::test]
async fn what_goes_wrong_is_seen_by_whoever_watches() {
    let (run, actor) = start(Flawed::new(Flaw::CannotBeRead), 1);
    let mut observer = run.observe(16);
    let mut planner = run.port(Role::Planner).unwrap();
    assert_eq!(ask(&mut planner).await.recalled[0].sops, []);
    run.close();
    actor.await.unwrap();
    let mut kinds = Vec::new();
    while let Some(seen) = observer.recv().await {
        kinds.push(seen.envelope().unwrap().message.kind().name());
    }
    assert_eq!(kinds, ["memory_query", "warning", "memory_reply"]);
}

/// R7 and R2 continue whatever the memory does; nothing is lost meanwhile.
#[tokio::test(start_paused = true)]
async fn a_memory_that_hangs_makes_nobody_wait_to_write() {
    let memory = Flawed::new(Flaw::Hangs);
    let (run, actor) = start(memory.clone(), 1);
    let (mut planner, ggs) = (run.port(Role::Planner).unwrap(), run.port(Role::Ggs).unwrap());
    let (space, entity) = pair();
    planner.publish(MemoryQuery { pairs: vec![TagPair::new(space, entity)], like: None }).unwrap();
    tokio::task::yield_now().await;
    for number in 1..=1000 {
        ggs.publish(MegramWrite { megram: experience(number, MegramState::Success) }).unwrap();
    }
    assert!(planner.recv().await.is_some());
    run.close();
    actor.await.unwrap();
    assert_eq!(memory.inner.events().len(), 1000);
}
