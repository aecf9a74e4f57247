//! Rendering of the effects in a question that the listed changes do not already show.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use artoo_consent::on_file;
use artoo_types::{Effect, EffectKind, PreviewedChange, PreviewedKind};

use super::groups::by_folder;
use super::told::Told;
use crate::terminal::{Style, exact_ends};
use crate::view::labels;
use crate::view::units::counted;

/// Order of the kinds: losses come first.
const ORDER: [EffectKind; 8] = [
    EffectKind::Deletes,
    EffectKind::Overwrites,
    EffectKind::Commits,
    EffectKind::OutsideMachine,
    EffectKind::Network,
    EffectKind::Privilege,
    EffectKind::Unknown,
    EffectKind::Creates,
];

/// Effects not implied by a change: a change implies its effect on its path, and a
/// rename implies the deletion of the old name.
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

/// All effects: per kind at most `most` one by one. Of more, file effects are grouped by folder, and of other
/// effects the first ones are shown.
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
                    let text =
                        format!("{}: {count} in {folder}, for example {example}", labels::effect(kind));
                    told.push(Told::new(text, true));
                }
            }
        }
        told.extend(others.iter().take(most).flat_map(|effect| one(effect, columns)));
        let more = others.len().saturating_sub(most);
        if more > 0 {
            told.push(Told::new(format!("{}: … and {more} more", labels::effect(kind)), true));
        }
    }
    told
}

/// One effect and, below it, the reason for it.
pub(super) fn one<'a>(effect: &Effect, columns: usize) -> Vec<Told<'a>> {
    let (what, is_cut) = exact_ends(&effect.what, columns);
    let mut told = vec![Told::new(format!("{}: {what}", labels::effect(effect.kind)), is_cut)];
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
