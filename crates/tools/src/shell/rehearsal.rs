//! Runs commands again over discarded layers, in the real world or in one that differs from it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use artoo_consent::{Rules, RulesAlone};
use artoo_sandbox::preview::{Change, ChangeKind, EntryKind, PreviewError, preview_with_links, rehearse};
use artoo_sandbox::{Capture, Confinement, Ending, Invocation, Network, PrivateNetwork, SandboxMode};
use artoo_types::{NotRehearsed, Perturbation, Rehearsed, RehearsedChanges, Said};
use sha2::{Digest as _, Sha256};

use super::perturbation::{Staged, staged};
use super::reach::Reach;
use super::written_content::{MOST_BYTES, content};
use super::{
    confinement, environment, outlook, shell,
    trial::{Layers, follows_links},
};
use crate::private_keys;
use crate::protected::Protected;
use crate::writable_folders::Granted;
use crate::{SeenFiles, Shell, Tool as _, ToolContext, Toolbox};

/// Maximum bytes kept of an output; for a longer one only its hash is kept.
const MOST_OUTPUT: usize = 256 * 1024;
/// Maximum bytes of written lines that are kept; for more only their hash is kept.
const MOST_WRITTEN: usize = 64 * 1024;

/// Runs all commands but the last only for their effects.
const ONE_AFTER_THE_OTHER: &str =
    r#"while [ $# -gt 1 ]; do "$0" -c "$1" >/dev/null 2>&1; shift; done; exec "$0" -c "$1""#;

/// Runs commands over discarded layers: without the machine's network, under the user's rules alone and without
/// questions.
#[derive(Debug, Clone)]
pub struct Rehearsal {
    context: ToolContext,
    can_run: bool,
}

/// A context whose calls leave no changes: nothing is asked, only the user's rules apply.
pub fn leaving_nothing(context: ToolContext, rules: Rules) -> ToolContext {
    ToolContext {
        trial_only: true,
        private_network: another_network(&context),
        network: Network::Denied,
        sockets: Arc::default(),
        consent: Arc::new(RulesAlone(rules)),
        snapshot: None,
        // What others look at is not what the run has seen.
        seen: SeenFiles::default(),
        on_output: None,
        ..context
    }
}

/// A network apart from that of the run, whose servers it could change. A run that is in the machine's network
/// has no other.
fn another_network(context: &ToolContext) -> Option<PrivateNetwork> {
    context.own_network().map(|_| PrivateNetwork::default())
}

impl Rehearsal {
    /// Uses the grants of these tools. Without a `shell` tool, nothing is rehearsed.
    pub fn new(toolbox: &Toolbox, context: ToolContext, rules: Rules) -> Self {
        Self { context: leaving_nothing(context, rules), can_run: toolbox.get(&Shell.name()).is_some() }
    }

    /// Runs the commands one after the other in one layer, each as `shell` would, and returns the output of
    /// the last one. They are stopped if they exceed this time together.
    ///
    /// # Errors
    ///
    /// Why their output in this world cannot be determined.
    pub async fn run(
        &self,
        commands: &[&str],
        world: &Perturbation,
        within: Duration,
    ) -> Result<Rehearsed, NotRehearsed> {
        if !self.can_run {
            return Err(NotRehearsed::because("this run has no tool that runs commands"));
        }
        for command in commands {
            private_keys::learn_from_command(command, &self.context).await;
        }
        let (texts, world): (Vec<String>, _) =
            (commands.iter().map(|text| (*text).to_owned()).collect(), world.clone());
        let mut cx = self.context.clone();
        // Its temporary files do not last either.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        cx.private_tmp.push(format!("rehearsal-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        let tmp = TemporaryFolder(cx.private_tmp.clone());
        // Two at a time may listen at the same port.
        cx.private_network = another_network(&cx);
        let context = cx.clone();
        let looked = tokio::task::spawn_blocking(move || look(&texts, &world, &context)).await;
        let (layers, staged) = looked.map_err(lost)??;
        let held = Confinement {
            hidden: staged.hidden(Protected::of(&cx).places()),
            ..confinement(&cx, (SandboxMode::WorkspaceWrite, Reach::RUN), &Granted::default())
        };
        let rehearsed = self.carry_out(&invocation(commands, within, &cx)?, &held, (&layers, &staged)).await;
        tokio::task::spawn_blocking(move || drop(tmp)).await.map_err(lost)?;
        rehearsed
    }

