//! `artoo memory stats`, `list` and `show`.

use std::collections::BTreeMap;

use artoo_memory_store::operator::{Filter, Listed};
use artoo_types::Level;

use super::{Work, entry_page, explained, ids, law_enforcement, pages};
use crate::args::ListArgs;
use crate::commands::runs::{as_json, place};
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};

pub(super) fn stats(context: &mut Context<'_>, work: &Work<'_>, json: bool) -> Result<Exit, CommandError> {
    let stats = work.memory.stats().map_err(explained)?;
    let text = if json { as_json(&stats)? + "\n" } else { pages::stats(&stats) };
    context.terminal.data(&text)?;
    Ok(Exit::OK)
}

pub(super) fn list(
    context: &mut Context<'_>,
    work: &Work<'_>,
    args: &ListArgs,
) -> Result<Exit, CommandError> {
    if args.text.as_ref().is_some_and(|text| text.trim().is_empty()) {
        return Err(CommandError::usage("--text is empty").hint("name the words that entries are to be like"));
    }
    let filter =
        Filter { level: args.level, space: args.space.clone(), like: args.text.clone(), limit: args.limit };
    let found = work.memory.list(&filter).map_err(explained)?;
    let has_law = found.iter().any(|listed| listed.megram.level == Level::T);
    let enforced = if has_law { law_enforcement::enforced(context) } else { BTreeMap::new() };
    let of = |listed: &Listed| enforced.get(&listed.megram.id.to_string()).cloned().unwrap_or_default();
    if args.json {
        for listed in &found {
            context.terminal.data(&pages::with_enforcement(listed, &of(listed))?)?;
        }
        return Ok(Exit::OK);
    }
    if found.is_empty() {
        let all = filter.level.is_none() && filter.space.is_none() && filter.like.is_none();
        context.terminal.note(if all { "memory is empty" } else { "nothing in memory is like that" });
        return Ok(Exit::OK);
    }
    let mut rows = Vec::with_capacity(found.len());
    for listed in found {
        let id = ids::short(work.memory.as_ref(), listed.megram.id)?;
        rows.push(pages::Row { id, enforced: of(&listed), listed });
    }
    let text = pages::list(&rows, work.now, place(context));
    context.terminal.data(&text)?;
    Ok(Exit::OK)
}

pub(super) fn show(
    context: &mut Context<'_>,
    work: &Work<'_>,
    id: &str,
    json: bool,
) -> Result<Exit, CommandError> {
    let id = ids::find(work.memory.as_ref(), id)?;
    let shown = work.memory.show(id).map_err(explained)?.ok_or_else(|| {
        CommandError::usage(format!("nothing in memory has the id {id}"))
            .hint("it may have been forgotten just now: artoo memory list")
    })?;
    let enforced = match shown.listed.megram.level {
        Level::T => law_enforcement::enforced(context).remove(&id.to_string()).unwrap_or_default(),
        Level::M | Level::K | Level::C => Vec::new(),
    };
    let text = if json {
        pages::with_enforcement(&shown, &enforced)?
    } else {
        let page = entry_page::entry(&shown, work.now, context.terminal.data_look().columns);
        let lines = enforced.iter().map(|line| format!("  enforced {line}\n"));
        page + &lines.collect::<String>()
    };
    context.terminal.data(&text)?;
    Ok(Exit::OK)
}
