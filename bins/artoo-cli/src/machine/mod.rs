//! What the binary looks up about the machine, so that no library has to.

mod environment;
mod folders;
mod zone;

pub(crate) use environment::{Environment, expand_home};
pub(crate) use folders::{Folders, make_private, nearest_folder, private_file, private_log, writable};
pub(crate) use zone::zone_name;
