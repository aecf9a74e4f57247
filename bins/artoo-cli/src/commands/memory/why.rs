//! `artoo memory why`: what memory contributed to a run, or what it would recall for a request.
//!
//! The former is read from the run's record.

use artoo_runtime::explain::HeldCall;
use artoo_runtime::runs::RunsError;
use artoo_runtime::{journal, runs};
use artoo_types::{
    BlockedTarget, Entity, Envelope, Megram, MemoryQuery, MemoryReply, Message, PlanMemory, RunId, Space,
    TagPair,
};
use serde::Serialize;

use super::ids::looks_like_id;
use super::{Work, explained, why_page};
use crate::commands::runs as run_commands;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};

/// What memory contributed to a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct RunMemory {
    /// The request.
    pub(super) request: String,
    /// The planner's queries and their outcome.
    pub(super) questions: Vec<Asked>,
    /// What the run added to memory.
    pub(super) learned: Vec<Megram>,
}

/// A query of the planner.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Asked {
    /// The query.
    pub(super) query: MemoryQuery,
    /// The reply; `None` if the run ended before it.
    pub(super) reply: Option<MemoryReply>,
    /// The round whose plan used the reply; `None` if no plan was made.
    pub(super) round: Option<u32>,
    /// What was used and what was not.
    pub(super) memory: PlanMemory,
    /// The calls that memory held back.
    pub(super) held: Vec<HeldCall>,
}

pub(super) fn run(
    context: &mut Context<'_>,
    work: &Work<'_>,
    about: &str,
    json: bool,
) -> Result<Exit, CommandError> {
    let about = about.trim();
    let columns = context.terminal.data_look().columns;
    let text = match of_run(work, about)? {
        Some((run_id, read)) => {
            let found = of_record(&read.envelopes);
            if let Some(damage) = &read.damage {
                context.terminal.warning(&format!("the journal is damaged, and told up to there: {damage}"));
            }
            if json {
                run_commands::as_json(&serde_json::json!({ "run_id": run_id, "memory": found }))? + "\n"
            } else {
                why_page::of_run(run_id, &found, columns)
            }
        }
        None => {
            let query = query(about, work, context.folders.current()?)?;
            let reply = work.memory.recall_look(&query).map_err(explained)?;
            if json {
                run_commands::as_json(&serde_json::json!({ "query": query, "reply": reply }))? + "\n"
            } else {
                why_page::of_request(about, &reply, columns)
            }
        }
    };
    context.terminal.data(&text)?;
    Ok(Exit::OK)
}

/// The run that is meant, if any; a text that is not a run's id is a request.
fn of_run(work: &Work<'_>, about: &str) -> Result<Option<(RunId, journal::Read)>, CommandError> {
    let data_dir = &work.settings.data_dir;
    let folder = if about == "last" {
        run_commands::folder(data_dir, about)?
    } else {
        match runs::find(data_dir, about) {
            Ok(folder) => folder,
            Err(RunsError::Unknown { .. }) if !looks_like_id(about) => return Ok(None),
            Err(error) => return Err(run_commands::explained(error)),
        }
    };
    let read = run_commands::recorded(&folder)?;
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    Ok(Some((name.parse().unwrap_or(RunId::OPERATOR), read)))
}

/// The planner's query for a request in this folder.
pub(super) fn query(
    request: &str,
    work: &Work<'_>,
    working_folder: &std::path::Path,
) -> Result<MemoryQuery, CommandError> {
    if request.trim().is_empty() {
        return Err(CommandError::usage("the request is empty").hint("say what you would ask artoo to do"));
    }
    let space = Space::intent(request);
    let task = TagPair::new(space.clone(), Entity::local());
    Ok(match work.settings.rules {
        artoo_ggs_core::Profile::Default => MemoryQuery {
            pairs: vec![task, TagPair::new(space, Entity::folder(working_folder))],
            like: Some(request.to_owned()),
        },
        artoo_ggs_core::Profile::SpecV08 => MemoryQuery { pairs: vec![task], like: None },
    })
}

/// Extracts what a record says about memory.
pub(super) fn of_record(envelopes: &[Envelope]) -> RunMemory {
    let mut found = RunMemory::default();
    for envelope in envelopes {
        let message = envelope.message.as_ref();
        if let Message::UserRequest(request) = message {
            found.request.clone_from(&request.text);
        } else if let Message::MemoryQuery(query) = message {
            let memory = PlanMemory::default();
            found.questions.push(Asked {
                query: query.clone(),
                reply: None,
                round: None,
                memory,
                held: Vec::new(),
            });
        } else if let Message::MegramWrite(write) = message {
            found.learned.push(write.megram.clone());
        }
        let Some(asked) = found.questions.last_mut() else { continue };
        if let Message::MemoryReply(reply) = message {
            asked.reply = Some(reply.clone());
        } else if let Message::Plan(plan) = message {
            asked.round = Some(plan.round);
            asked.memory = plan.memory.clone();
        } else if let Message::ToolFinished(finished) = message
            && let Some(held) = &finished.call.held
        {
            let call = BlockedTarget::of(&finished.call.tool, &finished.call.arguments);
            asked.held.push(HeldCall { call, held: held.clone() });
        }
    }
    found
}
