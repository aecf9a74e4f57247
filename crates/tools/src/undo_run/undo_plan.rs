//! One undo: its planned changes, the consent question, and the execution.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use artoo_consent::{ProposedEffects, Question, in_words, is_in_git};
use artoo_sandbox::SandboxMode;
use artoo_shell_effects::DecidedBy;
use artoo_snapshot::{Named, Present, TakenBack, Undo, UndoAction, UndoError};
use artoo_types::{Approval, Effect, EffectKind, PreviewedChange, PreviewedKind, ToolName};

use super::EarlierRun;
use crate::blocking::blocking;
use crate::consent::{ASK_BEFORE_ALL, beyond_undo, diff};
use crate::contents_before::Contents;
use crate::kept_places::refuse_change;
use crate::protected::{Protected, is_hidden_below, is_private_key};
use crate::{CommitsUndo, ToolContext, ToolError, ToolReport, call_snapshot};

/// Maximum bytes of a file for which a question shows a diff, and maximum number of such files.
const MAX_COMPARED: u64 = 1024 * 1024;
const MOST_COMPARED: usize = 50;

/// A planned undo without known obstacles. Nothing is changed yet.
#[derive(Debug)]
pub(super) struct TakingBack {
    tool: ToolName,
    run: EarlierRun,
    /// The planned changes.
    changes: Vec<TakenBack>,
    /// The same, relative to the run's writable folders.
    touched: Vec<Named>,
    /// The effects that need consent: removing or changing what existed before this run.
    effects: Vec<Effect>,
    /// Files restored where nothing exists.
    free: Vec<Effect>,
    /// The changes as shown to a person.
    shown: Vec<PreviewedChange>,
}

impl TakingBack {
    /// Plans the undo.
    ///
    /// # Errors
    ///
    /// It is impossible, or not allowed regardless of consent.
    pub(super) async fn of(tool: ToolName, run: EarlierRun, cx: &ToolContext) -> Result<Self, ToolError> {
        let (name, context) = (tool.clone(), cx.clone());
        blocking(name, move || Self::look(tool, run, &context)).await
    }

    fn look(tool: ToolName, run: EarlierRun, cx: &ToolContext) -> Result<Self, ToolError> {
        if cx.mode == SandboxMode::ReadOnly {
            return Err(ToolError::ReadOnly { path: format!("what run {} changed", run.name) });
        }
        if CommitsUndo::is_needed(&run.record) {
            return Err(ToolError::MadeCommits { run: run.name });
        }
        let roots = roots(cx);
        let undo = prepare(&run, &roots)?;
        let (changes, contents) = (undo.changes(), undo.contents());
        for change in &changes {
            let path = change.path.display().to_string();
            if Protected::of(cx).covers(&change.path) {
                return Err(ToolError::Protected { path });
            }
            if is_in_git(&change.path) {
                return Err(ToolError::InRepository { path });
            }
            refuse_change(&change.path, &change.path.display().to_string(), cx)?;
        }
        let is_free = |change: &&TakenBack| {
            let is_hidden = roots.iter().any(|root| is_hidden_below(root, &change.path));
            change.action == UndoAction::Recreate && !is_hidden
        };
        let (free, asked): (Vec<_>, Vec<_>) = changes.iter().partition(is_free);
        let effects = |changes: Vec<&TakenBack>| changes.into_iter().map(|one| effect(one, &run)).collect();
        Ok(Self {
            touched: touched(&changes, &roots),
            effects: effects(asked),
            free: effects(free),
            shown: shown(&changes, &contents, Protected::of(cx)),
            changes,
            tool,
            run,
        })
    }

    /// Asks for consent if needed.
    ///
    /// # Errors
    ///
    /// A rule or a person says no.
    pub(super) async fn consent(&self, cx: &ToolContext) -> Result<(), ToolError> {
        let all = || self.effects.iter().chain(&self.free).cloned().collect::<Vec<Effect>>();
        let proposed =
            ProposedEffects { effects: &self.effects, free: &self.free, ..ProposedEffects::default() };
        if let Some(reason) = cx.consent.forbids(proposed) {
            return Err(ToolError::NotAllowed { effects: in_words(&all()), reason });
        }
        let change = (DecidedBy::ConsentToChange.name(), DecidedBy::ConsentToChange.words());
        let (effects, (rule, reason)) = match (cx.demanded(proposed)?, self.effects.is_empty()) {
            (Some(by), _) => (all(), by),
            (None, false) => (self.effects.clone(), (change.0.to_owned(), change.1.to_owned())),
            (None, true) if self.free.is_empty() || cx.consent.approval() != Approval::Ask => return Ok(()),
            (None, true) => (all(), (ASK_BEFORE_ALL.0.to_owned(), ASK_BEFORE_ALL.1.to_owned())),
        };
        let lost = call_snapshot::without_room_for(cx, self.touched.clone()).await?;
        let beyond_undo = beyond_undo(&effects, &lost, cx);
        let question = Question {
            tool: self.tool.clone(),
            command: format!("{} {}", self.tool, self.run.name),
            programs: Vec::new(),
            effects,
            free: self.free.clone(),
            changes: self.shown.clone(),
            commit: None,
            moves: None,
            rule,
            reason,
            beyond_undo,
            always: None,
        };
        cx.consented(question).await
    }

