//! Loads the configuration for a command.

use std::cell::OnceCell;
use std::io;
use std::path::{Path, PathBuf};

use artoo_llm_local::store::{CATALOGUE, ModelState, find};

use crate::config::{
    self, Embedded, EmbeddedState, Given, Merged, RoleModels, Sections, Settings, Source, choose, merge,
    resolve,
};
use crate::dispatch::Context;
use crate::error::CommandError;
use crate::llm_clients::model_store;
use crate::machine::{Environment, Folders, given_file};

/// Nobody writes a longer configuration.
const MAX_BYTES: u64 = 1024 * 1024;

/// The loaded configuration.
pub(crate) struct Loaded {
    /// The merged layers with origins.
    pub(crate) merged: Merged,
    /// The merged layers, typed.
    pub(crate) sections: Sections,
    /// The resolved settings, without the models.
    pub(crate) settings: Settings,
    /// Path of the configuration file.
    pub(crate) file: PathBuf,
    /// Whether the file exists.
    pub(crate) file_is_there: bool,
}

impl Loaded {
    /// Loads the configuration; `given` contains the values from the command line.
    pub(crate) fn load(context: &mut Context<'_>, mut given: Given) -> Result<Self, CommandError> {
        let common = &context.common;
        given.profile = common.profile.clone();
        given.set.extend(common.set.iter().cloned());
        if let Some(folder) = &common.data_dir {
            given.options.push(("--data-dir", "run.data_dir", path_value("--data-dir", folder)?));
        }
        if common.plain {
            given.options.push(("--plain", "ui.screen_reader", true.into()));
        }
        for warning in config::unknown_variables(context.environment) {
            context.terminal.warning(&warning);
        }
        let file = context.folders.whole(&config::path(context.environment, &context.folders.home))?;
        let source = read(&file, &context.piped_configuration)?;
        let merged = merge(&source, context.environment, &given)?;
        let (settings, sections) = resolve(&merged, context.folders)?;
        if settings.screen_reader {
            context.terminal.speak();
        }
        Ok(Self { merged, sections, settings, file, file_is_there: source.text.is_some() })
    }

    /// Loads the configuration of a command line that is being typed. Nothing is said of what is wrong in it.
    pub(crate) fn for_names(
        environment: &Environment,
        folders: &Folders,
        given: &Given,
    ) -> Result<Self, CommandError> {
        let file = folders.whole(&config::path(environment, &folders.home))?;
        let source = read(&file, &OnceCell::new())?;
        let merged = merge(&source, environment, given)?;
        let (settings, sections) = resolve(&merged, folders)?;
        Ok(Self { merged, sections, settings, file, file_is_there: source.text.is_some() })
    }

    /// Chooses the model of each role. Detected values are added to the origins.
    pub(crate) fn models(&mut self, context: &Context<'_>) -> Result<RoleModels, CommandError> {
        let data_dir = self.settings.data_dir.clone();
        let state = move |name: &str| embedded_state(&data_dir, name);
        let catalogue = CATALOGUE.iter().map(|entry| entry.name.to_owned()).collect();
        let embedded = Embedded { catalogue, state: &state };
        choose(&mut self.merged, &self.sections, context.environment, &embedded)
    }
}

/// A path as a configuration value, which has to be UTF-8.
pub(crate) fn path_value(option: &str, path: &Path) -> Result<toml::Value, CommandError> {
    match path.to_str() {
        Some("") => Err(CommandError::usage(format!("{option} is empty")).hint("name a folder")),
        Some(text) => Ok(text.into()),
        None => Err(CommandError::usage(format!("{option} {} is not valid UTF-8", path.display()))
            .hint("name a folder whose path is text")),
    }
}

/// The state of an embedded model. A new file is hashed, which takes seconds, once.
fn embedded_state(data_dir: &Path, name: &str) -> EmbeddedState {
    let Some(entry) = find(name) else { return EmbeddedState::Absent };
    match model_store(data_dir).state(entry) {
        Ok(ModelState::Installed { .. }) => EmbeddedState::Installed,
        Ok(ModelState::Absent | ModelState::Partial { .. }) => EmbeddedState::Absent,
        Ok(ModelState::Corrupt { problem, .. }) => EmbeddedState::Damaged(problem),
        Err(error) => EmbeddedState::Damaged(error.to_string()),
    }
}

fn read(path: &Path, once: &OnceCell<Vec<u8>>) -> Result<Source, CommandError> {
    match given_file::read(path, MAX_BYTES, once).and_then(text_of) {
        Ok(text) => Ok(Source { path: path.to_owned(), text: Some(text) }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(Source { path: path.to_owned(), text: None })
        }
        Err(error) => Err(CommandError::configuration(format!("cannot read {}", path.display()))
            .because(error)
            .hint("check the file's kind, owner, permissions and encoding")),
    }
}

fn text_of(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}
