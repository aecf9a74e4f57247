//! `artoo audit verify`: the chain of the log, and the runs on record that it must have.

use std::path::Path;

use artoo_auditor::{LOG_NAME, MissingCause, MissingMessages, Verified, VerifyError, log_exists, verify};
use artoo_runtime::runs::{Comparison, missing_from_log};

use crate::dispatch::Context;
use crate::error::{CommandError, Exit, Kind};
use crate::terminal::neutral_line;
use crate::view::counted;

/// Maximum number of runs listed; the others are counted.
const LISTED: usize = 20;

/// Runs the command.
pub(super) fn run(context: &mut Context<'_>, data_folder: &Path) -> Result<Exit, CommandError> {
    let log = data_folder.join(LOG_NAME);
    let chain = log_exists(&log).then(|| verify(&log));
    let compared = match &chain {
        Some(Err(VerifyError::Read { .. })) => Comparison::default(),
        Some(_) | None => missing_from_log(data_folder).map_err(super::unreadable_run)?,
    };
    let found = Findings { log: &log, chain: chain.as_ref(), compared: &compared };
    context.terminal.data(&found.page())?;
    for error in compared.unreadable.iter().take(LISTED) {
        context.terminal.warning(&neutral_line(&error.to_string()));
    }
    match found.error() {
        Some(error) => Err(error),
        None => {
            let warnings = found.warnings();
            warnings.iter().for_each(|warning| context.terminal.warning(warning));
            let is_whole = warnings.is_empty() && compared.unreadable.is_empty();
            Ok(if is_whole { Exit::OK } else { Exit::FAILED })
        }
    }
}

/// Number of runs of which messages are missing for no known reason.
pub(crate) fn unexplained(compared: &Comparison) -> usize {
    compared.missing.iter().filter(|run| run.cause == MissingCause::Unexplained).count()
}

/// What is wrong where both files of the log are gone although there are runs.
pub(crate) fn both_gone(runs: usize) -> String {
    let runs = counted(runs as u64, "run is", "runs are");
    format!(
        "the audit log and its head are gone, and {runs} on record; artoo makes the log before the first run"
    )
}

struct Findings<'a> {
    log: &'a Path,
    /// `None` where there is neither a log nor a head.
    chain: Option<&'a Result<Verified, VerifyError>>,
    compared: &'a Comparison,
}

impl Findings<'_> {
    fn page(&self) -> String {
        let log = neutral_line(&self.log.display().to_string());
        let mut text = match self.chain {
            None if self.compared.runs == 0 => return format!("there is no audit log yet in {log}\n"),
            None | Some(Err(_)) => String::new(),
            Some(Ok(verified)) => format!("{log}: {} lines, the chain holds\n", verified.lines),
        };
        if let Some(Ok(verified)) = self.chain {
            for gap in &verified.gaps {
                text.push_str(&format!("  line {} records a gap: {}\n", gap.line, gap.gap));
            }
        }
        let mut missing: Vec<_> = self.compared.missing.iter().collect();
        missing.sort_by_key(|run| run.cause != MissingCause::Unexplained);
        missing.iter().take(LISTED).for_each(|run| text.push_str(&row(run)));
        if missing.len() > LISTED {
            text.push_str(&format!("  and {} more runs\n", missing.len() - LISTED));
        }
        text
    }

    fn error(&self) -> Option<CommandError> {
        let unexplained = unexplained(self.compared);
        let said = |kind, error: &str| CommandError::new(kind, format!("{}: {error}", self.log.display()));
        match self.chain {
            None if self.compared.runs == 0 => None,
            None => Some(
                said(Kind::Failed, &both_gone(self.compared.runs))
                    .hint("keep the folder as it is, and find out who could remove files there"),
            ),
            Some(Ok(_)) => None,
            Some(Err(error)) => {
                let is_cut = matches!(error, VerifyError::Truncated { .. }) && unexplained == 0;
                let said = said(if is_cut { Kind::Truncated } else { Kind::Failed }, &error.to_string());
                Some(match error.hint() {
                    Some(hint) => said.hint(hint),
                    None => said,
                })
            }
        }
    }

    /// What is wrong although the chain holds.
    fn warnings(&self) -> Vec<String> {
        let tampered = self.chain.and_then(|chain| chain.as_ref().ok()).map_or(0, |ok| ok.tampered().count());
        let mut warnings = Vec::new();
        if tampered > 0 {
            warnings.push(format!("{tampered} of these gaps are not explained by a crash"));
        }
        let unexplained = unexplained(self.compared);
        if unexplained > 0 {
            let runs = counted(unexplained as u64, "run on record is", "runs on record are");
            warnings.push(format!(
                "{runs} missing from the log, wholly or in part: the log could not be written then, or was replaced or forged"
            ));
        }
        warnings
    }
}

