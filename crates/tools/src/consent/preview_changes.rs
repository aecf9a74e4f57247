//! Classifies the changes that a preview found, and asks for consent to them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use artoo_consent::{NewEntry, ProposedEffects, Question, in_words, real};
use artoo_sandbox::preview::{Change, ChangeKind, Changes, Entry, EntryKind};
use artoo_shell_effects::DecidedBy;
use artoo_snapshot::{Named, NotCovered};
use artoo_types::{Approval, BuildFolder, Effect, EffectKind, PreviewedChange, PreviewedKind, ToolName};

use super::{ASK_BEFORE_ALL, AUTORUN, AutorunFiles, Reading, beyond_undo};
use crate::build_output::{BuildJudge, BuildPaths, Counted};
use crate::git::{Moves, Observation};
use crate::kept_places::kept_places;
use crate::protected::Protected;
use crate::{CreatedPaths, ToolContext, ToolError, call_snapshot};

/// The rule that asks about effects that are free for the user's own words: its name, and the rule in words.
const FOREIGN_WORDS: (&str, &str) =
    ("foreign-words", "new links that lead out of the working folder are free where the words are yours");

/// The changes of a command that ran over layers.
#[derive(Debug)]
pub(crate) struct Tried {
    /// The effects that need consent.
    effects: Vec<Effect>,
    /// Whether all of these are new files that a program would run without being asked to.
    is_only_autorun: bool,
    /// All created paths, and what happens to build output.
    free: Vec<Effect>,
    /// The created paths that are no build output.
    creates: Vec<Effect>,
    /// Of these, the links that lead out of the given folders.
    links_out: Vec<Effect>,
    /// The changes of build output, by its folders.
    build_output: Counted,
    /// Their paths.
    build_paths: BuildPaths,
    /// All changes, as shown to a person.
    shown: Vec<PreviewedChange>,
    /// Whether nothing changed.
    is_nothing: bool,
    /// Why the changes are refused regardless of consent.
    refused: Option<ToolError>,
    /// The paths that the run may change once the changes are real.
    makes: Vec<PathBuf>,
    /// Every path that changes, for undo.
    touched: Vec<Named>,
    /// What it did to a repository that was there before.
    git: Option<Box<Moves>>,
}

impl Tried {
    /// Sorts the changes. `free` are the folders where new files need no consent, by their real paths.
    /// Blocks.
    pub(crate) fn of(
        changes: &Changes,
        git: Observation,
        mut touched: Vec<Named>,
        free: &[PathBuf],
        cx: &ToolContext,
    ) -> Self {
        let closed = closed(changes, cx);
        let (git, git_refused) = match git {
            Observation::Nothing => (None, None),
            Observation::Refused(error) => (None, Some(error)),
            Observation::Moves(moves) => (Some(moves), None),
        };
        let outside = git.as_ref().map(|moves| changes.outside(moves.folder()));
        if let Some(moves) = &git {
            // The repository has a record of its own.
            touched.iter_mut().for_each(|named| named.paths.retain(|path| !path.starts_with(moves.folder())));
        }
        let changes = outside.as_ref().unwrap_or(changes);
        let ours = |change: &Change| is_ours(change, &cx.created);
        let output = build_output(changes, cx);
        let is_output = |change: &Change| output.contains_key(&change.path);
        let autoruns = autoruns(changes, &output, cx);
        let is_users = |change: &&Change| !ours(change) && !is_output(change);
        let beyond: Vec<&Change> = changes.beyond(free).filter(is_users).collect();
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
        let is_free = |change: &&Change| change.before.is_none() || is_output(change);
        let new = || changes.iter().filter(|change| change.before.is_none() && !is_output(change));
        let effect = |change: &Change| effect(change, &autoruns);
        let mut counted = Counted::default();
        for change in changes.iter().filter(|change| !is_of_folders(change)) {
            if let Some(folder) = output.get(&change.path) {
                counted.add(folder.clone(), effect_kind(change));
            }
        }
        let is_from_user = |from: &PathBuf| !output.contains_key(from);
        let is_told =
            |change: &&Change| !is_output(change) || change.moved.as_ref().is_some_and(is_from_user);
        let shown = changes.iter().filter(is_told).filter_map(|change| shown(change, changes, &autoruns));
        let moved = git.iter().map(|moves| moves.effect());
        Self {
            effects: moved.chain(changes.iter().filter(is_asked).map(effect)).collect(),
            is_only_autorun: git.is_none()
                && !autoruns.is_empty()
                && beyond.iter().all(|path| autoruns.contains_key(path)),
            free: changes.iter().filter(is_free).map(effect).collect(),
            creates: new().map(effect).collect(),
            links_out: new().filter(|change| leads_out(change, free)).map(effect).collect(),
            shown: shown.chain(counted.kinds().map(shown_folder)).collect(),
            build_output: counted,
            build_paths: output,
            is_nothing: changes.is_empty(),
            refused: closed.or(git_refused),
            makes: if takes_away { Vec::new() } else { makes.map(|change| change.path.clone()).collect() },
            touched,
            git,
        }
    }

