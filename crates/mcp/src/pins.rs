//! The definitions that a person has approved, on disk.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Definition, McpError, ServerConfig, Transport};

/// The name of the file in its folder.
const FILE: &str = "pins.json";
/// The largest file that is read, in bytes.
const LARGEST: u64 = 64 * 1024 * 1024;

/// What a server is, for approvals: its program with arguments, folders and network, or its address. Another one with the same name has
/// another identity. Values of variables are no part of it, so it holds no secret.
///
/// ```
/// use artoo_mcp::{Identity, ServerTable};
///
/// let of = |network| {
///     let table = ServerTable { command: Some("notes".into()), network, ..ServerTable::default() };
///     table.into_config("notes".parse()?, "/home/ada".as_ref()).map(|config| Identity::of(&config))
/// };
/// assert_ne!(of(false)?, of(true)?);
/// # Ok::<(), artoo_mcp::McpError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Identity(String);

impl Identity {
    /// That of a server.
    pub fn of(config: &ServerConfig) -> Self {
        let parts = match &config.transport {
            Transport::Stdio(stdio) => {
                let words = std::iter::once(&stdio.command).chain(&stdio.args).map(|text| text.to_string());
                let folders = stdio.folders.iter().map(|folder| folder.display().to_string());
                serde_json::json!([
                    "stdio",
                    words.collect::<Vec<_>>(),
                    folders.collect::<Vec<_>>(),
                    stdio.env.keys().collect::<Vec<_>>(),
                    stdio.network
                ])
            }
            Transport::Http(http) => serde_json::json!(["http", http.url.to_string()]),
        };
        Self(hex::encode(Sha256::digest(parts.to_string())))
    }
}

/// The definitions that a person has approved, server by server, and their answers about offered files. It lies in a file of mode 0600
/// below artoo's own data, which no tool and no server can read.
///
/// ```
/// use artoo_mcp::{Identity, Pins, ServerTable};
///
/// let folder = tempfile::tempdir()?;
/// let table = ServerTable { command: Some("notes".into()), ..ServerTable::default() };
/// let server = Identity::of(&table.into_config("notes".parse()?, "/home/ada".as_ref())?);
/// let pins = Pins::new(folder.path().join("mcp"));
/// assert_eq!(pins.approved(&server)?, None); // nobody was asked yet
/// pins.approve(&server, Vec::new())?;
/// assert_eq!(pins.approved(&server)?, Some(Vec::new()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pins {
    folder: PathBuf,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Content {
    #[serde(default)]
    servers: BTreeMap<Identity, Vec<Definition>>,
    /// The answers about files that folders offer, by the hash of their content.
    #[serde(default)]
    offers: BTreeMap<String, bool>,
}

impl Pins {
    /// Those in this folder, which is made with the first approval.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// What was approved of a server; `None` if nothing ever was.
    ///
    /// # Errors
    ///
    /// [`McpError::Io`] and [`McpError::Damaged`]: what cannot be read approves nothing.
    pub fn approved(&self, server: &Identity) -> Result<Option<Vec<Definition>>, McpError> {
        Ok(self.read()?.servers.remove(server))
    }

    /// Puts on record that a person approved these definitions, in place of all before.
    ///
    /// # Errors
    ///
    /// As for [`approved`](Self::approved).
    pub fn approve(&self, server: &Identity, definitions: Vec<Definition>) -> Result<(), McpError> {
        self.change(|content| drop(content.servers.insert(server.clone(), definitions)))
    }

    /// Forgets a server: all of it is asked about again.
    ///
    /// # Errors
    ///
    /// As for [`approved`](Self::approved).
    pub fn forget(&self, server: &Identity) -> Result<(), McpError> {
        self.change(|content| drop(content.servers.remove(server)))
    }

    /// What a person answered when a file with this content was offered; `None` if they were not asked.
    ///
    /// # Errors
    ///
    /// As for [`approved`](Self::approved).
    pub fn offered(&self, content: &str) -> Result<Option<bool>, McpError> {
        Ok(self.read()?.offers.get(content).copied())
    }

    /// Puts the answer about an offered file on record.
    ///
    /// # Errors
    ///
    /// As for [`approved`](Self::approved).
    pub fn answer_offer(&self, content: &str, is_taken: bool) -> Result<(), McpError> {
        self.change(|kept| {
            let _ = kept.offers.insert(content.to_owned(), is_taken);
        })
    }

    fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    fn read(&self) -> Result<Content, McpError> {
        let path = self.path();
        let mut bytes = Vec::new();
        match open_private(&path) {
            Ok(file) => {
                let read = file.take(LARGEST).read_to_end(&mut bytes);
                read.map_err(|source| McpError::Io { action: "read", path: path.clone(), source })?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Content::default()),
            Err(source) => return Err(McpError::Io { action: "read", path, source }),
        }
        serde_json::from_slice(&bytes).map_err(|error| McpError::Damaged { path, problem: error.to_string() })
    }

    /// Changes the file as it is now, while nobody else does.
    fn change(&self, change: impl FnOnce(&mut Content)) -> Result<(), McpError> {
        let _lock = lock(&self.folder)?;
        let mut content = self.read()?;
        change(&mut content);
        let text = serde_json::to_vec_pretty(&content)
            .map_err(|error| McpError::Damaged { path: self.path(), problem: error.to_string() })?;
        write_private(&self.path(), &text)
    }
}

/// Opens a file that must be a regular one of its own, and no link.
pub(crate) fn open_private(path: &Path) -> io::Result<File> {
    let no_follow =
        rustix::fs::OFlags::NOFOLLOW.bits().cast_signed() | rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(no_follow).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// Holds back others that change files of this folder, which is made if it is missing.
pub(crate) fn lock(folder: &Path) -> Result<File, McpError> {
    let failed = |source| McpError::Io { action: "change what lies in", path: folder.to_owned(), source };
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    let options = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).clone();
    let file = options.open(folder.join(".lock")).map_err(failed)?;
    file.lock().map_err(failed)?;
    Ok(file)
}

/// Writes a file of mode 0600, whole or not at all.
pub(crate) fn write_private(path: &Path, content: &[u8]) -> Result<(), McpError> {
    let failed = |source| McpError::Io { action: "write", path: path.to_owned(), source };
    let folder = path.parent().unwrap_or(path);
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.as_file().set_permissions(fs::Permissions::from_mode(0o600)).map_err(failed)?;
    file.write_all(content).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}
