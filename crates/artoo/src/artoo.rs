//! Artoo, put together: it starts runs.

use std::{path::PathBuf, sync::Arc};

use artoo_bus::{Clock, SystemClock};
use artoo_runtime::RunRequest;
use artoo_types::Surroundings;

use crate::{Builder, Error, Person, Request, Run};

/// Roles, models, tools and memory, ready for requests. Clones share everything.
#[derive(Clone)]
pub struct Artoo {
    pub(crate) inner: artoo_runtime::Artoo,
    pub(crate) home: PathBuf,
    pub(crate) person: Option<Arc<dyn Person>>,
}

impl Artoo {
    /// Begins to put one together.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Starts to work on a request.
    ///
    /// # Errors
    /// [`Error`]: nothing was begun then, and nothing is left behind.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn run(&self, request: Request) -> Result<Run, Error> {
        let request = request.into_run(|text, folder| self.plain(text, folder))?;
        let run = self.inner.start(request)?;
        Ok(Run::begun(run, self.person.clone()))
    }

    /// What it stands on: sessions, commands without a model, reports of the auditor, the memory.
    pub fn runtime(&self) -> &artoo_runtime::Artoo {
        &self.inner
    }

    /// Ends artoo: open runs are cancelled and end with a recorded result, and all records are on disk when this returns.
    pub async fn close(self) {
        self.inner.close().await;
    }

    /// A request about a folder, where nothing else is said.
    fn plain(&self, text: String, folder: PathBuf) -> RunRequest {
        let now = SystemClock::new().now();
        RunRequest {
            person_present: self.person.is_some(),
            ..RunRequest::new(
                text,
                Surroundings {
                    now,
                    zone: now.offset().to_string(),
                    working_folder: folder.clone(),
                    workspace: folder,
                    home: self.home.clone(),
                    platform: std::env::consts::OS.to_owned(),
                },
            )
        }
    }
}

impl std::fmt::Debug for Artoo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.inner.fmt(f)
    }
}
