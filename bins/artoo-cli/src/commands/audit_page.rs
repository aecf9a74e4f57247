//! Text page of `artoo audit report`; what needs attention comes first.

use std::collections::BTreeMap;

use artoo_types::{
    Anomaly, AuditReport, GapTrend, ModelRecord, PeriodicReports, ToolHealth, ToolRecord, Trend,
};

use crate::terminal::neutral_line;

/// Maximum number of runs, tools or models shown; the others are counted.
const SHOWN: usize = 10;

/// Renders the page.
pub(super) fn text(report: &AuditReport) -> String {
    let mut text = String::new();
    match report.window_start {
        None => text.push_str("the log is empty: no run yet\n"),
        Some(from) => text.push_str(&format!(
            "{} from {} to {}\n",
            number(report.tasks_observed, "run"),
            from.format("%Y-%m-%d %H:%M:%S %:z"),
            report.window_end.format("%Y-%m-%d %H:%M:%S %:z"),
        )),
    }
    findings(&mut text, report);
    periodic(&mut text, &report.periodic);
    convergence(&mut text, &report.gap_trends);
    health(&mut text, report.total_corrections, &report.tool_health);
    text
}

/// Anomalies, contract violations and drift alerts, or a line that there are none.
fn findings(text: &mut String, report: &AuditReport) {
    let listed = report.anomalies.len() + report.boundary_violations.len() + report.drift_alerts.len();
    let found = report.omitted.saturating_add(listed as u64);
    if found == 0 {
        text.push_str("\nnothing is out of order\n");
        return;
    }
    text.push_str(&format!("\n{} out of order\n", number(found, "thing")));
    listed_findings(text, report);
}

/// The periodic reports: how many, and what the newest of those that found something found.
fn periodic(text: &mut String, periodic: &PeriodicReports) {
    if periodic.is_empty() {
        return;
    }
    let made = number(periodic.made, "periodic report");
    text.push_str(&format!("\n{made}, {} with findings\n", periodic.with_findings));
    let shown = periodic.reports.len().saturating_sub(SHOWN);
    for report in periodic.reports.iter().skip(shown) {
        let day = "%Y-%m-%d %H:%M";
        let from = report.window_start.map(|from| format!("{} to ", from.format(day))).unwrap_or_default();
        text.push_str(&format!(" {from}{}\n", report.window_end.format(day)));
        listed_findings(text, report);
    }
    let listed = (periodic.reports.len() - shown) as u64;
    let more = periodic.with_findings.saturating_sub(listed);
    if more > 0 {
        text.push_str(&format!("  and {more} earlier ones: artoo audit report --json\n"));
    }
}

fn listed_findings(text: &mut String, report: &AuditReport) {
    for violation in &report.boundary_violations {
        line(text, "boundary_violation", &violation.to_string());
    }
    for anomaly in &report.anomalies {
        let way = if matches!(anomaly, Anomaly::LineUnreadable { .. }) {
            "; check it with: artoo audit verify"
        } else {
            ""
        };
        line(text, anomaly.kind().name(), &format!("{anomaly}{way}"));
    }
    for alert in &report.drift_alerts {
        line(text, "role_drift", &alert.to_string());
    }
    if report.omitted > 0 {
        text.push_str(&format!("  and {} more of these kinds\n", report.omitted));
    }
}

fn line(text: &mut String, kind: &str, sentence: &str) {
    text.push_str(&format!("  {kind:<19}  {}\n", neutral_line(sentence)));
}

/// Convergence: the counts, and the runs in which the loss did not fall.
fn convergence(text: &mut String, trends: &[GapTrend]) {
    if trends.is_empty() {
        text.push_str("\nloss: no run needed a second round\n");
        return;
    }
    let count = |wanted: Trend| {
        let runs = trends.iter().filter(|gap| gap.trend == wanted).count();
        format!("{runs} {}", wanted.name())
    };
    let all = [Trend::Improving, Trend::Stable, Trend::Worsening, Trend::Oscillating].map(count).join(", ");
    text.push_str(&format!("\nloss, in runs of two rounds or more: {all}\n"));
    let worse = || trends.iter().filter(|gap| gap.trend != Trend::Improving);
    for GapTrend { task_id, trend, d } in worse().take(SHOWN) {
        let d: Vec<String> = d.iter().map(|d| format!("{:.2}", d.get())).collect();
        text.push_str(&format!("  {:<11}  run {task_id}: D {}\n", trend.name(), d.join(", ")));
    }
    more(text, worse().count());
}