    async fn carry_out(
        &self,
        invocation: &Invocation,
        held: &Confinement,
        (layers, staged): (&Layers, &Staged),
    ) -> Result<Rehearsed, NotRehearsed> {
        let (mut stdout, mut stderr) = (Heard::default(), Heard::default());
        let capture = Capture { stdout: &mut stdout, stderr: &mut stderr, on_chunk: None };
        let (roots, store, cancel) = (layers.roots.as_slice(), &layers.store, &self.context.cancel);
        let (ending, changes) = if *staged == Staged::default() {
            let preview = preview_with_links(invocation, held, roots, store, capture, cancel);
            let (preview, cx) = (preview.await.map_err(untried)?, self.context.clone());
            // Reading and removing the layers blocks.
            let told = move || {
                follows_links(preview.linked(), &preview.changes, &cx).map_err(untried)?;
                let changes = changes(preview.changes.iter(), |path| preview.open_written(path));
                Ok((preview.outcome.ending, changes))
            };
            tokio::task::spawn_blocking(told).await.map_err(lost)??
        } else {
            let world = (roots, &staged.staging);
            let preview = rehearse(invocation, held, world, store, capture, cancel).await.map_err(untried)?;
            let cx = self.context.clone();
            let told = move || {
                follows_links(preview.linked(), preview.all_changes(), &cx).map_err(untried)?;
                let changes = changes(preview.changes(), |path| preview.open_written(path));
                Ok((preview.outcome().ending, changes))
            };
            tokio::task::spawn_blocking(told).await.map_err(lost)??
        };
        let status = status(ending)?;
        // The private folder's path would differ from one rehearsal to the next.
        let said = |heard: Heard| heard.said(&held.private_tmp, &self.context.private_tmp);
        Ok(Rehearsed { stdout: said(stdout), stderr: said(stderr), status, changes })
    }
}

/// The changes; `None` if there are none. Modes and times of files that are otherwise the same do not count unless nothing else
/// changed, and neither does a line break at the end of a file, nor how an archive is packed: two ways to do the same differ in these.
fn changes<'a>(
    changes: impl Iterator<Item = &'a Change>,
    open_written: impl Fn(&Path) -> io::Result<File>,
) -> Option<RehearsedChanges> {
    let (attributes, contents): (Vec<&Change>, Vec<&Change>) =
        changes.partition(|change| change.kind == ChangeKind::Attributes);
    let counted = if contents.is_empty() { attributes } else { contents };
    if counted.is_empty() {
        return None;
    }
    let (mut hash, mut room) = (Sha256::new(), MOST_BYTES);
    let mut written: Vec<String> = Vec::new();
    for change in counted {
        hash.update(change.path.as_os_str().as_encoded_bytes());
        let after = change.after.as_ref();
        let text = change.diff.as_deref().map(|diff| {
            let lines = diff.lines().skip_while(|line| !line.starts_with("@@"));
            let lines = lines.filter(|line| !line.starts_with('\\'));
            let rest = lines.map(|line| match line.strip_prefix('+') {
                Some(new) => {
                    written.push(new.to_owned());
                    "+"
                }
                None => line,
            });
            rest.collect::<Vec<_>>().join("\n")
        });
        let size = after.filter(|_| text.is_none()).map(|after| after.size);
        let file = after.filter(|after| after.kind == EntryKind::File && is_written(change));
        let content = file.and_then(|_| content(open_written(&change.path).ok()?, &mut room));
        // Archives of the same members have other sizes.
        let size = size.filter(|_| content.is_none());
        let mode = after.filter(|_| change.kind == ChangeKind::Attributes).map(|after| after.mode);
        let kind = after.map(|after| &after.kind);
        hash.update(format!("\0{kind:?}\0{size:?}\0{content:?}\0{mode:?}\0{text:?}\0"));
    }
    if written.iter().map(String::len).sum::<usize>() > MOST_WRITTEN {
        written = vec![Said::Hash(Sha256::digest(written.join("\n")).into()).text()];
    }
    Some(RehearsedChanges { rest: hash.finalize().into(), written })
}

