//! A cycle of the Dreamer: processes due pairs one at a time, then does the house-keeping.

use artoo_mkct_memory::dreamer::{Promotion, plan};
use artoo_mkct_memory::{Distiller, Rules};
use artoo_types::{DreamReport, Megram, TagPair};
use chrono::{DateTime, FixedOffset};

use super::Store;
use crate::StoreError;
use crate::state::State;
use crate::table::TableError;

/// Number of due pairs fetched at a time.
const AT_ONCE: usize = 256;

impl Store {
    /// Runs one cycle. Each pair is processed completely, so an interrupted cycle continues where it stopped.
    /// Only the owner dreams: two dreamers would find the same rule twice.
    pub(super) async fn cycle(&self, distiller: &dyn Distiller) -> Result<DreamReport, StoreError> {
        let mut report = DreamReport::default();
        if !self.is_owner() {
            return Ok(report);
        }
        let now = self.now();
        loop {
            let due = self.state_to_change()?.due(now, AT_ONCE)?;
            if due.is_empty() {
                break;
            }
            for pair in due {
                self.settle(&pair, now, distiller, &mut report).await?;
            }
        }
        // A different pair each time; over many cycles every one.
        let some = u64::try_from(now.timestamp_millis()).unwrap_or_default();
        report.corrected = self.state_to_change()?.check_one(some)?;
        if !report.is_idle() {
            self.note_dream(now, &report);
        }
        self.keep_short()?;
        Ok(report)
    }

    async fn settle(
        &self,
        pair: &TagPair,
        now: DateTime<FixedOffset>,
        distiller: &dyn Distiller,
        report: &mut DreamReport,
    ) -> Result<(), StoreError> {
        let arising = arising(&*self.state()?, pair, &self.options.rules, now)?;
        let words = match arising {
            None => None,
            Some(_) if distiller.asks_a_model() && !self.may_ask(now) => None,
            Some((promotion, sources)) => {
                let text = distiller.distil(promotion.polarity, &sources).await;
                text.map(|text| (promotion, text))
            }
        };
        let mut state = self.state_to_change()?;
        let mut plan = plan(&state.entries(&pair.space, &pair.entity)?, &self.options.rules, now);
        if let (Some(promotion), Some((same, text))) = (plan.promote.as_mut(), words)
            && *promotion == same
        {
            // Entries that arrived meanwhile produce another rule, which has no wording yet.
            promotion.content = text;
        }
        report.examined = report.examined.saturating_add(1);
        for event in plan.events(pair, &self.options.rules, now, &*self.options.mint, report) {
            self.append(&mut state, event)?;
        }
        Ok(state.looked_at(pair, now)?)
    }
}

/// The rule that would arise in a pair, with the experiences behind it.
fn arising(
    state: &State,
    pair: &TagPair,
    rules: &Rules,
    now: DateTime<FixedOffset>,
) -> Result<Option<(Promotion, Vec<Megram>)>, TableError> {
    let Some(promotion) = plan(&state.entries(&pair.space, &pair.entity)?, rules, now).promote else {
        return Ok(None);
    };
    let mut sources = Vec::with_capacity(promotion.sources.len());
    for id in &promotion.sources {
        sources.extend(state.current(*id)?);
    }
    Ok(Some((promotion, sources)))
}
