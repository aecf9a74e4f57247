//! How a law is enforced: the offer to the user, the options that say it outright, and what is enforced now.
//!
//! A law in words is told to every model. If it names a path or a program, it can be enforced as well, by the
//! kernel or by a rule of `policy.toml`. It stands there until the law is forgotten.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use artoo_checks::{Filesystem, Mentions};
use artoo_policy::{Block, Enforcement, PolicyError};
use artoo_tools::is_executable;
use artoo_types::{Megram, MegramId};
use chrono::{DateTime, FixedOffset};

use crate::args::RememberArgs;
use crate::config::policy_path;
use crate::dispatch::Context;
use crate::error::CommandError;
use crate::machine::Folders;
use crate::run::{from_stdin, is_yes};
use crate::terminal::neutral_line;

/// The most paths and programs that are offered.
const MOST_OFFERED: usize = 5;
/// Marks around a word that is a name.
const QUOTES: [char; 5] = ['`', '"', '\'', '„', '“'];

/// What a law names that can be enforced.
#[derive(Debug, PartialEq, Eq)]
enum Named {
    Path(PathBuf),
    Program(String),
}

/// What the options of `remember` say outright.
///
/// # Errors
///
/// An empty path or name, or one that begins in a working folder that is gone.
pub(super) fn said(args: &RememberArgs, folders: &Folders) -> Result<Vec<Enforcement>, CommandError> {
    let place = |path: &PathBuf, block| Ok(Enforcement::Place { path: folders.whole(path)?, block });
    let given = args.block_changes.iter().chain(&args.block_access).any(|path| path.as_os_str().is_empty());
    if given || args.block_program.iter().any(|name| name.trim().is_empty()) {
        return Err(CommandError::usage("it is not said what to block").hint("name a path, or a program"));
    }
    let changes = args.block_changes.iter().map(|path| place(path, Block::Changes));
    let access = args.block_access.iter().map(|path| place(path, Block::Access));
    let programs = args.block_program.iter().map(|name| Ok(Enforcement::Program(name.trim().to_owned())));
    changes.chain(access).chain(programs).collect()
}

/// Asks the user at the terminal how to enforce what the law names. Without a terminal, changes of a place are blocked: a
/// weak model does not keep a law that it is only told. For a program, a note says how it is refused.
pub(super) fn agreed(
    context: &mut Context<'_>,
    law: &Megram,
    now: DateTime<FixedOffset>,
    is_json: bool,
) -> Vec<Enforcement> {
    let home = context.folders.home.clone();
    let current = context.folders.current().map_or_else(|_| home.clone(), Path::to_owned);
    let named = named(&law.content, [&current, &home], now, &context.environment.search_path());
    if is_json || !(context.streams.stdin && context.streams.stderr) {
        return named.into_iter().filter_map(|named| unasked(context, named, &home)).collect();
    }
    named.into_iter().filter_map(|named| asked(context, named, &home)).collect()
}

/// Writes it into `policy.toml`.
///
/// # Errors
///
/// The file cannot be used or written. The law is remembered all the same.
pub(super) fn enforce(
    context: &mut Context<'_>,
    law: &Megram,
    all: &[Enforcement],
) -> Result<(), CommandError> {
    let home = context.folders.home.clone();
    let file = policy_path(context.environment, &home);
    for enforcement in all {
        let id = law.id.to_string();
        artoo_policy::enforce(&file, &home, (&id, &law.content), enforcement).map_err(|error| {
            let what = words(enforcement, &home);
            let said = format!("the law is remembered and told to every model, but not enforced ({what})");
            CommandError::failed(said).because(error)
        })?;
    }
    Ok(())
}

/// Removes what enforces these entries.
///
/// # Errors
///
/// The file cannot be used or written.
pub(super) fn lift(context: &mut Context<'_>, ids: &[MegramId]) -> Result<usize, CommandError> {
    let home = context.folders.home.clone();
    let file = policy_path(context.environment, &home);
    let lifted = |id: &MegramId| artoo_policy::lift(&file, &home, &id.to_string());
    let mut all = 0;
    for id in ids {
        all += lifted(id).map_err(|error: PolicyError| {
            let said = format!("it is forgotten, but still enforced by {}", file.display());
            CommandError::failed(said).because(error).hint("take the entries with this law out of it")
        })?;
    }
    Ok(all)
}

/// What is enforced, in words, by law. A file that cannot be used is a warning: the list has nothing to do with
/// it otherwise.
pub(super) fn enforced(context: &mut Context<'_>) -> BTreeMap<String, Vec<String>> {
    let home = context.folders.home.clone();
    let file = policy_path(context.environment, &home);
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    match artoo_policy::enforced(&file, &home) {
        Ok(found) => {
            for (law, enforcement) in found {
                all.entry(law).or_default().push(words(&enforcement, &home));
            }
        }
        Err(error) => context.terminal.warning(&format!("what is enforced is not known: {error}")),
    }
    all
}

