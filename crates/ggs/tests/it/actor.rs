//! The actor on a real bus, in paused time.

use std::sync::Arc;
use std::time::Duration;

use artoo_bus::{Bus, BusLimits, Port, RunBus, SystemClock};
use artoo_ggs_core::Profile;
use artoo_types::{FaultKind, FinalResult, Message, MessageKind, Role};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::fixtures::{
    ENVIRONMENTAL, all_met, failed, fault, matched, replan, run_id, settings, story, task,
};

struct Stage {
    run: RunBus,
    user: Port,
    planner: Port,
    meta: Port,
    perceiver: Port,
    ggs: JoinHandle<()>,
}

fn stage() -> Stage {
    let bus = Bus::new(Arc::new(SystemClock::new()), BusLimits::default());
    let run = bus.open(run_id()).unwrap();
    let port = |role| run.port(role).unwrap();
    let settings = settings(Profile::Default);
    let ggs = tokio::spawn(artoo_ggs::run(port(Role::Ggs), settings.solver(), settings));
    let stage = Stage {
        user: port(Role::User),
        planner: port(Role::Planner),
        meta: port(Role::MetaValidator),
        perceiver: port(Role::Perceiver),
        ggs,
        run,
    };
    stage.perceiver.publish(task()).unwrap();
    stage
}

/// The next message of a kind; the others are dropped.
async fn next(port: &mut Port, kind: MessageKind) -> Message {
    loop {
        let envelope = port.recv().await.unwrap();
        if envelope.message.kind() == kind {
            return Message::clone(&envelope.message);
        }
    }
}

async fn result(stage: &mut Stage) -> FinalResult {
    let message = next(&mut stage.user, MessageKind::FinalResult).await;
    let Message::FinalResult(result) = message else { panic!("{message:?}") };
    result
}

async fn four_plans(stage: &mut Stage) {
    for _ in 0..3 {
        stage.meta.publish(replan(vec![failed(1, &["a", "b"], ENVIRONMENTAL)])).unwrap();
        next(&mut stage.planner, MessageKind::PlanDirective).await;
    }
    stage.meta.publish(replan(vec![failed(1, &["a", "b"], ENVIRONMENTAL)])).unwrap();
    next(&mut stage.planner, MessageKind::FailureReportRequest).await;
}

#[tokio::test(start_paused = true)]
async fn it_ends_with_its_result() {
    let mut stage = stage();
    stage.meta.publish(all_met(vec![matched(1, &["a"])])).unwrap();
    assert_eq!(result(&mut stage).await.summary, "There are 3 files.");
    stage.ggs.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn it_replans_asks_and_tells_the_planners_story() {
    let mut stage = stage();
    four_plans(&mut stage).await;
    let asked = Instant::now();
    tokio::time::sleep(Duration::from_secs(9)).await;
    stage.planner.publish(story("I tried four times.")).unwrap();
    assert!(result(&mut stage).await.summary.ends_with("I tried four times."));
    assert!(asked.elapsed() < Duration::from_secs(10));
}

#[tokio::test(start_paused = true)]
async fn a_silent_planner_holds_nothing_up_beyond_the_deadline() {
    let mut stage = stage();
    four_plans(&mut stage).await;
    let asked = Instant::now();
    // Other messages must not move the deadline.
    tokio::time::sleep(Duration::from_secs(7)).await;
    stage.perceiver.publish(task()).unwrap();
    assert!(result(&mut stage).await.summary.starts_with("Not finished: "));
    assert_eq!(asked.elapsed().as_secs(), 10);
    stage.ggs.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_fault_ends_the_run_at_once() {
    let mut stage = stage();
    let supervisor = stage.run.port(Role::Supervisor).unwrap();
    supervisor.publish(fault(Role::Supervisor, FaultKind::Cancelled)).unwrap();
    let fault = result(&mut stage).await.fault.unwrap();
    assert_eq!(fault.kind, FaultKind::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn a_closed_run_ends_it_without_a_result() {
    let stage = stage();
    stage.run.close();
    stage.ggs.await.unwrap();
}
