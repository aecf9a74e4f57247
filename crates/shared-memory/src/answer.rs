//! What R5 says to a message. Source: specification v0.8, R5 "Contract".

use std::time::Duration;

use artoo_mkct_memory::{MemoryError, MemoryService, potentials};
use artoo_types::{Envelope, MegramWrite, MemoryQuery, MemoryReply, Message, Role, Warning};
use tokio::time::timeout;

/// How long a question waits for the memory. After that the planner is told that nothing is known, as planning without
/// memory is better than not planning.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// Handles one message and returns what to publish.
///
/// - A [`MemoryQuery`] always gets its [`MemoryReply`]. Where the memory fails, the reply holds what could be had, if
///   only that nothing is known, and a [`Warning`] says what failed.
/// - A [`MegramWrite`] from R7 goes to the memory; one from anybody else is refused with a [`Warning`].
///   `docs/deviations.md`, "R7 writes".
/// - Anything else is not R5's business and gets nothing.
///
/// ```
/// # use std::sync::Arc;
/// # use artoo_types::{Envelope, MegramId, MegramState, MegramWrite, Message, Role, RunId, Space, Entity};
/// # use artoo_mkct_memory::{InMemory, Rules, matrix};
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// # let at = chrono::DateTime::<chrono::FixedOffset>::default();
/// # let id = MegramId::new(uuid::Uuid::nil());
/// # let memory = InMemory::new(Rules::default(), move || at, move || id);
/// # let megram = matrix::megram(id, MegramState::Accept, at, Space::intent("a"), Entity::local(), String::new());
/// let message = Arc::new(Message::from(MegramWrite { megram }));
/// let from_r3 = Envelope { seq: 1, run_id: RunId::OPERATOR, at, elapsed_ms: 0, from: Role::Executor, message };
/// let said = artoo_shared_memory::answer(&memory, &from_r3).await;
/// assert!(matches!(said.as_slice(), [Message::Warning(warning)] if warning.message.contains("executor")));
/// # });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn answer(memory: &dyn MemoryService, envelope: &Envelope) -> Vec<Message> {
    if let Message::MemoryQuery(query) = envelope.message.as_ref() {
        look_up(memory, query).await
    } else if let Message::MegramWrite(write) = envelope.message.as_ref() {
        take(memory, envelope.from, write)
    } else {
        Vec::new()
    }
}

async fn look_up(memory: &dyn MemoryService, query: &MemoryQuery) -> Vec<Message> {
    let MemoryQuery { space, entity } = query.clone();
    let rules = async { timeout(PATIENCE, memory.query_c(&space, &entity)).await };
    let known = async { timeout(PATIENCE, memory.query_mk(&space, &entity)).await };
    // At the same time, so that the planner waits for at most one patience.
    let (rules, known) = tokio::join!(rules, known);
    let mut failures = Vec::new();
    let mut failed = |what: &str, error: Option<MemoryError>| {
        let why =
            error.map_or_else(|| format!("no answer in {} s", PATIENCE.as_secs()), |error| chain(&error));
        failures.push(format!(
            "{what} of ({space}, {entity}) could not be had, so the plan goes on without: {why}"
        ));
    };
    let sops = match rules {
        Ok(Ok(sops)) => sops,
        Ok(Err(error)) => {
            failed("the rules", Some(error));
            Vec::new()
        }
        Err(_elapsed) => {
            failed("the rules", None);
            Vec::new()
        }
    };
    let nothing = potentials::advise(0.0, 0.0);
    let potentials = match known {
        Ok(Ok(potentials)) => potentials,
        Ok(Err(error)) => {
            failed("the potentials", Some(error));
            nothing
        }
        Err(_elapsed) => {
            failed("the potentials", None);
            nothing
        }
    };
    let mut said: Vec<Message> = failures.into_iter().map(warning).collect();
    said.push(MemoryReply { space, entity, sops, potentials }.into());
    said
}

fn take(memory: &dyn MemoryService, from: Role, write: &MegramWrite) -> Vec<Message> {
    let id = write.megram.id;
    if from != Role::Ggs {
        return vec![warning(format!(
            "Megram {id} was refused: it came from {from}, and only ggs may write"
        ))];
    }
    match memory.write(write.megram.clone()) {
        Ok(()) => Vec::new(),
        Err(error) => vec![warning(format!("Megram {id} is lost: {}", chain(&error)))],
    }
}

fn warning(message: String) -> Message {
    Warning { role: Role::SharedMemory, message }.into()
}

/// An error with its causes, as one line.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |line, cause| format!("{line}: {cause}"))
}
