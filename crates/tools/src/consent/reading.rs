//! What the words of a command say. It explains, and it may make artoo stricter; it grants nothing.

use std::path::{Path, PathBuf};

use artoo_sandbox::{Cause, DecidedBy, Effects, Kind, OnDisk, Paths, Place, SandboxMode, Seen};
use artoo_types::{Effect, EffectKind, ToolName};
use sha2::{Digest, Sha256};

use super::{ProposedEffects, Question};
use crate::ToolContext;
use crate::protected::Protected;

/// The rule that asks about what is free otherwise, and the rule in words.
pub(crate) const ASK_BEFORE_ALL: (&str, &str) =
    ("ask-before-every-change", "every change is asked about, as this run was told");

/// A command that was read.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The effects that need consent, or that a person is shown where every change is asked about.
    pub(crate) effects: Vec<Effect>,
    /// The other effects on files.
    free: Vec<Effect>,
    /// The programs that it is known to start.
    pub(crate) programs: Vec<String>,
    /// Everything that its words say.
    said: Effects,
}

impl Reading {
    /// Reads a command. Blocks: it looks at what is where.
    pub(crate) fn of(command: &str, cx: &ToolContext) -> Self {
        let place = Place {
            home: &cx.home,
            working_folder: &cx.working_folder,
            workspace: &cx.workspace,
            protected: Protected::of(cx).places(),
            paths: &OnDisk,
        };
        let effects = (cx.explain)(command, place);
        Self {
            effects: asked_about(&effects),
            free: rest_of(&effects),
            programs: programs_of(&effects),
            said: effects,
        }
    }

    /// Everything that its words say.
    pub(crate) fn into_said(self) -> Effects {
        self.said
    }

    /// What it says, as rules see it.
    pub(crate) fn proposed(&self) -> ProposedEffects<'_> {
        ProposedEffects {
            programs: &self.programs,
            effects: &self.effects,
            free: &self.free,
            beyond_undo: false,
        }
    }

    /// Whether it names more than reading, or leaves open what it names.
    pub(crate) fn names_more_than_reading(&self) -> bool {
        !self.effects.is_empty() || !self.free.is_empty()
    }

    /// Whether something of it cannot be known from its words.
    pub(crate) fn leaves_something_open(&self) -> bool {
        self.effects.iter().any(|effect| effect.kind == EffectKind::Unknown)
    }

    /// What it names of other machines.
    pub(crate) fn other_machines(&self) -> Vec<Effect> {
        let is_elsewhere =
            |effect: &&Effect| matches!(effect.kind, EffectKind::Network | EffectKind::OutsideMachine);
        self.effects.iter().filter(is_elsewhere).cloned().collect()
    }

    /// The effects that are known beforehand.
    pub(crate) fn known(&self) -> Vec<Effect> {
        self.effects.iter().filter(|effect| effect.kind != EffectKind::Unknown).cloned().collect()
    }

    /// What is asked about where no trial has shown anything: what its words name, and that they may not be all of it. A grant of what they name is
    /// no grant of the rest.
    pub(crate) fn untried(&self, command: &str, why: String) -> Vec<Effect> {
        // A yes for the run is one to this command, not to the next one of which nothing is known.
        let id: String = Sha256::digest(command).iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        let what = format!("the command {id}");
        let rest = Effect { kind: EffectKind::Unknown, what, word: String::new(), why };
        self.effects.iter().cloned().chain([rest]).collect()
    }

    /// The rule by which nobody's yes helps, as far as words say it.
    pub(crate) fn refusal(&self, mode: SandboxMode) -> Option<String> {
        if let Some(place) = self.said.protected.first() {
            return Some(format!("{} ({})", DecidedBy::ProtectedPlace.words(), place.what));
        }
        let is_of_files = |effect: &Effect| super::rules::is_of_files(effect.kind);
        let changes = !self.free.is_empty() || self.effects.iter().any(is_of_files);
        match mode {
            SandboxMode::ReadOnly if changes => Some(DecidedBy::ReadOnlyMode.words().to_owned()),
            SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite | SandboxMode::FullAccess => None,
        }
    }

    /// A question about these effects, and by which rule of the user where one demands it.
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
            rule,
            reason,
            beyond_undo: None,
            always: None,
        }
    }
}

/// What a person is asked about. Reading and starting programs never is by itself. New files are where
/// there is nothing else to ask about.
pub(super) fn asked_about(effects: &Effects) -> Vec<Effect> {
    let kinds = [
        (Kind::Overwrites, EffectKind::Overwrites),
        (Kind::Deletes, EffectKind::Deletes),
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
pub(super) fn rest_of(effects: &Effects) -> Vec<Effect> {
    let free = if asks_about_new_files(effects) { &[][..] } else { effects.of(Kind::Creates) };
    free.iter().map(|cause| effect(EffectKind::Creates, cause)).collect()
}

/// The programs that it is known to start.
pub(super) fn programs_of(effects: &Effects) -> Vec<String> {
    effects.runs.iter().map(|cause| cause.what.clone()).collect()
}

/// Where there is nothing else to ask about.
fn asks_about_new_files(effects: &Effects) -> bool {
    let more = [
        Kind::Overwrites,
        Kind::Deletes,
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
        EffectKind::Network | EffectKind::OutsideMachine | EffectKind::Privilege | EffectKind::Unknown => {
            None
        }
    };
    let what = real.filter(|_| path.is_absolute()).map(|real| real.display().to_string());
    let (word, why) = (cause.word.clone(), cause.why.clone());
    Effect { kind, what: what.unwrap_or_else(|| cause.what.clone()), word, why }
}

/// The name without links of a path that may not be there yet.
pub(super) fn real(path: &Path) -> PathBuf {
    match OnDisk.look(path) {
        Seen::Nothing(real) | Seen::Folder(real) | Seen::File(real) => real,
        Seen::Unsure => path.to_owned(),
    }
}
