//! Recording and replay of model calls (`--record`, `--replay`).
//!
//! Prompts contain time and place, so the cassette stores both, and a replay uses the stored values.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use artoo_llm_client::LlmClient;
use artoo_llm_client::cassette::{Recorder, Redaction, Replayer};
use artoo_types::{Instruction, Role};
use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};

use crate::config::{ModelChoice, ROLES, RoleModels};
use crate::error::CommandError;
use crate::llm_clients::{Clients, shared};
use crate::machine::private_file;

/// What a replay needs besides the calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Label {
    /// Start time of the recorded run.
    pub(crate) started: DateTime<FixedOffset>,
    /// Name of the time zone at that time.
    pub(crate) zone: String,
    /// Whether the run used the embedded model; questions are then answered twice.
    pub(crate) embedded: bool,
    /// The instructions that the run followed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) instructions: Vec<Instruction>,
}

/// Not `.json`: those files are the calls.
const LABEL: &str = "session.toml";

impl Label {
    /// Writes the label next to the calls.
    pub(crate) fn write(&self, folder: &Path, redaction: &Redaction) -> Result<(), CommandError> {
        let failed = |error: Box<dyn std::error::Error + Send + Sync>| unwritable(folder, error);
        let on_tape = |told: &Instruction| Instruction {
            source: redaction.apply(&told.source),
            text: redaction.apply(&told.text),
        };
        let label = Self { instructions: self.instructions.iter().map(on_tape).collect(), ..self.clone() };
        let text = toml::to_string(&label).map_err(|error| failed(error.into()))?;
        private_file(&folder.join(LABEL), text.as_bytes()).map_err(|error| failed(error.into()))
    }

    /// Reads the label of a cassette.
    pub(crate) fn read(folder: &Path) -> Result<Self, CommandError> {
        let failed = |error: Box<dyn std::error::Error + Send + Sync>| unplayable(folder, error);
        let text = std::fs::read_to_string(folder.join(LABEL)).map_err(|error| failed(error.into()))?;
        toml::from_str(&text).map_err(|error| failed(error.into()))
    }
}

fn unwritable(folder: &Path, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> CommandError {
    CommandError::configuration(format!("cannot record into {}", folder.display()))
        .because(error)
        .hint("name an empty or a new folder")
}

fn unplayable(folder: &Path, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> CommandError {
    CommandError::configuration(format!("cannot replay {}", folder.display()))
        .because(error)
        .hint("name a folder that was made by `artoo run --record DIR`")
}

/// Wraps the clients so that each call is also written to a folder: `DIR`
/// itself, or one folder per model below it.
pub(crate) fn record(
    models: &RoleModels,
    clients: &Clients,
    folder: &Path,
    redaction: &Redaction,
) -> Result<Clients, CommandError> {
    let distinct = models.distinct();
    let mut recorders: Vec<(Role, ModelChoice, Arc<Recorder>)> = Vec::new();
    for (role, choice) in models.iter() {
        let Some(inner) = clients.get(&role) else { continue };
        if let Some((owner, ..)) = recorders.iter().find(|(_, known, _)| known == choice) {
            if distinct.len() > 1 {
                note_sharing(folder, role, *owner)?;
            }
            continue;
        }
        let own = if distinct.len() == 1 { folder.to_owned() } else { folder.join(role.name()) };
        let recorder = Recorder::create(Arc::clone(inner), &own, redaction.clone())
            .map_err(|error| unwritable(&own, error))?;
        recorders.push((role, choice.clone(), Arc::new(recorder)));
    }
    shared(models, |choice| {
        let recorder = recorders
            .iter()
            .find(|(_, known, _)| known == choice)
            .map(|(_, _, recorder)| Arc::clone(recorder));
        recorder
            .map(|recorder| recorder as Arc<dyn LlmClient>)
            .ok_or_else(|| CommandError::failed(format!("the model {} cannot be recorded", choice.model)))
    })
}

/// Records that `role` shares the recordings of `owner`.
fn note_sharing(folder: &Path, role: Role, owner: Role) -> Result<(), CommandError> {
    private_file(&folder.join(format!("{role}.shares")), format!("{owner}\n").as_bytes())
        .map_err(|error| unwritable(folder, error))
}

/// Clients that answer from a folder written by [`record`].
pub(crate) fn replay(folder: &Path, redaction: &Redaction) -> Result<Clients, CommandError> {
    let open = |folder: PathBuf| {
        Replayer::open(&folder, redaction.clone())
            .map(|replayer| Arc::new(replayer) as Arc<dyn LlmClient>)
            .map_err(|error| unplayable(&folder, error))
    };
    let several = ROLES.iter().any(|role| folder.join(role.name()).is_dir());
    if !several {
        let client = open(folder.to_owned())?;
        return Ok(ROLES.into_iter().map(|role| (role, Arc::clone(&client))).collect());
    }
    // Each model has one folder, named after the first role that uses it; a
    // `ROLE.shares` file names it for each other role.
    let mut clients = Clients::new();
    for role in ROLES {
        let shared = std::fs::read_to_string(folder.join(format!("{role}.shares")));
        let owner = shared.map_or_else(|_| role.name().to_owned(), |name| name.trim().to_owned());
        // A model that was never called has no recordings, and the replay will not call it either.
        if let Ok(client) = open(folder.join(owner)) {
            clients.insert(role, client);
        }
    }
    let any = clients.values().next().cloned().ok_or_else(|| unplayable(folder, "it holds no recordings"))?;
    for role in ROLES {
        clients.entry(role).or_insert_with(|| Arc::clone(&any));
    }
    Ok(clients)
}
