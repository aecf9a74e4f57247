//! Page of `artoo memory forecast`: charts of attention and decision over time.
//!
//! Bars show the values, a letter per column the action, and a line the days on which the action changes.

use artoo_types::{MemoryAction, Potentials, RecallReason};
use chrono::{DateTime, FixedOffset};

use super::forecast::{Ahead, PairAhead};
use crate::terminal::{clip, neutral_line};
use crate::view::advice;

/// Width of the names before the bars.
const NAMES: usize = 11;
/// Maximum and minimum width of a chart.
const MOST: usize = 61;
const FEWEST: usize = 8;
/// Bars in eighths of a line.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Renders the page.
pub(super) fn page(ahead: &Ahead, now: DateTime<FixedOffset>, columns: usize) -> String {
    let mut text = line(&format!("request: {}", ahead.request), columns);
    for pair in &ahead.pairs {
        text.push_str(&of_pair(pair, now, columns));
    }
    for law in &ahead.laws {
        text.push_str(&line(&format!("always: {}", law.content), columns));
    }
    if ahead.pairs.iter().any(|pair| pair.now.attention > 0.0) {
        text.push_str("E exploit, A avoid, C caution, . ignore; if nothing more is learned\n");
    }
    text
}

fn line(text: &str, columns: usize) -> String {
    format!("{}\n", clip(&neutral_line(text), columns))
}

fn of_pair(ahead: &PairAhead, now: DateTime<FixedOffset>, columns: usize) -> String {
    let PairAhead { pair, reason, now: known, forecast } = ahead;
    let alike = match reason {
        RecallReason::Asked => String::new(),
        RecallReason::Similar { score, .. } => format!(", {:.0} % alike", score * 100.0),
    };
    let mut text = format!("\n{}", line(&format!("{pair}{alike}"), columns));
    if known.attention <= 0.0 {
        text.push_str("  nothing is known\n");
        return text;
    }
    text.push_str(&picture(&forecast.days, now, columns));
    text.push_str(&line(&format!("  {}", story(ahead)), columns.max(80)));
    text
}

/// `exploit until 2027-01-12, then ignore`.
fn story(ahead: &PairAhead) -> String {
    let mut text = advice(ahead.now.action).to_owned();
    for change in &ahead.forecast.changes {
        text.push_str(&format!(" until {}, then {}", change.at.format("%Y-%m-%d"), advice(change.action)));
    }
    if ahead.forecast.changes.is_empty() {
        text.push_str(&format!(" for the next {} days", ahead.forecast.days.len().saturating_sub(1)));
    }
    text
}

fn picture(days: &[Potentials], now: DateTime<FixedOffset>, columns: usize) -> String {
    let wide = columns.saturating_sub(NAMES + 8).clamp(FEWEST, MOST);
    let shown = sampled(days, wide);
    let peak = shown.iter().map(|day| day.attention).fold(0.0, f64::max);
    let mut text = String::new();
    let ends = |of: &dyn Fn(&Potentials) -> f64| {
        let end = |day: Option<&Potentials>| day.map(of).unwrap_or_default() + 0.0;
        (end(shown.first()), end(shown.last()))
    };
    let mut row = |name: &str, of: &dyn Fn(&Potentials) -> f64| {
        let bars: String = shown.iter().map(|day| bar(of(day), peak)).collect();
        if bars.trim().is_empty() {
            return;
        }
        let (first, last) = ends(of);
        text.push_str(&format!("  {name:<NAMES$}{bars} {first:.2} to {last:.2}\n"));
    };
    row("attention", &|day| day.attention);
    row("for", &|day| day.decision.max(0.0));
    row("against", &|day| (-day.decision).max(0.0));
    let letters: String = shown.iter().map(|day| letter(day.action)).collect();
    text.push_str(&format!("  {:<NAMES$}{letters}\n", "advice"));
    let last = i64::try_from(days.len().saturating_sub(1)).unwrap_or_default();
    let until = now.checked_add_signed(chrono::Duration::days(last)).unwrap_or(now);
    let (from, until) = (now.format("%Y-%m-%d").to_string(), until.format("%Y-%m-%d").to_string());
    let gap = shown.len().saturating_sub(from.len() + until.len());
    let scale =
        if gap > 0 { format!("{from}{}{until}", " ".repeat(gap)) } else { format!("{from} to {until}") };
    text.push_str(&format!("  {:<NAMES$}{scale}\n", ""));
    text
}

/// At most `most` of the days, evenly spaced, including the first and the last.
fn sampled(days: &[Potentials], most: usize) -> Vec<Potentials> {
    let count = days.len().min(most);
    let last = days.len().saturating_sub(1);
    (0..count).filter_map(|at| days.get(at * last / count.saturating_sub(1).max(1))).copied().collect()
}

/// Bar of a value between 0 and the peak: a blank only for a value near 0.
fn bar(value: f64, peak: f64) -> char {
    if value < 0.005 || peak <= 0.0 {
        return ' ';
    }
    let eighth = (value / peak * 8.0).ceil().clamp(1.0, 8.0) as usize - 1;
    BARS.get(eighth).copied().unwrap_or(' ')
}

fn letter(action: MemoryAction) -> char {
    match action {
        MemoryAction::Exploit => 'E',
        MemoryAction::Avoid => 'A',
        MemoryAction::Caution => 'C',
        MemoryAction::Ignore => '.',
    }
}
