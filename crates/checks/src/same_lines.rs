//! Comparison of two files as sets of lines.

use std::{collections::BTreeSet, io, path::Path};

use crate::{Filesystem, evaluate::excerpt, files::MAX_SEARCHED};

/// Whether two files have the same set of lines, and a description of how the first differs from the other.
///
/// # Errors
/// One of them cannot be read, or is too large (`FileTooLarge`).
pub(crate) fn compare(path: &Path, other: &Path, world: &Filesystem) -> Result<(bool, String), io::Error> {
    let (one, two) = (
        world.read(path, MAX_SEARCHED)?,
        world
            .read(other, MAX_SEARCHED)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", other.display())))?,
    );
    let (one, two) = (lines(&one), lines(&two));
    let other = other.display();
    let shown = |line: &[u8]| excerpt(&String::from_utf8_lossy(line));
    let lacks = |line: &&[u8]| format!("has no line {}, which {other} has", shown(line));
    let adds = |line: &&[u8]| format!("has the line {}, which {other} has not", shown(line));
    let differs = two.difference(&one).next().map(lacks).or_else(|| one.difference(&two).next().map(adds));
    Ok(match differs {
        Some(words) => (false, words),
        None => (true, format!("has the same {} lines as {other}", one.len())),
    })
}

fn lines(content: &[u8]) -> BTreeSet<&[u8]> {
    content.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    fn compared(one: &[u8], two: &[u8]) -> (bool, String) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), one).unwrap();
        fs::write(folder.path().join("b"), two).unwrap();
        let world = Filesystem::new(folder.path(), folder.path(), Default::default());
        compare(Path::new("a"), Path::new("b"), &world).unwrap()
    }

    #[test]
    fn lines_are_a_set() {
        let same = |lines: usize| (true, format!("has the same {lines} lines as b"));
        assert_eq!(compared("yö\npäivä\n".as_bytes(), "\u{feff}päivä \r\n\r\nyö\r\nyö".as_bytes()), same(2));
        assert_eq!(compared(b"", b"\n \n"), same(0));
        let differs = |words: &str| (false, words.to_owned());
        assert_eq!(compared(b"a\n", b"a\nb\n"), differs(r#"has no line "b", which b has"#));
        assert_eq!(compared(b"a\nc\n", b"a\n"), differs(r#"has the line "c", which b has not"#));
        assert!(!compared(b" a", b"a").0, "an indent is a part of the line");
        assert!(!compared(&[0xff], &[0xfe]).0, "bytes are compared, not what is shown of them");
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "x").unwrap();
        fs::File::create(folder.path().join("huge")).unwrap().set_len(2 << 30).unwrap();
        let world = Filesystem::new(folder.path(), folder.path(), Default::default());
        let error = |other: &str| compare(Path::new("a"), Path::new(other), &world).unwrap_err();
        assert!(error("nowhere").to_string().starts_with("nowhere: "));
        assert_eq!(error("huge").kind(), io::ErrorKind::FileTooLarge);
    }

    proptest! {
        #[test]
        fn order_and_repetition_do_not_count(lines in prop::collection::vec("[a-c]{0,2}", 0..8), turn in 0usize..8) {
            let mut turned = lines.clone();
            turned.rotate_left(turn.min(lines.len()));
            turned.extend(lines.first().cloned());
            prop_assert!(compared(lines.join("\n").as_bytes(), turned.join("\r\n").as_bytes()).0);
        }
    }
}
