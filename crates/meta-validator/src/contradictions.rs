//! Recorded facts that contradict the claim that a request is done.
//!
//! Each is seen in the files and the calls of a run, whatever language the request is in, and no judge overrules it. The
//! reason says what to do instead, so that an honest run corrects itself in its next plan.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use artoo_checks::{Filesystem, named_paths};
use artoo_types::{FileChange, FileChangeKind, StepKind, SubTaskOutcome, ToolCall};

use crate::answer_contradictions::{dropped_figure, printed_by_its_command};
use crate::empty_archive::is_empty_archive;
use crate::file_endings::is_file_name;
use crate::unasked::not_made;

/// The fewest files of one kind that a run makes by a rule: the request's name is an example of them then.
const FEWEST_BY_RULE: usize = 3;

/// The results that are compared with what is there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Results<'a> {
    /// The request, with what the person added.
    pub(crate) request: &'a str,
    pub(crate) outcomes: &'a [SubTaskOutcome],
    /// All calls of these outcomes.
    pub(crate) calls: &'a [ToolCall],
    /// Whether the plan's author can say that a step is to make a link.
    pub(crate) links_are_declared: bool,
}

/// The first fact that contradicts the results, and what is to be done instead.
pub(crate) fn contradiction(results: &Results<'_>, world: &Filesystem) -> Option<String> {
    let Results { request, calls, outcomes, .. } = *results;
    let is_about_nothing_there = || named_paths(request, world).is_empty();
    if !outcomes.iter().any(SubTaskOutcome::is_about_a_deed)
        && let Some(reason) = dropped_figure(results)
            .or_else(|| printed_by_its_command(results).filter(|_| is_about_nothing_there()))
    {
        return Some(reason);
    }
    never_made(results, world)
        .or_else(|| folder_for_a_file(request, calls))
        .or_else(|| archive_of_nothing(request, calls, world))
        .or_else(|| link_for_a_copy(results, world))
}

/// A file that the request names, that is nowhere, and that no call was about. For a question, a call that looked into its
/// folder was about it.
fn never_made(results: &Results<'_>, world: &Filesystem) -> Option<String> {
    let Results { request, calls, outcomes, .. } = *results;
    let path = not_made(request, calls, world).filter(|path| is_file_name(path))?;
    let mut parts = path.rsplit('/');
    let (name, folder) = (parts.next().unwrap_or_default(), parts.next());
    let is_question = !outcomes.iter().any(SubTaskOutcome::is_about_a_deed);
    let folder = folder.filter(|folder| is_question && !folder.is_empty() && *folder != ".");
    let is_about = |call: &ToolCall| {
        let arguments = call.arguments.values().map(ToString::to_string).collect::<String>();
        let texts = [&arguments, &call.output.shown, &call.stderr.shown];
        texts.iter().any(|text| text.contains(name))
            || folder.is_some_and(|folder| arguments.contains(folder))
    };
    let is_example = || alike(&path, calls) >= FEWEST_BY_RULE;
    (!calls.iter().any(is_about) && !is_example()).then(|| {
        format!("the request names {path}, which is nowhere, and no call made it or looked for it: do what it asks, or look for it by its name")
    })
}

/// The number of files that came to be and have the ending of this path.
fn alike(path: &str, calls: &[ToolCall]) -> usize {
    let ending = Path::new(path).extension();
    made(calls).filter(|made| made.extension() == ending).collect::<BTreeSet<_>>().len()
}

/// An empty folder that was made where the request names a file.
fn folder_for_a_file(request: &str, calls: &[ToolCall]) -> Option<String> {
    let is_empty = |path: &Path| fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    let mut folders =
        made(calls).filter(|path| is_named(path, request) && is_file_name(&path.to_string_lossy()));
    let folder = folders.find(|path| is_empty(path))?;
    Some(format!("{} is an empty folder, and the request names a file: make the file", folder.display()))
}

/// An archive without an entry, where the request names something that could be in it.
fn archive_of_nothing(request: &str, calls: &[ToolCall], world: &Filesystem) -> Option<String> {
    let archive = made(calls).find(|path| is_empty_archive(path))?;
    let others = named_paths(request, world).into_iter().any(|path| path != world.place(archive));
    others
        .then(|| format!("{} is an archive without entries: pack what the request names", archive.display()))
}

/// A link to something that was there before, where no step was to make a link.
fn link_for_a_copy(results: &Results<'_>, world: &Filesystem) -> Option<String> {
    let is_declared = results.outcomes.iter().any(|outcome| outcome.kind == StepKind::Link);
    if is_declared || !results.links_are_declared {
        return None;
    }
    let new: Vec<&PathBuf> = made(results.calls).collect();
    let sources: Vec<PathBuf> = named_paths(results.request, world)
        .into_iter()
        .filter(|path| !new.iter().any(|new| path.starts_with(new)))
        .collect();
    new.iter().find_map(|link| {
        let source = source_of(link, &sources)?;
        Some(format!(
            "{} is only a link to {}: copy it, or plan the step as \"link\" if the request asks for a link",
            link.display(),
            source.display()
        ))
    })
}

/// The source that a new path links to: a named one, or an entry of the same name in a named folder.
fn source_of(link: &Path, sources: &[PathBuf]) -> Option<PathBuf> {
    let entry = link.symlink_metadata().ok()?;
    let name = link.file_name()?;
    if entry.is_symlink() {
        let target = link.canonicalize().ok()?;
        let is_source = |source: &PathBuf| {
            target == *source || (target.starts_with(source) && target.file_name() == Some(name))
        };
        return sources.iter().any(is_source).then_some(target);
    }
    if !entry.is_file() || entry.nlink() < 2 {
        return None;
    }
    let is_same = |path: &PathBuf| {
        path != link
            && path
                .symlink_metadata()
                .is_ok_and(|other| (other.dev(), other.ino()) == (entry.dev(), entry.ino()))
    };
    sources.iter().flat_map(|source| [source.clone(), source.join(name)]).find(is_same)
}

