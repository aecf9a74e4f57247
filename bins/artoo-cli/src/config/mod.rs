//! Configuration: defaults < `config.toml` < profile < environment < options, with the origin of each value.
//!
//! The environment and the file's text come in as values. A file in the working folder is never read, so a folder that
//! somebody else made cannot choose a server, name a key or loosen a permission.

mod choose;
mod controller;
mod defaults;
mod file;
mod layer;
mod load;
mod policy;
mod prices;
mod profiles;
mod schema;
mod sections;
mod settings;
mod span;
mod variables;

pub(crate) use choose::{Embedded, EmbeddedState, ModelChoice, ROLES, RoleModels, choose};
pub(crate) use controller::{ControllerTable, checked};
pub(crate) use layer::{Merged, Origin};
pub(crate) use load::{Given, Source, merge, own_folder, path};
pub(crate) use policy::path as policy_path;
pub(crate) use prices::prices;
pub(crate) use profiles::applied;
pub(crate) use schema::config_schema;
pub(crate) use sections::{
    FolderMemory, Keys, MemoryMode, ModelTable, Notify, Provider, SearchEngine, Sections, ToolsTable,
};
pub(crate) use settings::{Settings, resolve};
pub(crate) use span::{Span, parse_span};
pub(crate) use variables::unknown as unknown_variables;

use crate::args::KeyValue;

#[cfg(test)]
mod tests;
