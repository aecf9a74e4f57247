//! Private keys whose files are known: every part of them is redacted, wherever it occurs.
//!
//! A line from the middle of a key may be as random as one of a picture. Who knows the file tells.

use std::{
    collections::HashSet,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::{kind::Kind, known_keys::is_base64, pem};

/// The length of a part, in characters. A shorter rest of a key stays.
const PART: usize = 12;
/// The most parts that are kept, of all keys together.
const MOST: usize = 1 << 17;

/// The keys that were learned, shared by all clones of a redactor.
#[derive(Default)]
pub(crate) struct LearnedKeys {
    parts: RwLock<Option<Arc<Parts>>>,
    /// How many there are: most runs know none, and ask for each text.
    count: AtomicUsize,
}

/// All parts of the keys.
#[derive(Clone, Default)]
pub(crate) struct Parts(HashSet<[u8; PART]>);

impl LearnedKeys {
    /// Learns the private keys in the text of a file.
    pub(crate) fn learn(&self, file: &[u8]) {
        let found: HashSet<_> = pem::bodies(file).iter().flat_map(|body| parts(body)).collect();
        if found.is_empty() {
            return;
        }
        // A panic elsewhere cannot leave it half changed.
        let mut known = self.parts.write().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().is_some_and(|known| found.is_subset(&known.0)) {
            return;
        }
        let mut all = known.as_deref().cloned().unwrap_or_default();
        all.0.extend(found.into_iter().take(MOST.saturating_sub(all.0.len())));
        self.count.store(all.0.len(), Ordering::Release);
        *known = Some(Arc::new(all));
    }

    /// How many parts there are.
    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// The parts so far; `None` if there are none.
    pub(crate) fn parts(&self) -> Option<Arc<Parts>> {
        if self.count() == 0 {
            return None;
        }
        self.parts.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Parts {
    /// Whether a part of a key is in the text.
    pub(crate) fn are_in(&self, text: &[u8]) -> bool {
        self.next(text, 0).is_some()
    }

    /// Copies the text to `out` without parts of keys. Returns whether there were any.
    pub(crate) fn mask(&self, text: &[u8], out: &mut Vec<u8>) -> bool {
        let mut done = 0;
        while let Some((start, end)) = self.next(text, done) {
            out.extend_from_slice(text.get(done..start).unwrap_or_default());
            out.extend_from_slice(Kind::PrivateKey.mark().as_bytes());
            done = end;
        }
        out.extend_from_slice(text.get(done..).unwrap_or_default());
        done > 0
    }

    /// The first span from `from` on that parts of a key cover.
    fn next(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        let has = |at: usize| {
            let part = text.get(at..at + PART).and_then(|part| <&[u8; PART]>::try_from(part).ok());
            part.is_some_and(|part| is_base64(part[PART - 1]) && self.0.contains(part))
        };
        let start = (from..(text.len() + 1).checked_sub(PART)?).find(|at| has(*at))?;
        let mut end = start + PART;
        while has(end + 1 - PART) {
            end += 1;
        }
        Some((start, end))
    }
}

fn parts(body: &[u8]) -> impl Iterator<Item = [u8; PART]> {
    body.windows(PART).filter_map(|part| part.try_into().ok())
}
