//! The tree in which a row runs: a home with a workspace, a working folder, and everything in them that can
//! be broken.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use artoo_consent::Consent;
use artoo_sandbox::{Capture, Confinement, Ending, Invocation, SandboxMode, run, run_unconfined};
use artoo_snapshot::{Snapshot, SnapshotLimits};
use artoo_tools::{EvidenceStore, RunFolders, ToolContext, ToolLimits};
use rustix::fs::{XattrFlags, setxattr};
use tokio_util::sync::CancellationToken;

use super::observed::Observed;

/// The script that creates the tree.
const SCRIPT: &str = include_str!("template.sh");

/// Shared folders in which a command may leave files outside of the tree.
const SHARED_FOLDERS: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// How commands are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// The usual case: trials are possible.
    Trial,
    /// On a machine without overlay file systems.
    WithoutTrials,
    /// With no folder writable.
    ReadOnly,
}

/// What protects the test machine from a row that runs without artoo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fence {
    /// The kernel allows writes only to its tree: a wrong row must not destroy `/dev/null`.
    Tree,
    /// No fence: for rows whose effect the kernel's rules would prevent.
    None,
}

/// The tree from which the others are copied.
pub(crate) struct Template(Tree);

/// One tree, removed when it is dropped.
pub(crate) struct Tree {
    /// Its real path. `tree` in it is compared; `data` and `private` belong to artoo.
    root: PathBuf,
    _folder: tempfile::TempDir,
}

impl Template {
    pub(crate) async fn new() -> Arc<Self> {
        let tree = Tree::empty();
        fs::create_dir(tree.top()).unwrap();
        let (ending, _, err) = tree.run("bash", &["-c", SCRIPT], &tree.top(), Fence::None).await;
        assert_eq!(ending, Ending::Exited(0), "{}", String::from_utf8_lossy(&err));
        let named = tree.folder().join("xattr.txt");
        setxattr(&named, "user.comment", b"kept", XattrFlags::empty()).unwrap();
        Arc::new(Self(tree))
    }

    /// A fresh tree: contents, modes, times, links and attributes as in the template.
    pub(crate) async fn copy(&self) -> Tree {
        let tree = Tree::empty();
        let [from, to] = [self.0.top(), tree.top()].map(|path| path.into_os_string().into_string().unwrap());
        let (ending, _, err) = tree.run("cp", &["-a", &from, &to], &tree.root, Fence::None).await;
        assert_eq!(ending, Ending::Exited(0), "{}", String::from_utf8_lossy(&err));
        tree
    }
}

impl Tree {
    /// The folder of a tree, without the tree.
    pub(crate) fn empty() -> Self {
        let named = || tempfile::Builder::new().prefix("artoo-row-").to_owned();
        // A thousand trees are created and removed, which takes ten times as long on a disk as in memory.
        let folder = named().tempdir_in("/dev/shm").or_else(|_| named().tempdir()).unwrap();
        let root = folder.path().canonicalize().unwrap();
        for part in ["data", "private"] {
            fs::create_dir(root.join(part)).unwrap();
        }
        Self { root, _folder: folder }
    }

    /// The whole folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The compared part.
    pub(crate) fn top(&self) -> PathBuf {
        self.root.join("tree")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("tree/home")
    }

    /// The working folder.
    pub(crate) fn folder(&self) -> PathBuf {
        self.root.join("tree/home/project")
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.root.join("tree/home/artoo_workspace")
    }

    /// artoo's own data folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    /// A unique name.
    pub(crate) fn marker(&self) -> String {
        format!("of-{}", self.root.file_name().unwrap().to_str().unwrap())
    }

    /// A text without parts that differ from tree to tree.
    pub(crate) fn neutral(&self, text: &[u8]) -> String {
        String::from_utf8_lossy(text).replace(self.root.to_str().unwrap(), "ROOT")
    }

