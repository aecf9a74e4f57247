//! Test fixture: a home folder, a working folder with some files, and a model server.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use artoo_llm_http::doubles::{Call, MockServer, Reply};
use tempfile::TempDir;

use crate::mock_model::{count_plan, model, shell};
use crate::process::{Said, artoo, say, words};

/// The fixture.
pub(crate) struct Scene {
    root: TempDir,
    server: MockServer,
    runtime: tokio::runtime::Runtime,
}

impl Scene {
    /// Creates a fixture whose server answers with `answer`.
    pub(crate) fn new(answer: impl Fn(&Call) -> Reply + Send + Sync + 'static) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let server = runtime.block_on(MockServer::start(answer)).unwrap();
        let scene = Self { root: tempfile::tempdir().unwrap(), server, runtime };
        std::fs::create_dir_all(scene.folder().join("docs")).unwrap();
        std::fs::create_dir_all(scene.home()).unwrap();
        for name in ["a.txt", "b.txt", "数据.txt"] {
            std::fs::write(scene.folder().join("docs").join(name), "text\n").unwrap();
        }
        scene
    }

    /// The same home and folder with another model.
    pub(crate) fn answering(self, answer: impl Fn(&Call) -> Reply + Send + Sync + 'static) -> Self {
        let server = self.runtime.block_on(MockServer::start(answer)).unwrap();
        Self { server, ..self }
    }

    /// The user's home.
    pub(crate) fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// The working folder.
    pub(crate) fn folder(&self) -> PathBuf {
        self.root.path().join("项目")
    }

    /// The server.
    pub(crate) fn server(&self) -> &MockServer {
        &self.server
    }

    /// Waits until the server has received this many requests.
    pub(crate) fn until_asked(&self, requests: usize) {
        self.runtime.block_on(self.server.wait_until(|stats| stats.requests >= requests));
    }

    /// `artoo` without a configured model.
    pub(crate) fn bare(&self, line: &[&str]) -> Command {
        let mut command = artoo(&self.home(), &self.folder());
        command.args(words(line));
        // Without Landlock, confined commands would be refused; other tests cover that.
        if !matches!(artoo_sandbox::probe(), artoo_sandbox::Support::Enforced { .. }) {
            command.env("ARTOO_SANDBOX", "full-access");
        }
        command
    }

    /// `artoo` with the server as its model.
    pub(crate) fn artoo(&self, line: &[&str]) -> Command {
        let mut command = self.bare(line);
        command
            .env("OPENAI_BASE_URL", self.server.base_url())
            .env("OPENAI_MODEL", "mock")
            .env("OPENAI_API_KEY", "sk-canary-1");
        command
    }

    /// Runs `artoo` to its end.
    pub(crate) fn say(&self, line: &[&str]) -> Said {
        say(&mut self.artoo(line))
    }

    /// Folders of the runs.
    pub(crate) fn runs(&self) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.home().join(".artoo/runs")) else { return Vec::new() };
        let mut runs: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        runs.sort();
        runs
    }

    /// Content of the only run's journal.
    pub(crate) fn journal(&self) -> String {
        let runs = self.runs();
        assert_eq!(runs.len(), 1, "{runs:?}");
        std::fs::read_to_string(runs[0].join("events.jsonl")).unwrap()
    }
}

/// The request of [`deleting`].
pub(crate) const REQUEST: &str = "How many files are left?";

/// A model that deletes a file of the user's to answer.
pub(crate) fn deleting() -> Scene {
    let scene = Scene::new(model(count_plan("Remove the notes and count the rest"), |shown| {
        if shown.contains("the user did not allow it") || shown.contains("the person did not agree") {
            shell("find ~/artoo_workspace -type f | wc -l")
        } else {
            shell("rm ~/artoo_workspace/notes.txt\necho 0")
        }
    }));
    fs::create_dir_all(notes(&scene).parent().unwrap()).unwrap();
    fs::write(notes(&scene), "a year's work\n").unwrap();
    scene
}

/// The file that the model of [`deleting`] deletes.
pub(crate) fn notes(scene: &Scene) -> PathBuf {
    scene.home().join("artoo_workspace/notes.txt")
}
