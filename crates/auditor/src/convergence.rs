//! Whether a run came closer to its goal.

use artoo_types::{Anomaly, AuditEvent, GapTrend, RunId, Trend, UnitInterval};

use crate::fact::{number, text, unit};
use crate::threshold::{FRUITLESS_ROUNDS, KEPT_WAY, PLATEAU, THRASHING_DIRECTIVES};

/// The rounds of one run.
///
/// Distances are of `alpha * D + beta * P`: the budget is part of L, so every long run would read as worsening.
#[derive(Default)]
pub(crate) struct Convergence {
    d: Vec<UnitInterval>,
    rounds: usize,
    /// How far the run is from where it began.
    moved: f64,
    /// How far it went: the sum of the steps that were one.
    way: f64,
    /// The direction of the last step that was one.
    direction: Option<Direction>,
    turns: u64,
    /// `break_symmetry` directives in a row without D falling, and D of the last one.
    broke: usize,
    broke_at: Option<UnitInterval>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Down,
    Up,
}

impl Convergence {
    /// A round's directive; thrashing shows there.
    pub(crate) fn directive(&mut self, event: &AuditEvent) -> Option<Anomaly> {
        self.round(event);
        self.thrashing(event)
    }

    /// The end of the run. With a fault of this kind its numbers are those of the round before, once more.
    pub(crate) fn end(&mut self, event: &AuditEvent, fault: Option<&str>) -> Option<Anomaly> {
        if fault.is_none() {
            self.round(event);
        }
        self.astray(event.run_id)
    }

    /// What is odd about the way so far.
    pub(crate) fn astray(&self, run_id: RunId) -> Option<Anomaly> {
        match self.direction()? {
            Trend::Improving => None,
            Trend::Oscillating => Some(Anomaly::Oscillation { run_id, d: self.d.clone() }),
            trend @ (Trend::Stable | Trend::Worsening) => (self.rounds >= FRUITLESS_ROUNDS)
                .then(|| Anomaly::NoImprovement { run_id, trend, d: self.d.clone() }),
        }
    }

    /// How the loss moved, where at least two rounds were seen.
    pub(crate) fn trend(&self, run_id: RunId) -> Option<GapTrend> {
        let trend = self.direction()?;
        Some(GapTrend { task_id: run_id, trend, d: self.d.clone() })
    }

    fn direction(&self) -> Option<Trend> {
        if self.rounds < 2 {
            return None;
        }
        Some(match self.moved {
            moved if self.turns > 0 && moved.abs() < KEPT_WAY * self.way => Trend::Oscillating,
            moved if moved < -PLATEAU => Trend::Improving,
            moved if moved > PLATEAU => Trend::Worsening,
            _ => Trend::Stable,
        })
    }

    fn round(&mut self, event: &AuditEvent) {
        self.rounds += 1;
        self.d.extend(unit(event, "D"));
        let step = number(event, "grad_goal").unwrap_or(0.0);
        self.moved += step;
        let direction = if step < -PLATEAU {
            Direction::Down
        } else if step > PLATEAU {
            Direction::Up
        } else {
            return;
        };
        self.way += step.abs();
        let before = self.direction.replace(direction);
        self.turns += u64::from(before.is_some_and(|before| before != direction));
    }

    fn thrashing(&mut self, event: &AuditEvent) -> Option<Anomaly> {
        let d = unit(event, "D").filter(|_| text(event, "directive") == Some("break_symmetry"));
        let before = std::mem::replace(&mut self.broke_at, d);
        let stuck = before.zip(d).filter(|(before, now)| now >= before);
        self.broke = if stuck.is_some() { self.broke + 1 } else { usize::from(d.is_some()) };
        let (d_before, d_now) = stuck?;
        (self.broke >= THRASHING_DIRECTIVES).then_some(Anomaly::GgsThrashing {
            run_id: event.run_id,
            d_before,
            d_now,
        })
    }
}