    /// The state of the tree, and files left in the shared folders.
    pub(crate) fn observed(&self) -> Observed {
        let left = SHARED_FOLDERS.map(|folder| Path::new(folder).join(self.marker()));
        Observed::of(&self.top(), &left)
    }

    /// A context whose questions go to `consent`.
    pub(crate) fn context(&self, way: Way, consent: Arc<dyn Consent>) -> ToolContext {
        let folders = RunFolders {
            working_folder: self.folder(),
            workspace: self.workspace(),
            home: self.home(),
            private_tmp: self.root.join("private/tmp"),
        };
        let evidence = EvidenceStore::open(self.data().join("evidence")).unwrap();
        let undo = Snapshot::new(self.data().join("undo"), vec![self.data()], SnapshotLimits::default());
        ToolContext {
            protected: vec![self.data(), self.home().join("Vault")].into(),
            mode: match way {
                Way::Trial | Way::WithoutTrials => SandboxMode::WorkspaceWrite,
                Way::ReadOnly => SandboxMode::ReadOnly,
            },
            environment: self.environment(),
            layer_stores: match way {
                Way::Trial => vec![self.data().join("layers")],
                Way::WithoutTrials | Way::ReadOnly => Vec::new(),
            },
            consent,
            snapshot: Some(undo),
            time: Arc::new(chrono::DateTime::parse_from_rfc3339("2026-11-21T23:00:00+02:00").unwrap()),
            limits: ToolLimits { command_time: Duration::from_secs(20), ..ToolLimits::default() },
            ..ToolContext::new(folders, evidence)
        }
    }

    fn environment(&self) -> BTreeMap<OsString, OsString> {
        BTreeMap::from([
            ("PATH".into(), artoo_test_needs::path().into()),
            ("HOME".into(), self.home().into()),
            ("LANG".into(), "C.UTF-8".into()),
            ("USER".into(), "ada".into()),
        ])
    }

    /// Runs shell text without artoo: ending, output and errors.
    pub(crate) async fn without_artoo(&self, command: &str, fence: Fence) -> (Ending, Vec<u8>, Vec<u8>) {
        self.run("bash", &["-c", command], &self.folder(), fence).await
    }

    async fn run(
        &self,
        program: &str,
        arguments: &[&str],
        folder: &Path,
        fence: Fence,
    ) -> (Ending, Vec<u8>, Vec<u8>) {
        let tmp = self.root.join("private/tmp");
        fs::create_dir_all(&tmp).unwrap();
        let mut environment = self.environment();
        environment.insert("WORKSPACE".into(), self.workspace().into());
        environment.insert("TMPDIR".into(), tmp.clone().into());
        let invocation = Invocation {
            program: program.into(),
            arguments: arguments.iter().map(Into::into).collect(),
            folder: folder.to_owned(),
            environment,
            timeout: Duration::from_secs(20),
            keep: artoo_sandbox::DEFAULT_KEEP,
        };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
        let never = CancellationToken::new();
        let ran = match fence {
            Fence::None => run_unconfined(&invocation, capture, &never).await,
            Fence::Tree => {
                let confinement = Confinement {
                    writable: vec![self.root.clone()],
                    ..Confinement::new(SandboxMode::WorkspaceWrite, tmp)
                };
                run(&invocation, &confinement, capture, &never).await
            }
        };
        (ran.unwrap().ending, out, err)
    }
}

impl Drop for Tree {
    /// Removes what a row left outside, and folders that only root could remove.
    fn drop(&mut self) {
        for folder in SHARED_FOLDERS {
            let left = Path::new(folder).join(self.marker());
            // Nothing exists there unless the row was carried out.
            let _ = fs::remove_file(&left).or_else(|_| fs::remove_dir_all(&left));
        }
        open_folders(&self.root);
    }
}

fn open_folders(folder: &Path) {
    // What cannot be opened stays behind in the temporary folder.
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_folders(&entry.path());
        }
    }
}
