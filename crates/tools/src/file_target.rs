//! A file that a tool is about to write: path resolution, permission, consent and the write itself.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use artoo_consent::{NewEntry, ProposedEffects, Question, in_words, is_in_git};
use artoo_sandbox::SandboxMode;
use artoo_shell_effects::DecidedBy;
use artoo_types::{
    Approval, Effect, EffectKind, FileChange, FileChangeKind, PreviewedChange, PreviewedKind, ToolName,
};

use crate::build_output::BuildJudge;
use crate::consent::{ASK_BEFORE_ALL, AUTORUN, AutorunFiles, beyond_undo, diff};
use crate::contents_before::{Contents, as_text};
use crate::kept_places::refuse_change;
use crate::new_file::{self, Written};
use crate::open_file::check_kind;
use crate::protected::{Protected, is_hidden_below, is_private_key};
use crate::{CreatedPaths, ToolContext, ToolError, call_snapshot, open_files, paths};

/// The most links that lead to one file, as the kernel has it.
const MOST_LINKS: usize = 40;

/// The place of a write, and what exists there.
#[derive(Debug)]
pub(crate) struct FileTarget {
    /// The path as shown.
    pub(crate) shown: String,
    /// The path without symlinks.
    pub(crate) real: PathBuf,
    /// The folder that contains it.
    root: PathBuf,
    /// Whether that is the run's folder for temporary files, which goes with the run: nothing is kept or recorded.
    is_scratch: bool,
    there: There,
    /// Who would run a new file without being asked to.
    autorun: Option<String>,
    /// The file's state when it was read.
    seen: CreatedPaths,
    /// Its content as the user's editor has it, where that is not saved.
    unsaved: Option<Vec<u8>>,
}

/// What exists at the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum There {
    /// Nothing.
    Nothing,
    /// Nothing, in a place that other programs read automatically.
    Hidden,
    /// A file that the run created.
    Ours,
    /// A file of this size and number of names from before the run.
    Theirs { bytes: u64, links: u64 },
    /// A file of build output of this size, or nothing where it would be one.
    Output { bytes: Option<u64> },
}

impl FileTarget {
    /// Inspects a place, given as an absolute path. Blocks.
    ///
    /// # Errors
    ///
    /// No file may be written there, regardless of consent.
    pub(crate) fn look(place: &Path, cx: &ToolContext) -> Result<Self, ToolError> {
        let shown = paths::show(place, cx);
        if cx.mode == SandboxMode::ReadOnly {
            return Err(ToolError::ReadOnly { path: shown });
        }
        if place.is_dir() {
            return Err(ToolError::Folder { path: shown });
        }
        let target = target_of_links(place).map_err(|source| ToolError::Io {
            action: "write",
            path: shown.clone(),
            source,
        })?;
        let (real, missing) = real_path(&target, &shown)?;
        let real = missing.iter().fold(real, |path, part| path.join(part));
        // What is asked about and written is what the link leads to.
        let is_link = place.is_symlink();
        let shown = if is_link { format!("{shown} -> {}", paths::show(&real, cx)) } else { shown };
        let scratch = std::iter::once((cx.private_tmp.clone(), true));
        let roots = scratch.chain(cx.changeable().into_iter().map(|root| (root, false)));
        let mut roots = roots.filter_map(|(root, is_scratch)| Some((root.canonicalize().ok()?, is_scratch)));
        let is_around = |root: &Path| real.starts_with(root) && real != *root;
        let Some((root, is_scratch)) = roots.find(|(root, _)| is_around(root)) else {
            return Err(match &cx.scope {
                Some(scope) => ToolError::OutsideScope { path: shown, scope: paths::show(scope, cx) },
                None => ToolError::Outside { path: shown },
            });
        };
        let (found, protected) = (real.symlink_metadata(), Protected::of(cx));
        let is_protected =
            found.as_ref().map_or(protected.covers(&real), |found| protected.holds(&real, found));
        if is_protected {
            return Err(ToolError::Protected { path: shown });
        }
        if is_in_git(&real) {
            return Err(ToolError::InRepository { path: shown });
        }
        refuse_change(&real, &shown, cx)?;
        if let Ok(found) = &found {
            check_kind(found, &shown)?;
        }
        // Temporary files are the run's own.
        if !is_scratch {
            cx.seen.check(&real, &shown)?;
        }
        let seen = CreatedPaths::default();
        seen.insert(real.clone());
        let there = match found {
            Ok(_) if cx.created.is_file_of_its_own(&real) => There::Ours,
            Ok(found) if is_scratch && found.nlink() == 1 => There::Ours,
            Err(_) if is_scratch => There::Nothing,
            Ok(found) => There::Theirs { bytes: found.len(), links: found.nlink() },
            Err(_) if is_hidden_below(&root, &real) => There::Hidden,
            Err(_) => There::Nothing,
        };
        let there = if !is_scratch && is_build_output(&root, &real, cx)? { there.of_output() } else { there };
        let autorun = match there {
            There::Nothing if !is_scratch => autorun(&real, cx),
            There::Nothing | There::Hidden | There::Ours | There::Theirs { .. } | There::Output { .. } => {
                None
            }
        };
        Ok(Self { shown, real, root, is_scratch, there, autorun, seen, unsaved: None })
    }

