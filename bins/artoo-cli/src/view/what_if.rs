//! Page of `artoo runs what-if`: a recorded run decided again with other hyperparameters.

use artoo_runtime::explain::{ReplayedRound, WhatIf};
use artoo_types::{Hyperparameters, SolverOrigin};
use serde_json::{Map, Value};

use super::labels;
use super::layout::Frame;
use crate::terminal::{Style, neutral_line};

/// Renders the page.
pub(crate) fn what_if(page: &WhatIf, frame: Frame) -> String {
    let mut lines = Vec::new();
    let request = page.request.as_deref().unwrap_or("(no request is on record)");
    lines.push(frame.paint.text(Style::Strong, &format!("» {}", neutral_line(request))));
    lines.extend(page.run_id.map(|id| frame.paint.text(Style::Faint, &format!("run {id}"))));
    let other = changed(&page.recorded, &page.replayed);
    let with = if other.is_empty() {
        "with the recorded numbers".to_owned()
    } else {
        format!("with {}", other.join(", "))
    };
    lines.push(frame.paint.text(Style::Faint, &with));
    if page.solver == SolverOrigin::Foreign {
        let note = "a foreign solver decided then: what is computed here is what artoo's own would have said";
        lines.push(frame.paint.text(Style::Notice, note));
    }
    lines.extend(page.rounds.iter().map(|round| line(round, frame)));
    lines.push(match (page.parted, page.rounds.is_empty()) {
        (Some(round), _) => format!(
            "from round {round} on the run would have gone another way; what would have come then is on no record"
        ),
        (None, true) => "no decision is on record".to_owned(),
        (None, false) => "the run would have gone the same way".to_owned(),
    });
    lines.join("\n") + "\n"
}

fn line(round: &ReplayedRound, frame: Frame) -> String {
    let (replayed, number) = (&round.replayed, round.round);
    let (now, goal) = (labels::state(replayed.decision), format!("∇G {:+.3}", replayed.grad_goal));
    let Some(recorded) = &round.recorded else {
        let told = format!("round {number}  {now}, which nobody was told: the run was cut short");
        return frame.paint.text(Style::Notice, &told);
    };
    let score = if recorded.loss == replayed.loss {
        format!("L {:.3}, {goal}", replayed.loss.l)
    } else {
        format!("L {:.3} in place of {:.3}, {goal}", replayed.loss.l, recorded.loss.l)
    };
    if recorded.decision == replayed.decision {
        let differs = if round.same { "" } else { ", otherwise scored" };
        return format!("round {number}  {now}, as recorded{differs}: {score}");
    }
    let head = format!("round {number}  {now} in place of {}", labels::state(recorded.decision));
    format!("{}: {score}\n  {}", frame.paint.text(Style::Notice, &head), neutral_line(&round.rationale))
}

/// The numbers that differ, recorded and replayed.
fn changed(recorded: &Hyperparameters, replayed: &Hyperparameters) -> Vec<String> {
    let of = |values: &Hyperparameters| match serde_json::to_value(values) {
        Ok(Value::Object(numbers)) => numbers,
        Ok(_) | Err(_) => Map::new(),
    };
    let before = of(recorded);
    let differs = |(key, now): (String, Value)| {
        let was = before.get(&key).filter(|was| **was != now)?;
        Some(format!("{key} {now} in place of {was}"))
    };
    of(replayed).into_iter().filter_map(differs).collect()
}
