//! A home, a folder with letters, and a model server.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use artoo_llm_http::doubles::{Call, MockServer, Reply};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::Failure;

/// A folder in the home, with its files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Folder {
    /// Its name.
    pub(crate) name: &'static str,
    /// The paths of its files and their contents.
    pub(crate) files: &'static [(&'static str, &'static str)],
}

/// The letters and their contents.
pub(crate) const LETTERS: Folder = Folder {
    name: "letters",
    files: &[
        ("2026-03-04-anna.txt", "Dear Anna, the roof is tight again.\n"),
        ("2026-03-17-bank.txt", "Please close the second account.\n"),
        ("2026-03-29-omar.txt", "Omar, we come on Friday.\n"),
        ("2026-04-08-mei.txt", "Mei, the parcel has arrived.\n"),
        ("2026-04-21-bank.txt", "The account is still open.\n"),
        ("drafts/anna.txt", "Dear Anna,\nthe roof\n"),
        ("drafts/town-hall.txt", "To whom it may concern:\n"),
    ],
};

/// The setup of a conversation.
pub(crate) struct Scene {
    artoo: PathBuf,
    folder: Folder,
    place: TempDir,
    server: MockServer,
    _runtime: Runtime,
}

impl Scene {
    /// With this program, the letters, and a server that answers like this.
    pub(crate) fn new(
        artoo: &Path,
        answer: impl Fn(&Call) -> Reply + Send + Sync + 'static,
    ) -> Result<Self, Failure> {
        Self::in_folder(artoo, LETTERS, answer)
    }

    /// With another folder.
    pub(crate) fn in_folder(
        artoo: &Path,
        folder: Folder,
        answer: impl Fn(&Call) -> Reply + Send + Sync + 'static,
    ) -> Result<Self, Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let server = runtime.block_on(MockServer::start(answer))?;
        let (artoo, place) = (artoo.canonicalize()?, tempfile::tempdir()?);
        let scene = Self { artoo, folder, place, server, _runtime: runtime };
        for (name, text) in folder.files {
            xtask::files::write(scene.folder().join(name), text)?;
        }
        Ok(scene)
    }

    /// The home.
    pub(crate) fn home(&self) -> &Path {
        self.place.path()
    }

    /// The folder with the files.
    pub(crate) fn folder(&self) -> PathBuf {
        self.home().join(self.folder.name)
    }

    /// The end of artoo's prompt there.
    pub(crate) fn prompt(&self) -> String {
        format!("~/{} › ", self.folder.name)
    }

    /// `artoo` with these arguments, in the folder.
    pub(crate) fn artoo(&self, words: &[&str]) -> Command {
        let mut command = self.program(&self.artoo, words);
        command.env("OPENAI_BASE_URL", self.server.base_url());
        command.env("OPENAI_MODEL", "scripted").env("OPENAI_API_KEY", "none");
        if !matches!(artoo_sandbox::probe(), artoo_sandbox::Support::Enforced { .. }) {
            eprintln!("terminal: this kernel cannot confine commands, so they are not confined");
            command.env("ARTOO_SANDBOX", "full-access");
        }
        command
    }

    /// Another program in the same place.
    #[expect(
        clippy::disallowed_methods,
        reason = "programs are measured; nothing here is what a model asked for"
    )]
    pub(crate) fn program(&self, program: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(words).current_dir(self.folder()).env_clear();
        command.env("HOME", self.home()).env("TERM", "xterm-256color").env("TZ", "UTC");
        command.env("LANG", "C.UTF-8").env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command
    }
}