/// Corrections, tools and models, those with the most failures first.
fn health(text: &mut String, corrections: u64, health: &ToolHealth) {
    let ToolHealth { execution_failures, environmental_retries, logical_retries, tools, models } = health;
    text.push_str(&format!(
        "\nsteps: {}, {} ({logical_retries} logical, {environmental_retries} environmental)\n",
        number(*execution_failures, "failed attempt"),
        number(corrections, "correction"),
    ));
    let tool = |tool: &ToolRecord| {
        let ToolRecord { calls, failed, timed_out, refused } = tool;
        let mut row = format!("{}, {}", number(*calls, "call"), share(*failed, *calls, "failed"));
        for (count, what) in [(timed_out, "timed out"), (refused, "refused or cancelled")] {
            if *count > 0 {
                row.push_str(&format!(", {count} {what}"));
            }
        }
        row
    };
    table(text, "tools", tools, |record| record.failed, tool);
    let model = |model: &ModelRecord| {
        let ModelRecord { calls, failed, shaped, unusable } = model;
        let unusable = share(*unusable, *shaped, "unusable");
        format!("{}, {}, {unusable}", number(*calls, "call"), share(*failed, *calls, "failed"))
    };
    table(text, "models", models, |record| record.failed + record.unusable, model);
}

fn table<R>(
    text: &mut String,
    title: &str,
    records: &BTreeMap<String, R>,
    bad: impl Fn(&R) -> u64,
    row: impl Fn(&R) -> String,
) {
    if records.is_empty() {
        text.push_str(&format!("{title}: none was called\n"));
        return;
    }
    text.push_str(&format!("{title}\n"));
    let mut rows: Vec<_> = records.iter().collect();
    rows.sort_by_key(|(_, record)| std::cmp::Reverse(bad(record)));
    for (name, record) in rows.iter().take(SHOWN) {
        text.push_str(&format!("  {}: {}\n", neutral_line(name), row(record)));
    }
    more(text, rows.len());
}

fn more(text: &mut String, all: usize) {
    if all > SHOWN {
        text.push_str(&format!("  and {} more: artoo audit report --json\n", all - SHOWN));
    }
}

fn number(count: u64, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}

