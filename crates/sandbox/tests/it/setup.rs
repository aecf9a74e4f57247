//! Shared test setup: a workspace, and ways to run a script there.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use artoo_sandbox::{
    Capture, Confinement, Gap, Invocation, Network, Outcome, PrivateNetwork, ResourceLimits, SandboxError,
    SandboxMode, Support, probe, run, run_unconfined,
};
use artoo_test_needs::{Ability, skip};
use tokio_util::sync::CancellationToken;

/// A writable workspace, a folder outside that is not writable, and a private TMPDIR.
pub(crate) struct Bench {
    _root: tempfile::TempDir,
    pub(crate) workspace: PathBuf,
    pub(crate) outside: PathBuf,
    pub(crate) tmp: PathBuf,
    pub(crate) mode: SandboxMode,
    pub(crate) network: Network,
    pub(crate) own_network: Option<PrivateNetwork>,
    pub(crate) limits: ResourceLimits,
    pub(crate) sealed: Vec<PathBuf>,
    pub(crate) sockets: Vec<PathBuf>,
    pub(crate) timeout: Duration,
    pub(crate) keep: u64,
    pub(crate) environment: BTreeMap<OsString, OsString>,
}

/// The result of a script.
pub(crate) struct Ran {
    pub(crate) outcome: Outcome,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

impl Ran {
    pub(crate) fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim().to_owned()
    }

    pub(crate) fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).trim().to_owned()
    }
}

/// A bench, or `None` (with a message) if the kernel cannot confine commands.
pub(crate) fn confined_bench() -> Option<Bench> {
    match probe() {
        Support::Enforced { .. } => Some(Bench::new(SandboxMode::WorkspaceWrite)),
        Support::Missing(reason) => {
            skip(Ability::Landlock, reason);
            None
        }
    }
}

/// A bench whose commands share a network of their own, or `None` (with a message).
pub(crate) fn networked_bench() -> Option<Bench> {
    let mut bench = namespace_bench()?;
    let network = PrivateNetwork::default();
    if let Err(reason) = network.make() {
        skip(Ability::Namespaces, reason);
        return None;
    }
    bench.own_network = Some(network);
    Some(bench)
}

/// A bench whose commands get their own mounts, or `None` (with a message).
pub(crate) fn namespace_bench() -> Option<Bench> {
    let bench = confined_bench()?;
    let Support::Enforced { gaps, .. } = probe() else { return None };
    if gaps.contains(&Gap::PartsOfFolders) {
        skip(Ability::Namespaces, "commands get no mounts of their own");
        return None;
    }
    Some(bench)
}

/// Whether Landlock holds back signals and abstract sockets; reports it if not.
pub(crate) fn has_scopes() -> bool {
    let has = matches!(probe(), Support::Enforced { abi: 6.., .. });
    if !has {
        skip(Ability::Scopes, "Landlock is older than version 6");
    }
    has
}

impl Bench {
    pub(crate) fn new(mode: SandboxMode) -> Self {
        let root = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let path = root.path().join(name);
            fs::create_dir(&path).unwrap();
            path.canonicalize().unwrap()
        };
        let environment = BTreeMap::from([
            ("PATH".into(), artoo_test_needs::path().into()),
            ("HOME".into(), "/nonexistent".into()),
            ("LC_ALL".into(), "C".into()),
            ("OPENAI_API_KEY".into(), "sk-canary".into()),
            ("LC_TOKEN".into(), "canary".into()),
            ("HTTPS_PROXY".into(), "http://user:canary@proxy".into()),
        ]);
        Self {
            workspace: folder("work space"),
            outside: folder("outside"),
            tmp: root.path().join("tmp"),
            _root: root,
            mode,
            network: Network::Denied,
            own_network: None,
            limits: ResourceLimits::default(),
            sealed: Vec::new(),
            sockets: Vec::new(),
            timeout: Duration::from_secs(30),
            keep: artoo_sandbox::DEFAULT_KEEP,
            environment,
        }
    }

    pub(crate) fn confinement(&self) -> Confinement {
        Confinement {
            network: self.network,
            own_network: self.own_network.clone(),
            limits: self.limits,
            writable: vec![self.workspace.clone()],
            sealed: self.sealed.clone(),
            sockets: self.sockets.clone(),
            ..Confinement::new(self.mode, &self.tmp)
        }
    }

    pub(crate) fn invocation(&self, script: &str) -> Invocation {
        Invocation {
            program: "sh".into(),
            // $1 is the folder outside.
            arguments: vec!["-c".into(), script.into(), "sh".into(), self.outside.clone().into()],
            folder: self.workspace.clone(),
            environment: self.environment.clone(),
            timeout: self.timeout,
            keep: self.keep,
        }
    }

    pub(crate) async fn sh(&self, script: &str) -> Ran {
        self.try_sh(script, &CancellationToken::new()).await.unwrap()
    }

    pub(crate) async fn try_sh(&self, script: &str, cancel: &CancellationToken) -> Result<Ran, SandboxError> {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let capture = Capture { stdout: &mut stdout, stderr: &mut stderr, on_chunk: None };
        let outcome = run(&self.invocation(script), &self.confinement(), capture, cancel).await?;
        Ok(Ran { outcome, stdout, stderr })
    }

    pub(crate) async fn unconfined(&self, script: &str) -> Ran {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let capture = Capture { stdout: &mut stdout, stderr: &mut stderr, on_chunk: None };
        let outcome =
            run_unconfined(&self.invocation(script), capture, &CancellationToken::new()).await.unwrap();
        Ran { outcome, stdout, stderr }
    }
}

/// Whether a process exists and is not just waiting to be reaped.
pub(crate) fn lives(pid: &str) -> bool {
    assert!(pid.parse::<u32>().is_ok(), "no process number: {pid:?}");
    fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with(['Z', 'X']))
}

/// Waits until a file contains a complete line, and returns it.
pub(crate) async fn line_of(path: &Path) -> String {
    until(|| fs::read_to_string(path).ok().filter(|text| text.ends_with('\n'))).await.trim().to_owned()
}

/// Waits for something that must happen. The limit is generous: it only keeps a failing test from hanging.
pub(crate) async fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < Duration::from_secs(20), "waited in vain");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
