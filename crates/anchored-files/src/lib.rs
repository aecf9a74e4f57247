//! Files below a folder that is held open, reached without following a link.
//!
//! A root is opened once ([`open_root`]); everything below it is looked at, opened and made relative to open folders, so that nobody who swaps a
//! folder for a link meanwhile leads out of it. [`State`] is what a look can tell of an entry, [`finish_file`] gives it to another, [`hash`] and
//! [`copy`] read contents with their holes.
//!
//! *Architecture invariant*: below a root no link is ever followed. What goes wrong is the kernel's answer, an [`std::io::Error`].
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
mod attributes;
mod below;
#[cfg(feature = "test-util")]
pub mod changed_trees;
mod closed;
mod content_id;
mod named;
mod pieces;
mod placing;
mod replace;
mod state;
mod walk;

pub use anchored::{
    Lookout, is_no_folder, look, look_at, look_below, names, open_entry_folder, open_file, open_folder,
    open_root, some_names,
};
pub use attributes::Attributes;
pub use below::{Below, NotPlain, RawPath, as_text};
pub use closed::{open_whatever_mode, read_whatever_mode};
pub use content_id::{ContentId, id_of};
pub use hex::FromHexError;
pub use named::Named;
pub use pieces::{clone_blocks, copy, copy_sparse, hash};
pub use placing::{fill, finish_file, finish_file_as_far_as_allowed, finish_link, take_free_name};
pub use replace::replace;
pub use state::{Kind, Moment, State};
pub use walk::{Unread, Walked, walk};
