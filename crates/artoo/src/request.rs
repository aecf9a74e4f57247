//! What is asked of a run.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use artoo_runtime::RunRequest;
use artoo_types::Limits;

use crate::Error;

type Change = Box<dyn FnOnce(&mut RunRequest) + Send>;

/// A request: the words, and where it is worked on.
pub struct Request {
    text: String,
    folder: PathBuf,
    changes: Vec<Change>,
}

impl Request {
    /// These words, about the working folder of the process.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), folder: PathBuf::from("."), changes: Vec::new() }
    }

    /// The folder that it is about: relative paths start here, commands run here, and new files go here. It must exist.
    pub fn folder(self, folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), ..self }
    }

    /// What its run may spend: replans, corrections, time, tokens, money.
    pub fn limits(self, limits: Limits) -> Self {
        self.runtime(move |run| run.limits = limits)
    }

    /// The longest that its run may take, questions included.
    pub fn timeout(self, timeout: Duration) -> Self {
        self.runtime(move |run| run.timeout = Some(timeout))
    }

    /// Anything else that a run takes: permissions, a schema for the output, earlier turns, another time. Applied in order, when the run is
    /// started.
    ///
    /// ```
    /// use artoo::{Request, types::EffectKind};
    ///
    /// let request = Request::new("Tidy up").runtime(|run| {
    ///     run.granted.insert(EffectKind::Overwrites);
    /// });
    /// ```
    pub fn runtime(mut self, change: impl FnOnce(&mut RunRequest) + Send + 'static) -> Self {
        self.changes.push(Box::new(change));
        self
    }

    /// What the runtime is asked, where its text, its folder and the changes make the difference.
    pub(crate) fn into_run(
        self,
        plain: impl FnOnce(String, PathBuf) -> RunRequest,
    ) -> Result<RunRequest, Error> {
        let folder = whole(&self.folder).map_err(|error| Error::Folder(self.folder, error))?;
        let mut run = plain(self.text, folder);
        self.changes.into_iter().for_each(|change| change(&mut run));
        Ok(run)
    }
}

fn whole(folder: &Path) -> io::Result<PathBuf> {
    let folder = folder.canonicalize()?;
    if folder.is_dir() { Ok(folder) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request")
            .field("text", &self.text)
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}
