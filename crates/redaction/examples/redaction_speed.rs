//! Benchmark: the time to redact ordinary text, as a ratio to scanning it byte by byte.
//!
//! `cargo run --release -p artoo-redaction --example redaction_speed [rounds]`
//!
//! The baseline counts the words of the same text in the same round, so a busy machine slows both equally.
//! The table gives medians.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use artoo_redaction::Redactor;

const TEXTS: [(&str, &str); 4] = [
    ("prose", include_str!("../../../docs/architecture.md")),
    ("code", include_str!("../src/redactor.rs")),
    ("lock file", include_str!("../../../Cargo.lock")),
    (
        "log lines",
        "2026-03-01T10:00:00Z INFO artoo_bus::port: sent 12 of 40 to R4a, call=7 id=0190c8a4-7d2e-7c3b\n",
    ),
];
const LENGTH: usize = 4 << 20;

fn main() {
    let rounds: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(15);
    let known = ["correct-horse-battery", "canary-in-a-coal-mine", "0123456789abcdef0123"];
    let redactor = known.into_iter().fold(Redactor::new(), Redactor::secret);
    println!("{:<10} {:>10} {:>10} {:>7}", "text", "words MB/s", "redactor", "ratio");
    for (name, text) in TEXTS {
        let lines: Vec<String> =
            std::iter::repeat_n(text, LENGTH / text.len()).flat_map(str::lines).map(str::to_owned).collect();
        let bytes: usize = lines.iter().map(String::len).sum();
        let mut times: Vec<(Duration, Duration)> = (0..rounds)
            .map(|_| {
                let words = timed(|| lines.iter().map(|line| words(line)).sum::<usize>());
                (
                    words,
                    timed(|| lines.iter().filter(|line| redactor.apply(line).len() != line.len()).count()),
                )
            })
            .collect();
        times.sort_by_key(|(words, redacted)| redacted.as_nanos() * 1000 / words.as_nanos().max(1));
        let Some((words, redacted)) = times.get(rounds / 2) else { return };
        let speed = |time: &Duration| bytes as f64 / 1e6 / time.as_secs_f64();
        let ratio = redacted.as_secs_f64() / words.as_secs_f64();
        println!("{name:<10} {:>10.0} {:>10.0} {ratio:>7.2}", speed(words), speed(redacted));
    }
}

fn words(text: &str) -> usize {
    let ends =
        |pair: &&[u8]| matches!(pair, [a, b] if a.is_ascii_alphanumeric() && !b.is_ascii_alphanumeric());
    text.as_bytes().windows(2).filter(ends).count()
}

fn timed(work: impl FnOnce() -> usize) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}
