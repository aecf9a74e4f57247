//! Answers that name what lies deeper than a step asks about.

use std::path::Path;

use crate::{
    World,
    file_names::{file_paths, without_marks},
};

/// What limits a step to a folder itself.
const DIRECTLY: [&str; 3] = ["directly in ", "directly inside ", "directly under "];

/// What a step that asks about the files *directly in* a folder does not ask about, though the answer names it: something in a folder
/// below it, or a folder. In words; `None` where all that is named lies where it should, or code cannot know.
///
/// A search that goes through subfolders is right in its form, and a second one that does so too confirms it.
///
/// ```
/// # use artoo_checks::{World, too_deep};
/// # let world = World::new("/", "/root", Default::default());
/// assert_eq!(too_deep("notes/old/plan.md", "Which file in notes is the newest?", &world), None);
/// ```
///
/// Source: `docs/deviations.md`, "Directly in a folder". English only.
pub fn too_deep(answer: &str, intent: &str, world: &World) -> Option<String> {
    let folder = only_folder(intent, world)?;
    let root = world.resolve(Path::new(folder));
    let wrong = |name: &str| {
        let path = world.resolve(Path::new(name));
        let Ok(below) = path.strip_prefix(&root) else { return false };
        path.is_dir() || (below.components().count() > 1 && path.symlink_metadata().is_ok())
    };
    let lines = answer.lines().map(|line| line.trim().trim_matches(['"', '\'', '`']));
    let named = lines.chain(file_paths(answer)).find(|name| !name.is_empty() && wrong(name))?;
    Some(format!("{named} is no file directly in {folder}; leave out what lies in its subfolders"))
}

/// The folder that the step is limited to, where it is one that is there.
fn only_folder<'a>(intent: &'a str, world: &World) -> Option<&'a str> {
    let (_, after) = DIRECTLY.iter().find_map(|words| intent.split_once(words))?;
    let words = after.split_whitespace().map(without_marks);
    let mut named = words.skip_while(|word| matches!(*word, "the" | "folder" | "directory"));
    named.next().filter(|word| !word.is_empty() && world.resolve(Path::new(word)).is_dir())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Seen with the embedded model: two searches went through the subfolders, and agreed.
    #[test]
    fn what_lies_deeper_is_not_what_was_asked_for() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("docs/guides")).unwrap();
        for path in ["docs/travel policy.txt", "docs/plan.md", "docs/guides/backup.md"] {
            fs::write(home.path().join(path), "x").unwrap();
        }
        let world = World::new(home.path(), home.path(), Default::default());
        let asked = "Which files directly in the docs folder are the newest?";
        let table = [
            ("docs/plan.md\ndocs/guides/backup.md", asked, true),
            ("['docs/plan.md', 'docs/guides/backup.md']", asked, true),
            ("docs/guides", asked, true),
            ("docs/plan.md\ndocs/travel policy.txt", asked, false),
            ("plan.md", asked, false),
            ("none", asked, false),
            ("", asked, false),
            ("docs/guides/backup.md", "Which files in docs are the newest?", false),
            ("docs/guides/backup.md", "Which files directly in nowhere are the newest?", false),
            ("docs/guides/backup.md", "What lies directly in the folder docs?", true),
            ("docs/guides/backup.md", "What lies directly in docs/guides?", false),
        ];
        for (answer, intent, expected) in table {
            let found = too_deep(answer, intent, &world);
            assert_eq!(found.is_some(), expected, "{answer:?} to {intent:?}: {found:?}");
        }
    }
}
