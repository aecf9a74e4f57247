//! Tests of mailboxes and ports: lossless, bounded, restartable.

use std::time::Duration;

use artoo_bus::{BusError, RunFailure, Takeover};
use artoo_types::{MessageKind, Role};
use tokio::time::timeout;

use crate::fixtures::{bus_with, run, run_id, sample, task_spec, warning};

/// Lesson N4: the ancestor's bus dropped a control message when a queue was full, and the run hung.
#[tokio::test]
async fn a_full_mailbox_is_an_error_and_fails_the_run_and_loses_nothing() {
    let run = bus_with(3).open(run_id(1)).unwrap();
    let mut observer = run.observe(16);
    let perceiver = run.port(Role::Perceiver).unwrap();
    for seq in 1..=3 {
        assert_eq!(perceiver.publish(task_spec("a")), Ok(seq));
    }
    assert_eq!(timeout(Duration::from_millis(1), run.failure()).await.ok(), None, "no failure yet");

    let overflow = perceiver.publish(task_spec("b"));
    assert_eq!(overflow, Err(BusError::Overflow { role: Role::Planner }));
    let failure =
        RunFailure::Overflow { role: Role::Planner, from: Role::Perceiver, kind: MessageKind::TaskSpec };
    assert_eq!(run.failure().await, Some(failure));

    let mut planner = run.port(Role::Planner).unwrap();
    run.close();
    for seq in 1..=3 {
        assert_eq!(planner.recv().await.unwrap().seq, seq);
    }
    assert_eq!(planner.recv().await, None, "the refused message reached nobody");
    let seen: Vec<_> = std::iter::from_fn(|| observer.try_recv()).collect();
    assert_eq!(seen.len(), 4, "three messages and the refusal on record");
}

#[tokio::test]
async fn a_waiting_failure_is_woken_by_the_overflow_and_by_the_close() {
    let run = bus_with(1).open(run_id(1)).unwrap();
    let perceiver = run.port(Role::Perceiver).unwrap();
    let watched = run.clone();
    let waiting = tokio::spawn(async move { watched.failure().await });
    tokio::task::yield_now().await;
    perceiver.publish(task_spec("a")).unwrap();
    perceiver.publish(task_spec("b")).unwrap_err();
    assert!(waiting.await.unwrap().is_some());

    let run = bus_with(1).open(run_id(2)).unwrap();
    let watched = run.clone();
    let waiting = tokio::spawn(async move { watched.failure().await });
    tokio::task::yield_now().await;
    run.close();
    assert_eq!(waiting.await.unwrap(), None);
}

#[tokio::test]
async fn a_closed_run_drains_and_then_ends() {
    let run = run();
    let perceiver = run.port(Role::Perceiver).unwrap();
    let mut planner = run.port(Role::Planner).unwrap();
    perceiver.publish(task_spec("a")).unwrap();
    perceiver.publish(task_spec("b")).unwrap();
    run.close();
    run.close();
    assert_eq!(
        perceiver.publish(task_spec("c")),
        Err(BusError::Closed { run_id: run_id(1), role: Role::Perceiver })
    );
    assert_eq!(planner.recv().await.unwrap().seq, 1);
    assert_eq!(planner.recv().await.unwrap().seq, 2);
    assert_eq!(planner.recv().await, None);
    assert_eq!(planner.recv().await, None);
    assert_eq!(run.port(Role::Ggs).err(), Some(BusError::RunClosed { run_id: run_id(1) }));
}

#[tokio::test]
async fn a_waiting_port_is_woken_by_a_message_and_by_the_close() {
    let run = run();
    let perceiver = run.port(Role::Perceiver).unwrap();
    let mut planner = run.port(Role::Planner).unwrap();
    let waiting = tokio::spawn(async move { (planner.recv().await.map(|e| e.seq), planner.recv().await) });
    tokio::task::yield_now().await;
    perceiver.publish(task_spec("a")).unwrap();
    tokio::task::yield_now().await;
    run.close();
    assert_eq!(waiting.await.unwrap(), (Some(1), None));
}

/// Nothing may hang: a run without handles is closed.
#[tokio::test]
async fn dropping_the_last_handle_closes_the_run() {
    let run = run();
    let mut planner = run.port(Role::Planner).unwrap();
    let again = run.clone();
    drop(run);
    assert!(planner.publish(warning("still open")).is_ok());
    drop(again);
    assert_eq!(planner.recv().await, None);
}

