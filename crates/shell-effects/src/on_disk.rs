//! File system lookups on the real disk.

use std::io;
use std::path::{Component, Path};

use crate::{Paths, Seen};

/// The machine's file system, for [`effects_of`](crate::effects_of). It looks at names and links, never into
/// files.
#[derive(Debug, Clone, Copy, Default)]
pub struct OnDisk;

impl Paths for OnDisk {
    fn look(&self, path: &Path) -> Seen {
        match path.canonicalize() {
            Ok(real) if real.is_dir() => Seen::Folder(real),
            Ok(real) => Seen::File(real),
            Err(error) if error.kind() == io::ErrorKind::NotFound => missing(path),
            Err(_) => Seen::Unsure,
        }
    }
}

/// Resolves the nearest existing folder above the path, and appends the names below it.
fn missing(path: &Path) -> Seen {
    // A dangling link: writing to it creates a file wherever it points.
    if path.symlink_metadata().is_ok() {
        return Seen::Unsure;
    }
    let mut names = Vec::new();
    let mut above = path;
    loop {
        let (Some(name), Some(parent)) = (above.components().next_back(), above.parent()) else {
            return Seen::Unsure;
        };
        let Component::Normal(name) = name else { return Seen::Unsure };
        names.push(name);
        above = parent;
        match above.canonicalize() {
            Ok(mut real) => {
                real.extend(names.iter().rev());
                return Seen::Nothing(real);
            }
            Err(_) if above.symlink_metadata().is_ok() => return Seen::Unsure,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) => return Seen::Unsure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_and_what_leads_nowhere_is_unsure() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("real")).unwrap();
        std::fs::write(root.join("real/file"), "").unwrap();
        std::os::unix::fs::symlink(root.join("real"), root.join("link")).unwrap();
        std::os::unix::fs::symlink(root.join("nowhere"), root.join("loose")).unwrap();
        let look = |path: &str| OnDisk.look(&root.join(path));
        assert_eq!(look("link/file"), Seen::File(root.join("real/file")));
        assert_eq!(look("link"), Seen::Folder(root.join("real")));
        assert_eq!(look("link/new/deep"), Seen::Nothing(root.join("real/new/deep")));
        assert_eq!(look("loose"), Seen::Unsure);
        assert_eq!(look("loose/x"), Seen::Unsure);
        assert_eq!(look("new/../other"), Seen::Unsure);
        assert_eq!(look("real/file/x"), Seen::Unsure);
    }
}
