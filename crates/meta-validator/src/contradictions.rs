//! Recorded facts that contradict the claim that a request is done.
//!
//! Each is seen in the files and the calls of a run, whatever language the request is in, and no judge overrules it. The
//! reason says what to do instead, so that an honest run corrects itself in its next plan.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use artoo_checks::Filesystem;
use artoo_types::{FileChange, FileChangeKind, StepKind, SubTaskOutcome, ToolCall};

use crate::answer_contradictions::{dropped_figure, printed_by_its_command};
use crate::empty_archive::is_empty_archive;
use crate::file_endings::is_file_name;

/// The fewest new files with one ending that show a rule at work. A name of that ending in the request is an example then.
const FEWEST_BY_RULE: usize = 3;

/// The results that are compared with what is there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Results<'a> {
    /// The request, with what the person added.
    pub(crate) request: &'a str,
    pub(crate) outcomes: &'a [SubTaskOutcome],
    /// All calls of these outcomes.
    pub(crate) calls: &'a [ToolCall],
    /// The paths that the request names and that are there.
    pub(crate) named: &'a [PathBuf],
    /// A file that the request names, that is nowhere, and that no call removed or moved.
    pub(crate) not_made: Option<&'a str>,
    /// Whether the plan's author can say that a step is to make a link.
    pub(crate) links_are_declared: bool,
}

impl Results<'_> {
    /// Whether all steps were to find something out.
    fn are_answers(&self) -> bool {
        !self.outcomes.iter().any(SubTaskOutcome::is_about_a_deed)
    }
}

/// The first fact that contradicts the results, and what is to be done instead.
pub(crate) fn contradiction(results: &Results<'_>, world: &Filesystem) -> Option<String> {
    let of_answers = || {
        let printed = || printed_by_its_command(results).filter(|_| results.named.is_empty());
        if results.are_answers() { dropped_figure(results).or_else(printed) } else { None }
    };
    of_answers()
        .or_else(|| never_made(results))
        .or_else(|| folder_for_a_file(results))
        .or_else(|| archive_of_nothing(results, world))
        .or_else(|| link_for_a_copy(results))
}

/// A file that the request names, that is nowhere, and that no call was about. For a question, a call that looked into its
/// folder was about it.
fn never_made(results: &Results<'_>) -> Option<String> {
    let calls = results.calls;
    let path = results.not_made.filter(|path| is_file_name(path))?;
    let mut parts = path.rsplit('/');
    let (name, folder) = (parts.next().unwrap_or_default(), parts.next());
    let folder = folder.filter(|folder| results.are_answers() && !folder.is_empty() && *folder != ".");
    let is_about = |call: &ToolCall| {
        let arguments = call.arguments.values().map(ToString::to_string).collect::<String>();
        let texts = [&arguments, &call.output.shown, &call.stderr.shown];
        texts.iter().any(|text| text.contains(name))
            || folder.is_some_and(|folder| arguments.contains(folder))
    };
    let is_example = || made_of_its_kind(path, calls) >= FEWEST_BY_RULE;
    (!calls.iter().any(is_about) && !is_example()).then(|| {
        format!("the request names {path}, which is nowhere, and no call made it or looked for it: do what it asks, or look for it by its name")
    })
}

/// The number of created files that have the ending of this path.
fn made_of_its_kind(path: &str, calls: &[ToolCall]) -> usize {
    let ending = Path::new(path).extension();
    made(calls).filter(|made| made.extension() == ending).collect::<BTreeSet<_>>().len()
}

/// An empty folder that was made where the request names a file.
fn folder_for_a_file(results: &Results<'_>) -> Option<String> {
    let is_empty = |path: &Path| fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    let is_said = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| is_file_name(name) && results.request.contains(name))
    };
    let mut folders = made(results.calls).filter(|path| is_said(path));
    let folder = folders.find(|path| is_empty(path))?;
    Some(format!("{} is an empty folder, and the request names a file: make the file", folder.display()))
}

/// An archive without an entry, where the request names something that could be in it.
fn archive_of_nothing(results: &Results<'_>, world: &Filesystem) -> Option<String> {
    let archive = made(results.calls).find(|path| is_empty_archive(path))?;
    let others = results.named.iter().any(|path| *path != world.place(archive));
    others
        .then(|| format!("{} is an archive without entries: pack what the request names", archive.display()))
}

/// A link to something that was there before, where no step was to make a link.
fn link_for_a_copy(results: &Results<'_>) -> Option<String> {
    let is_declared = results.outcomes.iter().any(|outcome| outcome.kind == StepKind::Link);
    if is_declared || !results.links_are_declared {
        return None;
    }
    let new: Vec<&PathBuf> = made(results.calls).collect();
    let is_old = |path: &&PathBuf| !new.iter().any(|new| path.starts_with(new));
    let sources: Vec<&PathBuf> = results.named.iter().filter(is_old).collect();
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
fn source_of(link: &Path, sources: &[&PathBuf]) -> Option<PathBuf> {
    let entry = link.symlink_metadata().ok()?;
    let name = link.file_name()?;
    if entry.is_symlink() {
        let target = link.canonicalize().ok()?;
        let is_source = |source: &&PathBuf| {
            target == **source || (target.starts_with(source) && target.file_name() == Some(name))
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
    sources.iter().flat_map(|source| [source.to_path_buf(), source.join(name)]).find(is_same)
}

/// The paths that were created. They are absolute.
fn made(calls: &[ToolCall]) -> impl Iterator<Item = &PathBuf> {
    let files = calls.iter().flat_map(|call| &call.files);
    files.filter(|file: &&FileChange| file.change == FileChangeKind::Created).map(|file| &file.path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use artoo_judging::conformance::call;
    use artoo_types::Arguments;
    use artoo_types::{OutcomeStatus, RunId, SubTaskId};

    use artoo_checks::Mentions;

    use super::*;
    use crate::not_made::not_made;

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
            let calls = [call];
            let mentions = Mentions::of(request, &world);
            let results = Results {
                request,
                outcomes: &[outcome],
                calls: &calls,
                named: &mentions.paths,
                not_made: not_made(&mentions, &calls),
                links_are_declared: true,
            };
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
        let request = "Rename the photos as in \"2026-03-12_10.15.30-2.jpg\"";
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
