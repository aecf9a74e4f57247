//! Files that a request names and that a run which changed something had nothing to do with.

use std::path::{Path, PathBuf};

use artoo_checks::Filesystem;
use artoo_types::ToolCall;

/// The first of these files that no call changed, named or showed.
///
/// A call also has to do with the files of a folder if it names the folder and uses a wildcard. Folders are left out:
/// their names are often words of the language.
pub(crate) fn left_alone<'a>(
    named: &'a [PathBuf],
    calls: &[ToolCall],
    world: &Filesystem,
) -> Option<&'a PathBuf> {
    named
        .iter()
        .filter(|path| path.is_file())
        .find(|path| !calls.iter().any(|call| concerns(call, path, world)))
}

pub(crate) fn concerns(call: &ToolCall, path: &Path, world: &Filesystem) -> bool {
    let is_it = |other: &PathBuf| world.place(other) == *path || other == path;
    if call.files.iter().any(|file| is_it(&file.path) || file.moved_from.as_ref().is_some_and(is_it)) {
        return true;
    }
    if call.may_have_built(path) {
        return true;
    }
    let part = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let arguments: String = call.arguments.values().map(|value| format!("{value}\n")).collect();
    let says = |text: &str| part(path).is_some_and(|name| stands_in(&name, text, path, world));
    let folder = path.parent().and_then(part);
    let is_swept = arguments.contains('*') && folder.is_some_and(|folder| arguments.contains(&folder));
    says(&arguments) || says(&call.output.shown) || is_swept
}

/// Whether the name of a file stands in a text, neither as the end of another name nor in the path of another file.
fn stands_in(name: &str, text: &str, path: &Path, world: &Filesystem) -> bool {
    let is_within = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '~');
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let folder = before.trim_end_matches(is_within).len();
        let Some(folder) = before.get(folder..).filter(|folder| !folder.is_empty()) else { return true };
        let other = world.place(Path::new(&format!("{folder}{name}")));
        folder.ends_with('/') && (other == *path || !other.is_file())
    })
}

#[cfg(test)]
mod tests {
    use artoo_types::{Arguments, FileChange, FileChangeKind};

    use super::*;
    use artoo_judging::conformance::call;

    fn shell(command: &str, output: &str) -> ToolCall {
        let arguments: Arguments = [("command".to_owned(), command.into())].into_iter().collect();
        ToolCall { arguments, ..call(1, output, true) }
    }

    #[test]
    fn a_file_is_changed_named_shown_or_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("docs")).unwrap();
        let file = root.join("docs/a.txt");
        std::fs::write(&file, "x").unwrap();
        std::fs::create_dir(root.join("other")).unwrap();
        std::fs::write(root.join("other/a.txt"), "x").unwrap();
        let world = Filesystem::new(&root, &root, Default::default());
        let named = [root.join("docs"), file.clone()];
        for (command, output, is_left) in [
            ("cp docs/a.txt b.txt", "", false),
            ("cp docs/aa.txt b.txt", "", true),
            ("touch b.txt", "", true),
            ("rm docs/b.txt; ls docs", "a.txt\n", false),
            ("cat docs/*.txt > all.txt", "", false),
            ("rm docs/b.txt", "", true),
            ("cp other/a.txt b.txt", "", true),
            ("cp gone/a.txt b.txt", "", false),
            ("cp $f/a.txt b.txt", "", false),
        ] {
            let found = left_alone(&named, &[shell(command, output)], &world);
            assert_eq!(found, is_left.then_some(&file), "{command}");
        }
        let change = FileChangeKind::Changed;
        let changed = FileChange { path: file.clone(), change, moved_from: None, diff: None, moves: None };
        let call = ToolCall { files: vec![changed], ..shell("./run", "") };
        assert_eq!(left_alone(&named, &[call], &world), None);
    }
}
