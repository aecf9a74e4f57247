//! Where logins are kept: one file of mode 0600 for each server, below artoo's own data.

use std::io::Read;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use reqwest::Url;
use rmcp::transport::auth::{AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials};
use sha2::{Digest, Sha256};

use crate::pins::{lock, open_private, write_private};

/// The largest file that is read, in bytes.
const LARGEST: u64 = 1024 * 1024;

/// The login of one server. It is never logged, and no tool and no server can read it.
#[derive(Clone, Debug)]
pub(crate) struct LoginStore {
    folder: PathBuf,
    path: PathBuf,
}

impl LoginStore {
    /// That of the server at this address. Another address has another login, whatever its name.
    pub(crate) fn new(folder: &Path, url: &Url) -> Self {
        let name = hex::encode(Sha256::digest(url.as_str()));
        Self { folder: folder.to_owned(), path: folder.join(format!("{name}.json")) }
    }

    pub(crate) fn is_there(&self) -> bool {
        self.path.symlink_metadata().is_ok()
    }

    /// Forgets the login. Whether there was one.
    pub(crate) fn remove(&self) -> std::io::Result<bool> {
        match std::fs::remove_file(&self.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The rights that were granted with it.
    pub(crate) fn granted(&self) -> Option<Vec<String>> {
        Some(self.read().ok()??.granted_scopes)
    }

    fn read(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let mut bytes = Vec::new();
        match open_private(&self.path) {
            Ok(file) => file.take(LARGEST).read_to_end(&mut bytes).map_err(|error| failed(&error))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(&error)),
        };
        serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|_| failed(&"the file of the login cannot be understood"))
    }
}

fn failed(error: &dyn std::fmt::Display) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}

#[async_trait]
impl CredentialStore for LoginStore {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        self.read()
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let text = serde_json::to_vec(&credentials).map_err(|_| failed(&"the login cannot be written"))?;
        std::fs::create_dir_all(&self.folder).map_err(|error| failed(&error))?;
        write_private(&self.path, &text).map_err(|error| failed(&error))
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.remove().map(drop).map_err(|error| failed(&error))
    }

    /// Two processes of artoo do not renew the same login at the same time: the second one would use up a token that is gone.
    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        let folder = self.folder.clone();
        let locked = tokio::task::spawn_blocking(move || lock(&folder)).await;
        match locked {
            Ok(Ok(file)) => Ok(Some(CredentialRefreshGuard::new(file))),
            Ok(Err(error)) => Err(failed(&error)),
            Err(lost) => Err(failed(&lost)),
        }
    }
}
