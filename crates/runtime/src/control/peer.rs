//! The client's end of the control socket.

use std::{io, path::Path, time::Duration};

use artoo_types::ActivityReport;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{
        UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::{mpsc, watch},
    time::interval,
};

use super::{ControlError, MAX_LINE, Order, Said, socket_path};
use crate::Answerer;

/// Timeout for a reply of the run's process, which handles nothing else on this socket meanwhile.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often a run is asked what goes on in it.
const PACE: Duration = Duration::from_millis(500);

/// A connection to a run of another process.
#[derive(Debug)]
pub struct Peer {
    reader: BufReader<OwnedReadHalf>,
    writer: OwnedWriteHalf,
    answers: bool,
}

impl Peer {
    /// Connects to the run of this folder. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// [`ControlError`]: no process listens, or the connection is refused.
    pub async fn connect(run_folder: &Path) -> Result<Self, ControlError> {
        let connected = socket_path::connect(run_folder).and_then(UnixStream::from_std);
        let stream = connected
            .map_err(|source| ControlError::Unreachable { path: socket_path::path(run_folder), source })?;
        let (read, writer) = stream.into_split();
        let mut peer = Self { reader: BufReader::new(read), writer, answers: false };
        match peer.hear().await? {
            Said::Ready { answers } => peer.answers = answers,
            Said::Taken {} | Said::Progress { .. } => {}
            Said::Refused { reason } => return Err(ControlError::Refused { reason }),
        }
        Ok(peer)
    }

    /// Whether the run accepts answers to its questions from here.
    pub fn takes_answers(&self) -> bool {
        self.answers
    }

    /// Sends an order.
    ///
    /// # Errors
    /// [`ControlError`]: the run refuses the order, or is gone.
    pub async fn tell(&mut self, order: &Order) -> Result<(), ControlError> {
        self.ask(order).await.map(drop)
    }

    /// What goes on in the run at this moment.
    ///
    /// # Errors
    /// [`ControlError`]: the run is gone, or is of an older artoo, which does not tell.
    pub async fn progress(&mut self) -> Result<Vec<ActivityReport>, ControlError> {
        match self.ask(&Order::Progress {}).await? {
            Said::Progress { activities } => Ok(activities),
            Said::Taken {} | Said::Ready { .. } | Said::Refused { .. } => Ok(Vec::new()),
        }
    }

    /// What goes on in the run, asked for twice a second over this connection. Nothing once the run does not tell any
    /// more. Must be called inside a tokio runtime.
    pub fn into_progress(mut self) -> watch::Receiver<Vec<ActivityReport>> {
        let (tell, told) = watch::channel(Vec::new());
        tokio::spawn(async move {
            let mut beats = interval(PACE);
            let mut tells = true;
            while tells && !tell.is_closed() {
                beats.tick().await;
                let now = self.progress().await;
                tells = now.is_ok();
                tell.send_replace(now.unwrap_or_default());
            }
        });
        told
    }

    /// The reply to an order that is not refused.
    async fn ask(&mut self, order: &Order) -> Result<Said, ControlError> {
        let mut line = serde_json::to_vec(order).map_err(|source| ControlError::Strange { source })?;
        line.push(b'\n');
        self.writer.write_all(&line).await.map_err(|source| ControlError::Gone { source })?;
        match self.hear().await? {
            Said::Refused { reason } => Err(ControlError::Refused { reason }),
            said @ (Said::Taken {} | Said::Ready { .. } | Said::Progress { .. }) => Ok(said),
        }
    }

    /// A handle that answers the run's questions over this connection, as
    /// [`Run::answerer`](crate::Run::answerer) does within the process, and the errors of what the run
    /// refused.
    pub fn into_answerer(mut self) -> (Answerer, mpsc::UnboundedReceiver<ControlError>) {
        let (answer, mut answers) = mpsc::unbounded_channel();
        let (refuse, refused) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Some(reply) = answers.recv().await {
                if let Err(error) = self.tell(&Order::from(reply)).await {
                    // The receiver may be gone.
                    let _ = refuse.send(error);
                }
            }
        });
        (Answerer(answer), refused)
    }

    async fn hear(&mut self) -> Result<Said, ControlError> {
        let mut line = Vec::new();
        let most = u64::try_from(MAX_LINE).unwrap_or(u64::MAX);
        let mut bounded = (&mut self.reader).take(most);
        let reading = bounded.read_until(b'\n', &mut line);
        let read = tokio::time::timeout(PATIENCE, reading).await.map_err(|_| ControlError::Silent)?;
        let gone = |source| ControlError::Gone { source };
        if read.map_err(gone)? == 0 {
            return Err(gone(io::ErrorKind::UnexpectedEof.into()));
        }
        serde_json::from_slice(&line).map_err(|source| ControlError::Strange { source })
    }
}
