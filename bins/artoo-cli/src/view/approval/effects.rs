//! Rendering of the effects in a question that the listed changes do not already show.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use artoo_consent::{is_unnamed, names_this_machine, on_file};
use artoo_types::{Effect, EffectKind, PreviewedChange, PreviewedKind};

use super::groups::by_folder;
use super::place::Place;
use super::told::Told;
use crate::terminal::{Style, exact_ends};
use crate::view::labels;
use crate::view::near::near;
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
pub(super) fn by_kind<'a>(effects: &[&'a Effect], most: usize, place: Place<'_>) -> Vec<Told<'a>> {
    let mut told = Vec::new();
    for kind in ORDER {
        let all: Vec<&'a Effect> = effects.iter().copied().filter(|effect| effect.kind == kind).collect();
        if all.len() <= most {
            told.extend(all.into_iter().flat_map(|effect| one(effect, place)));
            continue;
        }
        let (files, others): (Vec<&Effect>, Vec<&Effect>) =
            all.into_iter().partition(|effect| on_file(effect).is_some());
        let path = |effect: &Effect| PathBuf::from(&effect.what);
        for group in by_folder(&files, path, most) {
            match group.members.as_slice() {
                [only] => told.extend(one(only, place)),
                members => {
                    let count = counted(members.len() as u64, "path", "paths");
                    let (folder, _) = named(&group.place.join("").to_string_lossy(), kind, place);
                    let example = members.first().map(|effect| effect.what.as_str()).unwrap_or_default();
                    let (example, _) = named(example, kind, place);
                    let text =
                        format!("{}: {count} in {folder}, for example {example}", labels::effect(kind));
                    told.push(Told::new(text, true));
                }
            }
        }
        told.extend(others.iter().take(most).flat_map(|effect| one(effect, place)));
        let more = others.len().saturating_sub(most);
        if more > 0 {
            told.push(Told::new(format!("{}: … and {more} more", labels::effect(kind)), true));
        }
    }
    told
}

/// One effect and, below it, the reason for it.
pub(super) fn one<'a>(effect: &Effect, place: Place<'_>) -> Vec<Told<'a>> {
    let (what, is_cut) = named(&effect.what, effect.kind, place);
    let (text, is_cut) = if is_unnamed(effect) {
        ("what else the command does cannot be known".to_owned(), false)
    } else if names_this_machine(effect) {
        (format!("connects to this machine: {what}"), is_cut)
    } else {
        (format!("{}: {what}", labels::effect(effect.kind)), is_cut)
    };
    let mut told = vec![Told::new(text, is_cut)];
    let word = if effect.word.is_empty() || effect.word == effect.what {
        None
    } else {
        let (word, is_cut) = exact_ends(&effect.word, place.columns);
        Some((format!("`{word}`"), is_cut))
    };
    // That of the network says that another machine is asked.
    let why = Some(&effect.why).filter(|why| !why.is_empty() && !names_this_machine(effect));
    let why = why.map(|why| exact_ends(why, place.columns));
    let is_cut = [&word, &why].into_iter().flatten().any(|(_, is_cut)| *is_cut);
    let below: Vec<String> = [word, why].into_iter().flatten().map(|(text, _)| text).collect();
    if !below.is_empty() {
        told.push(Told::new(below.join(": "), is_cut).styled(2, Style::Faint));
    }
    told
}

/// What an effect is on; a path of a file as `place` says.
fn named(what: &str, kind: EffectKind, place: Place<'_>) -> (String, bool) {
    let path = Path::new(what);
    let is_file = matches!(kind, EffectKind::Creates | EffectKind::Overwrites | EffectKind::Deletes);
    let path = if is_file { near(path, place.folder) } else { Cow::Borrowed(path) };
    exact_ends(&path.to_string_lossy(), place.columns)
}
