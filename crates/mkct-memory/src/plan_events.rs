//! Turns the Dreamer's decisions into events. Pure: every memory appends the same events.

use std::sync::Arc;

use artoo_types::{DreamReport, Megram, MegramId, MegramState, Origin, Polarity, TagPair};
use chrono::{DateTime, FixedOffset};

use crate::dreamer::{PairPlan, Promotion};
use crate::{Bankruptcy, Event, Rules, matrix, polarity};

impl PairPlan {
    /// The events of a plan, recorded in the report. `mint` creates the id of a new rule.
    pub fn events(
        self,
        pair: &TagPair,
        rules: &Rules,
        now: DateTime<FixedOffset>,
        mint: &dyn Fn() -> MegramId,
        report: &mut DreamReport,
    ) -> Vec<Event> {
        let mut events = Vec::new();
        for id in self.demote {
            events.push(Event::Demoted { id, k: rules.demoted_k });
            report.demoted.push(id);
        }
        if let Some(promotion) = self.promote {
            let sop = promotion.megram(mint(), now, pair.space.clone(), pair.entity.clone());
            report.promoted.push(sop.id);
            let Promotion { sources, absorbed, .. } = promotion;
            events.push(Event::Consolidated { sop: sop.id, sources, absorbed });
            events.push(Event::Written(Arc::new(sop)));
        }
        for id in self.forget {
            events.push(Event::Forgotten { id });
            report.forgotten.push(id);
        }
        events
    }
}

/// The experience against a rule, under the rule's own pair: see
/// [`record_negative_feedback`](crate::MemoryService::record_negative_feedback).
pub fn contradiction(
    rule: &Megram,
    rules: &Rules,
    id: MegramId,
    at: DateTime<FixedOffset>,
    content: &str,
) -> Megram {
    let state = match (rules.bankruptcy, polarity(rule.sigma)) {
        (Bankruptcy::Contradicted, Polarity::Constraint) => MegramState::BreakSymmetry,
        (Bankruptcy::Contradicted, Polarity::Practice) | (Bankruptcy::Negative, _) => {
            MegramState::ChangeApproach
        }
    };
    let (space, entity) = (rule.space.clone(), rule.entity.clone());
    let megram = matrix::megram(id, state, at, space, entity, content.to_owned());
    Megram { origin: Some(Origin::Dreamer), ..megram }
}
