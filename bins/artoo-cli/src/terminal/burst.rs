//! What comes in one burst was pasted: nobody types a line end and goes on within milliseconds.
//!
//! A terminal that marks pastes needs none of this. Others send the line ends of a pasted text as Enter.

use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// How soon the next character of a paste comes. A slow connection delivers it in pieces; a person is slower.
const BURST: Duration = Duration::from_millis(20);

/// Whether more follows the key that was just read, while the terminal is read key by key.
pub(crate) fn more_keys_follow() -> bool {
    crossterm::event::poll(BURST).unwrap_or(false)
}

/// Whether standard input has more within this time, less than a second, while it is read line by line.
pub(crate) fn input_follows(within: Duration) -> bool {
    readiness(within) == Some(PollFlags::IN)
}

/// The same, or whether standard input is at its end: reading it does not wait.
pub(crate) fn input_or_its_end_follows(within: Duration) -> bool {
    readiness(within).is_some()
}

/// What standard input is ready for within this time.
fn readiness(within: Duration) -> Option<PollFlags> {
    let input = std::io::stdin();
    let mut ready = [PollFd::new(&input, PollFlags::IN)];
    let wait = Timespec { tv_sec: 0, tv_nsec: i64::from(within.subsec_nanos()) };
    poll(&mut ready, Some(&wait)).ok().filter(|count| *count > 0)?;
    ready.first().map(PollFd::revents)
}

/// The lines that follow the one just read in the same burst, joined to it. At a terminal only: in a pipe nothing is
/// known of when something was written.
pub(crate) fn with_the_rest_of_its_burst(first: String, mut next: impl FnMut() -> Option<String>) -> String {
    joined(first, || if input_follows(BURST) { next() } else { None })
}

fn joined(first: String, mut next: impl FnMut() -> Option<String>) -> String {
    let mut text = first;
    while let Some(line) = next() {
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&line);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_burst_are_one_text() {
        let mut rest = ["two\n", "three"].into_iter().map(str::to_owned);
        assert_eq!(joined("one\n".to_owned(), || rest.next()), "one\ntwo\nthree");
        assert_eq!(joined("one".to_owned(), || None), "one");
    }
}