/// An enforcement in words, for a list.
pub(super) fn words(enforcement: &Enforcement, home: &Path) -> String {
    match enforcement {
        Enforcement::Place { path, block: Block::Changes } => {
            format!("no run changes {}", in_home(path, home))
        }
        Enforcement::Place { path, block: Block::Access } => {
            format!("no run reads or changes {}", in_home(path, home))
        }
        Enforcement::Program(name) => format!("no command starts {}", neutral_line(name)),
    }
}

/// What a law names: paths that exist in the current folder or at home, and programs that are installed. Many
/// names of programs are ordinary words, so where a path is named, a program counts only in quotation marks.
fn named(
    law: &str,
    [current, home]: [&PathBuf; 2],
    now: DateTime<FixedOffset>,
    search_path: &[PathBuf],
) -> Vec<Named> {
    let world = |folder: &PathBuf| Filesystem::new(folder.clone(), home.clone(), now);
    let mut paths = Mentions::of(law, &world(current)).paths;
    if paths.is_empty() {
        paths = Mentions::of(law, &world(home)).paths;
    }
    let is_installed = |name: &str| search_path.iter().any(|folder| is_executable(&folder.join(name)));
    let is_path_named = !paths.is_empty();
    let programs = law.split_whitespace().filter_map(|word| {
        let name = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_quoted = word.starts_with(QUOTES);
        let counts = (is_quoted || !is_path_named) && name.len() > 1 && !name.contains('/');
        (counts && is_installed(name)).then(|| Named::Program(name.to_owned()))
    });
    let mut all: Vec<Named> = paths.into_iter().map(Named::Path).collect();
    for program in programs {
        if !all.contains(&program) {
            all.push(program);
        }
    }
    all.truncate(MOST_OFFERED);
    all
}

fn asked(context: &mut Context<'_>, named: Named, home: &Path) -> Option<Enforcement> {
    let keyboard = from_stdin();
    keyboard.begin();
    match named {
        Named::Path(path) => {
            let shown = in_home(&path, home);
            context.terminal.note(&format!(
                "the law names {shown}; it can be enforced for all runs:\n\
                 \x20 c  block changes: runs can read it, and change nothing there\n\
                 \x20 a  block every access: runs can neither read nor change it\n\
                 \x20 anything else: it is told to the models, and not enforced"
            ));
            context.terminal.prompt(&format!("{shown}: block changes, or block every access? [c/a/N] > "));
            let block = match keyboard.line().trim() {
                "c" | "C" => Block::Changes,
                "a" | "A" => Block::Access,
                _ => return None,
            };
            Some(Enforcement::Place { path, block })
        }
        Named::Program(name) => {
            context
                .terminal
                .prompt(&format!("{name}: refuse every command that starts it, in all runs? [y/N] > "));
            is_yes(&keyboard.line()).then_some(Enforcement::Program(name))
        }
    }
}

/// What is enforced where nobody can be asked, with a note about it.
fn unasked(context: &mut Context<'_>, named: Named, home: &Path) -> Option<Enforcement> {
    match named {
        Named::Path(path) => {
            let shown = in_home(&path, home);
            context.terminal.note(&format!(
                "nobody can be asked about {shown}, which the law names: changes there will be blocked for all runs. \
                 --block-access '{shown}' blocks reading, too; `artoo memory forget` lifts it"
            ));
            Some(Enforcement::Place { path, block: Block::Changes })
        }
        Named::Program(name) => {
            context.terminal.note(&format!(
                "it names the program {name}, which is not refused; with --block-program {name} it would be"
            ));
            None
        }
    }
}

/// The path with the home folder as `~`.
fn in_home(path: &Path, home: &Path) -> String {
    let shown = match path.strip_prefix(home) {
        Ok(below) => format!("~/{}", below.display()),
        Err(_) => path.display().to_string(),
    };
    neutral_line(&shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_law_names_paths_that_exist_and_programs_that_are_installed() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let (home, current, bin) = (root.join("home"), root.join("home/work"), root.join("bin"));
        for folder in ["home/work/Fotos", "home/work/docs", "home/Letters", "bin"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for name in ["touch", "docker", "make"] {
            fs::write(bin.join(name), "").unwrap();
            fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let now = DateTime::UNIX_EPOCH.fixed_offset();
        let path = |name: &str| Named::Path(root.join(name));
        let program = |name: &str| Named::Program(name.to_owned());
        for (law, expected) in [
            ("Never touch the folder Fotos", vec![path("home/work/Fotos")]),
            ("Älä koske kansioon Fotos", vec![path("home/work/Fotos")]),
            ("Leave Letters alone", vec![path("home/Letters")]),
            ("Never use docker", vec![program("docker")]),
            ("In docs, never use `make`", vec![path("home/work/docs"), program("make")]),
            ("Answer in English", vec![]),
            ("Never touch the folder Kuvat", vec![program("touch")]),
            ("", vec![]),
        ] {
            let found = named(law, [&current, &home], now, std::slice::from_ref(&bin));
            assert_eq!(found, expected, "{law}");
        }
    }
}
