//! The line that shows a download: how much is there, how long the rest takes, how quickly it comes.

use std::collections::VecDeque;
use std::time::Duration;

use artoo_llm_local::store::{Phase, Progress};

use crate::terminal::Look;
use crate::view::{bytes, seconds};

/// The time over which the rate is measured. A package arrives in a moment, and the next one seconds later.
const SPAN: Duration = Duration::from_secs(10);
/// The least time after which there is a rate, and after which nothing new is a fact to be told.
const LEAST: Duration = Duration::from_secs(1);
/// How often a line that can be rewritten is.
const LIVE: Duration = Duration::from_millis(100);
/// How often another line comes where it cannot.
const PLAIN: Duration = Duration::from_secs(10);
/// Percent after which it comes sooner.
const STEP: u64 = 10;

/// What is known of a download. All times are since its beginning.
#[derive(Debug, Default)]
pub(super) struct DownloadLine {
    latest: Option<Progress>,
    rate: Rate,
    /// When the line was last shown, its phase, and its step in percent.
    shown: Option<(Duration, Phase, u64)>,
}

/// How quickly bytes have come over the last seconds.
#[derive(Debug, Default)]
struct Rate {
    /// How many bytes were there when; only the first is older than [`SPAN`].
    marks: VecDeque<(Duration, u64)>,
    /// How many are there.
    done: u64,
    /// When this number changed.
    changed: Duration,
}

impl DownloadLine {
    /// Takes news of the download. Returns the line, if it is time to show one.
    pub(super) fn on(&mut self, at: Duration, progress: Progress, look: Look) -> Option<String> {
        self.latest = Some(progress);
        self.at(at, look)
    }

    /// The line, if it is time to show one: also without news, the time goes on.
    pub(super) fn at(&mut self, at: Duration, look: Look) -> Option<String> {
        let progress = self.latest?;
        if progress.phase == Phase::Fetching {
            self.rate.note(at, progress.done);
        }
        let step = percent(progress) / STEP;
        if let Some((shown, phase, shown_step)) = self.shown {
            let is_new = !look.live && (phase, shown_step) != (progress.phase, step);
            let due = if look.live { LIVE } else { PLAIN };
            if !is_new && at.saturating_sub(shown) < due {
                return None;
            }
        }
        self.shown = Some((at, progress.phase, step));
        Some(line(progress, &self.rate, at, if look.live { look.columns } else { 0 }))
    }
}

impl Rate {
    fn note(&mut self, at: Duration, done: u64) {
        if done < self.done {
            // The download began anew.
            self.marks.clear();
        }
        if done != self.done {
            (self.done, self.changed) = (done, at);
        }
        if self.marks.back().is_none_or(|(last, _)| at.saturating_sub(*last) >= LIVE) {
            self.marks.push_back((at, done));
        }
        while self.marks.get(1).is_some_and(|(second, _)| at.saturating_sub(*second) >= SPAN) {
            self.marks.pop_front();
        }
    }

    /// Bytes a second until now; `None` before there was time to measure.
    fn per_second(&self, now: Duration) -> Option<u64> {
        let old = self.marks.iter().rev().find(|(at, _)| now.saturating_sub(*at) >= SPAN);
        let (begin, before) = *old.or(self.marks.front())?;
        let took = now.saturating_sub(begin);
        if took < LEAST {
            return None;
        }
        let received = u128::from(self.done.saturating_sub(before));
        Some(u64::try_from(received * 1000 / took.as_millis()).unwrap_or(u64::MAX))
    }
}

fn percent(progress: Progress) -> u64 {
    progress.done.saturating_mul(100).checked_div(progress.total).unwrap_or(0).min(100)
}

/// The line: what matters most first, since the end may be cut; then a bar if there is room.
fn line(progress: Progress, rate: &Rate, now: Duration, columns: usize) -> String {
    let percent = percent(progress);
    let amount = format!("{} of {}", bytes(progress.done), bytes(progress.total));
    let told = match progress.phase {
        Phase::Verifying => format!("{percent:>3} % verifying, {amount}"),
        Phase::Fetching => match rate.per_second(now) {
            None => format!("{percent:>3} % fetching, {amount}"),
            Some(0) => {
                let silent = seconds(now.saturating_sub(rate.changed));
                format!("{percent:>3} % fetching, nothing new for {silent}, {amount}")
            }
            Some(rate) => {
                let left = Duration::from_secs(progress.total.saturating_sub(progress.done) / rate);
                format!("{percent:>3} % fetching, {} left, {}/s, {amount}", seconds(left), bytes(rate))
            }
        },
    };
    let room = columns.saturating_sub(told.len() + 4).min(30);
    if room < 10 {
        return told;
    }
    let full = usize::try_from(percent).unwrap_or(0) * room / 100;
    format!("{told}  {}{}", "█".repeat(full), "░".repeat(room - full))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1_000_000;
    const LIVE_LOOK: Look = Look { columns: 80, colour: false, live: true, words: false };
    const SPOKEN: Look = LIVE_LOOK.spoken();

    fn fetched(done: u64) -> Progress {
        Progress { phase: Phase::Fetching, done, total: 1_117_320_768 }
    }

    fn at(tenths: u64) -> Duration {
        Duration::from_millis(tenths * 100)
    }

    /// A download at 20 MB/s that goes on where half was there, then at 2 MB/s, then not at all.
    #[test]
    fn the_rate_is_that_of_the_last_seconds() {
        let mut download = DownloadLine::default();
        let mut lines = Vec::new();
        let mut done = 500 * MB;
        for tenth in 0..=300 {
            lines.push(download.on(at(tenth), fetched(done), LIVE_LOOK).unwrap());
            done += if tenth < 100 { 2 * MB } else { MB / 5 };
        }
        let silent = download.at(at(420), LIVE_LOOK).unwrap();
        insta::assert_snapshot!(
            [&lines[0], &lines[100], &lines[150], &lines[300], &silent].map(String::as_str).join("\n")
        );
    }

    #[test]
    fn a_line_that_cannot_be_rewritten_comes_each_ten_percent_and_ten_seconds() {
        let mut download = DownloadLine::default();
        let mut lines = Vec::new();
        for tenth in 0..=600 {
            let done = if tenth < 300 { tenth * MB } else { 300 * MB };
            lines.extend(download.on(at(tenth), fetched(done), SPOKEN));
        }
        lines.extend(download.on(at(601), Progress { phase: Phase::Verifying, ..fetched(MB) }, SPOKEN));
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn a_line_fits_and_what_matters_comes_first() {
        let mut rate = Rate::default();
        (0..=20).for_each(|tenth| rate.note(at(tenth), tenth * 12 * MB / 10));
        let of = |phase, done, columns| line(Progress { phase, ..fetched(done) }, &rate, at(20), columns);
        let lines = [
            of(Phase::Fetching, 558_660_384, 80),
            of(Phase::Fetching, 558_660_384, 40),
            of(Phase::Verifying, 1_117_320_768, 40),
        ];
        insta::assert_snapshot!(lines.join("\n"));
        assert_eq!(
            line(Progress { total: 0, ..fetched(0) }, &Rate::default(), at(0), 20),
            "  0 % fetching, 0 B of 0 B"
        );
    }
}
