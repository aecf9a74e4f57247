//! Which of the effects of a command a person is asked about.

use std::path::{Path, PathBuf};

use artoo_shell_effects::{Cause, Effects, Kind, OnDisk, Paths, Seen};
use artoo_types::{Effect, EffectKind};

/// What a person is asked about. Reading and starting programs never is by itself. New files are where
/// there is nothing else to ask about.
pub fn asked_about(effects: &Effects) -> Vec<Effect> {
    let kinds = [
        (Kind::Overwrites, EffectKind::Overwrites),
        (Kind::Deletes, EffectKind::Deletes),
        (Kind::Commits, EffectKind::Commits),
        (Kind::OutsideMachine, EffectKind::OutsideMachine),
        (Kind::Privilege, EffectKind::Privilege),
        (Kind::Network, EffectKind::Network),
        (Kind::Unknown, EffectKind::Unknown),
    ];
    let creates = asks_about_new_files(effects).then_some((Kind::Creates, EffectKind::Creates));
    let all = kinds.into_iter().chain(creates);
    all.flat_map(|(of, kind)| effects.of(of).iter().map(move |cause| effect(kind, cause))).collect()
}

/// What of it on files is not asked about.
pub fn rest_of(effects: &Effects) -> Vec<Effect> {
    let free = if asks_about_new_files(effects) { &[][..] } else { effects.of(Kind::Creates) };
    free.iter().map(|cause| effect(EffectKind::Creates, cause)).collect()
}

/// The programs that it is known to start.
pub fn programs_of(effects: &Effects) -> Vec<String> {
    effects.runs.iter().map(|cause| cause.what.clone()).collect()
}

/// Where there is nothing else to ask about.
fn asks_about_new_files(effects: &Effects) -> bool {
    let more = [
        Kind::Overwrites,
        Kind::Deletes,
        Kind::Commits,
        Kind::OutsideMachine,
        Kind::Privilege,
        Kind::Network,
        Kind::Unknown,
    ];
    more.into_iter().all(|kind| effects.of(kind).is_empty())
}

fn effect(kind: EffectKind, cause: &Cause) -> Effect {
    let path = Path::new(&cause.what);
    let real = match kind {
        // A link is followed by what changes it, and goes itself where it is deleted.
        EffectKind::Creates | EffectKind::Overwrites => path.canonicalize().ok(),
        EffectKind::Deletes => {
            let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
            parent.zip(path.file_name()).map(|(parent, name)| parent.join(name))
        }
        EffectKind::Commits
        | EffectKind::Network
        | EffectKind::OutsideMachine
        | EffectKind::Privilege
        | EffectKind::Unknown => None,
    };
    let what = real.filter(|_| path.is_absolute()).map(|real| real.display().to_string());
    let (word, why) = (cause.word.clone(), cause.why.clone());
    Effect { kind, what: what.unwrap_or_else(|| cause.what.clone()), word, why }
}

/// The name without links of a path that may not be there yet.
pub fn real(path: &Path) -> PathBuf {
    match OnDisk.look(path) {
        Seen::Nothing(real) | Seen::Folder(real) | Seen::File(real) => real,
        Seen::Unsure => path.to_owned(),
    }
}
