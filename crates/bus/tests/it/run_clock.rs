//! Tests of the run's clock and the timestamps.

use std::time::Duration;

use artoo_bus::{Bus, BusLimits};
use artoo_types::Role;

use crate::fixtures::{clock, run_id, warning};

/// Decision 15: the clock starts with the run and stops while a human is being asked.
#[test]
fn the_clock_stops_while_a_person_is_asked() {
    let clock = clock();
    let bus = Bus::new(clock.clone(), BusLimits::default());
    clock.advance(Duration::from_secs(100));
    let run = bus.open(run_id(1)).unwrap();
    let elapsed = || run.elapsed().as_secs();
    assert_eq!(elapsed(), 0);
    clock.advance(Duration::from_secs(5));
    run.pause();
    clock.advance(Duration::from_secs(60));
    assert_eq!(elapsed(), 5);
    run.pause();
    run.resume();
    clock.advance(Duration::from_secs(60));
    assert_eq!(elapsed(), 5, "a second question was answered, the first is still open");
    run.resume();
    clock.advance(Duration::from_secs(2));
    assert_eq!(elapsed(), 7);
    run.resume();
    clock.advance(Duration::from_secs(1));
    assert_eq!(elapsed(), 8, "a resume without a pause does nothing");
}

#[test]
fn messages_carry_wall_time_and_run_time() {
    let clock = clock();
    let bus = Bus::new(clock.clone(), BusLimits::default());
    let run = bus.open(run_id(1)).unwrap();
    let mut observer = run.observe(4);
    let planner = run.port(Role::Planner).unwrap();
    clock.advance(Duration::from_millis(1_500));
    run.pause();
    clock.advance(Duration::from_secs(60));
    planner.publish(warning("asked")).unwrap();
    let envelope = observer.try_recv().unwrap().envelope().unwrap().clone();
    assert_eq!(envelope.elapsed_ms, 1_500);
    assert_eq!(envelope.at.to_rfc3339(), "2026-03-01T12:01:01.500+01:00");
}
