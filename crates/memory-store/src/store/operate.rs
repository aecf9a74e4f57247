//! `Operator` implementation of the store.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::path::Path;

use artoo_mkct_memory::dreamer::Entry;
use artoo_mkct_memory::similar::{Question, Similar};
use artoo_mkct_memory::{Event, decay, potentials};
use artoo_types::{Megram, MegramId, MemoryQuery, MemoryReply, Remedy, TagPair};
use uuid::Uuid;

use super::index_lookup::Answered;
use super::{Store, recall, wait, written};
use crate::StoreError;
use crate::disk::read_regular;
use crate::operator::{
    Dreamt, Filter, Finding, Forgotten, Keeping, Levels, Listed, Operator, Owner, Part, Provenance, Shown,
    Stats, Verification,
};
use crate::processes::Role;
use crate::state::{Remembered, State};

/// Maximum number of a rule's sources shown.
const SOURCES: usize = 1_000;

impl Operator for Store {
    fn stats(&self) -> Result<Stats, StoreError> {
        let state = self.state()?;
        let found = state.stats();
        let (mut oldest, mut newest) = (None, None);
        for remembered in state.megrams() {
            let at = remembered?.megram.created_at;
            oldest = Some(oldest.map_or(at, |before| at.min(before)));
            newest = Some(newest.map_or(at, |before| at.max(before)));
        }
        let folder = self.folder();
        let owner = match self.log.role() {
            Role::Owner => Owner::This,
            Role::Client => Owner::Other { pid: None },
            Role::Reader { reason } => Owner::Nobody { why: reason },
        };
        let counts = self.log.counts();
        Ok(Stats {
            levels: Levels { m: found.m, k: found.k, c: found.c, t: found.t },
            consolidated: found.consolidated,
            forgotten: found.forgotten,
            pairs: found.pairs,
            oldest,
            newest,
            keeping: Keeping::Disk {
                folder: folder.to_owned(),
                owner,
                journal_bytes: bytes(&folder.join("journal")),
                snapshot_bytes: bytes(&folder.join("snapshot")),
                index_bytes: bytes(&self.index_folder()),
                durable: self.log.head().seq,
                pending: counts.accepted.saturating_sub(counts.durable).saturating_sub(counts.lost),
            },
            last_dream: self.dreamt(1)?.first().map(|dreamt| dreamt.at),
            findings: self.findings(),
        })
    }

    fn list(&self, filter: &Filter) -> Result<Vec<Listed>, StoreError> {
        if let Some(like) = &filter.like {
            return self.list_like(like, filter);
        }
        let of_level = match filter.level {
            Some(level) => self.of_level(level)?,
            None => Answered::NotByIndex,
        };
        let state = self.state()?;
        // The newest so far, by age.
        let mut newest: BTreeMap<(i64, MegramId), Megram> = BTreeMap::new();
        let mut take = |megram: Megram| {
            if fits(&megram, filter) {
                newest.insert((megram.created_at.timestamp_millis(), megram.id), megram);
                if newest.len() > filter.limit {
                    newest.pop_first();
                }
            }
        };
        match of_level {
            Answered::ByIndex(found) => found.into_iter().for_each(&mut take),
            Answered::NotByIndex => {
                for remembered in state.megrams() {
                    let Remembered { megram, is_consolidated, .. } = remembered?;
                    // With a level only live Megrams are listed; without one all.
                    if !(is_consolidated && filter.level.is_some()) {
                        take(megram);
                    }
                }
            }
        }
        newest.into_values().rev().map(|megram| self.listed(&state, megram)).collect()
    }

