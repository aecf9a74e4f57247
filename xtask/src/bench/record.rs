//! The figures on record, and whether new ones are worse.

use serde::{Deserialize, Serialize};

use super::{Goal, Row};
use crate::{Error, Result, files};

/// Where they are.
const FILE: &str = "docs/benchmarks.json";

/// How much more a count may be, by its unit: a share, and a few. A process is started or not; which thread finds work first, and in how
/// many pieces a record is written, differs from run to run.
fn may_grow(unit: &str) -> Option<(f64, f64)> {
    match unit {
        "processes" => Some((1.0, 0.0)),
        "threads" => Some((1.15, 2.0)),
        "calls" => Some((1.25, 5.0)),
        _ => None,
    }
}

/// How much worse a ratio to the floor may be: on a busy machine they differ by as much.
const RATIO_MAY_GROW: f64 = 1.25;

/// The figures on record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    /// Times and memory of the process, whose ratios are compared.
    #[serde(default)]
    pub(super) figures: Vec<Row>,
    /// Its counts.
    #[serde(default)]
    pub(super) counts: Vec<Row>,
}

/// Reads them; none if there is no file.
pub(super) fn read() -> Result<Record> {
    let path = files::root().join(FILE);
    if !path.exists() {
        return Ok(Record::default());
    }
    serde_json::from_str(&files::read(&path)?)
        .map_err(|error| Error::Content { path: FILE.into(), reason: error.to_string() })
}

/// Puts new figures in the place of old ones; what was not measured stays.
pub(super) fn update(figures: &[Row], counts: &[Row]) -> Result<()> {
    let mut record = read()?;
    if !figures.is_empty() {
        record.figures = figures.to_vec();
    }
    if !counts.is_empty() {
        record.counts = counts.to_vec();
    }
    let text = serde_json::to_string_pretty(&record)
        .map_err(|error| Error::Content { path: FILE.into(), reason: error.to_string() })?;
    files::write(files::root().join(FILE), format!("{text}\n"))
}

/// What is worse than on record, in sentences.
pub(super) fn compared(recorded: &[Row], measured: &[Row]) -> Vec<String> {
    let told = |row: &Row| match recorded.iter().find(|known| known.what == row.what) {
        None => Some(format!("{}: not on record", row.what)),
        Some(known) => worse(known, row),
    };
    measured.iter().filter_map(told).collect()
}

fn worse(known: &Row, new: &Row) -> Option<String> {
    if let Some((share, few)) = may_grow(&new.unit) {
        // The floor has a thread for each processor; artoo has one, too, and asks for room for it.
        let processors = match (new.unit.as_str(), new.floor.zip(known.floor)) {
            ("threads", Some((is, was))) => 2.0 * (is - was).max(0.0),
            _ => 0.0,
        };
        let most = known.artoo * share + few + processors;
        return (new.artoo > most).then(|| format!("{}: {}, on record {}", new.what, new.artoo, known.artoo));
    }
    let (was, is) = known.ratio.zip(new.ratio)?;
    let is_worse = match new.goal {
        Some(Goal::RatioAtLeast(_)) => is * RATIO_MAY_GROW < was,
        Some(Goal::Under(_) | Goal::AtMost(_) | Goal::RatioAtMost(_)) | None => is > was * RATIO_MAY_GROW,
    };
    is_worse.then(|| format!("{}: {is:.2} times the floor, on record {was:.2}", new.what))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(unit: &str, artoo: f64, ratio: f64, goal: Option<Goal>) -> Row {
        Row { what: "w".into(), unit: unit.into(), floor: Some(1.0), artoo, ratio: Some(ratio), goal }
    }

    #[test]
    fn what_is_worse_beyond_noise_is_told() {
        let found = |unit: &str, was: f64, is: f64| {
            compared(&[row(unit, was, was, None)], &[row(unit, is, is, None)])
        };
        assert_eq!(found("calls", 100.0, 130.0), [""; 0]);
        assert_eq!(found("calls", 100.0, 50.0), [""; 0]);
        assert_eq!(found("calls", 100.0, 131.0), ["w: 131, on record 100"]);
        assert_eq!(found("threads", 20.0, 25.0), [""; 0]);
        assert_eq!(found("threads", 20.0, 26.0).len(), 1);
        let on_more = Row { floor: Some(8.0), ..row("threads", 37.0, 37.0, None) };
        assert_eq!(compared(&[row("threads", 20.0, 20.0, None)], &[on_more]), [""; 0]);
        assert_eq!(found("processes", 9.0, 9.0), [""; 0]);
        assert_eq!(found("processes", 9.0, 10.0).len(), 1);
        assert_eq!(compared(&[], &[row("calls", 1.0, 1.0, None)]), ["w: not on record"]);
        let wall = |ratio| row("ms", 9.0, ratio, Some(Goal::RatioAtMost(1.6)));
        assert_eq!(compared(&[wall(2.0)], &[wall(2.5)]), [""; 0]);
        assert_eq!(compared(&[wall(2.0)], &[wall(2.6)]), ["w: 2.60 times the floor, on record 2.00"]);
        let rate = |ratio| row("runs/s", 9.0, ratio, Some(Goal::RatioAtLeast(0.8)));
        assert_eq!(compared(&[rate(0.8)], &[rate(1.6)]), [""; 0]);
        assert_eq!(compared(&[rate(0.8)], &[rate(0.6)]).len(), 1);
    }
}
