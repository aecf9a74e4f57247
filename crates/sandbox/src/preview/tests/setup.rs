//! Shared test setup: a workspace, a folder outside, a store, and ways to run a script.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use artoo_anchored_files::changed_trees::{Seen, picture};
use tokio_util::sync::CancellationToken;

use super::super::{Changes, Preview, PreviewError, preview, preview_with_links};
use crate::{Capture, Confinement, Invocation, Network, Outcome, ResourceLimits, SandboxMode, run};

pub(super) struct Place {
    temporary: tempfile::TempDir,
    pub(super) root: PathBuf,
    pub(super) outside: PathBuf,
    pub(super) tmp: PathBuf,
    pub(super) store: PathBuf,
    pub(super) roots: Vec<PathBuf>,
    pub(super) mode: SandboxMode,
    pub(super) network: Network,
    pub(super) limits: ResourceLimits,
    pub(super) timeout: Duration,
}

/// A place, or `None` (with a message) if this machine has no previews.
pub(super) fn place() -> Option<Place> {
    let place = Place::new();
    match Preview::supported(&place.store) {
        Ok(()) => Some(place),
        Err(reason) => {
            artoo_test_needs::skip(artoo_test_needs::Ability::Overlays, reason);
            None
        }
    }
}

impl Place {
    fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let real = temporary.path().canonicalize().unwrap();
        let folder = |name: &str| {
            fs::create_dir(real.join(name)).unwrap();
            real.join(name)
        };
        let root = folder("work space");
        Self {
            outside: folder("outside"),
            tmp: real.join("tmp"),
            // Contains every character that is special in mount options.
            store: real.join("store, upperdir=a:b\\c d"),
            roots: vec![root.clone()],
            root,
            mode: SandboxMode::WorkspaceWrite,
            network: Network::Denied,
            limits: ResourceLimits::default(),
            timeout: Duration::from_secs(60),
            temporary,
        }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(super) fn home(&self) -> PathBuf {
        self.temporary.path().canonicalize().unwrap()
    }

    fn invocation(&self, folder: &Path, script: &[u8]) -> Invocation {
        Invocation {
            program: "sh".into(),
            // $1 is the folder outside.
            arguments: vec![
                "-c".into(),
                std::ffi::OsString::from_vec(script.to_vec()),
                "sh".into(),
                self.outside.clone().into(),
            ],
            folder: folder.to_owned(),
            environment: BTreeMap::from([
                ("PATH".into(), artoo_test_needs::path().into()),
                ("LC_ALL".into(), "C".into()),
                ("OPENAI_API_KEY".into(), "sk-canary".into()),
            ]),
            timeout: self.timeout,
            keep: crate::DEFAULT_KEEP,
        }
    }

    fn confinement(&self, writable: &Path) -> Confinement {
        Confinement {
            network: self.network,
            limits: self.limits,
            writable: vec![writable.to_owned()],
            ..Confinement::new(self.mode, &self.tmp)
        }
    }

    /// A preview with the script's output.
    pub(super) async fn said(
        &self,
        script: &[u8],
        cancel: &CancellationToken,
    ) -> Result<(Preview, String), PreviewError> {
        let mut said = Vec::new();
        let mut errors = Vec::new();
        let capture = Capture { stdout: &mut said, stderr: &mut errors, on_chunk: None };
        let invocation = self.invocation(&self.root, script);
        let confinement = self.confinement(&self.root);
        let preview = preview(&invocation, &confinement, &self.roots, &self.store, capture, cancel).await?;
        said.extend(errors);
        Ok((preview, String::from_utf8_lossy(&said).trim().to_owned()))
    }

    pub(super) async fn try_sh(&self, script: &str) -> Result<Preview, PreviewError> {
        Ok(self.said(script.as_bytes(), &CancellationToken::new()).await?.0)
    }

    /// A preview for a caller that decides about hard links itself.
    pub(super) async fn sh_with_links(&self, script: &str) -> Preview {
        let capture = Capture { stdout: &mut Vec::new(), stderr: &mut Vec::new(), on_chunk: None };
        let (invocation, confinement) =
            (self.invocation(&self.root, script.as_bytes()), self.confinement(&self.root));
        let (cancel, roots) = (CancellationToken::new(), &self.roots);
        preview_with_links(&invocation, &confinement, roots, &self.store, capture, &cancel).await.unwrap()
    }

    pub(super) async fn sh(&self, script: &str) -> Preview {
        let (preview, said) = self.said(script.as_bytes(), &CancellationToken::new()).await.unwrap();
        assert_eq!(preview.outcome.ending, crate::Ending::Exited(0), "{script}: {said}");
        preview
    }

    /// Runs the same script without a preview, in another folder.
    pub(super) async fn plainly(&self, folder: &Path, script: &[u8]) -> Outcome {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
        let invocation = self.invocation(folder, script);
        run(&invocation, &self.confinement(folder), capture, &CancellationToken::new()).await.unwrap()
    }

    pub(super) fn picture(&self) -> BTreeMap<PathBuf, Seen> {
        picture(&self.root)
    }

    /// No trace of a preview may be left.
    pub(super) fn store_is_empty(&self) -> bool {
        fs::read_dir(&self.store).map_or(true, |mut left| left.next().is_none())
    }

    /// How each path below the root would change, in words.
    pub(super) fn words(&self, changes: &Changes) -> Vec<String> {
        let below = |path: &Path| path.strip_prefix(&self.root).unwrap().to_string_lossy().into_owned();
        let words = changes.iter().map(|change| {
            let mut words = format!("{} {}", change.kind, below(&change.path));
            if let Some(other) = &change.moved {
                words = format!("{words} ({})", below(other));
            }
            if let Some(other) = &change.same_file_as {
                words = format!("{words} = {}", below(other));
            }
            words
        });
        words.collect()
    }
}
