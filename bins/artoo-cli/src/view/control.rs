//! Rendering of the controller's numbers: loss, trend, and blocked tools and targets.

use super::frame::Frame;
use artoo_types::{BlockedApproach, BlockedProgram, BlockedTarget, Loss, ToolName};

/// Bars of the trend, from 0 to 1.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The losses of the rounds so far as a row of bars. The maximum loss with the default weights is 1.3.
pub(super) fn trend(losses: &[f64]) -> String {
    losses
        .iter()
        .map(|loss| {
            // Clamped, so the cast cannot truncate.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=7")]
            let level = (loss / 1.3 * 7.0).round().clamp(0.0, 7.0) as usize;
            LEVELS.get(level).copied().unwrap_or('▁')
        })
        .collect()
}

/// The loss of a round: its sum, the trend, its terms.
pub(super) fn scored(loss: &Loss, grad_goal: f64, losses: &[f64], frame: Frame) -> String {
    let moved = if losses.len() < 2 { String::new() } else { format!(", goal {grad_goal:+.2}") };
    let trend = if frame.words { String::new() } else { format!("{} ", trend(losses)) };
    format!(
        "loss {:.2} {trend}(D {:.2}, P {:.2}, Omega {:.2}{moved})",
        loss.l,
        loss.d.get(),
        loss.p.get(),
        loss.omega.get()
    )
}

/// What the next plan must not use; `None` if nothing is blocked.
pub(super) fn blocked(
    tools: &[ToolName],
    targets: &[BlockedTarget],
    programs: &[BlockedProgram],
    approaches: &[BlockedApproach],
) -> Option<String> {
    let programs = programs.iter().map(|blocked| format!("{} in {}", blocked.program, blocked.tool));
    let tools = tools.iter().map(ToString::to_string);
    let targets = targets.iter().map(|blocked| format!("{} {}", blocked.tool, blocked.target));
    let approaches =
        approaches.iter().map(|blocked| format!("{} for \"{}\"", blocked.tool, blocked.approach));
    let all: Vec<String> = tools.chain(programs).chain(targets).chain(approaches).collect();
    (!all.is_empty()).then(|| format!("blocked: {}", all.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trend_is_one_bar_a_round() {
        assert_eq!(trend(&[]), "");
        assert_eq!(trend(&[1.3, 0.65, 0.0]), "█▅▁");
        assert_eq!(trend(&[9.0, -1.0, f64::NAN]), "█▁▁");
    }
}