    /// Asks if the changes need consent. `Ok` for a yes, or if there is nothing to ask.
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
            free: &self.free,
            beyond_undo: false,
            autorun: self.shown.iter().any(|change| change.autorun.is_some()),
        };
        if let Some(reason) = cx.consent.forbids(proposed) {
            let effects = if self.effects.is_empty() { &self.free } else { &self.effects };
            return Err(ToolError::NotAllowed { effects: in_words(effects), reason });
        }
        let change = match self.is_only_autorun {
            true => AUTORUN,
            false => (DecidedBy::ConsentToChange.name(), DecidedBy::ConsentToChange.words()),
        };
        let lost = if self.build_output.is_empty() { Vec::new() } else { self.without_room(cx).await? };
        let all = || self.creates.iter().cloned().chain(self.build_effects(|_| true)).collect::<Vec<_>>();
        let lost = self.build_effects(|folder| lost.iter().any(|one| one.path.starts_with(&folder.path)));
        let asked: Vec<Effect> = self.effects.iter().cloned().chain(lost).collect();
        let (effects, by) = match (asked.is_empty(), cx.consent.approval()) {
            (false, _) => (asked, change),
            (true, Approval::Ask) if !all().is_empty() => (all(), ASK_BEFORE_ALL),
            (true, Approval::Ask | Approval::Auto | Approval::Never)
                if !self.links_out.is_empty() && cx.consent.foreign_words(reading.proposed()).is_some() =>
            {
                (self.links_out.clone(), FOREIGN_WORDS)
            }
            (true, Approval::Ask | Approval::Auto | Approval::Never) => (Vec::new(), change),
        };
        let (effects, (rule, reason)) =
            match cx.demanded(proposed)?.or_else(|| cx.always_asked(reading.proposed())) {
                // A rule may cover effects that are free otherwise.
                Some(by) => {
                    let rest = all().into_iter().filter(|new| !self.effects.contains(new));
                    let all: Vec<Effect> = self.effects.iter().cloned().chain(rest).collect();
                    (if all.is_empty() { reading.demanded() } else { all }, by)
                }
                None if effects.is_empty() => return Ok(()),
                None => (effects, (by.0.to_owned(), by.1.to_owned())),
            };
        let unkept = self.git.is_some() && cx.snapshot.is_none();
        let beyond_undo = match unkept {
            true => Some("nothing is kept of this run: a yes cannot be undone".to_owned()),
            false => beyond_undo(&effects, &self.without_room(cx).await?, cx),
        };
        let question = Question {
            tool,
            command: command.to_owned(),
            programs: reading.programs.clone(),
            effects,
            free: all(),
            changes: self.shown.clone(),
            commit: None,
            moves: self.git.as_ref().map(|moves| Box::new(moves.shown().clone())),
            rule,
            reason,
            beyond_undo,
            always: None,
        };
        cx.consented(question).await
    }

    /// What of the changed files is too large to be kept for undo.
    async fn without_room(&self, cx: &ToolContext) -> Result<Vec<NotCovered>, ToolError> {
        call_snapshot::without_room_for(cx, self.touched.clone()).await
    }

    /// The changes of build output in these folders, as one effect of each.
    fn build_effects(&self, is_meant: impl Fn(&BuildFolder) -> bool) -> Vec<Effect> {
        let meant = self.build_output.kinds().filter(|(folder, _)| is_meant(folder));
        let effect = |(folder, kind): (BuildFolder, EffectKind)| Effect {
            kind,
            what: folder.path.display().to_string(),
            word: String::new(),
            why: "build output, which git ignores, when it was tried where nothing lasts".to_owned(),
        };
        meant.map(effect).collect()
    }

    /// Whether any change is not free: it needs consent, or is refused regardless.
    pub(crate) fn is_more_than_free(&self) -> bool {
        !self.effects.is_empty() || self.refused.is_some()
    }

    /// Why the changes are refused regardless of consent, if they are.
    pub(crate) fn refused(&self) -> Option<&ToolError> {
        self.refused.as_ref()
    }

    /// Whether nothing changed.
    pub(crate) fn is_nothing(&self) -> bool {
        self.is_nothing && self.git.is_none()
    }

    /// What it did to a repository, if anything.
    pub(crate) fn git(&self) -> Option<&Moves> {
        self.git.as_deref()
    }

    /// The paths of build output among these.
    pub(crate) fn build_paths(&self) -> &BuildPaths {
        &self.build_paths
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

fn build_output(changes: &Changes, cx: &ToolContext) -> BuildPaths {
    let judge = BuildJudge::of_changes(changes, cx);
    changes.iter().filter_map(|change| Some((change.path.clone(), judge.folder_of_change(change)?))).collect()
}

/// Whether the change is of a folder, which is not counted.
fn is_of_folders(change: &Change) -> bool {
    let mut both = [&change.before, &change.after].into_iter().flatten();
    both.all(|entry| entry.kind == EntryKind::Folder)
}

/// The changes in a folder of build output, as shown to a person.
fn shown_folder((folder, kind): (BuildFolder, EffectKind)) -> PreviewedChange {
    let is_new = kind == EffectKind::Creates;
    PreviewedChange {
        path: folder.path.join(""),
        change: if is_new { PreviewedKind::Created } else { PreviewedKind::Changed },
        from: None,
        bytes_before: None,
        bytes_after: None,
        mode_before: None,
        mode_after: None,
        diff: None,
        autorun: None,
        build_output: Some(folder.files),
    }
}

/// Why the changes are refused regardless of consent, for their places.
fn closed(changes: &Changes, cx: &ToolContext) -> Option<ToolError> {
    let is_protected = |change: &&Change| Protected::of(cx).covers(&change.path);
    let places = Protected::of(cx).places();
    let protected = changes.touching(places).next().or_else(|| changes.iter().find(is_protected));
    protected.map(protected_place).or_else(|| kept_place(changes, cx))
}

fn protected_place(change: &Change) -> ToolError {
    let words = DecidedBy::ProtectedPlace.words();
    ToolError::Closed { rule: format!("{words} ({})", change.path.display()) }
}

/// The kernel keeps what is there; this refuses what would come to be in such a place.
fn kept_place(changes: &Changes, cx: &ToolContext) -> Option<ToolError> {
    let kept = kept_places(cx);
    let change = changes.touching(&kept).next()?;
    let place = kept.iter().find(|place| change.path.starts_with(place)).unwrap_or(&change.path);
    Some(ToolError::Kept { path: change.path.display().to_string(), place: place.display().to_string() })
}

fn is_ours(change: &Change, created: &CreatedPaths) -> bool {
    match change.kind {
        ChangeKind::Changed | ChangeKind::Attributes => created.is_file_of_its_own(&change.path),
        ChangeKind::Deleted | ChangeKind::MovedAway => created.is_all_ours(&change.path),
        // The source of a move is judged separately; its target may be anywhere.
        ChangeKind::Created | ChangeKind::MovedHere => false,
    }
}

/// Whether the change leaves a link to a place outside of these folders.
fn leads_out(change: &Change, folders: &[PathBuf]) -> bool {
    let Some(Entry { kind: EntryKind::Link { target }, .. }) = &change.after else { return false };
    let beside = change.path.parent().unwrap_or(&change.path);
    let led_to = real(&beside.join(target));
    !folders.iter().any(|folder| led_to.starts_with(folder))
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

fn autoruns<'a>(changes: &'a Changes, output: &BuildPaths, cx: &ToolContext) -> Autoruns<'a> {
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
    // What lies in a folder of `PATH` is no build output.
    let is_asked = |change: &&Change| !is_ours(change, &cx.created) && !output.contains_key(&change.path);
    let all = changes.iter().filter(is_asked);
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
        build_output: None,
    })
}

fn looks_like_a_key(diff: &str) -> bool {
    crate::protected::is_private_key(diff.as_bytes())
}
