//! Changes that a request does not speak of, and files that it names and that were not made.

use std::path::{Path, PathBuf};

use artoo_checks::{Filesystem, unmade_file};
use artoo_types::{FileChange, FileChangeKind, ToolCall};

/// The first file that the request names, that is nowhere, and that no call removed or moved: a part of the request was
/// not done, whatever else was.
pub(crate) fn not_made(request: &str, calls: &[ToolCall], world: &Filesystem) -> Option<String> {
    let went = |file: &FileChange| match file.change {
        FileChangeKind::Deleted => Some(file.path.clone()),
        FileChangeKind::Created | FileChangeKind::Changed => file.moved_from.clone(),
    };
    let gone: Vec<PathBuf> = files(calls).filter_map(went).collect();
    unmade_file(request, &gone, world)
}

/// The first file that was there before and was changed or removed, although the request names other places and neither
/// this file nor a folder above it.
/// `named` are the paths that the request names and that are there.
pub(crate) fn not_named(
    request: &str,
    named: &[PathBuf],
    calls: &[ToolCall],
    world: &Filesystem,
) -> Option<PathBuf> {
    let root = world.place(Path::new("."));
    // What was removed or moved is no longer found by its name.
    let speaks_of = |path: &Path| {
        let below = path.strip_prefix(&root).unwrap_or(path);
        let mut parts = below.components().filter_map(|part| part.as_os_str().to_str());
        named.iter().any(|place| path.starts_with(place)) || parts.any(|part| request.contains(part))
    };
    let was_there = |file: &&FileChange| match file.change {
        FileChangeKind::Changed | FileChangeKind::Deleted => true,
        FileChangeKind::Created => false,
    };
    let changed = files(calls).filter(was_there).map(|file| &file.path);
    let mut others = changed.filter(|path| !speaks_of(path));
    if named.is_empty() { None } else { others.next().cloned() }
}

fn files(calls: &[ToolCall]) -> impl Iterator<Item = &FileChange> {
    calls.iter().flat_map(|call| &call.files)
}

#[cfg(test)]
mod tests {
    use artoo_judging::conformance::call;

    use super::*;

    fn changing(changes: &[(&Path, FileChangeKind)]) -> Vec<ToolCall> {
        let files = changes.iter().map(|(path, change)| FileChange::new(*path, *change)).collect();
        vec![ToolCall { files, ..call(1, "", true) }]
    }

    #[test]
    fn what_is_named_is_made_and_nothing_else_is_changed() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("docs")).unwrap();
        for name in ["docs/a.txt", "b.txt", "c.txt"] {
            std::fs::write(root.join(name), "").unwrap();
        }
        let world = Filesystem::new(&root, &root, call(1, "", true).started_at);
        let (a, b, c) = (root.join("docs/a.txt"), root.join("b.txt"), root.join("c.txt"));
        let edited = changing(&[(&b, FileChangeKind::Changed)]);
        let request = "Copy b.txt to old.txt, then replace red by green in b.txt";
        assert_eq!(not_made(request, &edited, &world).as_deref(), Some("old.txt"));
        assert_eq!(not_made("Replace red by green in b.txt", &edited, &world), None);
        let removed = changing(&[(&root.join("gone.txt"), FileChangeKind::Deleted)]);
        assert_eq!(not_made("Delete gone.txt", &removed, &world), None);
        assert_eq!(not_made("Move gone.txt to new.txt", &removed, &world).as_deref(), Some("new.txt"));
        let mut moved = changing(&[(&c, FileChangeKind::Created)]);
        moved[0].files[0].moved_from = Some(root.join("x.txt"));
        assert_eq!(not_made("Rename x.txt to c.txt", &moved, &world), None);

        let unnamed = |request: &str, calls: &[ToolCall]| {
            not_named(request, &artoo_checks::named_paths(request, &world), calls, &world)
        };
        assert_eq!(unnamed("Empty b.txt", &changing(&[(&c, FileChangeKind::Changed)])), Some(c.clone()));
        for (request, path) in [
            ("Empty the files in docs", &a),
            ("Lösche gone/x.txt und docs/a.txt", &root.join("gone/x.txt")),
            ("Empty what is empty", &c),
            ("docs里的文件和c.txt", &c),
        ] {
            let calls = changing(&[(path, FileChangeKind::Deleted)]);
            assert_eq!(unnamed(request, &calls), None, "{request}");
        }
    }
}
