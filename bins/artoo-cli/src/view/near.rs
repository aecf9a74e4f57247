//! Paths as a person names them: below the folder that a run works in, without that folder.

use std::borrow::Cow;
use std::path::{Component, Path};

/// The path below `folder`, if it lies there and climbs nowhere; otherwise the path as it is. A folder keeps its slash.
pub(crate) fn near<'a>(path: &'a Path, folder: Option<&Path>) -> Cow<'a, Path> {
    let below = folder.and_then(|folder| path.strip_prefix(folder).ok());
    let is_plain = |below: &&Path| {
        below.components().next().is_some()
            && below.components().all(|part| matches!(part, Component::Normal(_)))
    };
    match below.filter(is_plain) {
        None => Cow::Borrowed(path),
        Some(below) if path.as_os_str().as_encoded_bytes().ends_with(b"/") => Cow::Owned(below.join("")),
        Some(below) => Cow::Borrowed(below),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_below_the_folder_is_shortened() {
        let near = |path: &str| near(Path::new(path), Some(Path::new("/home/ada/p"))).display().to_string();
        for (path, expected) in [
            ("/home/ada/p/src/a.rs", "src/a.rs"),
            ("/home/ada/p/src/", "src/"),
            ("/home/ada/p", "/home/ada/p"),
            ("/home/ada/p/", "/home/ada/p/"),
            ("/home/ada/p/../../eve/a", "/home/ada/p/../../eve/a"),
            ("/home/ada/part/a", "/home/ada/part/a"),
            ("a", "a"),
        ] {
            assert_eq!(near(path), expected);
        }
        assert_eq!(super::near(Path::new("/a"), None).as_ref(), Path::new("/a"));
    }
}