#[tokio::test]
async fn a_role_can_be_restarted_without_losing_a_message() {
    let run = run();
    let perceiver = run.port(Role::Perceiver).unwrap();
    perceiver.publish(task_spec("before the first port")).unwrap();

    let mut first = run.port(Role::Planner).unwrap();
    let held = BusError::PortOpen { run_id: run_id(1), role: Role::Planner };
    assert_eq!(run.port(Role::Planner).err(), Some(held));
    perceiver.publish(task_spec("taken in a batch, not received")).unwrap();
    assert_eq!(first.recv().await.unwrap().seq, 1);
    let worker = first.sender();
    drop(first);
    assert_eq!(
        worker.publish(warning("from a dead role")),
        Err(BusError::Closed { run_id: run_id(1), role: Role::Planner })
    );

    perceiver.publish(task_spec("while down")).unwrap();
    let mut second = run.port(Role::Planner).unwrap();
    assert!(worker.publish(warning("the old worker stays silent")).is_err());
    assert!(second.sender().publish(warning("the new one speaks")).is_ok());
    run.close();
    assert_eq!(second.recv().await.unwrap().seq, 2);
    assert_eq!(second.recv().await.unwrap().seq, 3);
    assert_eq!(second.recv().await, None);
}

/// A successor receives its predecessor's messages again, and does not repeat the messages that were sent
/// already.
#[tokio::test]
async fn who_takes_a_role_over_catches_up_in_silence() {
    let run = run();
    let mut observer = run.observe(32);
    let perceiver = run.port(Role::Perceiver).unwrap();
    let mut dispatcher = run.port(Role::Dispatcher).unwrap();
    for text in ["a", "b", "c"] {
        perceiver.publish(task_spec(text)).unwrap();
    }
    let mut first = run.kept_port(Role::Planner).unwrap();
    assert_eq!(first.recv().await.unwrap().seq, 1);
    assert_eq!(first.publish(sample(MessageKind::Plan)), Ok(4));
    assert_eq!(first.recv().await.unwrap().seq, 2);
    drop(first);

    let choose = |mut past: Vec<_>| Takeover { again: past.pop().into_iter().collect(), past };
    let mut second = run.take_over(Role::Planner, choose).unwrap();
    let worker = second.sender();
    assert_eq!(second.recv().await.unwrap().seq, 1);
    assert_eq!(second.publish(sample(MessageKind::Plan)), Ok(0), "it was said already");
    assert_eq!(worker.publish(sample(MessageKind::Plan)), Ok(0), "nor does a worker say it again");
    assert_eq!(second.publish(warning("heard by observers alone")), Ok(5));
    let crossing = second.publish(sample(MessageKind::FinalResult));
    assert_eq!(crossing, Err(BusError::Boundary { role: Role::Planner, kind: MessageKind::FinalResult }));
    assert_eq!(second.recv().await.unwrap().seq, 2);
    assert_eq!(worker.publish(sample(MessageKind::Plan)), Ok(7), "from here on it is an answer");
    assert_eq!(second.recv().await.unwrap().seq, 3, "and the mailbox has lost nothing");

    run.close();
    assert_eq!(dispatcher.recv().await.unwrap().seq, 1);
    let mut plans = 0;
    while let Some(envelope) = dispatcher.recv().await {
        plans += u32::from(envelope.message.kind() == MessageKind::Plan);
    }
    assert_eq!(plans, 2);
    assert_eq!(std::iter::from_fn(|| observer.try_recv()).count(), 7, "every message has its number");
}

#[tokio::test]
async fn receiving_is_cancel_safe() {
    let run = run();
    let perceiver = run.port(Role::Perceiver).unwrap();
    let mut planner = run.port(Role::Planner).unwrap();
    for seq in 1..=200 {
        // A receive that is dropped while it waits, then one that is dropped by a race.
        assert!(poll_once(planner.recv()).is_none());
        perceiver.publish(task_spec("a")).unwrap();
        tokio::select! {
            biased;
            () = std::future::ready(()) => {}
            _ = planner.recv() => unreachable!("the first branch is always ready"),
        }
        assert_eq!(planner.recv().await.unwrap().seq, seq);
    }
}

/// A receive loop that always finds a message must not monopolise its worker thread.
#[tokio::test(flavor = "current_thread")]
async fn receiving_yields_to_other_tasks() {
    let run = run();
    let perceiver = run.port(Role::Perceiver).unwrap();
    let mut planner = run.port(Role::Planner).unwrap();
    for _ in 0..10_000 {
        perceiver.publish(task_spec("a")).unwrap();
    }
    let other = tokio::spawn(async {});
    for _ in 0..9_000 {
        planner.recv().await.unwrap();
    }
    assert!(other.is_finished());
}

#[tokio::test]
async fn a_panicking_recorder_fails_the_run_and_nothing_else() {
    let run = run();
    let mut seen = 0;
    run.record(Box::new(move |_| {
        seen += 1;
        assert!(seen < 2, "the disk is on fire");
    }));
    let planner = run.port(Role::Planner).unwrap();
    assert_eq!(planner.publish(warning("a")), Ok(1));
    assert_eq!(planner.publish(warning("b")), Ok(2));
    assert_eq!(planner.publish(warning("c")), Ok(3));
    assert_eq!(run.failure().await, Some(RunFailure::Recorder { seq: 2 }));
}

#[test]
fn every_kind_fits_its_sample() {
    for kind in MessageKind::ALL.iter().copied() {
        assert_eq!(sample(kind).kind(), kind);
    }
}

fn poll_once<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        std::task::Poll::Ready(value) => Some(value),
        std::task::Poll::Pending => None,
    }
}
