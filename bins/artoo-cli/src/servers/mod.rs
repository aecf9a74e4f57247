//! Servers of tools that others wrote (the Model Context Protocol): started for runs, approved by the user, ended with the program.

mod approval;
mod client_servers;
mod folder_offer;
mod in_words;
mod of_run;
mod permissions;
mod resources;
mod running;
mod start_context;
mod start_question;

pub(crate) use approval::approve;
use client_servers::with_variables;
pub(crate) use in_words::{explained, hint, in_words};
pub(crate) use of_run::{ServersOfRun, prepared};
pub(crate) use permissions::may_do;
pub(crate) use resources::named as resource_named;
pub(crate) use running::RunningServers;
pub(crate) use start_context::{own_folder, start_context};
