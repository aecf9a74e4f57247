//! Files that are open in the user's editor, perhaps with changes that are not saved.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::text_form::{Encoding, TextForm};
use crate::{ToolContext, paths};

/// How long an editor may take to answer. Without an answer, the disk counts.
const PATIENCE: Duration = Duration::from_secs(5);

/// The editor of the user, as far as it lets a run see its files. `read_file`, `write_file` and `edit_file` go through it; commands and
/// searches see what is on the disk.
///
/// *Contract.* Paths are absolute and real. An editor that does not know a file, refuses or is gone says `None` and `false`.
#[async_trait]
pub trait OpenFiles: fmt::Debug + Send + Sync {
    /// The text of a file as the editor has it, unsaved changes included.
    async fn text(&self, path: &Path) -> Option<String>;

    /// Has the editor take this text for the file's and save it; whether it did.
    async fn save(&self, path: &Path, text: &str) -> bool;
}

/// The text of an existing file as the user's editor has it.
pub(crate) async fn in_editor(path: &str, cx: &ToolContext) -> Option<String> {
    let editor = cx.open_files.as_ref()?;
    let real = tokio::fs::canonicalize(paths::resolve(path, cx)).await.ok()?;
    let text = timeout(PATIENCE, editor.text(&real)).await.ok()??;
    (text.len() <= cx.limits.written).then_some(text)
}

/// What the file would be if the editor saved it now; `None` if that is what is on the disk. Editors have one kind of line ending in
/// memory, so those of the disk count. A file that is not UTF-8 is never taken from an editor.
pub(crate) fn unsaved(disk: &[u8], editor: &str) -> Option<Vec<u8>> {
    let (form, text) = TextForm::read(disk)?;
    if form.has_mark || form.encoding != Encoding::Utf8 {
        return None;
    }
    let plain = |text: &str| text.replace("\r\n", "\n");
    let (on_disk, in_editor) = (plain(&text), plain(editor));
    if on_disk == in_editor {
        return None;
    }
    Some(if text.contains("\r\n") { in_editor.replace('\n', "\r\n") } else { editor.to_owned() }.into_bytes())
}

/// Has the editor save this content; whether it is on the disk then. Blocks, on a thread for that.
pub(crate) fn save(real: &Path, content: &[u8], cx: &ToolContext) -> bool {
    let (Some(editor), Ok(text), Ok(threads)) =
        (&cx.open_files, std::str::from_utf8(content), Handle::try_current())
    else {
        return false;
    };
    let saved = threads.block_on(async { timeout(PATIENCE, editor.save(real, text)).await });
    // An editor that changes what it saves has not saved what was asked about.
    saved.unwrap_or(false) && std::fs::read(real).is_ok_and(|there| there == content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_another_text_is_unsaved() {
        assert_eq!(unsaved(b"a\nb\n", "a\nb\n"), None);
        assert_eq!(unsaved(b"a\r\nb\r\n", "a\nb\n"), None, "the editor has one kind of line ending");
        assert_eq!(unsaved(b"a\nb\n", "a\nc\n"), Some(b"a\nc\n".to_vec()));
        assert_eq!(unsaved(b"a\r\nb\r\n", "a\nc\n"), Some(b"a\r\nc\r\n".to_vec()));
        assert_eq!(unsaved(b"\xff\xfea\0", "b"), None, "another encoding is the disk's");
        assert_eq!(unsaved(b"\0", "b"), None);
    }
}
