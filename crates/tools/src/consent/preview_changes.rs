//! Classifies the changes that a preview found, and asks for consent to them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use artoo_consent::{NewEntry, ProposedEffects, Question, in_words, real, repository_of};
use artoo_sandbox::preview::{Change, ChangeKind, Changes, Entry, EntryKind};
use artoo_shell_effects::DecidedBy;
use artoo_snapshot::Named;
use artoo_types::{Approval, Effect, EffectKind, PreviewedChange, PreviewedKind, ToolName};

use super::{ASK_BEFORE_ALL, AUTORUN, AutorunFiles, Reading, beyond_undo};
use crate::kept_places::kept_places;
use crate::protected::Protected;
use crate::{CreatedPaths, ToolContext, ToolError, call_snapshot};

/// The rule that asks about effects that are free for the user's own words: its name, and the rule in words.
const FOREIGN_WORDS: (&str, &str) =
    ("foreign-words", "new files in the working folder are free where the words are yours");

/// The changes of a command that ran over layers.
#[derive(Debug)]
pub(crate) struct Tried {
    /// The effects that need consent.
    effects: Vec<Effect>,
    /// Whether all of these are new files that a program would run without being asked to.
    is_only_autorun: bool,
    /// All created paths.
    creates: Vec<Effect>,
    /// The created paths outside of the workspace.
    creates_elsewhere: Vec<Effect>,
    /// All changes, as shown to a person.
    shown: Vec<PreviewedChange>,
    /// Why the changes are refused regardless of consent.
    refused: Option<ToolError>,
    /// The paths that the run may change once the changes are real.
    makes: Vec<PathBuf>,
    /// Every path that changes, for undo.
    touched: Vec<Named>,
}

impl Tried {
    /// Sorts the changes. `free` are the folders where new files need no consent, by their real paths.
    /// Blocks.
    pub(crate) fn of(changes: &Changes, touched: Vec<Named>, free: &[PathBuf], cx: &ToolContext) -> Self {
        let is_protected = |change: &&Change| Protected::of(cx).covers(&change.path);
        let is_in_repository = |change: &&Change| is_in_somebodys_repository(&change.path, &cx.created);
        let places = Protected::of(cx).places();
        let protected = changes.touching(places).next().or_else(|| changes.iter().find(is_protected));
        let in_repository = changes.iter().find(is_in_repository);
        let ours = |change: &Change| is_ours(change, &cx.created);
        let autoruns = autoruns(changes, cx);
        let beyond: Vec<&Change> = changes.beyond(free).filter(|change| !ours(change)).collect();
        let takes_away = beyond.iter().any(|change| effect_kind(change) == EffectKind::Deletes);
        let beyond: BTreeSet<&Path> = beyond.into_iter().map(|change| change.path.as_path()).collect();
        let is_asked =
            |change: &&Change| beyond.contains(&*change.path) || autoruns.contains_key(&*change.path);
        let makes = changes.iter().filter(|change| match change.kind {
            ChangeKind::Created => change.same_file_as.is_none(),
            ChangeKind::Changed | ChangeKind::Attributes => ours(change),
            ChangeKind::MovedHere => {
                change.before.is_none()
                    && change.moved.as_ref().is_some_and(|from| cx.created.is_file_of_its_own(from))
            }
            ChangeKind::Deleted | ChangeKind::MovedAway => false,
        });
        let workspace = real(&cx.workspace);
        let new = || changes.iter().filter(|change| change.before.is_none());
        let effect = |change: &Change| effect(change, &autoruns);
        Self {
            effects: changes.iter().filter(is_asked).map(effect).collect(),
            is_only_autorun: !autoruns.is_empty() && beyond.iter().all(|path| autoruns.contains_key(path)),
            creates: new().map(effect).collect(),
            creates_elsewhere: new()
                .filter(|change| !change.path.starts_with(&workspace))
                .map(effect)
                .collect(),
            shown: changes.iter().filter_map(|change| shown(change, changes, &autoruns)).collect(),
            refused: (protected.map(protected_place))
                .or_else(|| in_repository.map(repository))
                .or_else(|| kept_place(changes, cx)),
            makes: if takes_away { Vec::new() } else { makes.map(|change| change.path.clone()).collect() },
            touched,
        }
    }

