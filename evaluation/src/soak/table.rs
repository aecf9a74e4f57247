//! What a soak came to, as a document.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use xtask::bench::stats::{median, quantile};

use super::{
    long::{Long, Sample},
    outcome::Outcome,
};

/// Under which conditions it ran.
#[derive(Clone, Debug)]
pub(super) struct Conditions {
    /// The command.
    pub command: String,
    /// The day.
    pub date: String,
    /// The machine.
    pub machine: String,
    /// The commit.
    pub commit: String,
    /// How many runs worked at a time.
    pub jobs: usize,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// How many descriptors the soak itself had open before and after.
    pub descriptors: (usize, usize),
}

/// The document.
pub(super) fn document(conditions: &Conditions, outcomes: &[Outcome], long: &Long) -> String {
    let mut text = format!(
        "# The soak\n\nWritten by `{}`; do not edit.\n\n- date: {}\n- machine: {}\n- commit of the tree: {}\n- {} at a time, {:.0} minutes in all\n",
        conditions.command,
        conditions.date,
        conditions.machine,
        conditions.commit,
        conditions.jobs,
        conditions.seconds / 60.0,
    );
    text.push_str(&sums(conditions, outcomes));
    text.push_str(&findings(outcomes, long));
    text.push_str(&kinds(outcomes));
    text.push_str(&conversation(long));
    text.push('\n');
    text.push_str(include_str!("about.md"));
    text
}

fn sums(conditions: &Conditions, outcomes: &[Outcome]) -> String {
    let figures = |of: fn(&Outcome) -> f64| outcomes.iter().map(of).collect::<Vec<_>>();
    let (seconds, calls) = (figures(|outcome| outcome.seconds), figures(|outcome| outcome.calls as f64));
    let memory = figures(|outcome| outcome.memory);
    let timeouts = outcomes.iter().filter(|outcome| outcome.code == 124).count();
    let sound = outcomes.iter().filter(|outcome| outcome.findings.is_empty()).count();
    let (before, after) = conditions.descriptors;
    let mut text = "\n| | |\n|---|---|\n".to_owned();
    let _ = writeln!(text, "| runs, each a process of its own | {} |", outcomes.len());
    let _ = writeln!(text, "| without a finding | {sound} |");
    let _ = writeln!(text, "| ended by `--timeout` | {timeouts} |");
    for (name, values, unit) in
        [("time", &seconds, "s"), ("model calls", &calls, ""), ("most memory", &memory, "MiB")]
    {
        let _ = writeln!(
            text,
            "| {name}: median, 95 %, most | {:.1}, {:.1}, {:.1} {unit} |",
            median(values),
            quantile(values, 0.95),
            quantile(values, 1.0)
        );
    }
    let _ = writeln!(text, "| descriptors of the soak itself, before and after | {before}, {after} |");
    text
}

fn findings(outcomes: &[Outcome], long: &Long) -> String {
    let mut by_name: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        for name in &outcome.names {
            by_name.entry(name).or_default().push(outcome);
        }
    }
    if by_name.is_empty() && long.findings.is_empty() {
        return "\nNo finding.\n".to_owned();
    }
    let mut text = "\n| finding | runs | kinds | for example |\n|---|---|---|---|\n".to_owned();
    for (name, of) in by_name {
        let mut kinds: Vec<&str> = of.iter().map(|outcome| outcome.kind.as_str()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let numbers: Vec<String> = of.iter().take(5).map(|outcome| outcome.number.to_string()).collect();
        let _ = writeln!(
            text,
            "| {name} | {} | {} | `--only {}` |",
            of.len(),
            kinds.join(", "),
            numbers.join("`, `--only ")
        );
    }
    for finding in &long.findings {
        let _ = writeln!(text, "| in the conversation: {} | | | |", finding.replace('|', "/"));
    }
    text
}

fn kinds(outcomes: &[Outcome]) -> String {
    let mut codes: Vec<i32> = outcomes.iter().map(|outcome| outcome.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let mut by_kind: BTreeMap<(&str, &str), Vec<&Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        by_kind.entry((&outcome.group, &outcome.kind)).or_default().push(outcome);
    }
    let heads: String = codes.iter().map(|code| format!(" {code} |")).collect();
    let mut text = format!(
        "\nHow many runs of each kind ended with which exit code:\n\n| group | kind | runs |{heads} median s | most calls |\n|---|---|---|{}---|---|\n",
        "---|".repeat(codes.len())
    );
    for ((group, kind), of) in by_kind {
        let counts: String = codes
            .iter()
            .map(|code| match of.iter().filter(|outcome| outcome.code == *code).count() {
                0 => " |".to_owned(),
                count => format!(" {count} |"),
            })
            .collect();
        let seconds = median(&of.iter().map(|outcome| outcome.seconds).collect::<Vec<_>>());
        let calls = of.iter().map(|outcome| outcome.calls).max().unwrap_or_default();
        let _ = writeln!(text, "| {group} | {kind} | {} |{counts} {seconds:.1} | {calls} |", of.len());
    }
    text
}

fn conversation(long: &Long) -> String {
    let Some(last) = long.samples.last() else { return String::new() };
    let mut text = format!(
        "\n## One process\n\nThe conversation at a pipe, {} requests in one process, {} of them ended by the time limit. What it held after a request:\n\n\
         | requests | memory, MiB | threads | sockets | other descriptors | child processes | temporary files | processes of requests |\n|---|---|---|---|---|---|---|---|\n",
        last.turn, long.timeouts
    );
    let count = long.samples.len();
    let looks = BTreeSet::from([1, 10, count / 4, count / 2, count.saturating_mul(3) / 4, count]);
    text.extend(looks.into_iter().filter_map(|at| long.samples.get(at.checked_sub(1)?)).map(row));
    text
}

fn row(sample: &Sample) -> String {
    let Sample { turn, memory, threads, sockets, descriptors, children, temporary, processes } = sample;
    format!(
        "| {turn} | {memory:.1} | {threads} | {sockets} | {descriptors} | {children} | {temporary} | {processes} |\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_stands_with_the_number_that_repeats_it() {
        let run = |number: u64, code: i32, names: &[&str]| Outcome {
            number,
            kind: "usage-zero".to_owned(),
            group: "counts".to_owned(),
            code,
            ending: "accept".to_owned(),
            seconds: 1.0,
            calls: 3,
            memory: 30.0,
            names: names.iter().map(|&name| name.to_owned()).collect(),
            findings: names.iter().map(|&name| name.to_owned()).collect(),
            told: String::new(),
        };
        let conditions = Conditions {
            command: "cargo xtask soak".to_owned(),
            date: "2026-01-01".to_owned(),
            machine: "one".to_owned(),
            commit: "abc".to_owned(),
            jobs: 2,
            seconds: 120.0,
            descriptors: (5, 5),
        };
        let samples = (1..=40).map(|turn| Sample { turn, memory: 30.0, ..Sample::default() }).collect();
        let long = Long { samples, findings: Vec::new(), timeouts: 1 };
        let runs = [run(0, 0, &[]), run(7, 124, &["hangs"])];
        insta::assert_snapshot!(document(&conditions, &runs, &long).split("## What").next().unwrap());
    }
}
