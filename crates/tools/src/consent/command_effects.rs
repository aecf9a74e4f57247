//! Effects of a command, read from its words. They explain and can make artoo stricter; they grant nothing.

use std::path::PathBuf;

use artoo_consent::{
    ProposedEffects, Question, asked_about, is_of_files, on_file, programs_of, rest_of, socket_effect,
    user_of_socket,
};
use artoo_sandbox::SandboxMode;
use artoo_shell_effects::{DecidedBy, Effects, OnDisk, Place};
use artoo_types::{Effect, EffectKind, ToolName};
use sha2::{Digest, Sha256};

use crate::kept_places::refuse_change;
use crate::protected::Protected;
use crate::{ToolContext, ToolError};

/// The rule that asks even about effects that are free otherwise: its name, and the rule in words.
pub(crate) const ASK_BEFORE_ALL: (&str, &str) =
    ("ask-before-every-change", "every change is asked about, as this run was told");

/// Whether an effect is on other machines.
fn is_elsewhere(effect: &Effect) -> bool {
    matches!(effect.kind, EffectKind::Network | EffectKind::OutsideMachine)
}

/// The effects read from a command.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The effects that need consent, or that a person is shown if every change is asked about.
    pub(crate) effects: Vec<Effect>,
    /// The other effects: on files, and those on other machines that this run cannot have.
    free: Vec<Effect>,
    /// The programs that it is known to start.
    pub(crate) programs: Vec<String>,
    /// The sockets of other programs that it is known to use, of those that the user named. They are among
    /// the effects.
    pub(crate) sockets: Vec<Effect>,
    /// All effects that its words name.
    said: Effects,
}

impl Reading {
    /// Reads a command. Blocks: it inspects the file system.
    pub(crate) fn of(command: &str, cx: &ToolContext) -> Self {
        let place = Place {
            home: &cx.home,
            working_folder: &cx.working_folder,
            workspace: &cx.workspace,
            protected: Protected::of(cx).places(),
            paths: &OnDisk,
        };
        let effects = (cx.explain)(command, place);
        let programs = programs_of(&effects);
        let used = |socket: &PathBuf| Some(socket_effect(socket, user_of_socket(socket, &programs)?));
        let sockets: Vec<Effect> = cx.sockets.iter().filter_map(used).collect();
        let (out_of_reach, possible): (Vec<Effect>, Vec<Effect>) =
            asked_about(&effects).into_iter().partition(|effect| is_elsewhere(effect) && cx.has_no_way_out());
        Self {
            effects: possible.into_iter().chain(sockets.clone()).collect(),
            free: rest_of(&effects).into_iter().chain(out_of_reach).collect(),
            programs,
            sockets,
            said: effects,
        }
    }

    /// The files that its words read, as far as they are known.
    pub(crate) fn files_read(&self) -> impl Iterator<Item = PathBuf> {
        let paths = self.said.reads.iter().map(|read| PathBuf::from(&read.what));
        paths.filter(|path| path.is_absolute())
    }

    /// All effects that its words name.
    pub(crate) fn into_said(self) -> Effects {
        self.said
    }

    /// The effects, as rules see them.
    pub(crate) fn proposed(&self) -> ProposedEffects<'_> {
        ProposedEffects {
            programs: &self.programs,
            effects: &self.effects,
            free: &self.free,
            ..ProposedEffects::default()
        }
    }

    /// Whether it names more than reading, or leaves open what it names.
    pub(crate) fn names_more_than_reading(&self) -> bool {
        !self.effects.is_empty() || !self.free.is_empty()
    }

    /// Whether some of its effects cannot be known from its words.
    pub(crate) fn leaves_something_open(&self) -> bool {
        self.effects.iter().any(|effect| effect.kind == EffectKind::Unknown)
    }

    /// The effects of a question that a rule demands: those that need consent, or else the others.
    pub(crate) fn demanded(&self) -> Vec<Effect> {
        if self.effects.is_empty() { self.free.clone() } else { self.effects.clone() }
    }

    /// The effects on other machines.
    pub(crate) fn other_machines(&self) -> Vec<Effect> {
        self.effects.iter().filter(|effect| is_elsewhere(effect)).cloned().collect()
    }

    /// The effects that are known beforehand.
    pub(crate) fn known(&self) -> Vec<Effect> {
        self.effects.iter().filter(|effect| effect.kind != EffectKind::Unknown).cloned().collect()
    }

    /// The effects to ask about without a trial: what its words name, plus an effect that says they may be
    /// incomplete. Granting the named effects does not grant the rest.
    pub(crate) fn untried(&self, command: &str, why: String) -> Vec<Effect> {
        // A yes for the run covers only this command, not the next one with unknown effects.
        let id: String = Sha256::digest(command).iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        let what = format!("the command {id}");
        let rest = Effect { kind: EffectKind::Unknown, what, word: String::new(), why };
        self.effects.iter().cloned().chain([rest]).collect()
    }

    /// Why it is refused regardless of consent, as far as its words show.
    pub(crate) fn refusal(&self, mode: SandboxMode) -> Option<ToolError> {
        if let Some(place) = self.said.protected.first() {
            let rule = format!("{} ({})", DecidedBy::ProtectedPlace.words(), place.what);
            return Some(ToolError::Closed { rule });
        }
        let is_change = |effect: &Effect| is_of_files(effect.kind) || effect.kind == EffectKind::Commits;
        let changes = self.free.iter().chain(&self.effects).any(is_change);
        match mode {
            SandboxMode::ReadOnly if changes => {
                Some(ToolError::Ruled { rule: DecidedBy::ReadOnlyMode.words().to_owned() })
            }
            SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite | SandboxMode::FullAccess => None,
        }
    }

    /// Refuses a command whose words name a change in a place that stays as it is.
    pub(crate) fn refuse_changes(&self, cx: &ToolContext) -> Result<(), ToolError> {
        let mut paths = self.effects.iter().chain(&self.free).filter_map(on_file);
        paths.try_for_each(|path| refuse_change(path, &path.display().to_string(), cx))
    }

    /// A question about these effects, with the user's rule if one demands it.
    pub(crate) fn question(
        &self,
        tool: ToolName,
        command: &str,
        effects: Vec<Effect>,
        demand: Option<(String, String)>,
    ) -> Question {
        let by = if effects.iter().any(|effect| effect.kind != EffectKind::Unknown) {
            DecidedBy::ConsentToChange
        } else {
            DecidedBy::ConsentToTheUnknown
        };
        let (rule, reason) = demand.unwrap_or_else(|| (by.name().to_owned(), by.words().to_owned()));
        Question {
            tool,
            command: command.to_owned(),
            programs: self.programs.clone(),
            effects,
            free: self.free.clone(),
            changes: Vec::new(),
            commit: None,
            moves: None,
            rule,
            reason,
            beyond_undo: None,
            always: None,
        }
    }
}
