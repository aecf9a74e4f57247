//! Page of `artoo memory show`: everything about one entry.

use artoo_memory_store::operator::{Listed, Shown};
use artoo_types::{Level, Megram, Origin};
use chrono::{DateTime, FixedOffset};

use super::pages::{day, level_letter, pair, sign};
use crate::terminal::{clip, neutral, neutral_line};
use crate::view::{advice, age, megram as state};

/// Maximum number of sources shown; the others are counted.
const SOURCES: usize = 20;

/// Renders the page.
pub(super) fn entry(shown: &Shown, now: DateTime<FixedOffset>, columns: usize) -> String {
    let Listed { megram, live, consolidated_into } = &shown.listed;
    let mut text = format!("{}\n", megram.id);
    let mut row = |name: &str, value: &str| text.push_str(&format!("  {name:<9} {value}\n"));
    row("level", &format!("{}: {}", level_letter(megram.level), level(megram.level)));
    row("pair", &pair(megram));
    row("made", &format!("{} ({} ago)", day(megram.created_at), age(megram.created_at, now)));
    let recalled = megram
        .last_recalled_at
        .map_or_else(|| "not since".to_owned(), |at| format!("{} ({} ago)", day(at), age(at, now)));
    row("recalled", &recalled);
    row("origin", &origin(megram.origin));
    row(
        "strength",
        &format!(
            "{} f {:.2}, sigma {:+.2}, k {} a day ({})",
            state(megram.state),
            megram.f,
            megram.sigma,
            rate(megram.k),
            sign(megram)
        ),
    );
    row("adds now", &format!("attention {live:.2}, decision {:+.2}", live * megram.sigma + 0.0));
    let known = &shown.potentials;
    row(
        "its pair",
        &format!(
            "{} (attention {:.2}, decision {:+.2})",
            advice(known.action),
            known.attention,
            known.decision
        ),
    );
    if let Some(rule) = consolidated_into {
        row("part of", &format!("the rule {rule}, and counts no more: artoo memory show {rule}"));
    }
    text.push_str("  lesson\n");
    for line in neutral(&megram.content).lines() {
        text.push_str(&format!("    {line}\n"));
    }
    text.push_str(&sources(shown, columns));
    text
}

fn sources(shown: &Shown, columns: usize) -> String {
    let all = shown.sources.len() as u64 + shown.sources_not_shown;
    if all == 0 {
        return String::new();
    }
    let mut text = format!("  behind it {all}\n");
    for source in shown.sources.iter().take(SOURCES) {
        let line = format!(
            "    {}  {}  {:+.1} {}  {}",
            source.id,
            day(source.created_at),
            source.sigma,
            state(source.state),
            neutral_line(&source.content)
        );
        text.push_str(&format!("{}\n", clip(&line, columns)));
        let from = format!("      {}", origin(source.origin));
        text.push_str(&format!("{}\n", clip(&from, columns)));
    }
    let more = all.saturating_sub(shown.sources.len().min(SOURCES) as u64);
    if more > 0 {
        text.push_str(&format!("    and {more} more, of which some may be forgotten\n"));
    }
    text
}

/// A decay rate in its short form: as a decimal fraction the smallest ones have 300 digits.
fn rate(k: f64) -> String {
    if k == 0.0 { "0".to_owned() } else { format!("{k:?}") }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::M => "an experience",
        Level::K => "knowledge of a task",
        Level::C => "a rule",
        Level::T => "a law",
    }
}

/// Origin of an experience.
pub(super) fn origin(origin: Option<Origin>) -> String {
    match origin {
        None => "not on record".to_owned(),
        Some(Origin::Run(run)) => format!("artoo runs show {run}"),
        Some(Origin::Person) => "you said it".to_owned(),
        Some(Origin::Dreamer) => "the Dreamer made it".to_owned(),
        Some(Origin::Import) => "it came with an import".to_owned(),
        Some(Origin::Revoked(run)) => format!("you rejected the result of run {run}"),
    }
}

/// Summary of an entry in a list of several: id, time, tag pair, text.
pub(super) fn in_short(megram: &Megram, columns: usize) -> [String; 3] {
    let head = format!("{}  {}  {}", megram.id, level_letter(megram.level), day(megram.created_at));
    let below = |text: String| format!("  {}", clip(&text, columns.saturating_sub(2)));
    [clip(&head, columns), below(pair(megram)), below(neutral_line(&megram.content))]
}
