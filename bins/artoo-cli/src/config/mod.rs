//! Configuration: defaults < `config.toml` < profile < environment < options, with the origin of each value.
//!
//! Environment and file content are passed in as values. A file in the working folder is never read, so a
//! folder that somebody else created cannot choose a server, name a key or loosen a permission.

mod controller;
mod defaults;
mod duration;
mod edit_file;
mod file;
mod layer;
mod load;
mod model_choice;
mod policy;
mod prices;
mod profiles;
mod schema;
pub(crate) mod server_table;
mod settings;
mod tables;
mod ui_table;
mod variables;

pub(crate) use controller::{ControllerTable, checked};
pub(crate) use duration::{Span, parse_span};
pub(crate) use edit_file::{Backup, edit, table_at};
pub(crate) use layer::{Merged, Origin};
pub(crate) use load::{Given, Source, merge, own_folder, path};
pub(crate) use model_choice::{Embedded, EmbeddedState, ModelChoice, ROLES, RoleModels, choose};
pub(crate) use policy::{path as policy_path, read as own_policy};
pub(crate) use prices::prices;
pub(crate) use profiles::{Applied, applied};
pub(crate) use schema::config_schema;
pub(crate) use settings::{Settings, refused_server, resolve};
pub(crate) use tables::{
    DreamMode, FolderMemory, MemoryMode, ModelTable, Provider, SearchEngine, Sections, ToolsTable,
};
pub(crate) use ui_table::{Keys, Notify};
pub(crate) use variables::unknown as unknown_variables;

use crate::args::KeyValue;

#[cfg(test)]
mod tests;
