//! What a command would do, found out without running it.
//!
//! [`effects_of`] reads shell text, follows it through wrappers, substitutions, inner shells, loops and functions, and gives the
//! [`Effects`] with a reason for each. Nothing is guessed: text that cannot be read, a program that is not in the table, a word that may
//! become an option, all are [`Effects::unknown`]. [`decide()`] makes a [`Ruling`] of them.
//!
//! No file is looked at here; what is where comes in through [`Paths`]. The design is in `docs/design/effects.md`.

mod awk;
mod compound;
mod copying;
mod cursor;
mod decide;
mod expand;
mod find;
mod found;
mod git;
mod options;
mod packing;
mod place;
mod programs;
mod python;
mod python_tokens;
mod reader;
mod redirection;
mod rules;
mod scope;
mod sed;
mod shells;
mod syntax;
mod touched;
mod value;
mod walk;
mod words;
mod wrappers;

pub use decide::{DecidedBy, Decision, Ruling, decide};
pub use found::{Cause, Class, Effects, Kind};
pub use place::{Paths, Place, Seen};

use walk::{Input, Walker};

/// Whether a program is known by its name. What is unknown of such a program lies in what it is told: in its words, its input or a file.
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

/// What shell text would do if it ran in this place with `bash -c` or `sh -c`, without an input.
///
/// ```
/// use artoo_sandbox::{Class, Paths, Place, Seen, effects_of};
/// use std::path::{Path, PathBuf};
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
/// let free = [PathBuf::from("/home/ada")];
/// let home = Path::new("/home/ada");
/// let place = Place { home, working_folder: home, workspace: home, free: &free, protected: &[], paths: &World };
/// assert_eq!(effects_of("echo 'rm -rf /' | wc -c", place).class(), Class::ReadOnly);
/// assert_eq!(effects_of("date > new.txt", place).class(), Class::Reversible);
/// assert_eq!(effects_of("date > notes.txt", place).class(), Class::Irreversible);
/// assert_eq!(effects_of("\\r\"m\" notes.txt", place).class(), Class::Irreversible);
/// assert_eq!(effects_of("./made-yesterday.sh", place).class(), Class::Unknown);
/// ```
pub fn effects_of(text: &str, place: Place<'_>) -> Effects {
    let mut walker = Walker::new(place);
    walker.text(text, "", &Input::Nothing);
    // A link that the command makes may send what it makes next anywhere.
    if let Some(word) = walker.links.take()
        && walker.makings > 1
    {
        walker.unknown(
            "the command",
            &word,
            "it makes links, and a link may lead what it makes next somewhere else",
        );
    }
    walker.effects
}
