//! Access to the machine (environment, folders, programs, time zone), so that no library needs it.

mod control_groups;
mod environment;
mod folders;
pub(crate) mod given_file;
pub(crate) mod limits;
mod memory;
pub(crate) mod threads;
mod zone;

pub(crate) use environment::{Environment, expand_home};
pub(crate) use folders::{Folders, make_private, nearest_folder, private_file, private_log, writable};
pub(crate) use memory::usable_memory;
pub(crate) use zone::zone_name;