    /// Performs the undo and reports the changes. Not raced against the cancellation token, as in
    /// `write_file`.
    ///
    /// # Errors
    ///
    /// The files changed since the plan, or an I/O error.
    pub(super) async fn done(self, cx: &ToolContext) -> Result<ToolReport, ToolError> {
        let watched = call_snapshot::before_changes(cx, self.touched).await?;
        let (run, roots, changes) = (self.run, roots(cx), self.changes);
        let done = blocking(self.tool, move || {
            let undo = prepare(&run, &roots)?;
            if undo.changes() != changes {
                let reason = format!("what taking back run {} would do is not what was agreed to", run.name);
                return Err(ToolError::NotMade { reason });
            }
            let unseen: Vec<PathBuf> = undo.not_covered().iter().map(|one| one.path.clone()).collect();
            let deviations = undo.apply().map_err(|source| not_taken_back(&run, source))?;
            let mut text = format!("took back run {}\n", run.name);
            for TakenBack { path, action } in &changes {
                let word = match action {
                    UndoAction::Remove => "removed",
                    UndoAction::Restore => "restored",
                    UndoAction::Recreate => "recreated",
                };
                text.push_str(&format!("{word} {}\n", path.display()));
            }
            for one in deviations {
                text.push_str(&format!("not as it was: {} of {}\n", one.aspect, one.path.display()));
            }
            for path in unseen {
                text.push_str(&format!("nobody had looked at {}\n", path.display()));
            }
            Ok(ToolReport::text(text))
        })
        .await;
        // A failed step has completed steps before it.
        let observed = watched.after(Contents::none(cx), None, cx).await?;
        Ok(observed.in_report(done.unwrap_or_else(ToolReport::from)))
    }
}

/// The run's writable folders, by their real paths.
fn roots(cx: &ToolContext) -> Vec<PathBuf> {
    cx.changeable().into_iter().filter_map(|folder| folder.canonicalize().ok()).collect()
}

fn prepare(run: &EarlierRun, roots: &[PathBuf]) -> Result<Undo, ToolError> {
    Undo::prepare(&run.record, roots, Present::AsRecorded).map_err(|source| not_taken_back(run, source))
}

fn not_taken_back(run: &EarlierRun, source: UndoError) -> ToolError {
    if let UndoError::ForeignRoot { path } = &source {
        // The earlier run worked in another folder.
        return ToolError::Outside { path: path.display().to_string() };
    }
    ToolError::NotTakenBack { run: run.name.clone(), source }
}

/// The first obstacles, for the reason of a failure.
pub(crate) fn obstacles(error: &UndoError) -> String {
    const NAMED: usize = 3;
    let UndoError::Refused { obstacles } = error else { return String::new() };
    let named = obstacles.iter().take(NAMED).map(|one| format!("{}: {}", one.path.display(), one.why));
    format!(" ({})", named.collect::<Vec<_>>().join(", "))
}

/// The run's record covers only changes below these roots.
fn touched(changes: &[TakenBack], roots: &[PathBuf]) -> Vec<Named> {
    let mut touched: BTreeMap<&Path, Vec<PathBuf>> = BTreeMap::new();
    for TakenBack { path, .. } in changes {
        if let Some(root) = roots.iter().find(|root| path.starts_with(root)) {
            touched.entry(root).or_default().push(path.clone());
        }
    }
    touched.into_iter().map(|(root, paths)| Named { root: root.to_owned(), paths }).collect()
}

fn effect(change: &TakenBack, run: &EarlierRun) -> Effect {
    let (kind, did) = match change.action {
        UndoAction::Remove => (EffectKind::Deletes, "made"),
        UndoAction::Restore => (EffectKind::Overwrites, "changed"),
        UndoAction::Recreate => (EffectKind::Creates, "deleted"),
    };
    let why = format!("run {} {did} it, and that is taken back", run.name);
    Effect { kind, what: change.path.display().to_string(), word: String::new(), why }
}

fn shown(
    changes: &[TakenBack],
    contents: &BTreeMap<PathBuf, PathBuf>,
    protected: &Protected,
) -> Vec<PreviewedChange> {
    let bytes = |path: &Path| path.symlink_metadata().ok().filter(|found| found.is_file()).map(|it| it.len());
    let shown = changes.iter().enumerate().map(|(number, TakenBack { path, action })| {
        let kept = contents.get(path);
        let (before, after) = (bytes(path), kept.and_then(|kept| bytes(kept)));
        let is_compared = number < MOST_COMPARED
            && [before, after].iter().all(|bytes| bytes.is_some_and(|bytes| bytes <= MAX_COMPARED));
        PreviewedChange {
            path: path.clone(),
            change: match action {
                UndoAction::Remove => PreviewedKind::Deleted,
                UndoAction::Restore => PreviewedKind::Changed,
                UndoAction::Recreate => PreviewedKind::Created,
            },
            from: None,
            bytes_before: before,
            bytes_after: after,
            mode_before: None,
            mode_after: None,
            diff: kept.filter(|_| is_compared).and_then(|kept| difference(path, kept, protected)),
            autorun: None,
            build_output: None,
        }
    });
    shown.collect()
}

/// Questions are recorded, so neither keys nor protected files may appear in them.
fn difference(there: &Path, kept: &Path, protected: &Protected) -> Option<String> {
    there.symlink_metadata().ok().filter(|found| !protected.holds(there, found))?;
    let (before, after) = (std::fs::read(there).ok()?, std::fs::read(kept).ok()?);
    let is_key = is_private_key(&before) || is_private_key(&after);
    if is_key { None } else { diff(&before, &after) }
}
