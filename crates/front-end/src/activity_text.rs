//! What goes on in a run, in words.

use artoo_types::{ActivityReport, Progress, RetryReason, TrialFiles};

/// What an activity waits for, or does, in a few words: `reading the prompt 40 %`.
pub fn activity_text(report: &ActivityReport) -> String {
    match &report.progress {
        Progress::WaitingForModel => "waiting for the model".to_owned(),
        Progress::Queued => "waiting until the model is free".to_owned(),
        Progress::LoadingModel { done, total } => {
            format!("reading the model into memory{}", percent(*done, *total))
        }
        Progress::ReadingPrompt { done, total } => format!("reading the prompt{}", percent(*done, *total)),
        Progress::ReceivingAnswer { tokens, within_ms } => {
            let unit = if *tokens == 1 { "token" } else { "tokens" };
            format!("receiving {tokens} {unit}{}", rate(*tokens, *within_ms))
        }
        Progress::WaitingToRetry { reason, attempt, of, wait_ms, .. } => {
            let left = wait_ms.saturating_sub(report.reported_ms).div_ceil(1000);
            let when = if left == 0 { "now".to_owned() } else { format!("in {left} s") };
            format!("{}, again {when} ({attempt} of {of})", trouble(*reason))
        }
        Progress::TryingCommand { variant, of, .. } => format!("trying way {variant} of {of}"),
        Progress::RunningTool { .. } => "running a tool".to_owned(),
    }
}

/// More about an activity, where there is more: the server, the files.
pub fn activity_detail(report: &ActivityReport) -> Option<String> {
    match &report.progress {
        Progress::WaitingToRetry { server, .. } => Some(format!("the server at {server}")),
        Progress::TryingCommand { files, .. } => Some(on(*files).to_owned()),
        Progress::WaitingForModel
        | Progress::Queued
        | Progress::LoadingModel { .. }
        | Progress::ReadingPrompt { .. }
        | Progress::ReceivingAnswer { .. }
        | Progress::RunningTool { .. } => None,
    }
}

fn percent(done: u64, total: u64) -> String {
    match done.saturating_mul(100).checked_div(total) {
        Some(percent) => format!(" {} %", percent.min(100)),
        None => String::new(),
    }
}

/// Tokens a second, once there is a second to measure.
fn rate(tokens: u64, within_ms: u64) -> String {
    const LEAST_MS: u64 = 1000;
    if within_ms < LEAST_MS {
        return String::new();
    }
    let tenths = tokens.saturating_mul(10_000).checked_div(within_ms).unwrap_or_default();
    if tenths < 100 { format!(", {}.{}/s", tenths / 10, tenths % 10) } else { format!(", {}/s", tenths / 10) }
}

fn trouble(reason: RetryReason) -> String {
    match reason {
        RetryReason::NoConnection => "no connection".to_owned(),
        RetryReason::Silence => "no answer".to_owned(),
        RetryReason::BrokenOff => "the answer broke off".to_owned(),
        RetryReason::Unusable => "no usable answer".to_owned(),
        RetryReason::Status(status) => format!("status {status}"),
    }
}

fn on(files: TrialFiles) -> &'static str {
    match files {
        TrialFiles::AsIs => "on the files as they are",
        TrialFiles::Hidden => "without the files",
        TrialFiles::Emptied => "with empty files",
        TrialFiles::Doubled => "with a line twice",
        TrialFiles::Planted => "with one more line",
        TrialFiles::Replaced => "with another value",
    }
}

#[cfg(test)]
mod tests {
    use artoo_types::Role;

    use super::*;

    #[test]
    fn every_progress_has_words() {
        let server = || "http://localhost:11434/v1".to_owned();
        let retry = |reason, wait_ms| Progress::WaitingToRetry {
            server: server(),
            reason,
            attempt: 2,
            of: 4,
            wait_ms,
        };
        let files = [
            TrialFiles::AsIs,
            TrialFiles::Hidden,
            TrialFiles::Emptied,
            TrialFiles::Doubled,
            TrialFiles::Planted,
            TrialFiles::Replaced,
        ];
        let tried = files.map(|files| Progress::TryingCommand { variant: 2, of: 4, files });
        let mut all = vec![
            Progress::WaitingForModel,
            Progress::Queued,
            Progress::LoadingModel { done: 0, total: 0 },
            Progress::LoadingModel { done: 7, total: 24 },
            Progress::ReadingPrompt { done: 512, total: 1280 },
            Progress::ReadingPrompt { done: 9, total: 3 },
            Progress::ReceivingAnswer { tokens: 1, within_ms: 0 },
            Progress::ReceivingAnswer { tokens: 9, within_ms: 2000 },
            Progress::ReceivingAnswer { tokens: 120, within_ms: 8500 },
            retry(RetryReason::NoConnection, 3100),
            retry(RetryReason::Silence, 100),
            retry(RetryReason::BrokenOff, 700),
            retry(RetryReason::Unusable, 700),
            retry(RetryReason::Status(503), 60_000),
        ];
        all.extend(tried);
        let said = all.into_iter().map(|progress| {
            let report = ActivityReport {
                activity: 1,
                role: Role::Executor,
                subtask_id: None,
                age_ms: 9000,
                reported_ms: 150,
                progress,
            };
            [Some(activity_text(&report)), activity_detail(&report)]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" | ")
        });
        let expected = [
            "waiting for the model",
            "waiting until the model is free",
            "reading the model into memory",
            "reading the model into memory 29 %",
            "reading the prompt 40 %",
            "reading the prompt 100 %",
            "receiving 1 token",
            "receiving 9 tokens, 4.5/s",
            "receiving 120 tokens, 14/s",
            "no connection, again in 3 s (2 of 4) | the server at http://localhost:11434/v1",
            "no answer, again now (2 of 4) | the server at http://localhost:11434/v1",
            "the answer broke off, again in 1 s (2 of 4) | the server at http://localhost:11434/v1",
            "no usable answer, again in 1 s (2 of 4) | the server at http://localhost:11434/v1",
            "status 503, again in 60 s (2 of 4) | the server at http://localhost:11434/v1",
            "trying way 2 of 4 | on the files as they are",
            "trying way 2 of 4 | without the files",
            "trying way 2 of 4 | with empty files",
            "trying way 2 of 4 | with a line twice",
            "trying way 2 of 4 | with one more line",
            "trying way 2 of 4 | with another value",
        ];
        assert_eq!(said.collect::<Vec<_>>(), expected);
    }
}