    /// Asks if needed, because of the changes or of the command's words. `Ok` for a yes, or if there is
    /// nothing to ask.
    pub(crate) async fn consent(
        &mut self,
        tool: ToolName,
        command: &str,
        reading: &Reading,
        cx: &ToolContext,
    ) -> Result<(), ToolError> {
        if let Some(refused) = self.refused.take() {
            return Err(refused);
        }
        let proposed = ProposedEffects {
            programs: &reading.programs,
            effects: &self.effects,
            free: &self.creates,
            beyond_undo: false,
            autorun: self.shown.iter().any(|change| change.autorun.is_some()),
        };
        if let Some(reason) = cx.consent.forbids(proposed) {
            let effects = if self.effects.is_empty() { &self.creates } else { &self.effects };
            return Err(ToolError::NotAllowed { effects: in_words(effects), reason });
        }
        let change = match self.is_only_autorun {
            true => AUTORUN,
            false => (DecidedBy::ConsentToChange.name(), DecidedBy::ConsentToChange.words()),
        };
        let (effects, by) = match (self.effects.is_empty(), cx.consent.approval()) {
            (false, _) => (self.effects.clone(), change),
            (true, Approval::Ask) if !self.creates.is_empty() => (self.creates.clone(), ASK_BEFORE_ALL),
            (true, Approval::Ask | Approval::Auto | Approval::Never)
                if !self.creates_elsewhere.is_empty()
                    && cx.consent.foreign_words(reading.proposed()).is_some() =>
            {
                (self.creates_elsewhere.clone(), FOREIGN_WORDS)
            }
            (true, Approval::Ask | Approval::Auto | Approval::Never) => (Vec::new(), change),
        };
        let (effects, (rule, reason)) =
            match cx.demanded(proposed)?.or_else(|| cx.always_asked(reading.proposed())) {
                // A rule may cover effects that are free otherwise.
                Some(by) => {
                    let rest = self.creates.iter().filter(|new| !self.effects.contains(new));
                    let all: Vec<Effect> = self.effects.iter().chain(rest).cloned().collect();
                    (if all.is_empty() { reading.effects.clone() } else { all }, by)
                }
                None if effects.is_empty() => return Ok(()),
                None => (effects, (by.0.to_owned(), by.1.to_owned())),
            };
        let beyond_undo =
            beyond_undo(&effects, &call_snapshot::without_room_for(cx, self.touched.clone()).await?, cx);
        let question = Question {
            tool,
            command: command.to_owned(),
            programs: reading.programs.clone(),
            effects,
            free: self.creates.clone(),
            changes: self.shown.clone(),
            commit: None,
            rule,
            reason,
            beyond_undo,
            always: None,
        };
        cx.consented(question).await
    }

    /// Whether any change is not free: it needs consent, or is refused regardless.
    pub(crate) fn is_more_than_free(&self) -> bool {
        !self.effects.is_empty() || self.refused.is_some()
    }

    /// Whether nothing changed.
    pub(crate) fn is_nothing(&self) -> bool {
        self.shown.is_empty()
    }

    /// Every path that changes.
    pub(crate) fn touched(&self) -> &[Named] {
        &self.touched
    }

    /// Records the created paths once the changes are real. Blocks.
    pub(crate) fn note(&self, created: &CreatedPaths) {
        for path in &self.makes {
            created.insert(path.clone());
        }
    }
}

fn protected_place(change: &Change) -> ToolError {
    let words = DecidedBy::ProtectedPlace.words();
    ToolError::Closed { rule: format!("{words} ({})", change.path.display()) }
}

fn repository(change: &Change) -> ToolError {
    ToolError::InRepository { path: change.path.display().to_string() }
}

/// The kernel keeps what is there; this refuses what would come to be in such a place.
fn kept_place(changes: &Changes, cx: &ToolContext) -> Option<ToolError> {
    let kept = kept_places(cx);
    let change = changes.touching(&kept).next()?;
    let place = kept.iter().find(|place| change.path.starts_with(place)).unwrap_or(&change.path);
    Some(ToolError::Kept { path: change.path.display().to_string(), place: place.display().to_string() })
}

/// Whether a path lies in a repository that the run did not create.
fn is_in_somebodys_repository(path: &Path, created: &CreatedPaths) -> bool {
    repository_of(path)
        .is_some_and(|repository| repository.symlink_metadata().is_ok() && !created.contains(repository))
}

fn is_ours(change: &Change, created: &CreatedPaths) -> bool {
    match change.kind {
        ChangeKind::Changed | ChangeKind::Attributes => created.is_file_of_its_own(&change.path),
        ChangeKind::Deleted | ChangeKind::MovedAway => created.is_all_ours(&change.path),
        // The source of a move is judged separately; its target may be anywhere.
        ChangeKind::Created | ChangeKind::MovedHere => false,
    }
}

fn effect_kind(change: &Change) -> EffectKind {
    match (change.kind, &change.before) {
        (ChangeKind::Created | ChangeKind::MovedHere, None) => EffectKind::Creates,
        (ChangeKind::Created | ChangeKind::MovedHere, Some(_))
        | (ChangeKind::Changed | ChangeKind::Attributes, _) => EffectKind::Overwrites,
        (ChangeKind::Deleted | ChangeKind::MovedAway, _) => EffectKind::Deletes,
    }
}