    /// The same, where the user's editor has this text of the file. Returns the content that counts: the unsaved one, if there is one.
    pub(crate) fn with_editor(mut self, disk: Vec<u8>, editor: Option<&str>) -> (Self, Vec<u8>) {
        self.unsaved = editor.and_then(|editor| open_files::unsaved(&disk, editor));
        let counts = self.unsaved.clone().unwrap_or(disk);
        (self, counts)
    }

    /// The size of the existing file, if it is from before the run.
    pub(crate) fn bytes_of_theirs(&self) -> Option<u64> {
        match self.there {
            There::Theirs { bytes, .. } => Some(bytes),
            There::Output { bytes } => bytes,
            There::Nothing | There::Hidden | There::Ours => None,
        }
    }

    /// Asks for consent if needed. `before` is the existing content, if known.
    ///
    /// # Errors
    ///
    /// A rule or a person says no.
    pub(crate) async fn consent(
        &self,
        tool: ToolName,
        before: Option<&[u8]>,
        after: &[u8],
        cx: &ToolContext,
    ) -> Result<(), ToolError> {
        let (is_free, kind, why) = match self.there {
            There::Nothing => match &self.autorun {
                Some(why) => (false, EffectKind::Creates, why.clone()),
                None => (true, EffectKind::Creates, "it is a new file".to_owned()),
            },
            There::Ours => (true, EffectKind::Creates, "it is a file of this run".to_owned()),
            There::Hidden => (
                false,
                EffectKind::Creates,
                "it is hidden, and other programs read such files by themselves".to_owned(),
            ),
            There::Output { bytes } => {
                let kind = if bytes.is_some() { EffectKind::Overwrites } else { EffectKind::Creates };
                (true, kind, "it is build output, which git ignores".to_owned())
            }
            There::Theirs { links, .. } => (false, EffectKind::Overwrites, of_theirs(links)),
        };
        let effects = vec![Effect { kind, what: self.real.display().to_string(), word: String::new(), why }];
        let proposed = ProposedEffects {
            effects: &effects,
            autorun: self.autorun.is_some(),
            ..ProposedEffects::default()
        };
        if let Some(reason) = cx.consent.forbids(proposed) {
            return Err(ToolError::NotAllowed { effects: in_words(&effects), reason });
        }
        let demand = cx.demanded(proposed)?;
        if is_free && demand.is_none() && cx.consent.approval() != Approval::Ask {
            return Ok(());
        }
        let change = (DecidedBy::ConsentToChange.name(), DecidedBy::ConsentToChange.words());
        let ((rule, reason), changes) = match self.there {
            There::Theirs { bytes, .. } => (change, vec![self.change(Some(bytes), before, after)]),
            There::Hidden => (change, Vec::new()),
            There::Nothing if self.autorun.is_some() => (AUTORUN, vec![self.change(None, None, after)]),
            There::Nothing | There::Ours | There::Output { .. } => (ASK_BEFORE_ALL, Vec::new()),
        };
        let (rule, reason) = demand.unwrap_or_else(|| (rule.to_owned(), reason.to_owned()));
        let (root, real, context) = (self.root.clone(), self.real.clone(), cx.clone());
        let looked =
            tokio::task::spawn_blocking(move || call_snapshot::without_room_at(&context, &root, &real)).await;
        let lost = looked
            .map_err(|panic| ToolError::Panicked { tool: tool.clone(), message: panic.to_string() })??;
        let beyond_undo = beyond_undo(&effects, &lost, cx);
        let question = Question {
            command: format!("{tool} {}", self.shown),
            tool,
            programs: Vec::new(),
            effects,
            free: Vec::new(),
            changes,
            commit: None,
            moves: None,
            rule,
            reason,
            beyond_undo,
            always: None,
        };
        cx.consented(question).await
    }

