//! What a command would do, as far as it concerns consent.

use std::path::{Path, PathBuf};

use artoo_sandbox::{
    Cause, Class, DecidedBy, Decision, Effects, Kind, OnDisk, Paths, Place, Ruling, Seen, decide, effects_of,
};
use artoo_types::{Effect, EffectKind, FileChange, FileChangeKind, ToolName};

use super::{Deed, Question};
use crate::protected::Protected;
use crate::{CreatedPaths, ToolContext};

/// The rule that asks about what is free otherwise, and the rule in words.
pub(crate) const ASK_BEFORE_ALL: (&str, &str) =
    ("ask-before-every-change", "every change is asked about (`--approval ask`)");

/// A command that was read.
#[derive(Debug)]
pub(crate) struct Judged {
    /// What its effects alone decide.
    pub(crate) ruling: Ruling,
    /// How much there is to lose.
    pub(crate) class: Class,
    /// The effects that need consent, or that a person is shown where every change is asked about.
    pub(crate) effects: Vec<Effect>,
    /// The other effects on files.
    free: Vec<Effect>,
    /// The programs that it is known to start.
    pub(crate) programs: Vec<String>,
    /// Why nobody's yes helps, where that is so.
    pub(crate) protected: Vec<String>,
    /// Files and folders that it is known to make.
    creates: Vec<PathBuf>,
    /// Whether more may be made than is known.
    open_ended: bool,
    /// Whether something of others goes: it may come back under another name, and is no less theirs then.
    takes_away: bool,
}

/// Reads a command. Blocks: it looks at what is where.
pub(crate) fn judge(command: &str, cx: &ToolContext) -> Judged {
    let free = [real(&cx.workspace), real(&cx.working_folder)];
    let place = Place {
        home: &cx.home,
        working_folder: &cx.working_folder,
        workspace: &cx.workspace,
        free: &free,
        protected: Protected::of(cx).places(),
        paths: &OnDisk,
    };
    let mut effects = effects_of(command, place);
    make_free_what_is_ours(&mut effects, &cx.created);
    let ruling = decide(&effects, cx.mode);
    let absolute = |cause: &Cause| Some(PathBuf::from(&cause.what)).filter(|path| path.is_absolute());
    Judged {
        ruling,
        class: effects.class(),
        effects: asked_about(&effects),
        free: rest_of(&effects),
        programs: programs_of(&effects),
        protected: effects.protected.iter().map(|cause| cause.what.clone()).collect(),
        creates: effects.creates.iter().filter_map(absolute).collect(),
        takes_away: !effects.deletes.is_empty(),
        open_ended: !effects.unknown.is_empty()
            || effects.creates.iter().any(|cause| absolute(cause).is_none()),
    }
}

