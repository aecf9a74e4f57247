//! Instructions from `AGENTS.md` files: the user's own and those of a folder.
//!
//! They are text for planner and executor only; no configuration is read from them.

mod discovery;
mod file;
mod trust_store;

use std::path::Path;

use artoo_front_end::Confirmation;
use artoo_tools::ProtectedPlaces;
use artoo_types::{FileChange, FileChangeKind, Instruction, MAX_INSTRUCTION_BYTES};

pub(crate) use discovery::own;

use crate::config::{self, Settings};
use crate::dispatch::Context;
use crate::run::BeforeRun;
use crate::view::bytes;
use file::{Checks, Doubt, Found};
use trust_store::Answers;

/// File name of instructions.
const NAME: &str = "AGENTS.md";
/// Number of lines shown when the user is asked about a file.
const SHOWN: usize = 12;

/// The instructions that a run in this folder follows, the most general first. A file that may come from
/// somebody else is followed only if the user agrees, once per content.
pub(crate) fn followed(
    context: &mut Context<'_>,
    settings: &Settings,
    folder: &Path,
    asked: &dyn BeforeRun,
) -> Vec<Instruction> {
    let home = context.folders.home.clone();
    let protected = protected(context, settings);
    let checks = Checks { protected, home: &home, answers: Answers::of(&settings.data_dir) };
    let own = own(context.environment, &home);
    let mut followed = Vec::new();
    for place in discovery::of(own.as_deref(), folder) {
        let found = match file::read(&place, &checks) {
            Ok(Some(found)) => found,
            Ok(None) => continue,
            Err(why) => {
                context.terminal.warning(&format!("{} is not followed: {why}", place.path.display()));
                continue;
            }
        };
        if may_follow(context, &checks.answers, &found, asked) {
            followed.push(Instruction { source: found.path.display().to_string(), text: found.text });
        }
    }
    let all: usize = followed.iter().map(|instruction| instruction.text.len()).sum();
    if all > MAX_INSTRUCTION_BYTES {
        let (all, told) = (bytes(all as u64), bytes(MAX_INSTRUCTION_BYTES as u64));
        context.terminal.warning(&format!("{NAME}: of {all} a run is told the first {told}"));
    }
    followed
}

/// What no tool of a run may read, but for the user's own instructions.
fn protected(context: &Context<'_>, settings: &Settings) -> ProtectedPlaces {
    let (environment, home) = (context.environment, &context.folders.home);
    // A relative one in a folder that is gone was refused when it was read.
    let configuration = context.folders.whole(&config::path(environment, home)).ok();
    let own = configuration.into_iter().chain([config::policy_path(environment, home)]);
    let own = own.chain([settings.data_dir.clone(), settings.memory_folder.clone()]);
    own.chain(settings.protected.iter().cloned()).collect::<Vec<_>>().into()
}

/// Marks the instruction files among a call's changed files: the user is asked before a
/// later run follows a file that a run wrote.
pub(crate) fn written(data_dir: &Path, files: &[FileChange]) {
    let is_one = |file: &&FileChange| {
        file.change != FileChangeKind::Deleted && file.path.file_name().is_some_and(|name| name == NAME)
    };
    for file in files.iter().filter(is_one) {
        if let Err(error) = Answers::of(data_dir).written(&file.path) {
            tracing::warn!(path = %file.path.display(), %error, "it is not remembered that a run wrote this file");
        }
    }
}

fn may_follow(context: &mut Context<'_>, answers: &Answers, found: &Found, asked: &dyn BeforeRun) -> bool {
    let Some(doubt) = &found.doubt else { return true };
    if let Some(answer) = answers.to(&found.text) {
        return answer;
    }
    if !asked.is_there() {
        let path = found.path.display();
        context.terminal.warning(&format!("{path} is not followed: {doubt}"));
        context.terminal.hint("run artoo at a terminal once: it asks whether to follow it");
        return false;
    }
    let answer = asked.confirm(context.terminal, confirmation(found, doubt));
    if let Err(error) = answers.keep(found, answer) {
        context.terminal.warning(&format!("the answer is not kept, and asked for again: {error}"));
    }
    answer
}

fn confirmation(found: &Found, doubt: &Doubt) -> Confirmation {
    let all: Vec<&str> = found.text.lines().collect();
    let mut lines: Vec<String> = all.iter().take(SHOWN).map(|line| (*line).to_owned()).collect();
    if all.len() > SHOWN {
        lines.push(format!("… {} more lines", all.len() - SHOWN));
    }
    let path = found.path.display();
    Confirmation {
        about: format!("{path}: {doubt}. It advises how to work here, and permits nothing:"),
        lines,
        question: "follow it? the answer holds until the file changes".to_owned(),
    }
}

#[cfg(test)]
mod tests;
