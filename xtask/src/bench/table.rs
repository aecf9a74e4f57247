//! Formats benchmark figures as a document.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

/// One figure, with the floor's if the floor has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What was measured.
    pub what: String,
    /// Its unit.
    pub unit: String,
    /// The floor's median.
    pub floor: Option<f64>,
    /// artoo's median.
    pub artoo: f64,
    /// The median of the ratios within the rounds.
    pub ratio: Option<f64>,
    /// Its goal.
    pub goal: Option<Goal>,
}

/// The goal of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// artoo's figure stays below this.
    Under(f64),
    /// artoo's figure is this or less.
    AtMost(f64),
    /// The ratio to the floor is this or less.
    RatioAtMost(f64),
    /// The ratio to the floor is this or more.
    RatioAtLeast(f64),
}

/// The conditions of the measurement.
#[derive(Clone, Debug)]
pub(super) struct Conditions {
    pub(super) date: String,
    pub(super) machine: String,
    pub(super) command: String,
    pub(super) rounds: u32,
}

impl Row {
    /// Whether the goal is reached; `None` without a goal.
    pub fn met(&self) -> Option<bool> {
        let ratio = self.ratio.unwrap_or(f64::NAN);
        self.goal.map(|goal| match goal {
            Goal::Under(most) => self.artoo < most,
            Goal::AtMost(most) => self.artoo <= most,
            Goal::RatioAtMost(most) => ratio <= most,
            Goal::RatioAtLeast(least) => ratio >= least,
        })
    }
}

/// The document: conditions, the sections about the process, the table, runs whose model answers at once, the bus.
pub(super) fn document(
    conditions: &Conditions,
    process: &[String],
    rows: &[Row],
    (runs, in_memory): (&str, Option<&str>),
    bus: &str,
) -> String {
    let Conditions { date, machine, command, rounds } = conditions;
    let mut text = format!(
        "# Benchmarks\n\n\
         Written by `{command}`; do not edit. What everything but the model costs.\n\n\
         The job: plan 3 subtasks, run one shell command in each, check each, merge. The floor makes 11 model calls, 5 deep. artoo also\n\
         judges the whole: 12 calls, 6 deep. A mock server on the same machine answers. The floor is a hand-written loop over tokio and\n\
         reqwest (`xtask/examples/floor`), without bus, journal, audit, confinement and checks. Rounds of floor and artoo alternate ({rounds} of\n\
         them). A figure is a median, a ratio the median of the ratios within the rounds. On a busy machine trust the ratios. Tokens are estimated from the messages\n\
         that arrived at the server.\n\n\
         Rows of the sandbox have floors of their own: the plain start of the same command; for the seal, the same confined command whose\n\
         workspace has the same `.git`, not sealed; for a snapshot, `cp -a` of the same files, neither forced to the disk. What stands\n\
         \"beyond\" a floor is the difference within a round.\n\n\
         - date: {date}\n- machine: {machine}\n\n"
    );
    for section in process {
        let _ = writeln!(text, "{section}");
    }
    text.push_str("## Runs in one process\n\nOf a process that is warm, and parts of it.\n\n");
    text.push_str(&rows_table(rows));
    let _ = write!(
        text,
        "\n## Runs whose model answers at once\n\n\
         In the process, with a tool that starts nothing, journal included. Goals: 200 subtasks under 40 ms, a run that waits under 64 KiB.\n\n\
         ```text\n{}\n```\n",
        runs.trim()
    );
    if let Some(runs) = in_memory {
        let _ = write!(
            text,
            "\nThe same with the data in memory. A run makes two folders and two files, and how dear these are, is the disk's: an ext4\n\
             without a journal, as on virtual machines, looks past every file that was deleted in the last minutes.\n\n\
             ```text\n{}\n```\n",
            runs.trim()
        );
    }
    let _ =
        write!(text, "\n## The bus\n\nOne publisher, eight subscribers:\n\n```text\n{}\n```\n", bus.trim());
    text
}

/// The table of some rows.
pub(super) fn rows_table(rows: &[Row]) -> String {
    let mut text = String::from("| what | floor | artoo | ratio | goal | |\n|---|---|---|---|---|---|\n");
    for row in rows {
        let floor = row.floor.map(|value| figure(value, &row.unit)).unwrap_or_default();
        let ratio = row.ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default();
        let met = row.met().map_or("", |met| if met { "met" } else { "**missed**" });
        let artoo = figure(row.artoo, &row.unit);
        let goal = row.goal.map(|goal| goal_words(goal, &row.unit)).unwrap_or_default();
        let _ = writeln!(text, "| {} | {floor} | {artoo} | {ratio} | {goal} | {met} |", row.what);
    }
    text
}

fn figure(value: f64, unit: &str) -> String {
    let digits = match value {
        value if value >= 100.0 || value.fract() == 0.0 => 0,
        value if value >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.digits$} {unit}")
}

fn goal_words(goal: Goal, unit: &str) -> String {
    match goal {
        Goal::Under(most) => format!("under {}", figure(most, unit)),
        Goal::AtMost(most) => format!("at most {}", figure(most, unit)),
        Goal::RatioAtMost(most) => format!("at most {most} x the floor"),
        Goal::RatioAtLeast(least) => format!("at least {least} of the floor"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(artoo: f64, ratio: Option<f64>, goal: Option<Goal>) -> Row {
        Row { what: "w".into(), unit: "ms".into(), floor: ratio.map(|_| 4.0), artoo, ratio, goal }
    }

    #[test]
    fn a_goal_is_met_or_missed() {
        assert_eq!(row(14.9, None, Some(Goal::Under(15.0))).met(), Some(true));
        assert_eq!(row(15.0, None, Some(Goal::Under(15.0))).met(), Some(false));
        assert_eq!(row(3000.0, None, Some(Goal::AtMost(3000.0))).met(), Some(true));
        assert_eq!(row(7.0, Some(1.6), Some(Goal::RatioAtMost(1.5))).met(), Some(false));
        assert_eq!(row(7.0, Some(0.8), Some(Goal::RatioAtLeast(0.8))).met(), Some(true));
        assert_eq!(
            row(7.0, None, Some(Goal::RatioAtMost(1.5))).met(),
            Some(false),
            "no floor, no ratio, no boast"
        );
        assert_eq!(row(7.0, Some(2.0), None).met(), None);
    }

    #[test]
    fn the_document_admits_what_is_missed() {
        let conditions = Conditions {
            date: "2026-01-01".into(),
            machine: "2 cores, linux".into(),
            command: "c".into(),
            rounds: 5,
        };
        let rows =
            [row(7.0, Some(1.75), Some(Goal::RatioAtMost(1.5))), row(0.4, None, Some(Goal::Under(1.0)))];
        let process = ["## P\n\nfirst\n".to_owned()];
        let text = document(&conditions, &process, &rows, ("runs 1.0\n", Some("memory 1.0\n")), "bus 1.0\n");
        for line in [
            "| w | 4 ms | 7 ms | 1.75 | at most 1.5 x the floor | **missed** |",
            "| w |  | 0.40 ms |  | under 1 ms | met |",
            "```text\nruns 1.0\n```\n",
            "```text\nmemory 1.0\n```\n",
            "```text\nbus 1.0\n```\n",
            "linux\n\n## P\n\nfirst\n\n## Runs in one process\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }

    #[test]
    fn rows_travel_as_json() {
        let rows = vec![row(7.0, Some(1.75), Some(Goal::RatioAtMost(1.5)))];
        let text = serde_json::to_string(&rows).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Row>>(&text).unwrap(), rows);
    }
}
