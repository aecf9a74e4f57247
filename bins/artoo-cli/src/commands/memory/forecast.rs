//! `artoo memory forecast`: what would be recalled for a request, and how it fades.

use artoo_mkct_memory::forecast::{Forecast, of_pair};
use artoo_types::{Law, Potentials, RecallReason, TagPair};
use serde::Serialize;

use super::why::query;
use super::{Work, explained, forecast_page};
use crate::commands::runs::as_json;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};

/// Output of `--json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Ahead {
    /// The request.
    pub(super) request: String,
    /// The pairs that would be recalled.
    pub(super) pairs: Vec<PairAhead>,
    /// The laws, which are recalled in any case.
    pub(super) laws: Vec<Law>,
}

/// A pair that would be recalled.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct PairAhead {
    /// The pair.
    pub(super) pair: TagPair,
    /// Why it would be recalled.
    pub(super) reason: RecallReason,
    /// Its potentials now.
    pub(super) now: Potentials,
    /// Its future potentials if nothing more is learned.
    pub(super) forecast: Forecast,
}

pub(super) fn run(
    context: &mut Context<'_>,
    work: &Work<'_>,
    request: &str,
    days: u32,
    json: bool,
) -> Result<Exit, CommandError> {
    let query = query(request, work, context.folders.current()?)?;
    let reply = work.memory.recall_look(&query).map_err(explained)?;
    let mut pairs = Vec::new();
    for known in reply.recalled {
        let entries = work.memory.entries(&known.pair).map_err(explained)?;
        let forecast = of_pair(entries.iter().map(|entry| &entry.megram), work.now, days);
        pairs.push(PairAhead { pair: known.pair, reason: known.reason, now: known.potentials, forecast });
    }
    let ahead = Ahead { request: request.to_owned(), pairs, laws: reply.laws };
    let columns = context.terminal.data_look().columns;
    let text = if json { as_json(&ahead)? + "\n" } else { forecast_page::page(&ahead, work.now, columns) };
    context.terminal.data(&text)?;
    Ok(Exit::OK)
}
