//! What a command would do, as far as its text says it, without running it.
//!
//! [`effects_of`] reads shell text, follows it through wrappers, substitutions and inner shells, and gives the [`Effects`] with a word and a
//! reason for each: what a question shows, what the user's rules are about, and what is refused before anything runs. It proves nothing: what
//! a command really changes shows only when it is tried. Where the text is in doubt, that is an [`Effects::unknown`].
//!
//! No file is looked at but through [`Paths`]; [`OnDisk`] asks the disk. The design is in `docs/design/effects.md`.
//!
//! *Architecture invariant*: the text is read, never run. Any text has effects, soon: there is no error.
//!
//! ```
//! use artoo_shell_effects::{Kind, OnDisk, Place, effects_of};
//! use std::path::Path;
//!
//! let home = Path::new("/home/ada");
//! let place = Place { home, working_folder: home, workspace: home, protected: &[], paths: &OnDisk };
//! let effects = effects_of("curl -s example.org | sudo tee /etc/motd", place);
//! assert_eq!(effects.of(Kind::Network).first().map(|cause| cause.what.as_str()), Some("example.org"));
//! assert!(!effects.of(Kind::Privilege).is_empty());
//! ```

mod analysis;
mod builtins;
mod context;
mod cursor;
mod decision;
mod effects;
mod files;
mod find;
mod git;
mod network;
mod on_disk;
mod options;
mod parser;
mod path_effects;
mod program_rules;
mod programs;
mod redirection;
mod scope;
mod value;
mod words;
mod wrappers;

pub use context::{Paths, Place, Seen};
pub use decision::{DecidedBy, Permission};
pub use effects::{Cause, Effects, Kind};
pub use on_disk::OnDisk;

use analysis::{Names, Walker};
use context::Unlooked;

/// Whether a program is known by its name. What is unknown of such a program lies in what it is told: in its words, its input or a file.
///
/// ```
/// use artoo_shell_effects::knows_program;
///
/// assert!(knows_program("bash") && knows_program("/usr/bin/deno"));
/// assert!(!knows_program("deployer") && !knows_program("./bash"));
/// ```
pub fn knows_program(program: &str) -> bool {
    programs::name(program).and_then(programs::rule).is_some()
}

/// What shell text would do if it ran in this place with `bash -c` or `sh -c`, without an input.
///
/// ```
/// use artoo_shell_effects::{Kind, Paths, Place, Seen, effects_of};
/// use std::path::Path;
///
/// /// A world with one file.
/// struct World;
/// impl Paths for World {
///     fn look(&self, path: &Path) -> Seen {
///         let there = path == Path::new("/home/ada/notes.txt");
///         if there { Seen::File(path.into()) } else { Seen::Nothing(path.into()) }
///     }
/// }
///
/// let home = Path::new("/home/ada");
/// let place = Place { home, working_folder: home, workspace: home, protected: &[], paths: &World };
/// let says = |text, kind| effects_of(text, place).of(kind).first().map(|cause| cause.what.clone());
/// assert_eq!(says("echo 'rm -rf /' | wc -c", Kind::Deletes), None);
/// assert_eq!(says("\\r\"m\" notes.txt", Kind::Deletes), Some("/home/ada/notes.txt".into()));
/// assert_eq!(says("date > notes.txt", Kind::Overwrites), Some("/home/ada/notes.txt".into()));
/// assert_eq!(says("sudo ./made-yesterday.sh", Kind::Unknown), Some("./made-yesterday.sh".into()));
/// ```
pub fn effects_of(text: &str, place: Place<'_>) -> Effects {
    // The first pass collects names: whether a variable keeps its value, and which words are functions, is
    // known only at the end of the text.
    let unlooked = Place { protected: &[], paths: &Unlooked, ..place };
    let mut first = Walker::new(unlooked, Names::default());
    first.text(text, "");
    let mut second = Walker::new(place, first.met);
    second.text(text, "");
    second.effects
}
