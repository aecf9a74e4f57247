//! Resolves paths written by people and models, and formats paths for output.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use crate::ToolContext;

/// The absolute path of a text: below the working folder, unless it is absolute or begins with `~`, `$WORKSPACE` or
/// `$TMPDIR`. `..` and symlinks are not resolved. Escapes of [`show`] are taken where nothing is there as it is written.
pub(crate) fn resolve(text: &str, cx: &ToolContext) -> PathBuf {
    let path = resolve_as_written(Path::new(text), cx);
    if !text.contains('\\') || path.symlink_metadata().is_ok() {
        return path;
    }
    // A name from a listing, in the form of `show`.
    let meant = resolve_as_written(Path::new(OsStr::from_bytes(&unescaped(text))), cx);
    if meant.symlink_metadata().is_ok() { meant } else { path }
}

fn resolve_as_written(text: &Path, cx: &ToolContext) -> PathBuf {
    let mut components = text.components();
    let folder = match components.next() {
        Some(Component::Normal(first)) => named_folder(first, cx),
        _ => None,
    };
    match folder {
        // Joining an empty path would append a slash.
        Some(folder) => folder.join(components.as_path()).components().collect(),
        None => cx.working_folder.join(text),
    }
}

/// The folder that a path names by its first component: `~`, `$WORKSPACE`, `$TMPDIR`. Commands know the variables, so a
/// model writes them everywhere.
pub(crate) fn named_folder<'a>(first: &OsStr, cx: &'a ToolContext) -> Option<&'a Path> {
    match first.to_str()? {
        "~" => Some(&cx.home),
        "$WORKSPACE" => Some(&cx.workspace),
        "$TMPDIR" => Some(&cx.private_tmp),
        _ => None,
    }
}

/// A path for a message or a listing: relative to the working folder if it lies below it, and on one line. Control
/// characters and bytes that are not UTF-8 are escaped, as [`resolve`] takes them.
pub(crate) fn show(path: &Path, cx: &ToolContext) -> String {
    let shorter = path.strip_prefix(&cx.working_folder).ok().filter(|rest| !rest.as_os_str().is_empty());
    escaped(shorter.unwrap_or(path).as_os_str().as_bytes())
}

/// Escapes what would fake several lines or is no text: `\n`, `\u{1b}`, `\xe9`.
fn escaped(name: &[u8]) -> String {
    let mut shown = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control() { shown.extend(c.escape_default()) } else { shown.push(c) }
        }
        for byte in chunk.invalid() {
            shown.push_str(&format!("\\x{byte:02x}"));
        }
    }
    shown
}

/// The bytes of a name that [`escaped`] wrote.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        match escape(rest) {
            Some((meant, length)) => {
                bytes.extend(meant);
                rest = rest.get(length..).unwrap_or_default();
            }
            None => {
                bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                rest = rest.get(c.len_utf8()..).unwrap_or_default();
            }
        }
    }
    bytes
}

/// What an escape at the beginning of a text means, and its length.
fn escape(text: &str) -> Option<(Vec<u8>, usize)> {
    let rest = text.strip_prefix('\\')?;
    if let Some(digits) = rest.strip_prefix('x') {
        return Some((vec![u8::from_str_radix(digits.get(..2)?, 16).ok()?], 4));
    }
    if let Some(digits) = rest.strip_prefix("u{") {
        let (digits, _) = digits.split_once('}')?;
        let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
        return Some((c.to_string().into_bytes(), digits.len() + 4));
    }
    let byte = match rest.chars().next()? {
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        _ => return None,
    };
    Some((vec![byte], 2))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_text_is_escaped() {
        for (name, shown) in [
            (&b"caf\xe9.txt"[..], r"caf\xe9.txt"),
            ("中 é.txt".as_bytes(), "中 é.txt"),
            (b"two\nlines\x1b[0m\x7f", r"two\nlines\u{1b}[0m\u{7f}"),
        ] {
            assert_eq!(escaped(name), shown);
            assert_eq!(unescaped(shown), name);
        }
    }

    proptest! {
        #[test]
        fn a_shown_name_is_taken_back(name in prop::collection::vec(any::<u8>(), 0..20)) {
            // A name with a backslash is taken as it is written.
            prop_assume!(!name.contains(&b'\\'));
            let shown = escaped(&name);
            prop_assert!(!shown.chars().any(char::is_control));
            prop_assert_eq!(unescaped(&shown), name);
        }

        #[test]
        fn any_text_means_something(text in "[\\\\xun{}0-9a-f é]{0,16}") {
            unescaped(&text);
        }
    }
}