/// Who would run a changed file without being asked to, by the path of the change.
type Autoruns<'a> = BTreeMap<&'a Path, String>;

fn autoruns<'a>(changes: &'a Changes, cx: &ToolContext) -> Autoruns<'a> {
    let after = changes.iter().map(|change| (change.path.as_path(), change.after.is_some()));
    let files = AutorunFiles::of(cx, after.collect());
    let why = |change: &Change| match (change.kind, &change.before, &change.after) {
        (ChangeKind::Created | ChangeKind::MovedHere, None, Some(after)) => {
            files.why(&change.path, new_entry(&after.kind)?)
        }
        (ChangeKind::Attributes | ChangeKind::Changed, Some(before), Some(after)) => {
            let is_file = after.kind == EntryKind::File;
            let becomes_executable = before.mode & 0o111 == 0 && after.mode & 0o111 != 0;
            (is_file && becomes_executable).then(|| files.why_executable(&change.path)).flatten()
        }
        (ChangeKind::Created | ChangeKind::MovedHere, _, _)
        | (ChangeKind::Attributes | ChangeKind::Changed, _, _)
        | (ChangeKind::Deleted | ChangeKind::MovedAway, _, _) => None,
    };
    let is_ours = |change: &&Change| is_ours(change, &cx.created);
    let all = changes.iter().filter(|change| !is_ours(change));
    all.filter_map(|change| Some((change.path.as_path(), why(change)?))).collect()
}

fn new_entry(kind: &EntryKind) -> Option<NewEntry> {
    match kind {
        EntryKind::File => Some(NewEntry::File),
        EntryKind::Folder => Some(NewEntry::Folder),
        EntryKind::Link { .. } => Some(NewEntry::Link),
        // A preview can only remove it.
        EntryKind::Other => None,
    }
}

fn effect(change: &Change, autoruns: &Autoruns<'_>) -> Effect {
    let why = match (autoruns.get(&*change.path), &change.moved) {
        (Some(why), _) => why.clone(),
        (None, Some(other)) => format!("{}, the other end is {}", change.kind, other.display()),
        (None, None) => format!("{} when it was tried where nothing lasts", change.kind),
    };
    Effect { kind: effect_kind(change), what: change.path.display().to_string(), word: String::new(), why }
}

/// A change as shown to a person. A rename is one change, shown at its target; a rename over another file is
/// shown as a change of that file, and as its own removal.
fn shown(change: &Change, all: &Changes, autoruns: &Autoruns<'_>) -> Option<PreviewedChange> {
    let is_renamed = || {
        let here = all.iter().find(|other| Some(&other.path) == change.moved.as_ref());
        here.is_some_and(|here| here.kind == ChangeKind::MovedHere)
    };
    let kind = match (change.kind, &change.before) {
        (ChangeKind::MovedAway, _) if is_renamed() => return None,
        (ChangeKind::MovedAway, _) => PreviewedKind::Deleted,
        (ChangeKind::MovedHere, _) => PreviewedKind::Renamed,
        (ChangeKind::Created, None) => PreviewedKind::Created,
        (ChangeKind::Created | ChangeKind::Changed, _) => PreviewedKind::Changed,
        (ChangeKind::Attributes, _) => PreviewedKind::Attributes,
        (ChangeKind::Deleted, _) => PreviewedKind::Deleted,
    };
    let bytes = |entry: &Option<Entry>| {
        entry.as_ref().filter(|entry| entry.kind == EntryKind::File).map(|entry| entry.size)
    };
    let is_folder =
        [&change.before, &change.after].into_iter().flatten().any(|entry| entry.kind == EntryKind::Folder);
    let modes = change.before.as_ref().zip(change.after.as_ref()).map(|(one, other)| (one.mode, other.mode));
    let modes = modes.filter(|(before, after)| before != after);
    let text = |path: &Path| PathBuf::from(path.to_string_lossy().into_owned());
    Some(PreviewedChange {
        path: if is_folder { text(&change.path).join("") } else { text(&change.path) },
        change: kind,
        from: change.moved.as_deref().filter(|_| kind == PreviewedKind::Renamed).map(text),
        bytes_before: bytes(&change.before),
        bytes_after: bytes(&change.after),
        mode_before: modes.map(|(before, _)| before),
        mode_after: modes.map(|(_, after)| after),
        // Questions are recorded, so keys must not appear in them.
        diff: change.diff.clone().filter(|diff| !looks_like_a_key(diff)),
        autorun: autoruns.get(&*change.path).cloned(),
    })
}

fn looks_like_a_key(diff: &str) -> bool {
    crate::protected::is_private_key(diff.as_bytes())
}
