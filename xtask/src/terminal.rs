//! The one place of this crate that prints: progress and findings on stderr, data that was asked for on
//! stdout.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "tasks talk to the developer's terminal")]

use std::{
    fmt::Display,
    time::{Duration, Instant},
};

use crate::Result;

/// Says one line.
pub fn say(line: impl Display) {
    eprintln!("{line}");
}

/// Puts out data that the developer asked for.
pub fn data(text: impl Display) {
    println!("{text}");
}

/// Says why a task stopped.
pub fn failure(error: &crate::Error) {
    eprintln!("error: {error}");
}

/// Runs one named step of a task and says how long it took.
///
/// # Errors
/// Whatever the step's.
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

/// A duration as a person reads it.
pub fn seconds(duration: Duration) -> String {
    if duration < Duration::from_secs(100) {
        format!("{:.1} s", duration.as_secs_f64())
    } else {
        format!("{} min {:02} s", duration.as_secs() / 60, duration.as_secs() % 60)
    }
}
