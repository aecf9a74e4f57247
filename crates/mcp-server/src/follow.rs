//! Follows a run until it ends, or asks what only another call can answer.

use std::sync::Arc;
use std::time::Duration;

use artoo_front_end::{Host, HostedRun, Step, activity_text};
use artoo_runtime::UserQuestion;
use artoo_types::ActivityReport;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::ask::{Asks, no};
use crate::progress::{Progress, message};
use crate::report::Report;

/// How often a client hears of a run in which nothing happens. Clients are promised ten seconds.
const BEAT: Duration = Duration::from_secs(5);

/// A run, and what is known of it.
pub(crate) struct FollowedRun {
    pub(crate) run: HostedRun,
    pub(crate) report: Report,
}

/// Why following ended.
pub(crate) enum FollowEnd {
    /// The run has ended.
    Ended(Report),
    /// The run waits for the answer to this question.
    Asking(Box<FollowedRun>, UserQuestion),
}

/// Follows a run. When `cancel` is cancelled, so is the run, and its end is waited for.
pub(crate) async fn follow(
    host: &Arc<dyn Host>,
    mut followed: FollowedRun,
    asks: &Asks,
    progress: &Progress,
    cancel: &CancellationToken,
) -> FollowEnd {
    let (mut beats, mut last) = (interval(BEAT), "begins".to_owned());
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut was_cancelled, mut questions) = (false, 0);
    loop {
        let step = tokio::select! {
            biased;
            () = cancel.cancelled(), if !was_cancelled => {
                was_cancelled = true;
                followed.run.canceller().cancel();
                continue;
            }
            step = followed.run.next() => step,
            _ = beats.tick() => {
                progress.tell(&last).await;
                continue;
            }
        };
        match step {
            Some(Step::Line(line)) => {
                followed.report.on(&line);
                if let Some(message) = message(&line) {
                    progress.tell(&message).await;
                    last = message;
                }
            }
            // Told with the next beat.
            Some(Step::GoesOn(now)) => {
                last = now.iter().rfind(|one| !is_tool(one)).map_or(last, activity_text);
            }
            Some(Step::Asked(_)) if was_cancelled => {}
            Some(Step::Asked(question)) => {
                questions += 1;
                if let Asks::Later = asks {
                    return FollowEnd::Asking(Box::new(followed), question);
                }
                progress.tell("waits for an answer").await;
                let (asks, host, answerer) = (asks.clone(), Arc::clone(host), followed.run.answerer());
                tokio::spawn(async move { asks.ask(&host, &answerer, &question, questions).await });
            }
            Some(Step::Settled(_) | Step::Notice(_) | Step::Ended(_)) => {}
            None => return FollowEnd::Ended(followed.report),
        }
    }
}

/// Whether a tool runs, which an event has told by its name.
fn is_tool(report: &ActivityReport) -> bool {
    matches!(report.progress, artoo_types::Progress::RunningTool { .. })
}

/// Goes on with a run that nobody answers any more: every question is a no, and its end is on record.
pub(crate) async fn finish_alone(mut followed: FollowedRun, question: &UserQuestion) {
    no(&followed.run.answerer(), question);
    while let Some(step) = followed.run.next().await {
        if let Step::Asked(question) = step {
            no(&followed.run.answerer(), &question);
        }
    }
}