/// `3 of 14 failed (21 %)`, or `0 failed`.
fn share(bad: u64, all: u64, what: &str) -> String {
    if bad == 0 {
        return format!("0 {what}");
    }
    format!("{bad} of {all} {what} ({:.0} %)", 100.0 * bad as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use artoo_types::{
        AuditTrigger, BoundaryViolation, Crossing, DriftAlert, DriftMeasure, IdKind, MessageKind, Role,
        RunId, RunLimit, Share, UnitInterval,
    };
    use chrono::{DateTime, FixedOffset};

    use super::*;

    fn run(n: u128) -> RunId {
        format!("01970000-0000-7000-8000-{n:012}").parse().unwrap()
    }

    fn time(text: &str) -> DateTime<FixedOffset> {
        text.parse().unwrap()
    }

    fn d(values: &[f64]) -> Vec<UnitInterval> {
        values.iter().copied().map(UnitInterval::clamped).collect()
    }

    fn nothing() -> AuditReport {
        AuditReport {
            periodic: artoo_types::PeriodicReports::default(),
            trigger: AuditTrigger::OnDemand,
            window_start: Some(time("2026-03-14T08:00:00+08:00")),
            window_end: time("2026-03-14T12:00:00+08:00"),
            tasks_observed: 1,
            total_corrections: 0,
            gap_trends: vec![],
            boundary_violations: vec![],
            drift_alerts: vec![],
            anomalies: vec![],
            omitted: 0,
            tool_health: ToolHealth::default(),
        }
    }

    /// One of each kind, in the report's order.
    fn every_anomaly() -> Vec<Anomaly> {
        let (run_id, both) = (run(1), d(&[0.5, 0.625]));
        vec![
            Anomaly::LogUnreadable { reason: "the audit log /a is not a regular file".to_owned() },
            Anomaly::LogChanged { line: 4, expected_lines: Some(9) },
            Anomaly::LogChanged { line: 5, expected_lines: None },
            Anomaly::LineUnreadable { line: 6 },
            Anomaly::MessagesMissing { run_id, first_seq: 2, last_seq: 3 },
            Anomaly::SecondFinalResult { run_id, seq: 9, refused: true },
            Anomaly::FanInIncomplete {
                run_id,
                round: 2,
                expected: 3,
                arrived: 2,
                decided: MessageKind::OutcomeSummary,
            },
            Anomaly::DuplicateId { run_id, seq: 8, of: IdKind::SubTask },
            Anomaly::LimitExceeded { run_id, limit: RunLimit::Corrections, allowed: 2, seen: 3 },
            Anomaly::NoFinalResult { run_id, last_at: time("2026-03-14T09:26:53+08:00") },
            Anomaly::MailboxOverflow { run_id, seq: 7, from: Role::Dispatcher, full: Role::Executor },
            Anomaly::ModelFailing { model: "m".to_owned(), calls: 8, failed: 4 },
            Anomaly::ModelUnusable { model: "m".to_owned(), shaped: 8, unusable: 3 },
            Anomaly::ToolFailing { tool: "shell".to_owned(), calls: 14, failed: 7 },
            Anomaly::GgsThrashing { run_id, d_before: both[0], d_now: both[1] },
            Anomaly::Oscillation { run_id, d: d(&[0.75, 0.25, 0.75]) },
            Anomaly::NoImprovement { run_id, trend: Trend::Stable, d: d(&[0.5, 0.5, 0.5]) },
            Anomaly::MessagesLost { run_id, first_seq: 5, last_seq: 7 },
            Anomaly::LineTorn { line: 12, bytes: 40 },
            Anomaly::LogBehind,
        ]
    }

    fn one_of_each() -> AuditReport {
        let trend = |n, trend, values: &[f64]| GapTrend { task_id: run(n), trend, d: d(values) };
        AuditReport {
            periodic: artoo_types::PeriodicReports::default(),
            tasks_observed: 42,
            total_corrections: 17,
            gap_trends: vec![
                trend(1, Trend::Oscillating, &[0.75, 0.25, 0.75]),
                trend(2, Trend::Improving, &[0.75, 0.0]),
            ],
            boundary_violations: vec![BoundaryViolation {
                run_id: run(1),
                seq: 9,
                role: Role::Executor,
                message: MessageKind::MegramWrite,
                crossing: Crossing::Refused,
            }],
            drift_alerts: vec![DriftAlert {
                role: Role::AgentValidator,
                measure: DriftMeasure::CorrectedSubtasks,
                before: Share { bad: 4, all: 40 },
                now: Share { bad: 12, all: 20 },
            }],
            anomalies: every_anomaly(),
            omitted: 3,
            tool_health: ToolHealth {
                execution_failures: 3,
                environmental_retries: 8,
                logical_retries: 6,
                tools: [
                    ("glob".to_owned(), ToolRecord { calls: 1, ..ToolRecord::default() }),
                    ("shell".to_owned(), ToolRecord { calls: 14, failed: 7, timed_out: 1, refused: 2 }),
                ]
                .into(),
                models: [("m".to_owned(), ModelRecord { calls: 31, failed: 1, shaped: 28, unusable: 2 })]
                    .into(),
            },
            ..nothing()
        }
    }

    #[test]
    fn a_page_with_one_of_each() {
        insta::assert_snapshot!(text(&one_of_each()));
    }

    /// The output of `--json`, pretty-printed.
    #[test]
    fn json_with_one_of_each() {
        insta::assert_snapshot!(serde_json::to_string_pretty(&one_of_each()).unwrap());
    }

    /// Fails if a new kind is not shown here.
    #[test]
    fn every_kind_is_shown() {
        let mut kinds: Vec<_> = every_anomaly().iter().map(Anomaly::kind).collect();
        kinds.dedup();
        assert_eq!(kinds, artoo_types::AnomalyKind::ALL);
        for anomaly in every_anomaly() {
            let json = serde_json::to_value(&anomaly).unwrap();
            assert_eq!(json["kind"], anomaly.kind().name());
        }
    }

    #[test]
    fn a_page_without_anything() {
        insta::assert_snapshot!(text(&nothing()));
        let empty = AuditReport { window_start: None, tasks_observed: 0, ..nothing() };
        assert!(text(&empty).starts_with("the log is empty: no run yet\n\nnothing is out of order\n"));
    }

    /// A name in the log may be untrusted text.
    #[test]
    fn a_page_cannot_act_on_the_terminal_and_has_an_end() {
        let tools: BTreeMap<String, ToolRecord> =
            (0..500).map(|n| (format!("\u{1b}[2Jt{n}\n"), ToolRecord::default())).collect();
        let anomalies = vec![Anomaly::ToolFailing { tool: "\u{1b}[31m\r".to_owned(), calls: 5, failed: 5 }];
        let trends =
            (0..500).map(|n| GapTrend { task_id: run(n), trend: Trend::Stable, d: vec![] }).collect();
        let tool_health = ToolHealth { tools, ..ToolHealth::default() };
        let page = text(&AuditReport { anomalies, gap_trends: trends, tool_health, ..nothing() });
        assert!(!page.contains('\u{1b}') && !page.contains('\r'), "{page}");
        assert!(page.lines().count() < 40, "{page}");
        assert_eq!(page.matches("and 490 more").count(), 2);
    }
}
