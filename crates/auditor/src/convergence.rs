//! Convergence of a run: trend of its loss, oscillation, thrashing.

use artoo_types::{Anomaly, AuditEvent, GapTrend, RunId, Trend, UnitInterval};
use serde::{Deserialize, Serialize};

use crate::fact_access::{number, text, unit};
use crate::thresholds::{FRUITLESS_ROUNDS, KEPT_WAY, PLATEAU, THRASHING_DIRECTIVES};

/// The rounds of one run.
///
/// Distances are of `alpha * D + beta * P`: L contains the budget, so every long run would look as if it got
/// worse.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Convergence {
    d: Vec<UnitInterval>,
    rounds: usize,
    /// Net change since the first round.
    moved: f64,
    /// Path length: the sum of the changes above the threshold.
    way: f64,
    /// Direction of the last change above the threshold.
    direction: Option<Direction>,
    turns: u64,
    /// Number of consecutive `break_symmetry` directives without a fall of D, and D at the last one.
    broke: usize,
    broke_at: Option<UnitInterval>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Direction {
    Down,
    Up,
}

impl Convergence {
    /// Processes the directive of a round; reports thrashing.
    pub(crate) fn directive(&mut self, event: &AuditEvent) -> Option<Anomaly> {
        self.round(event);
        self.thrashing(event)
    }

    /// Processes the end of the run. After a fault of this kind, its numbers repeat those of the previous
    /// round.
    pub(crate) fn end(&mut self, event: &AuditEvent, fault: Option<&str>) -> Option<Anomaly> {
        if fault.is_none() {
            self.round(event);
        }
        self.astray(event.run_id)
    }

    /// The anomaly of the run's progress so far.
    pub(crate) fn astray(&self, run_id: RunId) -> Option<Anomaly> {
        match self.direction()? {
            Trend::Improving => None,
            Trend::Oscillating => Some(Anomaly::Oscillation { run_id, d: self.d.clone() }),
            trend @ (Trend::Stable | Trend::Worsening) => (self.rounds >= FRUITLESS_ROUNDS)
                .then(|| Anomaly::NoImprovement { run_id, trend, d: self.d.clone() }),
        }
    }

    /// Trend of the loss, after at least two rounds.
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
