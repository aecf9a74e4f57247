//! The program of a server: started confined, watched to its end, and gone with its connection.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use artoo_sandbox::{Confinement, Ending, GrantedVariables, Invocation, Piped, Process};
use artoo_tools::ServerPlace;
use tokio::io::AsyncReadExt;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::config::Stdio;
use crate::end::{End, Why};
use crate::own_folder::OwnFolder;
use crate::{McpError, ServerConfig, StartContext};

/// How long a program whose input was closed may take to end by itself, and one that closed its output.
const GOODBYE: Duration = Duration::from_millis(500);
/// How long the last of standard error may take after the end.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// A running program. Dropped, its whole process tree is killed.
#[derive(Debug)]
pub(crate) struct Child {
    watch: JoinHandle<()>,
    listen: JoinHandle<()>,
    _private_tmp: OwnFolder,
}

impl Child {
    /// Starts the program of a server.
    pub(crate) async fn start(
        (config, stdio): (&ServerConfig, &Stdio),
        (command, args, env): (String, Vec<String>, Vec<(OsString, OsString)>),
        end: &Arc<End>,
        cx: &StartContext,
    ) -> Result<(Self, ChildStdout, ChildStdin), McpError> {
        let server = || config.name.to_string();
        let (confinement, private_tmp) = held(config, stdio, env, cx).await?;
        let invocation = Invocation {
            program: command.into(),
            arguments: args.into_iter().map(Into::into).collect(),
            folder: cx.folder.clone(),
            environment: cx.environment.clone(),
            timeout: Duration::MAX,
            keep: 0,
        };
        let stop = cx.cancel.child_token();
        let started = artoo_sandbox::start(&invocation, &confinement, &stop).await;
        let Piped { stdin, stdout, stderr, process } =
            started.map_err(|source| McpError::Start { server: server(), source })?;
        let (heard, listened) = (Arc::clone(end), Arc::clone(end));
        let (done, last_words) = tokio::sync::oneshot::channel();
        let listen = tokio::spawn(async move {
            listen(stderr, &heard).await;
            drop(done);
        });
        let watch = tokio::spawn(watch(process, listened, stop, last_words));
        Ok((Self { watch, listen, _private_tmp: private_tmp }, stdout, stdin))
    }

    /// Waits until the whole process tree is gone.
    pub(crate) async fn gone(mut self) {
        // It ends soon after the connection is over.
        let _ = (&mut self.watch).await;
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.watch.abort();
        self.listen.abort();
    }
}

/// What the kernel holds it to, and its own folder for temporary files.
async fn held(
    config: &ServerConfig,
    stdio: &Stdio,
    env: Vec<(OsString, OsString)>,
    cx: &StartContext,
) -> Result<(Confinement, OwnFolder), McpError> {
    let (place, folders, network) = (cx.clone(), stdio.folders.clone(), stdio.network());
    let name = config.name.clone();
    let looked = tokio::task::spawn_blocking(move || {
        let failed =
            |source| McpError::Io { action: "make a folder in", path: place.private_tmp.clone(), source };
        let own = OwnFolder::create(&place.private_tmp, &name).map_err(failed)?;
        let place = ServerPlace {
            home: &place.home,
            protected: &place.protected,
            read_only: &place.read_only,
            folders: &folders,
            network,
            private_tmp: own.path(),
        };
        let confinement = place
            .confinement()
            .map_err(|source| McpError::Confinement { server: name.to_string(), source })?;
        Ok((Confinement { variables: GrantedVariables::from_iter(env), ..confinement }, own))
    });
    let path = cx.private_tmp.clone();
    looked.await.unwrap_or_else(|lost| {
        Err(McpError::Io { action: "make a folder in", path, source: std::io::Error::other(lost) })
    })
}

/// Keeps the end of what it complains about.
async fn listen(mut stderr: ChildStderr, end: &End) {
    let mut buffer = vec![0; 8 * 1024];
    while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
        end.complained(buffer.get(..read).unwrap_or_default());
    }
}

/// Sees to it that the connection is over when the program is, and the other way round.
async fn watch(
    mut process: Process,
    end: Arc<End>,
    stop: CancellationToken,
    last_words: tokio::sync::oneshot::Receiver<()>,
) {
    let ended = tokio::select! {
        ended = process.ended() => Some(ended),
        () = end.silent.notified() => timeout(GOODBYE, process.ended()).await.ok(),
        // Its input is closed now, which most programs take for a goodbye.
        () = end.over.cancelled() => timeout(GOODBYE, process.ended()).await.ok(),
    };
    let Some(ended) = ended else {
        end.say(Why::Closed);
        stop.cancel();
        // Whatever it says, it is gone then.
        let _ = process.ended().await;
        return;
    };
    let _ = timeout(LAST_WORDS, last_words).await;
    end.say(match ended.map(|ended| ended.ending) {
        Ok(Ending::Cancelled) => Why::Stopped,
        Ok(ending) => Why::Exited(ending),
        Err(_) => Why::Closed,
    });
}