impl Judged {
    /// What it does, as rules see it.
    pub(crate) fn deed(&self) -> Deed<'_> {
        Deed { programs: &self.programs, effects: &self.effects, free: &self.free, beyond_undo: false }
    }

    /// Its rule, where a person cannot help.
    pub(crate) fn refusal(&self) -> String {
        let words = self.ruling.by.words();
        match (self.ruling.by, self.protected.first()) {
            (DecidedBy::ProtectedPlace, Some(place)) => format!("{words} ({place})"),
            _ => words.to_owned(),
        }
    }

    /// Whether it changes, makes or deletes something in the working folder, outside of the workspace.
    pub(crate) fn reaches_the_working_folder(&self, cx: &ToolContext) -> bool {
        let (folder, workspace) = (real(&cx.working_folder), real(&cx.workspace));
        self.effects.iter().any(|effect| match effect.kind {
            EffectKind::Creates | EffectKind::Overwrites | EffectKind::Deletes => {
                let path = Path::new(&effect.what);
                path.starts_with(&folder) && !path.starts_with(&workspace)
            }
            EffectKind::Network
            | EffectKind::OutsideMachine
            | EffectKind::Privilege
            | EffectKind::Unknown => false,
        })
    }

    /// What is to be asked, and by which rule of the user where one demands it.
    pub(crate) fn question(
        &self,
        tool: ToolName,
        command: &str,
        demand: Option<(String, String)>,
    ) -> Question {
        let by = match (self.ruling.decision, self.ruling.by) {
            (Decision::Allow, _) => ASK_BEFORE_ALL,
            (Decision::Ask | Decision::Deny, by) => (by.name(), by.words()),
        };
        let (effects, free) = match demand {
            // A rule may be about what is free otherwise.
            Some(_) => ([&self.effects[..], &self.free].concat(), Vec::new()),
            None => (self.effects.clone(), self.free.clone()),
        };
        let (rule, reason) = demand.unwrap_or_else(|| (by.0.to_owned(), by.1.to_owned()));
        Question {
            tool,
            command: command.to_owned(),
            programs: self.programs.clone(),
            effects,
            free,
            changes: Vec::new(),
            rule,
            reason,
            beyond_undo: None,
            always: None,
        }
    }

    /// Notes what the command made, so that the run may change it later. Blocks.
    ///
    /// What appears while a command runs may be somebody else's. Where all is known that the command makes, only that is the run's.
    pub(crate) fn note(&self, created: &CreatedPaths, before: &Ours, files: &[FileChange]) {
        let theirs_gone =
            |file: &FileChange| file.change == FileChangeKind::Deleted && !before.0.contains(&file.path);
        if self.takes_away || files.iter().any(theirs_gone) {
            return;
        }
        for path in &self.creates {
            created.insert(path.clone());
        }
        for file in files {
            let is_ours = match file.change {
                FileChangeKind::Created => self.makes(&file.path),
                FileChangeKind::Changed => before.0.contains(&file.path),
                FileChangeKind::Deleted => false,
            };
            if is_ours {
                created.insert(file.path.clone());
            }
        }
    }

    /// Whether nothing is known that it makes: then there is nothing to note, unless files changed.
    pub(crate) fn makes_nothing(&self) -> bool {
        self.creates.is_empty()
    }

    fn makes(&self, path: &Path) -> bool {
        self.open_ended || self.creates.iter().any(|made| path.starts_with(made))
    }
}

/// What was the run's, and as the run left it, before a call.
#[derive(Debug)]
pub(crate) struct Ours(std::collections::BTreeSet<PathBuf>);

impl Ours {
    /// Looks. Blocks.
    pub(crate) fn now(created: &CreatedPaths) -> Self {
        Self(created.unchanged())
    }
}

/// Changing and deleting what the run made is as free as making it.
fn make_free_what_is_ours(effects: &mut Effects, created: &CreatedPaths) {
    let mut ours = Vec::new();
    effects.overwrites.retain(|cause| !taken(cause, &mut ours, |path| created.is_file_of_its_own(path)));
    effects.deletes.retain(|cause| !taken(cause, &mut ours, |path| created.is_all_ours(path)));
    effects.creates.append(&mut ours);
}

fn taken(cause: &Cause, ours: &mut Vec<Cause>, is_ours: impl Fn(&Path) -> bool) -> bool {
    let path = Path::new(&cause.what);
    let Some((parent, name)) = path.parent().zip(path.file_name()).filter(|_| path.is_absolute()) else {
        return false;
    };
    let is = parent.canonicalize().is_ok_and(|parent| is_ours(&parent.join(name)));
    if is {
        ours.push(cause.clone());
    }
    is
}

/// What a person is asked about. Reading and starting programs never is by itself. New files are where they are not free, or
/// where there is nothing else to ask about.
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

fn asks_about_new_files(effects: &Effects) -> bool {
    match effects.class() {
        Class::Reversible => true,
        Class::ReadOnly | Class::Unknown | Class::Irreversible => !effects.creates_only_where_free,
    }
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
