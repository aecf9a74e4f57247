//! Searches for a name in the names and the texts of files.

use std::{collections::VecDeque, fs, io::Read as _, path::Path, path::PathBuf};

use artoo_text::is_unspaced;

use crate::{ClosedFiles, Filesystem};

/// The maximum number of entries examined.
const MAX_ENTRIES: usize = 5_000;
/// The maximum number of bytes read, of one file and in total.
const MAX_FILE: u64 = 1 << 20;
const MAX_TOTAL: u64 = 32 << 20;

/// Whether a name stands in the name or the text of anything below the folders of the run; `None` where not all of it could be
/// looked at. Hidden entries are left out.
pub(crate) fn is_mentioned(name: &str, world: &Filesystem) -> Option<bool> {
    search(name, world.roots(), world.closed())
}

/// Breadth first. Beyond the limits, behind a link or in an unreadable folder nothing is known.
fn search(name: &str, roots: Vec<PathBuf>, closed: &ClosedFiles) -> Option<bool> {
    let mut folders: VecDeque<PathBuf> = roots.into();
    let (mut entries, mut bytes, mut saw_all) = (0, 0, true);
    while let Some(path) = folders.pop_front() {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        entries += 1;
        if entries > MAX_ENTRIES || bytes > MAX_TOTAL {
            return None;
        }
        if metadata.is_dir() {
            let Ok(listed) = fs::read_dir(&path) else {
                saw_all = false;
                continue;
            };
            let below = listed.flatten().map(|entry| entry.path()).filter(|path| !is_hidden(path));
            folders.extend(below.take(MAX_ENTRIES));
        } else if metadata.is_file() {
            let in_name = path.file_name().is_some_and(|file| has_word(&file.to_string_lossy(), name));
            if in_name || (metadata.len() <= MAX_FILE && says(&path, name, closed, &mut bytes)) {
                return Some(true);
            }
        } else if metadata.is_symlink() && path.is_dir() {
            saw_all = false;
        }
    }
    saw_all.then_some(false)
}

fn says(path: &Path, name: &str, closed: &ClosedFiles, bytes: &mut u64) -> bool {
    let Ok(mut file) = fs::File::open(path) else { return false };
    let mut content = Vec::new();
    if closed.hold(&file, path) || file.read_to_end(&mut content).is_err() {
        return false;
    }
    *bytes += content.len() as u64;
    has_word(&String::from_utf8_lossy(&content), name)
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

/// Whether a text contains a word, with the same spelling and not as part of a longer word. Scripts without
/// blanks have no word boundaries.
fn has_word(text: &str, word: &str) -> bool {
    let is_within = |beside: Option<char>, edge: Option<char>| {
        beside.is_some_and(char::is_alphanumeric) && edge.is_none_or(|edge| !is_unspaced(edge))
    };
    text.match_indices(word).any(|(start, _)| {
        let before = text.get(..start).and_then(|text| text.chars().next_back());
        let after = text.get(start + word.len()..).and_then(|text| text.chars().next());
        !is_within(before, word.chars().next()) && !is_within(after, word.chars().next_back())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If not everything could be examined, the file may exist.
    #[test]
    fn beyond_the_limits_a_file_may_be() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..=MAX_ENTRIES {
            fs::write(folder.path().join(number.to_string()), "").unwrap();
        }
        let found = || search("gone.txt", vec![folder.path().to_owned()], &ClosedFiles::default());
        assert_eq!(found(), None);
        fs::remove_file(folder.path().join("0")).unwrap();
        fs::remove_file(folder.path().join("1")).unwrap();
        assert_eq!(found(), Some(false));
    }

    #[test]
    fn a_name_is_found_as_a_word_and_a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let found = |name: &str| search(name, vec![folder.path().to_owned()], &ClosedFiles::default());
        fs::write(folder.path().join("会议记录.txt"), "打印机的墨盒用完了; kingfishers").unwrap();
        fs::write(folder.path().join(".hidden"), "heron").unwrap();
        for (name, expected) in
            [("会议记录.txt", true), ("记录", true), ("墨盒", true), ("kingfisher", false), ("heron", false)]
        {
            assert_eq!(found(name), Some(expected), "{name}");
        }
        std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).unwrap();
        assert_eq!(found("heron"), None);
    }
}