/// The paths that came to be, which are absolute.
fn made(calls: &[ToolCall]) -> impl Iterator<Item = &PathBuf> {
    let files = calls.iter().flat_map(|call| &call.files);
    files.filter(|file: &&FileChange| file.change == FileChangeKind::Created).map(|file| &file.path)
}

fn is_named(path: &Path, request: &str) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| request.contains(name))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use artoo_judging::conformance::call;
    use artoo_types::Arguments;
    use artoo_types::{OutcomeStatus, RunId, SubTaskId};

    use super::*;

    struct Home {
        folder: tempfile::TempDir,
        root: PathBuf,
    }

    impl Home {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().canonicalize().unwrap();
            fs::create_dir(root.join("notes")).unwrap();
            for name in ["a.txt", "notes/todo.txt"] {
                fs::write(root.join(name), "milk\n").unwrap();
            }
            Self { folder, root }
        }

        fn contradicts(&self, request: &str, command: &str, made: &[&str], kind: StepKind) -> bool {
            let arguments: Arguments = [("command".to_owned(), command.into())].into_iter().collect();
            let change = |path: &&str| FileChange::new(self.root.join(path), FileChangeKind::Created);
            let call = ToolCall { arguments, files: made.iter().map(change).collect(), ..call(1, "", true) };
            let outcome = SubTaskOutcome {
                kind,
                ..SubTaskOutcome::new(
                    SubTaskId::new(uuid::Uuid::nil()),
                    RunId::OPERATOR,
                    "",
                    OutcomeStatus::Matched,
                )
            };
            let world = Filesystem::new(&self.root, self.folder.path(), call.started_at);
            let results = Results { request, outcomes: &[outcome], calls: &[call], links_are_declared: true };
            contradiction(&results, &world).is_some()
        }
    }

    #[test]
    fn a_named_file_that_nobody_made_or_looked_for_contradicts() {
        let home = Home::new();
        for (request, command, contradicts) in [
            ("Write the list into list.txt", "cat a.txt", true),
            ("Is todo.txt shorter than none.txt?", "wc -l none.txt", false),
            ("Rename a.txt to b.txt", "mv a.txt bb.text", true),
            ("What does notes/none.txt say?", "ls notes", false),
            ("Explain Node.js and example.com", "cat a.txt", false),
            ("Write to ada@example.com.Then stop", "cat a.txt", false),
            ("Open example.com/index.html", "cat a.txt", false),
            ("Count the lines of a.txt", "wc -l notes/todo.txt", false),
        ] {
            assert_eq!(home.contradicts(request, command, &[], StepKind::FindOut), contradicts, "{request}");
        }
    }

    #[test]
    fn a_name_may_be_an_example_of_a_rule() {
        let home = Home::new();
        let request = "Rename the photos as in \"2026-03-12 10.15.30-2.jpg\"";
        for (made, contradicts) in [
            (&["a.jpg", "b.jpg", "c.jpg"][..], false),
            (&["a.jpg"], true),
            (&["a.png", "b.png", "c.png"], true),
        ] {
            assert_eq!(
                home.contradicts(request, "./rename", made, StepKind::Change),
                contradicts,
                "{made:?}"
            );
        }
    }

    #[test]
    fn a_folder_is_no_file() {
        let home = Home::new();
        for name in ["copy.txt", "release-1.0", "kept.md"] {
            fs::create_dir(home.root.join(name)).unwrap();
        }
        fs::write(home.root.join("kept.md/x"), "").unwrap();
        for (name, contradicts) in [("copy.txt", true), ("release-1.0", false), ("kept.md", false)] {
            let request = format!("Copy a.txt to {name}");
            assert_eq!(home.contradicts(&request, name, &[name], StepKind::Create), contradicts, "{name}");
        }
    }

    #[test]
    fn an_archive_of_nothing_contradicts_unless_nothing_is_named() {
        let home = Home::new();
        fs::write(home.root.join("x.tar"), [0; 10240]).unwrap();
        assert!(home.contradicts("Pack notes into x.tar", "tar", &["x.tar"], StepKind::Create));
        assert!(!home.contradicts("Make an empty archive x.tar", "tar", &["x.tar"], StepKind::Create));
    }

    #[test]
    fn a_link_contradicts_unless_a_step_was_to_make_one() {
        let home = Home::new();
        symlink("a.txt", home.root.join("soft.txt")).unwrap();
        fs::hard_link(home.root.join("a.txt"), home.root.join("hard.txt")).unwrap();
        fs::copy(home.root.join("a.txt"), home.root.join("copy.txt")).unwrap();
        fs::create_dir(home.root.join("copies")).unwrap();
        symlink("../notes/todo.txt", home.root.join("copies/todo.txt")).unwrap();
        // As `cp -a` copies it.
        symlink("copy.txt", home.root.join("copies/newest")).unwrap();
        for (path, contradicts) in [
            ("soft.txt", true),
            ("hard.txt", true),
            ("copy.txt", false),
            ("copies/todo.txt", true),
            ("copies/newest", false),
        ] {
            let request = format!("Copy a.txt and the folder notes, as {path}");
            assert_eq!(home.contradicts(&request, path, &[path], StepKind::Create), contradicts, "{path}");
            assert!(!home.contradicts(&request, path, &[path], StepKind::Link), "{path}");
        }
    }
}