fn row(run: &MissingMessages) -> String {
    let MissingMessages { run_id, first_seq, last_seq, count, of, cause } = run;
    let what = if count == of {
        format!("none of its {} is in the log", counted(*of as u64, "message", "messages"))
    } else {
        let range = if first_seq == last_seq {
            format!("message {first_seq}")
        } else {
            format!("{} from {first_seq} to {last_seq}", counted(*count as u64, "message", "messages"))
        };
        format!("{range}, of {of}, {} not in the log", if *count == 1 { "is" } else { "are" })
    };
    let why = match cause {
        MissingCause::InFlight => ": the last moment of a process that was killed, or of one at work",
        MissingCause::Truncated => ": the log is cut there",
        MissingCause::Unexplained => "",
    };
    format!("  run {run_id}: {what}{why}\n")
}

#[cfg(test)]
mod tests {
    use artoo_types::RunId;

    use super::*;

    fn compared(runs: usize, causes: &[MissingCause]) -> Comparison {
        let missing = causes.iter().zip(1..).map(|(cause, number)| MissingMessages {
            run_id: RunId::new(uuid::Uuid::from_u128(number)),
            first_seq: 3,
            last_seq: if number == 1 { 3 } else { 9 },
            count: if number == 1 { 1 } else { 7 },
            of: if number == 2 { 7 } else { 57 },
            cause: *cause,
        });
        Comparison { runs, missing: missing.collect(), unreadable: Vec::new() }
    }

    fn shown(chain: Option<Result<Verified, VerifyError>>, compared: &Comparison) -> String {
        let found = Findings { log: Path::new("/data/audit.jsonl"), chain: chain.as_ref(), compared };
        let end = match found.error() {
            Some(error) => {
                format!(
                    "error ({}): {error}\nhint: {}\n",
                    error.kind().exit().code(),
                    error.next_step().unwrap()
                )
            }
            None => found.warnings().iter().map(|warning| format!("warning: {warning}\n")).collect(),
        };
        format!("{}{end}", found.page())
    }

    #[test]
    fn what_is_missing_and_why() {
        use artoo_auditor::Truncation;
        let whole = || Some(Ok(Verified { lines: 57, gaps: Vec::new() }));
        let cut = |cause| Some(Err(VerifyError::Truncated { line: 40, expected: 57, cause }));
        let all = [MissingCause::Unexplained, MissingCause::InFlight, MissingCause::Truncated];
        let pages = [
            shown(None, &compared(0, &[])),
            shown(None, &compared(2, &[MissingCause::Unexplained])),
            shown(whole(), &compared(3, &[])),
            shown(whole(), &compared(3, &all)),
            shown(whole(), &compared(3, &[MissingCause::InFlight])),
            shown(cut(Truncation::InFlight), &compared(3, &[MissingCause::Truncated])),
            shown(cut(Truncation::AfterWriting), &compared(3, &[])),
            shown(cut(Truncation::InFlight), &compared(3, &all)),
            shown(Some(Err(VerifyError::Edited { line: 12 })), &compared(3, &[])),
        ];
        insta::assert_snapshot!(pages.join("---\n"));
    }

    #[test]
    fn of_many_runs_the_first_are_listed() {
        let page = shown(None, &compared(30, &[MissingCause::Unexplained; 30]));
        assert_eq!(page.matches("  run ").count(), LISTED);
        assert!(page.contains("  and 10 more runs\n"), "{page}");
    }
}
