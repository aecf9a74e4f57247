//! `artoo runs delete` and `artoo runs prune`: what goes is said, and agreed to, before it goes.

use std::path::Path;

use artoo_runtime::runs::{self, InUse};
use artoo_snapshot::Undoable;
use artoo_types::RunId;

use super::runs::{digits, explained};
use crate::args::DeleteHow;
use crate::dispatch::Context;
use crate::error::CommandError;
use crate::run::{from_stdin, is_yes};
use crate::terminal::wrap;
use crate::view::{bytes, counted, end};

/// The most runs that are named; the others are counted.
const NAMED: usize = 20;

/// What a deletion would do.
struct Deletion {
    /// The runs that go.
    gone: Vec<RunId>,
    /// The runs that stay, and why.
    kept: Vec<(RunId, InUse)>,
    /// How many of those that go can still be undone.
    undoable: usize,
    bytes: u64,
}

impl Deletion {
    fn of(data_dir: &Path, mut runs: Vec<RunId>) -> Self {
        runs.sort_unstable();
        runs.dedup();
        runs.retain(|run| folder(data_dir, *run).is_dir());
        let (mut gone, mut kept) = (Vec::new(), Vec::new());
        for run in runs {
            match runs::in_use(data_dir, run) {
                Some(why) => kept.push((run, why)),
                None => gone.push(run),
            }
        }
        let can_be_undone = |run: &&RunId| runs::undo_state(&folder(data_dir, **run)) == Undoable::Yes;
        Self {
            undoable: gone.iter().filter(can_be_undone).count(),
            bytes: gone.iter().map(|run| runs::size(data_dir, *run)).fold(0, u64::saturating_add),
            gone,
            kept,
        }
    }

    /// What goes and what stays, in lines.
    fn lines(&self, digits: usize) -> Vec<String> {
        let name = |run: &RunId| end(&run.to_string(), digits).to_owned();
        let stays = |(run, why): &(RunId, InUse)| {
            format!("run {} stays: it {}; {}", name(run), why.words(), why.hint())
        };
        let mut lines: Vec<String> = self.kept.iter().map(stays).collect();
        if self.gone.is_empty() {
            return lines;
        }
        let runs = counted(self.gone.len() as u64, "run", "runs");
        let named: Vec<String> = self.gone.iter().rev().take(NAMED).map(name).collect();
        let more = self.gone.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        lines.push(format!("to be deleted: {runs}, {}: {}{more}", bytes(self.bytes), named.join(", ")));
        if self.undoable > 0 {
            let which = if self.undoable == self.gone.len() {
                "what they".to_owned()
            } else {
                format!("what {} of them", self.undoable)
            };
            lines.push(format!("{which} did to files cannot be undone any more then"));
        }
        lines.push("memory, conversations and the audit log keep what they have of it".to_owned());
        lines
    }
}

/// Deletes the records of runs, once the user agrees. Returns whether nothing is left to do: it is not if the user did not agree, or if only
/// what would go was asked.
pub(super) fn delete(
    context: &mut Context<'_>,
    data_dir: &Path,
    runs: Vec<RunId>,
    how: DeleteHow,
) -> Result<bool, CommandError> {
    let deletion = Deletion::of(data_dir, runs);
    let look = context.terminal.look();
    let columns = if look.live { look.columns.saturating_sub(1) } else { usize::MAX };
    for line in deletion.lines(digits(data_dir)?).iter().flat_map(|line| wrap(line, columns)) {
        context.terminal.note(&line);
    }
    if deletion.gone.is_empty() {
        if deletion.kept.is_empty() {
            context.terminal.note("no run is to be deleted");
        }
        return Ok(deletion.kept.is_empty());
    }
    if how.dry_run {
        return Ok(false);
    }
    if !how.yes && !agreed(context)? {
        context.terminal.note("nothing was deleted");
        return Ok(false);
    }
    for run in &deletion.gone {
        runs::delete(data_dir, *run).map_err(explained)?;
    }
    let runs = counted(deletion.gone.len() as u64, "run", "runs");
    context.terminal.data(&format!("deleted: {runs}, {} freed\n", bytes(deletion.bytes)))?;
    Ok(deletion.kept.is_empty())
}

fn agreed(context: &mut Context<'_>) -> Result<bool, CommandError> {
    if !(context.streams.stdin && context.streams.stderr) {
        return Err(CommandError::usage("nobody is there to be asked, so nothing was deleted")
            .hint("look at what goes, then say it again with --yes"));
    }
    let keyboard = from_stdin();
    keyboard.begin();
    context.terminal.prompt("delete this for good? [y/N] > ");
    Ok(is_yes(&keyboard.line()))
}

fn folder(data_dir: &Path, run: RunId) -> std::path::PathBuf {
    runs::folder(data_dir).join(run.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(number: u128) -> RunId {
        RunId::new(uuid::Uuid::from_u128(0x0197_0000_0000_7000_8000_0000_0000_0000 + number))
    }

    #[test]
    fn what_goes_and_what_stays_is_said() {
        let said = |gone: u128, undoable, kept: &[(RunId, InUse)]| {
            let gone: Vec<RunId> = (1..=gone).map(run).collect();
            Deletion { gone, kept: kept.to_vec(), undoable, bytes: 41_000 }.lines(6).join("\n")
        };
        let kept = [(run(99), InUse::Working), (run(98), InUse::BeingUndone), (run(97), InUse::MayBeWorking)];
        insta::assert_snapshot!(
            [said(1, 0, &[]), said(2, 2, &[]), said(30, 4, &kept), said(0, 0, &kept)].join("\n\n")
        );
    }
}
