//! Pages of `artoo memory stats`, `list`, `log` and `verify`.

use artoo_memory_store::operator::{
    Dreamt, Finding, Keeping, Levels, Listed, Owner, Part, Stats, Verification,
};
use artoo_mkct_memory::polarity;
use artoo_types::{DreamReport, Level, Megram, MegramId, Polarity};
use chrono::{DateTime, FixedOffset};
use serde::Serialize;

use crate::commands::runs::as_json;
use crate::error::CommandError;
use crate::terminal::{clip, neutral_line, worded};
use crate::view::{self, Cell, Place, age, bytes, counted};

/// Maximum number of ids named in a row of the Dreamer's log; the others are counted.
const NAMED: usize = 3;

/// Memory in numbers.
pub(super) fn stats(stats: &Stats) -> String {
    let Levels { m, k, c, t } = stats.levels;
    let mut text = format!(
        "{}: {m} M (experience), {k} K (knowledge), {c} C (rules), {t} T (laws)\n\
         {} behind rules, {} forgotten\n{}\n",
        counted(stats.levels.total(), "entry", "entries"),
        stats.consolidated,
        stats.forgotten,
        counted(stats.pairs, "pair of tags", "pairs of tags"),
    );
    if let (Some(oldest), Some(newest)) = (stats.oldest, stats.newest) {
        text.push_str(&format!("made from {} to {}\n", day(oldest), day(newest)));
    }
    let dreamt = stats.last_dream.map_or_else(|| "never".to_owned(), day);
    text.push_str(&format!("last changed by the Dreamer: {dreamt}\n{}\n", keeping(&stats.keeping)));
    text.push_str(&findings(&stats.findings));
    text
}

/// Where memory is stored, and which process writes to it.
fn keeping(keeping: &Keeping) -> String {
    match keeping {
        Keeping::Process => "not durable: it is kept for one process only".to_owned(),
        Keeping::Disk { folder, owner, journal_bytes, snapshot_bytes, index_bytes, durable, pending } => {
            let on_the_way = match pending {
                0 => String::new(),
                waiting => format!(", {waiting} on the way to it"),
            };
            format!(
                "kept in {}: journal {}, snapshot {}, index {}\n{} on disk{on_the_way}\n{}",
                neutral_line(&folder.display().to_string()),
                bytes(*journal_bytes),
                bytes(*snapshot_bytes),
                bytes(*index_bytes),
                counted(*durable, "event", "events"),
                self::owner(owner),
            )
        }
    }
}

/// The writing process.
pub(crate) fn owner(owner: &Owner) -> String {
    match owner {
        Owner::This => "written by this process".to_owned(),
        Owner::Other { pid: Some(pid) } => format!("written by process {pid}, which takes what others learn"),
        Owner::Other { pid: None } => "written by another process, which takes what others learn".to_owned(),
        Owner::Nobody { why } => format!("read only: {}", neutral_line(why)),
    }
}

/// The problems found, each with its remedy.
pub(super) fn findings(findings: &[Finding]) -> String {
    let mut text = String::new();
    for Finding { part, finding, hint, remedy } in findings {
        text.push_str(&format!("{}: {}\n", self::part(*part), neutral_line(finding)));
        if let Some(hint) = hint {
            text.push_str(&format!("  hint: {}\n", neutral_line(&worded(hint, *remedy))));
        }
    }
    text
}

fn part(part: Part) -> &'static str {
    match part {
        Part::Journal => "journal",
        Part::Snapshot => "snapshot",
        Part::Index => "index",
        Part::Sharing => "sharing",
    }
}

/// Result of `artoo memory verify`.
pub(super) fn verification(verified: &Verification) -> String {
    let read = format!(
        "{}, {}",
        counted(verified.events, "event", "events"),
        counted(verified.megrams, "entry", "entries")
    );
    if verified.findings.is_empty() {
        return format!("{read}: everything holds\n");
    }
    format!("{read}\n{}", findings(&verified.findings))
}

