//! Files below a folder that is held open, reached without following a link.
//!
//! A root is opened once ([`open_root`]); everything below it is looked at, opened and made relative to open folders, so that nobody who swaps a
//! folder for a link meanwhile leads out of it. [`State`] is what a look can tell of an entry, [`finish_file`] gives it to another, [`hash`] and
//! [`copy`] read contents with their holes. [`open_regular`] opens a file by its path and never waits.
//!
//! *Architecture invariant*: below a root no link is ever followed, and opening a file never blocks. What goes wrong is the kernel's
//! answer, an [`std::io::Error`].
//!
//! ```
//! use artoo_anchored_files::{Below, look_below, open_root};
//!
//! let folder = tempfile::tempdir()?;
//! std::os::unix::fs::symlink("/etc", folder.path().join("link"))?;
//! let root = open_root(folder.path())?;
//! let passwords = Below::new("link/passwd".as_ref()).unwrap();
//! assert_eq!(look_below(&root, &passwords)?, None);
//! # Ok::<(), std::io::Error>(())
//! ```

mod anchored;
mod atomic_write;
#[cfg(feature = "test-util")]
pub mod changed_trees;
mod content_id;
mod entry_state;
mod metadata;
mod named;
mod regular;
mod relative_path;
mod scan;
mod sparse;
mod unreadable;
mod xattrs;

pub use anchored::{
    Lookout, is_no_folder, look, look_at, look_below, names, open_entry_folder, open_file, open_folder,
    open_root, some_names,
};
pub use atomic_write::replace;
pub use content_id::{ContentId, id_of};
pub use entry_state::{Kind, Moment, State};
pub use hex::FromHexError;
pub use metadata::{
    fill, finish_file, finish_file_as_far_as_allowed, finish_link, give_owner_and_rights, take_free_name,
};
pub use named::Named;
pub use regular::{open_at_once, open_regular, read_regular};
pub use relative_path::{Below, NotPlain, RawPath, as_text};
pub use scan::{Unread, Walked, walk};
pub use sparse::{clone_blocks, copy, copy_sparse, hash};
pub use unreadable::{open_whatever_mode, read_whatever_mode};
pub use xattrs::Attributes;
