//! Queue of the pairs that the Dreamer has to process.

use artoo_mkct_memory::due::{self, Due};
use artoo_types::TagPair;
use chrono::{DateTime, FixedOffset};

use super::key::{self, PairKey};
use super::record::{PairRecord, decode, meaningless};
use super::{Base, State};
use crate::table::TableError;

impl State {
    /// The pairs that the Dreamer has to process by `now`, at most `limit`: changed pairs first, then those
    /// whose time has come. Each is returned until it was [processed](Self::looked_at).
    ///
    /// # Errors
    ///
    /// [`TableError::Io`], [`TableError::Damaged`].
    pub fn due(&mut self, now: DateTime<FixedOffset>, limit: usize) -> Result<Vec<TagPair>, TableError> {
        let now_ms = now.timestamp_millis();
        let in_memory = self.queue.iter().take_while(|(at_ms, _)| *at_ms <= now_ms);
        let mut due: Vec<TagPair> = in_memory.take(limit).map(|(_, pair)| pair.clone()).collect();
        let Some(Base { table, is_due_known, .. }) = &self.table else { return Ok(due) };
        // Due times computed by other rules are invalid: every pair is processed once.
        let class = if *is_due_known { key::DUE } else { key::PAIR };
        let mut all_in_memory = true;
        for row in table.scan(class, &self.swept) {
            let row = row?;
            let is_due = !is_due_known || key::due_ms(row.key()).is_some_and(|at_ms| at_ms <= now_ms);
            if !is_due || due.len() >= limit {
                break;
            }
            let pair = PairKey::at_end(row.key()).ok_or_else(|| meaningless(table, &row))?;
            if !self.resident.contains(&pair) {
                all_in_memory = false;
                let row = table.get(&key::pair(pair))?.ok_or_else(|| meaningless(table, &row))?;
                due.push(decode::<PairRecord>(table, &row)?.pair());
            } else if all_in_memory {
                self.swept = [row.key(), &[0]].concat();
            }
        }
        Ok(due)
    }

    /// Marks a pair as processed: its next due time is computed from its current content.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`], [`TableError::Damaged`].
    pub fn looked_at(&mut self, pair: &TagPair, now: DateTime<FixedOffset>) -> Result<(), TableError> {
        let due = match self.next_due(pair, now)? {
            // Nothing more can happen at this moment.
            Due::Now => Due::At(now.timestamp_millis().saturating_add(1)),
            later @ (Due::At(_) | Due::Never) => later,
        };
        self.hold(&pair.space, &pair.entity)?;
        self.set_due(pair, due);
        Ok(())
    }

    pub(super) fn next_due(&self, pair: &TagPair, now: DateTime<FixedOffset>) -> Result<Due, TableError> {
        let entries = self.entries(&pair.space, &pair.entity)?;
        Ok(due::next(&entries, &self.rules, now.timestamp_millis()))
    }
}