/// An entry of a list.
pub(super) struct Row {
    /// The beginning of its id.
    pub(super) id: String,
    pub(super) listed: Listed,
    /// How a law is enforced, in words.
    pub(super) enforced: Vec<String>,
}

/// One JSON line; with how a law is enforced, if it is.
pub(super) fn with_enforcement(value: &impl Serialize, enforced: &[String]) -> Result<String, CommandError> {
    let mut object = serde_json::to_value(value)
        .map_err(|error| CommandError::failed("it cannot be written as JSON").because(error))?;
    if let (Some(fields), false) = (object.as_object_mut(), enforced.is_empty()) {
        fields.insert("enforced".to_owned(), enforced.into());
    }
    Ok(as_json(&object)? + "\n")
}

/// The entries, newest first. What they are about is in the page of an entry, and here where there is room.
pub(super) fn list(rows: &[Row], now: DateTime<FixedOffset>, place: Place) -> String {
    let row = |Row { id, listed: Listed { megram, live, consolidated_into }, enforced }: &Row| {
        let part = if consolidated_into.is_some() { "(in a rule) " } else { "" };
        let kept = if enforced.is_empty() { String::new() } else { format!("({}) ", enforced.join("; ")) };
        let about = if place.is_wide() { pair(megram) } else { String::new() };
        let about = place.columns.map_or_else(|| about.clone(), |columns| clip(&about, columns / 4));
        [
            Cell::from(id.as_str()),
            Cell::from(level_letter(megram.level)),
            Cell::from(age(megram.created_at, now)),
            Cell::from(sign(megram)),
            Cell::from(format!("{live:.2}")),
            Cell::from(about),
            Cell::from(format!("{part}{kept}{}", neutral_line(&megram.content))),
        ]
    };
    let rows: Vec<_> = rows.iter().map(row).collect();
    view::list(["ID", "L", "AGE", "SIGN", "LIVE", "ABOUT", "LESSON"], &rows, place)
}

/// One cycle of the Dreamer as a row.
pub(super) fn dreamt(dreamt: &Dreamt) -> String {
    format!("{}  {}\n", dreamt.at.format("%Y-%m-%d %H:%M"), report(&dreamt.report))
}

/// What a cycle of the Dreamer did.
pub(super) fn report(report: &DreamReport) -> String {
    let DreamReport { demoted, promoted, forgotten, examined, corrected } = report;
    let told = |what: &str, ids: &[MegramId]| {
        let named: Vec<String> = ids.iter().take(NAMED).map(ToString::to_string).collect();
        let more = match ids.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{what} {}{more}", named.join(", "))
    };
    let mut parts = Vec::new();
    for (what, ids) in [("new rules:", promoted), ("rules that fell:", demoted), ("forgotten:", forgotten)] {
        if !ids.is_empty() {
            parts.push(told(what, ids));
        }
    }
    if *corrected > 0 {
        parts.push(counted(*corrected, "sum corrected", "sums corrected"));
    }
    if parts.is_empty() {
        parts.push("nothing changed".to_owned());
    }
    format!("{} ({} looked at)", parts.join("; "), counted(*examined, "pair", "pairs"))
}

/// A tag pair, which may contain untrusted text.
pub(super) fn pair(megram: &Megram) -> String {
    neutral_line(&megram.pair().to_string())
}

/// The letter of a level.
pub(super) fn level_letter(level: Level) -> &'static str {
    match level {
        Level::M => "M",
        Level::K => "K",
        Level::C => "C",
        Level::T => "T",
    }
}

/// The valence of an entry; for a law or rule, a word.
pub(super) fn sign(megram: &Megram) -> String {
    match (megram.level, polarity(megram.sigma)) {
        (Level::T, _) => "law".to_owned(),
        (Level::C, Polarity::Practice) => "practice".to_owned(),
        (Level::C, Polarity::Constraint) => "never".to_owned(),
        (Level::M | Level::K, _) => format!("{:+.1}", megram.sigma),
    }
}

/// Date and time.
pub(super) fn day(at: DateTime<FixedOffset>) -> String {
    at.format("%Y-%m-%d %H:%M").to_string()
}
