//! The files that a call or a run changed, as rows: one by one as far as a person reads them, then as counts per folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use artoo_types::{BuildFolder, FileChange, FileChangeKind};

use super::near::near;
use super::units::counted;

/// Maximum number of new files that are named. A build makes thousands.
const CREATED: usize = 8;
/// Maximum number of other files that are named.
const OTHERS: usize = 20;
/// Maximum number of folders whose files are counted apart.
const FOLDERS: usize = 4;

/// A file that got another name, with the name before.
pub(super) type Rename = (PathBuf, PathBuf);

/// One row for each change or group of changes. `all` names every file.
pub(super) fn rows(
    files: &[FileChange],
    renames: &[Rename],
    folder: Option<&Path>,
    all: bool,
) -> Vec<String> {
    let (renamed, rest) = apart(files, renames);
    let mut rows: Vec<String> = renamed
        .iter()
        .map(|(from, to)| format!("renamed {} -> {}", shown(from, folder), shown(to, folder)))
        .collect();
    rows.extend(rest.iter().filter_map(|file| file.git_summary()));
    let rest: Vec<&FileChange> = rest.into_iter().filter(|file| file.git_summary().is_none()).collect();
    for (kind, most) in [
        (FileChangeKind::Deleted, OTHERS),
        (FileChangeKind::Changed, OTHERS),
        (FileChangeKind::Created, CREATED),
    ] {
        let of_kind: Vec<&Path> =
            rest.iter().filter(|file| file.change == kind).map(|file| file.path.as_path()).collect();
        let most = if all { usize::MAX } else { most };
        rows.extend(of_kind.iter().take(most).map(|path| format!("{} {}", kind.name(), shown(path, folder))));
        rows.extend(counts(of_kind.get(most..).unwrap_or_default(), kind, folder));
    }
    rows
}

/// A row for each folder of build output in which files changed.
pub(super) fn built(folders: &[BuildFolder], folder: Option<&Path>) -> Vec<String> {
    let near = |built: &BuildFolder| BuildFolder::new(shown(&built.path, folder), built.files);
    folders.iter().map(|built| format!("and {}", near(built))).collect()
}

/// The renames among the changes of one call.
pub(super) fn renames(files: &[FileChange]) -> Vec<Rename> {
    files.iter().filter_map(|file| Some((file.moved_from.clone()?, file.path.clone()))).collect()
}

/// The names of the files, each once; a renamed one by both.
pub(super) fn names(files: &[FileChange], renames: &[Rename], folder: Option<&Path>) -> Vec<String> {
    let (renamed, rest) = apart(files, renames);
    let both = |(from, to): &Rename| format!("{} -> {}", shown(from, folder), shown(to, folder));
    renamed.iter().map(both).chain(rest.iter().map(|file| shown(&file.path, folder))).collect()
}

/// The renames that the files show, and the files beside them.
fn apart<'a>(files: &'a [FileChange], renames: &[Rename]) -> (Vec<Rename>, Vec<&'a FileChange>) {
    let has = |path: &Path, kind| files.iter().any(|file| file.path == path && file.change == kind);
    let is_shown =
        |(from, to): &&Rename| has(from, FileChangeKind::Deleted) && has(to, FileChangeKind::Created);
    let renamed: Vec<Rename> = renames.iter().filter(is_shown).cloned().collect();
    let is_apart = |file: &&FileChange| {
        !renamed.iter().any(|(from, to)| match file.change {
            FileChangeKind::Created => file.path == *to,
            FileChangeKind::Deleted => file.path == *from,
            FileChangeKind::Changed => false,
        })
    };
    let rest = files.iter().filter(is_apart).collect();
    (renamed, rest)
}

/// Further files of one kind, counted by folder: those with the most files first.
fn counts(paths: &[&Path], kind: FileChangeKind, folder: Option<&Path>) -> Vec<String> {
    let mut folders: BTreeMap<&Path, u64> = BTreeMap::new();
    for path in paths {
        *folders.entry(path.parent().unwrap_or(path)).or_default() += 1;
    }
    let mut folders: Vec<(&Path, u64)> = folders.into_iter().collect();
    folders.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let files = |count| counted(count, "more file", "more files");
    let mut rows: Vec<String> = folders
        .iter()
        .take(FOLDERS)
        .map(|(place, count)| format!("{} {} in {}", kind.name(), files(*count), place_name(place, folder)))
        .collect();
    let others = folders.get(FOLDERS..).unwrap_or_default();
    if !others.is_empty() {
        let (count, places) = (others.iter().map(|(_, count)| count).sum(), others.len() as u64);
        let places = counted(places, "other folder", "other folders");
        rows.push(format!("{} {} in {places}", kind.name(), files(count)));
    }
    rows
}

fn place_name(place: &Path, folder: Option<&Path>) -> String {
    if folder == Some(place) { "the working folder".to_owned() } else { shown(&place.join(""), folder) }
}

fn shown(path: &Path, folder: Option<&Path>) -> String {
    near(path, folder).display().to_string()
}

#[cfg(test)]
mod tests {
    use artoo_types::{GitMoves, RefMove};

    use super::*;

    fn change(path: &str, kind: FileChangeKind) -> FileChange {
        FileChange::new(path, kind)
    }

    #[test]
    fn eight_new_files_are_named_and_the_others_counted_by_folder() {
        let made = |folder: &str, count: usize| -> Vec<FileChange> {
            (0..count).map(|n| change(&format!("/p/{folder}/{n}.o"), FileChangeKind::Created)).collect()
        };
        let files =
            [made("a", 9), made("b", 40), made("c", 1), made("d", 1), made("e", 1), made("f", 2)].concat();
        let told = rows(&files, &[], Some(Path::new("/p")), false);
        assert_eq!(told.get(..2).unwrap(), ["created a/0.o", "created a/1.o"]);
        let counted = [
            "created 40 more files in b/",
            "created 2 more files in f/",
            "created 1 more file in a/",
            "created 1 more file in c/",
            "created 2 more files in 2 other folders",
        ];
        assert_eq!(told.get(8..).unwrap(), counted);
        assert_eq!(rows(&files, &[], None, true).len(), files.len());
    }

    #[test]
    fn build_output_is_one_row_a_folder() {
        let folders = [BuildFolder::new("/home/ada/tally/target", 350)];
        let folder = Path::new("/home/ada/tally");
        assert_eq!(built(&folders, Some(folder)), ["and 350 files in target/, ignored by git"]);
    }

    #[test]
    fn what_moved_in_a_repository_stands_in_place_of_its_folder() {
        let tag = RefMove { to: Some("a".repeat(40)), ..RefMove::of("refs/tags/v1") };
        let moves = GitMoves { references: vec![tag], ..GitMoves::of("/p") };
        let files = [change("/p/a", FileChangeKind::Changed), FileChange::in_repository("/p/.git/", moves)];
        let told = ["tag v1: new at aaaaaaa", "changed a"];
        assert_eq!(rows(&files, &[], Some(Path::new("/p")), false), told);
    }

    #[test]
    fn a_rename_is_one_row() {
        use FileChangeKind::{Changed, Created, Deleted};
        let files = [
            change("/p/a", Deleted),
            change("/p/b", Created),
            change("/p/c", Changed),
            change("/x", Deleted),
        ];
        let renames = [("/p/a".into(), "/p/b".into()), ("/p/c".into(), "/p/d".into())];
        let folder = Some(Path::new("/p"));
        assert_eq!(rows(&files, &renames, folder, false), ["renamed a -> b", "deleted /x", "changed c"]);
        assert_eq!(names(&files, &renames, folder), ["a -> b", "c", "/x"]);
    }
}
