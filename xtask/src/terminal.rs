//! The only module of this crate that prints: progress and findings on stderr, requested data on stdout.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "tasks talk to the developer's terminal")]

use std::{
    fmt::Display,
    time::{Duration, Instant},
};

use crate::Result;

/// Prints one line.
pub fn say(line: impl Display) {
    eprintln!("{line}");
}

/// Prints requested data.
pub fn data(text: impl Display) {
    println!("{text}");
}

/// Prints why a task stopped.
pub fn failure(error: &crate::Error) {
    eprintln!("error: {error}");
}

/// Runs one named step of a task and prints how long it took.
///
/// # Errors
/// Those of the step.
pub fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("── {name}");
    let started = Instant::now();
    let result = work();
    let took = seconds(started.elapsed());
    match &result {
        Ok(_) => eprintln!("── {name}: done in {took}\n"),
        Err(_) => eprintln!("── {name}: FAILED after {took}\n"),
    }
    result
}

/// A duration for people.
pub fn seconds(duration: Duration) -> String {
    if duration < Duration::from_secs(100) {
        format!("{:.1} s", duration.as_secs_f64())
    } else {
        format!("{} min {:02} s", duration.as_secs() / 60, duration.as_secs() % 60)
    }
}
