//! R5's answer to a message. Source: specification v0.8, R5 "Contract".

use std::time::Duration;

use artoo_mkct_memory::{MemoryService, guard, speaks_from_other_runs};
use artoo_redaction::Redactor;
use artoo_types::{
    Entity, Envelope, GuardQuery, GuardReply, Megram, MegramWrite, MemoryGuard, MemoryQuery, MemoryReply,
    Message, Origin, Role, RunId, Space, TagPair, Warning,
};
use tokio::time::timeout;

/// Timeout of a query. After that whoever asks gets an empty reply, since working without memory is better than
/// not working.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// Handles one message and returns what to publish.
///
/// - A [`MemoryQuery`] always gets its [`MemoryReply`]. If the memory fails, the reply is empty, and a
///   [`Warning`] names the failure.
/// - A [`GuardQuery`] always gets its [`GuardReply`], without a guard if the memory fails.
/// - A [`MegramWrite`] from R7 goes to the memory, with the run as its origin; one from another role is
///   refused with a [`Warning`]. `docs/deviations.md`, "R7 writes".
/// - Secrets are removed from tags, words and queries alike, so that none are stored and stored entries are
///   found.
/// - Any other message is ignored.
/// ```
/// # use std::sync::Arc;
/// # use artoo_types::{Envelope, MegramId, MegramState, MegramWrite, Message, Role, RunId, Space, Entity};
/// # use artoo_mkct_memory::{InMemory, Rules, matrix};
/// # use artoo_redaction::Redactor;
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// # let at = chrono::DateTime::<chrono::FixedOffset>::default();
/// # let id = MegramId::new(uuid::Uuid::nil());
/// # let memory = InMemory::new(Rules::default(), move || at, move || id);
/// # let megram = matrix::megram(id, MegramState::Accept, at, Space::intent("a"), Entity::local(), String::new());
/// let message = Arc::new(Message::from(MegramWrite { megram }));
/// let from_r3 = Envelope { seq: 1, run_id: RunId::OPERATOR, at, elapsed_ms: 0, from: Role::Executor, message };
/// let said = artoo_shared_memory::answer(&memory, &Redactor::new(), &from_r3).await;
/// assert!(matches!(said.as_slice(), [Message::Warning(warning)] if warning.message.contains("executor")));
/// # });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn answer(memory: &dyn MemoryService, redact: &Redactor, envelope: &Envelope) -> Vec<Message> {
    if let Message::MemoryQuery(query) = envelope.message.as_ref() {
        look_up(memory, &without_secrets(query, redact)).await
    } else if let Message::GuardQuery(query) = envelope.message.as_ref() {
        look_up_call(memory, redact, (query, envelope.run_id)).await
    } else if let Message::MegramWrite(write) = envelope.message.as_ref() {
        take(memory, redact, envelope, write)
    } else {
        Vec::new()
    }
}

async fn look_up(memory: &dyn MemoryService, query: &MemoryQuery) -> Vec<Message> {
    let failed = |why: String| {
        let asked = query.pairs.first().map(ToString::to_string).unwrap_or_default();
        let said =
            format!("what memory knows of {asked} could not be had, so the plan goes on without: {why}");
        vec![warning(said), MemoryReply::nothing(query).into()]
    };
    match recalled(memory, query).await {
        Ok(reply) => vec![reply.into()],
        Err(why) => failed(why),
    }
}

async fn look_up_call(
    memory: &dyn MemoryService,
    redact: &Redactor,
    (query, run): (&GuardQuery, RunId),
) -> Vec<Message> {
    let pairs = query.pairs.iter().map(|asked| pair(asked, redact)).collect();
    let reply = |guard| GuardReply { call_id: query.call_id, guard }.into();
    match recalled(memory, &MemoryQuery { pairs, like: None }).await {
        Ok(known) => {
            let known = known.recalled;
            let binds = |guard: &MemoryGuard| guard.by_rule || speaks_from_other_runs(&known, run);
            vec![reply(guard(&query.call, &known).filter(binds))]
        }
        Err(why) => {
            let said = format!("what memory holds against a call could not be had, so it is made: {why}");
            vec![warning(said), reply(None)]
        }
    }
}

async fn recalled(memory: &dyn MemoryService, query: &MemoryQuery) -> Result<MemoryReply, String> {
    match timeout(PATIENCE, memory.recall(query)).await {
        Ok(Ok(reply)) => Ok(reply),
        Ok(Err(error)) => Err(chain(&error)),
        Err(_elapsed) => Err(format!("no answer in {} s", PATIENCE.as_secs())),
    }
}

fn take(
    memory: &dyn MemoryService,
    redact: &Redactor,
    envelope: &Envelope,
    write: &MegramWrite,
) -> Vec<Message> {
    let (id, from) = (write.megram.id, envelope.from);
    if from != Role::Ggs {
        return vec![warning(format!(
            "Megram {id} was refused: it came from {from}, and only ggs may write"
        ))];
    }
    let TagPair { space, entity } = pair(&write.megram.pair(), redact);
    let megram = Megram {
        origin: Some(Origin::Run(envelope.run_id)),
        content: redact.apply(&write.megram.content).into_owned(),
        space,
        entity,
        ..write.megram.clone()
    };
    match memory.write(megram) {
        Ok(()) => Vec::new(),
        Err(error) => vec![warning(format!("Megram {id} is lost: {}", chain(&error)))],
    }
}

fn without_secrets(query: &MemoryQuery, redact: &Redactor) -> MemoryQuery {
    MemoryQuery {
        pairs: query.pairs.iter().map(|asked| pair(asked, redact)).collect(),
        like: query.like.as_deref().map(|like| redact.apply(like).into_owned()),
    }
}

fn pair(pair: &TagPair, redact: &Redactor) -> TagPair {
    let (space, entity) = (redact.apply(pair.space.as_str()), redact.apply(pair.entity.as_str()));
    TagPair::new(Space::from_raw(space), Entity::from_raw(entity))
}

fn warning(message: String) -> Message {
    Warning { role: Role::SharedMemory, message }.into()
}

/// An error with its causes, as one line.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |line, cause| format!("{line}: {cause}"))
}