/// Whether the command has written another content, which no diff tells.
fn is_written(change: &Change) -> bool {
    match change.kind {
        ChangeKind::Created | ChangeKind::Changed => change.diff.is_none(),
        ChangeKind::Attributes | ChangeKind::Deleted | ChangeKind::MovedHere | ChangeKind::MovedAway => false,
    }
}

fn untried(error: PreviewError) -> NotRehearsed {
    NotRehearsed::because(format!("it cannot be tried: {error}"))
}

fn lost(panic: tokio::task::JoinError) -> NotRehearsed {
    NotRehearsed::because(panic.to_string())
}

/// Checks each command against the rules, finds the layers, and builds the world. Blocks.
fn look(
    commands: &[String],
    world: &Perturbation,
    cx: &ToolContext,
) -> Result<(Layers, Staged), NotRehearsed> {
    for command in commands {
        let outlook = outlook(command, cx);
        if let Some(refusal) = outlook.refusal {
            return Err(NotRehearsed::because(format!("it was not run: {refusal}")));
        }
        if let Some(machine) = outlook.effects.network.first() {
            return Err(NotRehearsed::because(format!("it needs the network ({})", machine.what)));
        }
    }
    let layers = Layers::look(cx);
    let layers = layers.ok_or_else(|| NotRehearsed::because("nothing can be tried on this machine"))?;
    let needed =
        [&cx.working_folder, &cx.workspace, &cx.private_tmp].map(|folder| super::perturbation::real(folder));
    let staged = staged(world, &needed, &layers.roots)?;
    Ok((layers, staged))
}

fn invocation(commands: &[&str], within: Duration, cx: &ToolContext) -> Result<Invocation, NotRehearsed> {
    let program = shell(cx);
    let arguments = match commands {
        [] => return Err(NotRehearsed::because("there is no command")),
        [command] => vec!["-c".into(), command.into()],
        [_, ..] => {
            let first = ["-c".into(), ONE_AFTER_THE_OTHER.into(), program.clone()];
            first.into_iter().chain(commands.iter().map(Into::into)).collect()
        }
    };
    Ok(Invocation {
        program,
        arguments,
        folder: cx.working_folder.clone(),
        environment: environment(cx),
        timeout: within.min(cx.limits.longest_command_time),
        keep: cx.limits.kept,
    })
}

/// The exit status of a command that ended by itself.
fn status(ending: Ending) -> Result<i32, NotRehearsed> {
    match ending {
        Ending::Exited(status) => Ok(status),
        Ending::Signaled(signal) => Err(NotRehearsed::because(format!("it ended by signal {signal}"))),
        Ending::TimedOut => Err(NotRehearsed::because("it took too long")),
        Ending::Cancelled => Err(NotRehearsed::because("it was cancelled")),
        Ending::Crowded => Err(NotRehearsed::because("it had too many processes")),
        Ending::OutOfRoom => Err(NotRehearsed::because("the disk is too full")),
        Ending::OutOfMemory => Err(NotRehearsed::because("it used too much memory")),
    }
}

/// Collects an output.
#[derive(Debug, Default)]
struct Heard {
    beginning: Vec<u8>,
    hash: Sha256,
    is_long: bool,
}

impl io::Write for Heard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.hash.update(bytes);
        self.is_long |= self.beginning.len().saturating_add(bytes.len()) > MOST_OUTPUT;
        if !self.is_long {
            self.beginning.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Heard {
    /// The output, with the rehearsal's temporary folder replaced by the run's.
    fn said(self, its: &Path, the_runs: &Path) -> Said {
        if self.is_long {
            return Said::Hash(self.hash.finalize().into());
        }
        let (its, the_runs) = (its.as_os_str().as_encoded_bytes(), the_runs.as_os_str().as_encoded_bytes());
        let mut bytes = Vec::with_capacity(self.beginning.len());
        let mut rest = self.beginning.as_slice();
        while let Some((first, after)) = rest.split_first() {
            match rest.strip_prefix(its) {
                Some(behind) => {
                    bytes.extend_from_slice(the_runs);
                    rest = behind;
                }
                None => {
                    bytes.push(*first);
                    rest = after;
                }
            }
        }
        Said::Whole(bytes)
    }
}

/// The temporary folder of one rehearsal, removed on drop.
struct TemporaryFolder(PathBuf);

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // If it cannot be removed, it stays until the run ends.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
