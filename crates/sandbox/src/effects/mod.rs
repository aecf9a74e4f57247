//! Static analysis of shell commands: what a command would do, as far as its text tells, without running it.
//!
//! [`effects_of`] parses shell text, follows it through wrappers, substitutions and inner shells, and returns
//! the [`Effects`] with a word and a reason for each. They are shown in questions, matched by the user's
//! rules, and decide what is refused before anything runs. They prove nothing: only a trial run shows what a
//! command really changes. Where the text is ambiguous, the result has an [`Effects::unknown`].
//!
//! This module opens no files; it asks [`Paths`] what exists. The design is in `docs/design/effects.md`.

mod builtins;
mod cursor;
mod decide;
mod files;
mod find;
mod found;
mod git;
mod network;
mod options;
mod place;
mod programs;
mod reader;
mod redirection;
mod rules;
mod scope;
mod touched;
mod value;
mod walk;
mod words;
mod wrappers;

pub use decide::{DecidedBy, Permission};
pub use found::{Cause, Effects, Kind};
pub use place::{Paths, Place, Seen};

use place::Unlooked;
use walk::{Names, Walker};

/// Whether a program is known by its name. What remains unknown about such a program is in its arguments, its
/// input or a file.
///
/// ```
/// use artoo_sandbox::knows_program;
///
/// assert!(knows_program("bash") && knows_program("/usr/bin/deno"));
/// assert!(!knows_program("deployer") && !knows_program("./bash"));
/// ```
pub fn knows_program(program: &str) -> bool {
    programs::name(program).and_then(programs::rule).is_some()
}

/// What shell text would do if run in this place with `bash -c` or `sh -c`, without input.
///
/// ```
/// use artoo_sandbox::{Kind, Paths, Place, Seen, effects_of};
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