    fn show(&self, id: MegramId) -> Result<Option<Shown>, StoreError> {
        let state = self.state()?;
        let Some(Remembered { megram, sources: behind, .. }) = state.remembered(id)? else { return Ok(None) };
        let mut sources = Vec::new();
        for source in &behind {
            sources.extend(state.current(*source)?);
        }
        sources.sort_by_key(|source| (source.created_at, source.id));
        sources.truncate(SOURCES);
        let potentials = state.potentials(&megram.space, &megram.entity, self.now())?;
        let sources_not_shown = behind.len().saturating_sub(sources.len()) as u64;
        Ok(Some(Shown { listed: self.listed(&state, megram)?, sources, sources_not_shown, potentials }))
    }

    fn find_prefix(&self, hex: &str, limit: usize) -> Result<Vec<MegramId>, StoreError> {
        let digits = hex.replace('-', "").to_ascii_lowercase();
        let Some(first) = first_id(&digits) else { return Ok(Vec::new()) };
        let begins = |id: &MegramId| id.uuid().simple().to_string().starts_with(&digits);
        if let Answered::ByIndex(found) = self.ids_from(first, limit)? {
            return Ok(found.into_iter().filter(begins).collect());
        }
        let state = self.state()?;
        let mut found = BTreeSet::new();
        for remembered in state.megrams() {
            let id = remembered?.megram.id;
            if begins(&id) {
                found.insert(id);
            }
        }
        Ok(found.into_iter().take(limit).collect())
    }

    fn recall_look(&self, query: &MemoryQuery) -> Result<MemoryReply, StoreError> {
        Ok(recall::reply(&*self.state()?, query, self.now())?)
    }

    fn entries(&self, pair: &TagPair) -> Result<Vec<Entry>, StoreError> {
        Ok(self.state()?.entries(&pair.space, &pair.entity)?)
    }

