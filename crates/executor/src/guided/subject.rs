//! The subject of a step: the existing paths that its text names.

use std::path::{Path, PathBuf};

use artoo_checks::{Filesystem, named_paths};

use crate::AttemptContext;

/// The maximum number of paths shown.
const MOST_TOLD: usize = 8;

/// The paths that the step's intent names; if it names none, those in its context.
pub(crate) async fn of(cx: &AttemptContext) -> Vec<PathBuf> {
    let (here, texts) = (cx.surroundings.clone(), [cx.subtask.intent.clone(), cx.subtask.context.clone()]);
    let look = move || {
        let world = Filesystem::new(here.working_folder, here.home, here.now).with_workspace(here.workspace);
        texts.iter().map(|text| named_paths(text, &world)).find(|paths| !paths.is_empty()).unwrap_or_default()
    };
    // This fails only when the process shuts down.
    tokio::task::spawn_blocking(look).await.unwrap_or_default()
}

/// The subject in words that can be copied into a command. A weak model does not quote blanks, and translates
/// names.
pub(crate) fn told(subject: &[PathBuf], working_folder: &Path) -> Option<String> {
    let folder = working_folder.canonicalize().unwrap_or_else(|_| working_folder.to_owned());
    let one = |path: &PathBuf| {
        let shown = path.strip_prefix(&folder).unwrap_or(path);
        let kind = if path.is_dir() { "folder" } else { "file" };
        Some(format!("{} ({kind})", quoted(shown.to_str()?)))
    };
    let all: Vec<String> = subject.iter().take(MOST_TOLD).filter_map(one).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// Whether a command omits the name of any path that the step is about.
pub(crate) fn is_left_out(subject: &[PathBuf], command: &str) -> bool {
    let names = subject.iter().filter_map(|path| path.file_name()?.to_str());
    names.into_iter().any(|name| !command.contains(name))
}

/// A name quoted so that a shell takes it as one word.
pub(super) fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | ',');
    if name.chars().all(is_plain) && !name.starts_with('-') {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_as_a_shell_takes_them() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().canonicalize().unwrap();
        std::fs::create_dir(folder.join("Mes papiers")).unwrap();
        let all =
            [folder.join("Mes papiers"), folder.join("会议.txt"), folder.join("it's.txt"), folder.join("-x")];
        assert_eq!(
            told(&all, home.path()).unwrap(),
            r"'Mes papiers' (folder), 会议.txt (file), 'it'\''s.txt' (file), '-x' (file)"
        );
        assert_eq!(told(&[], home.path()), None);
    }
}
