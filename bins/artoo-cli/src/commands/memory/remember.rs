//! `artoo memory remember` and `forget`: changes of memory by the user.

use artoo_memory_store::operator::{Filter, Listed};
use artoo_mkct_memory::matrix;
use artoo_redaction::{Redactor, secrets_of};
use artoo_types::{Entity, Level, Megram, MegramId, MegramState, Origin, Space};
use uuid::Uuid;

use super::{Work, entry_page, explained, ids, law_enforcement, pages, wait};
use crate::args::RememberArgs;
use crate::commands::runs::as_json;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::machine::Environment;
use crate::run::{from_stdin, is_yes};
use crate::view::counted;

/// Maximum length of a user's rule in bytes, because it goes into prompts.
const LONGEST: usize = 2_000;
/// Maximum number of entries that a search text may forget at once.
const AT_ONCE: usize = 20;

pub(super) fn remember(
    context: &mut Context<'_>,
    work: &Work<'_>,
    args: &RememberArgs,
) -> Result<Exit, CommandError> {
    let redact = redactor(context.environment);
    let megram = said(args, &redact, MegramId::new(Uuid::now_v7()), work.now)?;
    if megram.content != args.text.trim() {
        context.terminal.warning("something that looks like a secret was taken out of it");
    }
    let outright = law_enforcement::said(args, context.folders)?;
    work.memory.write(megram.clone()).map_err(|error| explained(error.into()))?;
    wait(work.memory.flush())?.map_err(|error| explained(error.into()))?;
    let enforcements = match megram.level {
        Level::T if outright.is_empty() => law_enforcement::agreed(context, &megram, work.now, args.json),
        Level::T | Level::M | Level::K | Level::C => outright,
    };
    law_enforcement::enforce(context, &megram, &enforcements)?;
    let home = context.folders.home.clone();
    let enforced: Vec<String> =
        enforcements.iter().map(|enforcement| law_enforcement::words(enforcement, &home)).collect();
    let text = if args.json {
        pages::with_enforcement(&megram, &enforced)?
    } else {
        let pair = pages::pair(&megram);
        match megram.level {
            Level::T if enforced.is_empty() => {
                format!("remembered as a law, for every plan: {}\n", megram.id)
            }
            Level::T => {
                format!("remembered as a law, and enforced ({}): {}\n", enforced.join("; "), megram.id)
            }
            Level::M | Level::K | Level::C => {
                format!("remembered as a rule ({}) for {pair}: {}\n", pages::sign(&megram), megram.id)
            }
        }
    };
    context.terminal.data(&text)?;
    Ok(Exit::OK)
}

/// The user's text as an entry.
fn said(
    args: &RememberArgs,
    redact: &Redactor,
    id: MegramId,
    now: chrono::DateTime<chrono::FixedOffset>,
) -> Result<Megram, CommandError> {
    let text = args.text.trim();
    if text.is_empty() {
        return Err(CommandError::usage("there is nothing to remember").hint("say it in words"));
    }
    if text.len() > LONGEST {
        let said = format!("that is {} bytes, and a rule has at most {LONGEST}", text.len());
        return Err(
            CommandError::usage(said).hint("say it in fewer words: it is read before every such plan")
        );
    }
    let about = args.request.as_deref().unwrap_or(text).trim();
    if about.is_empty() {
        return Err(CommandError::usage("--for is empty").hint("say for which requests, in words"));
    }
    let (level, state) = match (args.law, args.never) {
        (true, _) => (Level::T, MegramState::Success),
        (false, false) => (Level::C, MegramState::Success),
        (false, true) => (Level::C, MegramState::Abandon),
    };
    // The space is made of words, which may contain a secret as well.
    let space = Space::intent(&redact.apply(about));
    let raw = matrix::megram(id, state, now, space, Entity::local(), redact.apply(text).into_owned());
    Ok(Megram { level, k: 0.0, origin: Some(Origin::Person), ..raw })
}

/// Redactor for the secrets of this environment.
pub(super) fn redactor(environment: &Environment) -> Redactor {
    let variables = environment.names().filter_map(|name| Some((name, environment.text(name)?)));
    secrets_of(variables).fold(Redactor::new(), Redactor::secret)
}

pub(super) fn forget(
    context: &mut Context<'_>,
    work: &Work<'_>,
    what: &str,
    yes: bool,
    json: bool,
) -> Result<Exit, CommandError> {
    let found = meant(work, what)?;
    if found.is_empty() {
        return Err(CommandError::usage("nothing in memory is like that").hint("see: artoo memory list"));
    }
    if !json {
        let columns = context.terminal.look().columns;
        context
            .terminal
            .note(&format!("to be forgotten: {}", counted(found.len() as u64, "entry", "entries")));
        for line in found.iter().flat_map(|listed| entry_page::in_short(&listed.megram, columns)) {
            context.terminal.note(&line);
        }
    }
    if !yes && !agreed(context)? {
        context.terminal.note("nothing was forgotten");
        return Ok(Exit::OK);
    }
    let ids: Vec<MegramId> = found.iter().map(|listed| listed.megram.id).collect();
    let gone = work.memory.forget(&ids).map_err(explained)?;
    wait(work.memory.flush())?.map_err(|error| explained(error.into()))?;
    let lifted = law_enforcement::lift(context, &ids)?;
    if json {
        context.terminal.data(&(as_json(&gone)? + "\n"))?;
        return Ok(Exit::OK);
    }
    let count = counted(gone.forgotten.len() as u64, "entry", "entries");
    context.terminal.data(&format!("forgotten for good: {count}\n"))?;
    if lifted > 0 {
        let entries = counted(lifted as u64, "entry", "entries");
        context.terminal.note(&format!("no longer enforced: {entries} of policy.toml removed"));
    }
    context.terminal.note("the records of runs still hold what those runs did: artoo runs list");
    Ok(Exit::OK)
}

/// The single entry of an id, or the entries similar to the text.
fn meant(work: &Work<'_>, what: &str) -> Result<Vec<Listed>, CommandError> {
    let what = what.trim();
    if what.is_empty() {
        return Err(CommandError::usage("it is not said what to forget").hint("name an id, or words"));
    }
    if ids::looks_like_id(what) {
        let id = ids::find(work.memory.as_ref(), what)?;
        let shown = work.memory.show(id).map_err(explained)?;
        return Ok(shown.into_iter().map(|shown| shown.listed).collect());
    }
    let filter = Filter { level: None, space: None, like: Some(what.to_owned()), limit: AT_ONCE };
    work.memory.list(&filter).map_err(explained)
}

/// Asks the user for confirmation.
fn agreed(context: &mut Context<'_>) -> Result<bool, CommandError> {
    if !(context.streams.stdin && context.streams.stderr) {
        return Err(CommandError::usage("nobody is there to be asked, so nothing was forgotten")
            .hint("look at what it is, then say it again with --yes"));
    }
    let keyboard = from_stdin();
    keyboard.begin();
    context.terminal.prompt("forget this for good? [y/N] > ");
    Ok(is_yes(&keyboard.line()))
}
