//! Effects in words, as far as the changes do not say them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use artoo_consent::on_file;
use artoo_types::{Effect, EffectKind, PreviewedChange, PreviewedKind};

use super::groups::by_folder;
use super::told::Told;
use crate::terminal::{Style, exact_ends};
use crate::view::units::counted;
use crate::view::words;

/// The kinds in the order in which they are shown: what is lost comes first.
const ORDER: [EffectKind; 7] = [
    EffectKind::Deletes,
    EffectKind::Overwrites,
    EffectKind::OutsideMachine,
    EffectKind::Network,
    EffectKind::Privilege,
    EffectKind::Unknown,
    EffectKind::Creates,
];

/// What no change says: a change says of its path what it does there, and of one that is renamed that the old name goes.
pub(super) fn unsaid<'a>(effects: &'a [Effect], changes: &[PreviewedChange]) -> Vec<&'a Effect> {
    let said: BTreeSet<(EffectKind, &Path)> = changes.iter().flat_map(of_change).collect();
    let is_unsaid =
        |effect: &&Effect| on_file(effect).is_none_or(|path| !said.contains(&(effect.kind, path)));
    effects.iter().filter(is_unsaid).collect()
}

fn of_change(change: &PreviewedChange) -> impl Iterator<Item = (EffectKind, &Path)> {
    let kind = match change.change {
        PreviewedKind::Deleted => EffectKind::Deletes,
        PreviewedKind::Changed | PreviewedKind::Attributes => EffectKind::Overwrites,
        PreviewedKind::Renamed | PreviewedKind::Created => EffectKind::Creates,
    };
    let old_name = change.from.as_deref().map(|from| (EffectKind::Deletes, from));
    std::iter::once((kind, change.path.as_path())).chain(old_name)
}

/// All of these: of each kind at most so many by themselves. Of more, files are told by folder, and of what else it is the first.
pub(super) fn by_kind<'a>(effects: &[&'a Effect], most: usize, columns: usize) -> Vec<Told<'a>> {
    let mut told = Vec::new();
    for kind in ORDER {
        let all: Vec<&'a Effect> = effects.iter().copied().filter(|effect| effect.kind == kind).collect();
        if all.len() <= most {
            told.extend(all.into_iter().flat_map(|effect| one(effect, columns)));
            continue;
        }
        let (files, others): (Vec<&Effect>, Vec<&Effect>) =
            all.into_iter().partition(|effect| on_file(effect).is_some());
        let path = |effect: &Effect| PathBuf::from(&effect.what);
        for group in by_folder(&files, path, most) {
            match group.members.as_slice() {
                [only] => told.extend(one(only, columns)),
                members => {
                    let count = counted(members.len() as u64, "path", "paths");
                    let (folder, _) = exact_ends(&group.place.join("").to_string_lossy(), columns);
                    let example = members.first().map(|effect| effect.what.as_str()).unwrap_or_default();
                    let (example, _) = exact_ends(example, columns);
                    let text = format!("{}: {count} in {folder}, for example {example}", words::effect(kind));
                    told.push(Told::new(text, true));
                }
            }
        }
        told.extend(others.iter().take(most).flat_map(|effect| one(effect, columns)));
        let more = others.len().saturating_sub(most);
        if more > 0 {
            told.push(Told::new(format!("{}: … and {more} more", words::effect(kind)), true));
        }
    }
    told
}

/// One effect and, below it, why that is believed.
pub(super) fn one<'a>(effect: &Effect, columns: usize) -> Vec<Told<'a>> {
    let (what, is_cut) = exact_ends(&effect.what, columns);
    let mut told = vec![Told::new(format!("{}: {what}", words::effect(effect.kind)), is_cut)];
    let word = if effect.word.is_empty() || effect.word == effect.what {
        None
    } else {
        let (word, is_cut) = exact_ends(&effect.word, columns);
        Some((format!("`{word}`"), is_cut))
    };
    let why = (!effect.why.is_empty()).then(|| exact_ends(&effect.why, columns));
    let is_cut = [&word, &why].into_iter().flatten().any(|(_, is_cut)| *is_cut);
    let below: Vec<String> = [word, why].into_iter().flatten().map(|(text, _)| text).collect();
    if !below.is_empty() {
        told.push(Told::new(below.join(": "), is_cut).styled(2, Style::Faint));
    }
    told
}
