//! A file that a request names and that was not made.

use std::path::PathBuf;

use artoo_checks::Mentions;
use artoo_types::{FileChange, FileChangeKind, ToolCall};

/// The first file that the request names, that is nowhere, and that no call removed or moved: a part of the request was
/// not done, whatever else was.
pub(crate) fn not_made<'a>(mentions: &'a Mentions, calls: &[ToolCall]) -> Option<&'a str> {
    let went = |file: &FileChange| match file.change {
        FileChangeKind::Deleted => Some(file.path.clone()),
        FileChangeKind::Created | FileChangeKind::Changed => file.moved_from.clone(),
    };
    let gone: Vec<PathBuf> = calls.iter().flat_map(|call| &call.files).filter_map(went).collect();
    mentions.unmade_file(&gone)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use artoo_checks::Filesystem;
    use artoo_judging::conformance::call;

    use super::*;

    fn changing(changes: &[(&Path, FileChangeKind)]) -> Vec<ToolCall> {
        let files = changes.iter().map(|(path, change)| FileChange::new(*path, *change)).collect();
        vec![ToolCall { files, ..call(1, "", true) }]
    }

    #[test]
    fn a_file_that_is_named_is_made() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("docs")).unwrap();
        for name in ["docs/a.txt", "b.txt", "c.txt"] {
            std::fs::write(root.join(name), "").unwrap();
        }
        let world = Filesystem::new(&root, &root, call(1, "", true).started_at);
        let (b, c) = (root.join("b.txt"), root.join("c.txt"));
        let not_made = |request: &str, calls: &[ToolCall]| {
            super::not_made(&Mentions::of(request, &world), calls).map(str::to_owned)
        };
        let edited = changing(&[(&b, FileChangeKind::Changed)]);
        let request = "Copy b.txt to old.txt, then replace red by green in b.txt";
        assert_eq!(not_made(request, &edited).as_deref(), Some("old.txt"));
        assert_eq!(not_made("Replace red by green in b.txt", &edited), None);
        let removed = changing(&[(&root.join("gone.txt"), FileChangeKind::Deleted)]);
        assert_eq!(not_made("Delete gone.txt", &removed), None);
        assert_eq!(not_made("Move gone.txt to new.txt", &removed).as_deref(), Some("new.txt"));
        let mut moved = changing(&[(&c, FileChangeKind::Created)]);
        moved[0].files[0].moved_from = Some(root.join("x.txt"));
        assert_eq!(not_made("Rename x.txt to c.txt", &moved), None);
    }
}