    /// The change as shown. `bytes` is the size of what is there, if something is, and `before` its content, if that is known.
    fn change(&self, bytes: Option<u64>, before: Option<&[u8]>, after: &[u8]) -> PreviewedChange {
        let there = if bytes.is_some() { before } else { Some(&[][..]) };
        // Questions are recorded.
        let may_be_shown = there.filter(|there| ![*there, after].into_iter().any(is_private_key));
        PreviewedChange {
            path: as_text(&self.real),
            change: if bytes.is_some() { PreviewedKind::Changed } else { PreviewedKind::Created },
            from: None,
            bytes_before: bytes,
            bytes_after: Some(after.len() as u64),
            mode_before: None,
            mode_after: None,
            diff: may_be_shown.and_then(|there| diff(there, after)),
            autorun: self.autorun.clone(),
            build_output: None,
        }
    }

    /// Writes the file, whole or not at all. Blocks.
    ///
    /// # Errors
    ///
    /// The place changed since it was inspected, or an I/O error.
    pub(crate) fn write(&self, content: &[u8], cx: &ToolContext) -> Result<FileChange, ToolError> {
        // Of two calls that read the same file, one would overwrite the other's change.
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let Self { shown, real, root, is_scratch, there, autorun: _, seen, unsaved } = self;
        let failed = |action, source| ToolError::Io { action, path: shown.clone(), source };
        let replace = match there {
            There::Nothing | There::Hidden | There::Output { bytes: None } => false,
            There::Ours | There::Theirs { .. } | There::Output { .. } if seen.contains(real) => true,
            There::Ours | There::Theirs { .. } | There::Output { .. } => {
                return Err(ToolError::ChangedMeanwhile { path: shown.clone() });
            }
        };
        // So that undo gives back what the user had before their eyes.
        if let Some(unsaved) = unsaved
            && !open_files::save(real, unsaved, cx)
        {
            return Err(ToolError::ChangedMeanwhile { path: shown.clone() });
        }
        let below = real.strip_prefix(root).unwrap_or(real);
        let watched = if *is_scratch { None } else { call_snapshot::before_path(cx, root, real)? };
        let contents = Contents::of_file(real, cx);
        cx.build_rules.about_to_change([real.as_path()]);
        let new_folders: Vec<PathBuf> = new_folders(real).map(Path::to_owned).collect();
        let written = if replace && open_files::save(real, content, cx) {
            Ok(Written::Replaced)
        } else {
            new_file::write(root, below, content, replace)
        };
        if let Some(watched) = watched {
            watched.after().map_err(|source| failed("keep for undo what was written to", source))?;
        }
        let change = match written.map_err(|source| failed("write", source))? {
            Written::Created => FileChangeKind::Created,
            Written::Replaced => FileChangeKind::Changed,
            // It came after the place was inspected.
            Written::Exists => return Err(ToolError::ChangedMeanwhile { path: shown.clone() }),
            Written::IsFolder => return Err(ToolError::Folder { path: shown.clone() }),
        };
        match there {
            There::Nothing | There::Hidden | There::Ours | There::Output { bytes: None } => {
                cx.created.insert(real.clone());
            }
            // Consent was given to this content, and the file is still not the run's.
            There::Theirs { .. } | There::Output { bytes: Some(_) } => {}
        }
        new_folders.into_iter().for_each(|folder| cx.created.insert(folder));
        let mut change = FileChange::new(as_text(real), change);
        contents.tell(std::slice::from_mut(&mut change), cx);
        // By its real path: that of the record is lossy.
        cx.seen.note(real);
        Ok(change)
    }

