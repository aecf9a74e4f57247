//! Erasure from a journal.

use std::collections::BTreeSet;

use super::examine::{Health, Known, examine};
use super::frame::Frame;
use super::{Journal, JournalError};

impl Journal {
    /// Permanently removes the content under these sequence numbers, and returns how many there were. The
    /// chain covers the hash of the removed content, so it still verifies.
    ///
    /// # Errors
    /// A segment is damaged or cannot be rewritten. Earlier segments are already rewritten.
    pub fn erase(&mut self, seqs: &BTreeSet<u64>) -> Result<u64, JournalError> {
        self.check()?;
        let segments: Vec<u64> = self.place.segments()?.into_iter().collect();
        let mut erased = 0;
        for (index, first) in segments.iter().copied().enumerate() {
            let next = segments.get(index + 1).copied();
            if seqs.range(first..next.unwrap_or(u64::MAX)).next().is_none() {
                continue;
            }
            let path = self.place.segment(first);
            let Some(bytes) = self.place.load(&path, 0)? else { continue };
            let found = examine(&bytes, &Known { first, before: None, told: 0, next });
            if found.health != Health::Whole {
                let offset = found.frames.last().map_or(0, |last| last.at.saturating_add(last.frame.len()));
                return Err(JournalError::Damaged { path, offset: offset as u64 });
            }
            let mut frames = Vec::with_capacity(bytes.len());
            let before = erased;
            for found in &found.frames {
                let there = !found.frame.payload.is_empty() && seqs.contains(&found.frame.seq);
                erased += u64::from(there);
                let payload = if there { &[] } else { found.frame.payload };
                Frame { payload, ..found.frame }.encode(&mut frames);
            }
            if erased > before {
                self.replace(found.header, &frames)?;
            }
        }
        Ok(erased)
    }

    /// Removes the segments that contain only events before a sequence number, because a snapshot covers
    /// them, and returns their number. The last segment stays.
    ///
    /// # Errors
    /// A segment cannot be removed. Earlier ones are already removed.
    pub fn drop_before(&mut self, seq: u64) -> Result<usize, JournalError> {
        let segments: Vec<u64> = self.place.segments()?.into_iter().collect();
        let covered = segments.iter().zip(segments.iter().skip(1)).filter(|(_, next)| **next <= seq);
        let mut dropped = 0;
        for (first, _) in covered {
            self.place.remove(*first)?;
            dropped += 1;
        }
        Ok(dropped)
    }
}
