//! Tests of observers, taps and recorders.

use std::sync::mpsc;

use artoo_bus::{LostRange, Observed, Observer};
use artoo_types::Role;
use proptest::prelude::*;

use crate::fixtures::{bus_with, run, run_id, tool_output, warning};

/// Receives up to `most` items and appends the message numbers that they account for, received or lost.
fn account(observer: &mut Observer, most: usize, accounted: &mut Vec<u64>) {
    for observed in std::iter::from_fn(|| observer.try_recv()).take(most) {
        match observed {
            Observed::Message(envelope) => accounted.push(envelope.seq),
            Observed::Lagged(lag) => {
                let [LostRange { first_seq, last_seq, .. }] = lag.ranges[..] else {
                    panic!("one run: {lag:?}")
                };
                assert_eq!(lag.count(), last_seq - first_seq + 1);
                accounted.extend(first_seq..=last_seq);
            }
        }
    }
}

proptest! {
    /// However slowly an observer reads, received and reported lost messages are all messages, in order,
    /// without overlap.
    #[test]
    fn received_and_lost_are_all(capacity in 1_usize..100, steps in proptest::collection::vec((0_usize..150, 0_usize..150), 1..12)) {
        let run = run();
        let mut observer = run.observe(capacity);
        let executor = run.port(Role::Executor).unwrap();
        let (mut accounted, mut published) = (Vec::new(), 0);
        for (publish, receive) in steps {
            for _ in 0..publish {
                published = executor.publish(tool_output(1)).unwrap();
            }
            account(&mut observer, receive, &mut accounted);
        }
        account(&mut observer, usize::MAX, &mut accounted);
        prop_assert_eq!(accounted, (1..=published).collect::<Vec<_>>());
    }
}

#[test]
fn an_observer_sees_what_comes_after_it_was_made() {
    let run = run();
    let planner = run.port(Role::Planner).unwrap();
    planner.publish(warning("before")).unwrap();
    let mut observer = run.observe(4);
    planner.publish(warning("after")).unwrap();
    assert_eq!(observer.try_recv().unwrap().envelope().unwrap().seq, 2);
    assert_eq!(observer.try_recv(), None);
}

#[tokio::test]
async fn a_tap_sees_every_run_and_accounts_for_each() {
    let bus = bus_with(16);
    let early = bus.open(run_id(1)).unwrap();
    let mut tap = bus.tap(2);
    let late = bus.open(run_id(2)).unwrap();
    let (one, two) = (early.port(Role::Planner).unwrap(), late.port(Role::Planner).unwrap());
    for n in 0..3 {
        one.publish(warning(&n.to_string())).unwrap();
        two.publish(warning(&n.to_string())).unwrap();
    }
    let Some(Observed::Lagged(lag)) = tap.try_recv() else { panic!("six messages into two places") };
    assert_eq!(
        lag.ranges,
        [
            LostRange { run_id: run_id(1), first_seq: 1, last_seq: 2 },
            LostRange { run_id: run_id(2), first_seq: 1, last_seq: 2 },
        ]
    );
    assert_eq!(lag.count(), 4);
    for id in [1, 2] {
        let envelope = tap.recv().await.unwrap().envelope().unwrap().clone();
        assert_eq!((envelope.run_id, envelope.seq), (run_id(id), 3));
    }
    assert_eq!(tap.try_recv(), None);

    let stop = tap.stop_handle();
    one.publish(warning("last")).unwrap();
    stop.stop();
    one.publish(warning("too late")).unwrap();
    assert_eq!(tap.recv().await.unwrap().envelope().unwrap().seq, 4);
    assert_eq!(tap.recv().await, None);
}

#[test]
fn a_blocking_tap_gets_everything_and_ends_with_the_bus() {
    let bus = bus_with(16);
    let mut tap = bus.tap(10_000);
    let thread = std::thread::spawn(move || std::iter::from_fn(|| tap.blocking_recv()).count());
    let run = bus.open(run_id(1)).unwrap();
    let planner = run.port(Role::Planner).unwrap();
    for _ in 0..1_000 {
        planner.publish(warning("a")).unwrap();
    }
    drop((bus, run, planner));
    assert_eq!(thread.join().unwrap(), 1_000);
}

#[tokio::test]
async fn an_observer_ends_with_its_run_and_a_dropped_one_is_forgotten() {
    let run = run();
    let planner = run.port(Role::Planner).unwrap();
    let mut observer = run.observe(4);
    drop(run.observe(4));
    planner.publish(warning("a")).unwrap();
    run.close();
    assert!(observer.recv().await.is_some());
    assert_eq!(observer.recv().await, None);
    assert_eq!(run.observe(4).recv().await, None);
}

#[test]
fn a_recorder_gets_everything_in_order() {
    let run = run();
    let (sender, receiver) = mpsc::channel();
    run.record(Box::new(move |envelope| {
        let _ = sender.send(envelope.seq);
    }));
    let planner = run.port(Role::Planner).unwrap();
    for _ in 0..100 {
        planner.publish(warning("a")).unwrap();
    }
    planner.publish(crate::fixtures::task_spec("refused")).unwrap_err();
    run.close();
    // The recorder is dropped with the close, so this ends.
    assert_eq!(receiver.iter().collect::<Vec<_>>(), (1..=101).collect::<Vec<_>>());
}
