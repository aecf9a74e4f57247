//! Files that the user of a front end attached to a request.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use artoo_front_end::Attachment;

use crate::error::CommandError;

/// The folder of attachments in the workspace.
const FOLDER: &str = "attachments";

/// How many bytes the attachments of a request may have together.
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// How many files of the same name may be there.
const MOST_OF_A_NAME: usize = 10_000;

/// Writes the attachments into the workspace, and names them behind the request.
pub(super) fn named_in(
    text: &str,
    attachments: &[Attachment],
    workspace: &Path,
) -> Result<String, CommandError> {
    if attachments.is_empty() {
        return Ok(text.to_owned());
    }
    let bytes: usize = attachments.iter().map(|one| one.bytes.len()).sum();
    if bytes > MOST_BYTES {
        let message = format!("the attachments have {bytes} bytes, and a request may have {MOST_BYTES}");
        return Err(CommandError::usage(message).hint("name files in the request: a run can read them"));
    }
    let folder = workspace.join(FOLDER);
    let failed = |error: io::Error| {
        CommandError::failed(format!("an attachment cannot be written into {}", folder.display()))
            .because(error)
    };
    fs::create_dir_all(&folder).map_err(failed)?;
    // A run may have put a link here, and this is written without confinement.
    if !fs::symlink_metadata(&folder).map_err(failed)?.is_dir() {
        return Err(CommandError::failed(format!(
            "{} is a link, and nothing is written there",
            folder.display()
        ))
        .hint("remove it"));
    }
    let mut named = text.to_owned();
    for attachment in attachments {
        let path = written(&folder, attachment).map_err(failed)?;
        named.push_str(&format!("\n\nAttached file: {}", path.display()));
    }
    Ok(named)
}

fn written(folder: &Path, attachment: &Attachment) -> io::Result<PathBuf> {
    let name = file_name(&attachment.name);
    let (stem, ending) = name
        .rsplit_once('.')
        .map_or((name.as_str(), String::new()), |(stem, ending)| (stem, format!(".{ending}")));
    for number in 1..=MOST_OF_A_NAME {
        let name = if number == 1 { name.clone() } else { format!("{stem}-{number}{ending}") };
        let path = folder.join(name);
        match OpenOptions::new().create_new(true).write(true).mode(0o600).open(&path) {
            Ok(mut file) => return file.write_all(&attachment.bytes).map(|()| path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// A plain name: a client's word names no other folder and no hidden file.
fn file_name(given: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' };
    let name: String = given.chars().map(plain).take(80).collect();
    let name = name.trim_start_matches(['.', '_']);
    if name.is_empty() { "attachment".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attachment_is_a_new_file_whose_name_leads_nowhere() {
        let workspace = tempfile::tempdir().unwrap();
        let one = |name: &str| Attachment { name: name.to_owned(), bytes: b"x".to_vec() };
        let given = [one("../../.bashrc"), one("a b.png"), one("a b.png"), one("")];
        let text = named_in("Look", &given, workspace.path()).unwrap();
        let folder = workspace.path().join(FOLDER);
        let names = ["bashrc", "a_b.png", "a_b-2.png", "attachment"];
        let expected: String =
            names.map(|name| format!("\n\nAttached file: {}", folder.join(name).display())).concat();
        assert_eq!(text, format!("Look{expected}"));
        assert_eq!(named_in("Look", &[], Path::new("/nowhere")).unwrap(), "Look");
    }

    #[test]
    fn a_link_in_the_workspace_is_not_followed() {
        let (workspace, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(elsewhere.path(), workspace.path().join(FOLDER)).unwrap();
        let given = [Attachment { name: "a".to_owned(), bytes: b"x".to_vec() }];
        assert!(named_in("Look", &given, workspace.path()).is_err());
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }
}
