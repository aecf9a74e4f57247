//! `@path` in a request of a conversation.

use std::path::Path;

use crate::error::CommandError;
use crate::servers::resource_named;

/// Replaces `@path` and `@"path with blanks"` by the path. A path that does not exist is an error, reported before a model is
/// called. `@NAME:ADDRESS` stays: it is a resource of a server, which the run reads.
pub(super) fn attached(text: &str, folder: &Path) -> Result<String, CommandError> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('@') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let after = from.strip_prefix('@').unwrap_or(from);
        // An `@` inside of a word does not count: it may be an e-mail address.
        let begins_a_word = out.chars().next_back().is_none_or(char::is_whitespace);
        let quoted = after.strip_prefix('"').and_then(|quoted| Some(quoted.split_once('"')?.0));
        let path = quoted.or_else(|| after.split(char::is_whitespace).next()).unwrap_or_default();
        let is_file = folder.join(path).exists();
        if !begins_a_word || path.is_empty() || (!is_file && names_a_resource(from)) {
            out.push('@');
            rest = after;
            continue;
        }
        if !is_file {
            return Err(CommandError::usage(format!("{path} names no file of this folder"))
                .hint("complete it with Tab, or leave the @ out"));
        }
        let taken = path.len() + if quoted.is_some() { 2 } else { 0 };
        let (named, left) = after.split_at(taken);
        out.push_str(named);
        rest = left;
    }
    out.push_str(rest);
    Ok(out)
}

/// Whether the first word names a resource of a server.
fn names_a_resource(text: &str) -> bool {
    text.split_whitespace().next().is_some_and(|word| resource_named(word).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attached_file_is_named_and_must_be_there() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["数.txt", "two words"] {
            std::fs::write(folder.path().join(name), "1").unwrap();
        }
        let check = |text: &str| attached(text, folder.path()).map_err(|error| error.to_string());
        assert_eq!(check("sum @数.txt  and\nmail a@b.org").unwrap(), "sum 数.txt  and\nmail a@b.org");
        assert_eq!(check("an @ alone, @").unwrap(), "an @ alone, @");
        assert_eq!(check("sum @\"two words\", @数.txt").unwrap(), "sum \"two words\", 数.txt");
        assert_eq!(check("sum @notes:file:///a/b.md").unwrap(), "sum @notes:file:///a/b.md");
        assert_eq!(check("@\"open").unwrap_err(), "\"open names no file of this folder");
        assert_eq!(check("@\"\" @数.txt").unwrap(), "@\"\" 数.txt");
        assert_eq!(check("read @gone.txt").unwrap_err(), "gone.txt names no file of this folder");
    }
}