    fn all(&self, each: &mut dyn FnMut(&Megram, &Provenance) -> ControlFlow<()>) -> Result<(), StoreError> {
        let state = self.state()?;
        // Ids first, so that the order is independent of storage, and only one Megram is loaded at a time.
        let (mut ids, mut rules) = (Vec::new(), HashMap::new());
        for remembered in state.megrams() {
            let remembered = remembered?;
            ids.push(remembered.megram.id);
            if !remembered.is_consolidated {
                rules.extend(remembered.sources.iter().map(|source| (*source, remembered.megram.id)));
            }
        }
        ids.sort_unstable();
        for id in ids {
            let Some(Remembered { megram, is_consolidated, sources }) = state.remembered(id)? else {
                continue;
            };
            let consolidated_into = if is_consolidated { rules.get(&id).copied() } else { None };
            if each(&megram, &Provenance { sources, consolidated_into }).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn forget(&self, ids: &[MegramId]) -> Result<Forgotten, StoreError> {
        self.must_own("forgetting for good")?;
        let mut result = Forgotten::default();
        let mut contents = Vec::new();
        {
            let mut state = self.state_to_change()?;
            for id in ids {
                if let Some(megram) = state.current(*id)? {
                    self.append(&mut state, Event::Forgotten { id: *id })?;
                    result.forgotten.push(*id);
                    contents.push(megram.content);
                } else {
                    result.unknown.push(*id);
                }
            }
        }
        if result.forgotten.is_empty() {
            return Ok(result);
        }
        wait(self.log.flush())?;
        // The journal's content goes first: from then on nothing can bring them back.
        let gone: BTreeSet<MegramId> = result.forgotten.iter().copied().collect();
        let entries = self.log.read_from(self.read().covers())?.entries;
        self.log.erase(written(&entries, &gone))?;
        self.compact()?;
        self.rebuild()?;
        self.clear_damaged(&contents)?;
        Ok(result)
    }

    fn rebuild_index(&self) -> Result<u64, StoreError> {
        self.rebuild()
    }

    fn verify(&self) -> Result<Verification, StoreError> {
        let mut findings = self.findings();
        let verified = self.log.verify()?;
        findings.extend(verified.wrong.iter().map(|wrong| Finding {
            part: Part::Journal,
            finding: wrong.to_string(),
            hint: Some("keep a copy of the folder; everything else in it can be read".to_owned()),
            remedy: None,
        }));
        let state = self.state()?;
        if let Err(error) = state.verify() {
            findings.push(Finding {
                part: Part::Snapshot,
                finding: error.to_string(),
                hint: error.hint().map(str::to_owned),
                remedy: error.remedy(),
            });
        }
        let mut megrams = 0;
        for remembered in state.megrams() {
            remembered?;
            megrams += 1;
        }
        drop(state);
        findings.extend(self.check_index()?.map(|finding| Finding {
            part: Part::Index,
            finding,
            hint: Some("build it anew".to_owned()),
            remedy: Some(Remedy::RebuildMemory),
        }));
        Ok(Verification { events: verified.events, megrams, findings })
    }

    fn dream_log(&self, limit: usize) -> Result<Vec<Dreamt>, StoreError> {
        self.dreamt(limit)
    }
}

impl Store {
    fn listed(&self, state: &State, megram: Megram) -> Result<Listed, StoreError> {
        let is_consolidated = state.remembered(megram.id)?.is_some_and(|known| known.is_consolidated);
        let counts = !is_consolidated && potentials::counts(megram.level);
        let live = megram.f * decay::weight(megram.k, decay::age_days(&megram, self.now()));
        let consolidated_into = if is_consolidated { rule_of(state, &megram)? } else { None };
        Ok(Listed { live: if counts { live } else { 0.0 }, megram, consolidated_into })
    }

    /// Megrams similar to these words, the most similar pair first.
    fn list_like(&self, like: &str, filter: &Filter) -> Result<Vec<Listed>, StoreError> {
        let state = self.state()?;
        let mut found = Vec::new();
        for Similar { key: pair, .. } in recall::pairs_like(&state, &Question::of(like), &[])? {
            for entry in state.entries(&pair.space, &pair.entity)?.into_iter().rev() {
                if found.len() < filter.limit && fits(&entry.megram, filter) {
                    found.push(self.listed(&state, entry.megram)?);
                }
            }
        }
        Ok(found)
    }

    /// Removes copies of damaged files that contain one of these texts.
    fn clear_damaged(&self, texts: &[String]) -> Result<(), StoreError> {
        let folder = self.folder().join("damaged");
        for path in std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            // A file that cannot be read is left where it is.
            let bytes = read_regular(&path).unwrap_or_default();
            if texts.iter().any(|text| memchr::memmem::find(&bytes, text.as_bytes()).is_some()) {
                let file = |source| StoreError::File { path: path.clone(), doing: "removed", source };
                std::fs::remove_file(&path).map_err(file)?;
            }
        }
        Ok(())
    }

    fn findings(&self) -> Vec<Finding> {
        let finding = |notice: crate::journal::Notice| Finding {
            part: notice.part(),
            finding: notice.to_string(),
            hint: None,
            remedy: None,
        };
        self.notices().into_iter().map(finding).collect()
    }
}

fn fits(megram: &Megram, filter: &Filter) -> bool {
    filter.level.is_none_or(|level| level == megram.level)
        && filter.space.as_ref().is_none_or(|start| megram.space.as_str().starts_with(start))
}

/// The rule of its pair that a Megram was consolidated into.
fn rule_of(state: &State, megram: &Megram) -> Result<Option<MegramId>, StoreError> {
    let rules = state.sops(&megram.space, &megram.entity)?;
    Ok(rules.into_iter().find(|rule| rule.sources.contains(&megram.id)).map(|rule| rule.id))
}

/// The smallest id with this prefix; `None` if it contains non-digits, or too many digits.
fn first_id(digits: &str) -> Option<MegramId> {
    if digits.is_empty() || digits.len() > 32 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    Uuid::parse_str(&format!("{digits:0<32}")).ok().map(MegramId::new)
}

/// Total length of the files in a folder. A missing folder counts as 0.
fn bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|found| found.len()).sum()
}
