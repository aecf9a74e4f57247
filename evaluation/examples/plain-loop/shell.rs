//! The loop's only tool.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use artoo_sandbox::{
    Capture, Confinement, Ending, Invocation, Outcome, SandboxError, SandboxMode, Support, probe, run,
    run_unconfined,
};
use tokio_util::sync::CancellationToken;

/// Maximum characters of an output that the model sees.
const SHOWN: usize = 6000;

/// Runs commands in a home.
#[derive(Debug)]
pub(crate) struct Shell {
    home: PathBuf,
    workspace: PathBuf,
}

impl Shell {
    /// A shell in a home, with a workspace beside it.
    pub(crate) fn new(home: PathBuf, workspace: PathBuf) -> Self {
        Self { home, workspace }
    }

    /// Runs a command and returns its output and how it ended.
    pub(crate) async fn run(&self, command: &str) -> String {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let capture = Capture { stdout: &mut stdout, stderr: &mut stderr, on_chunk: None };
        let ended = match self.started(command, capture).await {
            Ok(Outcome { ending: Ending::Exited(status), .. }) => format!("[exit status {status}]"),
            Ok(Outcome { ending, .. }) => format!("[{ending:?}]"),
            Err(error) => format!("[{error}]"),
        };
        format!("{}{}{ended}", shown(&stdout), shown(&stderr))
    }

    async fn started(&self, command: &str, capture: Capture<'_>) -> Result<Outcome, SandboxError> {
        let invocation = Invocation {
            program: "sh".into(),
            arguments: vec!["-c".into(), command.into()],
            folder: self.home.clone(),
            environment: ["PATH", "HOME"]
                .into_iter()
                .filter_map(|name| Some((name.into(), std::env::var_os(name)?)))
                .chain([("LANG".into(), "C.UTF-8".into())])
                .collect::<BTreeMap<_, _>>(),
            timeout: Duration::from_secs(60),
            keep: 1024 * 1024,
        };
        let never = CancellationToken::new();
        if !matches!(probe(), Support::Enforced { .. }) {
            return run_unconfined(&invocation, capture, &never).await;
        }
        let confinement = Confinement {
            writable: vec![self.home.clone(), self.workspace.clone()],
            ..Confinement::new(SandboxMode::WorkspaceWrite, self.workspace.join(".tmp"))
        };
        run(&invocation, &confinement, capture, &never).await
    }
}

/// An output as the model sees it: its beginning and its end.
fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let chars: Vec<char> = text.chars().collect();
    let whole = chars.len() <= SHOWN;
    let (head, tail) = if whole { (chars.len(), chars.len()) } else { (SHOWN / 2, chars.len() - SHOWN / 2) };
    let part = |range: Option<&[char]>| range.unwrap_or_default().iter().collect::<String>();
    let middle = if whole { "" } else { "\n[...]\n" };
    let text = format!("{}{middle}{}", part(chars.get(..head)), part(chars.get(tail..)));
    if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" }
}