    /// What of a write is recorded as a change of the user's files.
    pub(crate) fn recorded(&self, change: FileChange) -> Vec<FileChange> {
        if self.is_scratch { Vec::new() } else { vec![change] }
    }
}

impl There {
    /// The same in a folder of build output.
    fn of_output(self) -> Self {
        match self {
            Self::Nothing | Self::Hidden => Self::Output { bytes: None },
            Self::Theirs { bytes, .. } => Self::Output { bytes: Some(bytes) },
            Self::Ours | Self::Output { .. } => self,
        }
    }
}

/// Whether a file there is build output with all its names, and can be kept for undo. Blocks.
fn is_build_output(root: &Path, real: &Path, cx: &ToolContext) -> Result<bool, ToolError> {
    let judge = BuildJudge::of(new_folders(real).map(Path::to_owned).collect(), cx);
    let is_it = match real.symlink_metadata() {
        Ok(found) if found.nlink() > 1 => judge.with_name_outside(&[real.to_owned()]).is_none(),
        Ok(_) | Err(_) => judge.folder_of(real, false).is_some(),
    };
    Ok(is_it && call_snapshot::without_room_at(cx, root, real)?.is_empty())
}

/// The folders that a new file comes with.
fn new_folders(real: &Path) -> impl Iterator<Item = &Path> {
    real.ancestors().skip(1).take_while(|folder| folder.symlink_metadata().is_err())
}

/// Why a file from before the run is asked about: writing it changes what all of its names show.
fn of_theirs(names: u64) -> String {
    let others = match names {
        0 | 1 => String::new(),
        2 => ", and has another name".to_owned(),
        names => format!(", and has {} other names", names - 1),
    };
    format!("the file was there before the run{others}")
}

/// Who would run a new file, or what its new folders become with it, without being asked to.
fn autorun(real: &Path, cx: &ToolContext) -> Option<String> {
    let new = || real.ancestors().take_while(|path| path.symlink_metadata().is_err());
    let files = AutorunFiles::of(cx, new().map(|path| (path, true)).collect());
    let of_folders = || new().skip(1).find_map(|folder| files.why(folder, NewEntry::Folder));
    files.why(real, NewEntry::File).or_else(of_folders)
}

/// Where a path leads after all symlinks in its last name, whether something is there or not.
fn target_of_links(place: &Path) -> io::Result<PathBuf> {
    let mut target = place.to_owned();
    for _ in 0..MOST_LINKS {
        if !target.is_symlink() {
            return Ok(target);
        }
        let written = target.read_link()?;
        let folder = target.parent().unwrap_or(&target).canonicalize()?;
        target = folder.join(written);
    }
    Err(rustix::io::Errno::LOOP.into())
}

/// The real path of the deepest existing parent folder, and the names below it. The last name is not
/// resolved.
fn real_path(target: &Path, shown: &str) -> Result<(PathBuf, Vec<PathBuf>), ToolError> {
    let failed = |source| ToolError::Io { action: "write", path: shown.to_owned(), source };
    let name = match target.components().next_back() {
        Some(Component::Normal(name)) => PathBuf::from(name),
        _ => return Err(ToolError::Folder { path: shown.to_owned() }),
    };
    let mut missing = vec![name];
    let mut folder = target.parent().unwrap_or(target);
    loop {
        match folder.canonicalize() {
            Ok(real) => {
                missing.reverse();
                return Ok((real, missing));
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                // Below a missing folder `..` has no meaning; and a dangling link has a name but no target.
                let dangling = folder.symlink_metadata().is_ok();
                match folder.components().next_back() {
                    Some(Component::Normal(name)) if !dangling => missing.push(name.into()),
                    _ => return Err(failed(error)),
                }
                folder = folder.parent().ok_or_else(|| failed(std::io::ErrorKind::NotFound.into()))?;
            }
            Err(error) => return Err(failed(error)),
        }
    }
}
