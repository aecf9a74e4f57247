//! One run: its events, its result.

use std::{future::IntoFuture, sync::Arc};

use artoo_bus::{Observed, Observer};
use artoo_runtime::{
    Canceller,
    events::{EventFold, Line},
};
use artoo_types::{FinalResult, RunId};
use futures_util::{StreamExt, future::BoxFuture, stream, stream::BoxStream};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::{Person, Question, answering};

/// How many messages may wait for the task that takes them on, which does nothing else.
const WAITING: usize = 65_536;

/// One run. Await it for its result: `let result = run.await;`. Dropping it, or that future, cancels the run, which still ends with a
/// recorded result.
pub struct Run {
    inner: artoo_runtime::Run,
    lines: Option<UnboundedReceiver<Line>>,
}

impl Run {
    pub(crate) fn begun(run: artoo_runtime::Run, person: Option<Arc<dyn Person>>) -> Self {
        let (line, lines) = mpsc::unbounded_channel();
        let (question, questions) = mpsc::unbounded_channel();
        let (answerer, watching) = (run.answerer(), watch(run.id(), run.observe(WAITING), line, question));
        tokio::spawn(async move {
            let Some(person) = person else { return watching.await };
            // Whoever is asked has until the run is over.
            tokio::select! {
                () = watching => {}
                () = answering::answer(person, answerer, questions) => {}
            }
        });
        Self { inner: run, lines: Some(lines) }
    }

    /// All that happens, in order and from the beginning, to the end of the run; each line is one JSON object. There for whoever asks
    /// first; afterwards the stream is empty. What is not read waits.
    pub fn events(&mut self) -> BoxStream<'static, Line> {
        let Some(lines) = self.lines.take() else { return stream::empty().boxed() };
        stream::unfold(lines, async |mut lines| lines.recv().await.map(|line| (line, lines))).boxed()
    }

    /// A handle that cancels it, from any task.
    pub fn canceller(&self) -> Canceller {
        self.inner.canceller()
    }

    /// What it stands on: its id and the folder of its record, notes to it, observers of its messages.
    pub fn runtime(&self) -> &artoo_runtime::Run {
        &self.inner
    }
}

impl IntoFuture for Run {
    type Output = FinalResult;
    type IntoFuture = BoxFuture<'static, FinalResult>;

    /// Its one result. When this is ready, the record is written and the run's processes are gone.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.inner.finished())
    }
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.inner.fmt(f)
    }
}

/// Turns messages into events and questions until the run is over.
async fn watch(
    run: RunId,
    mut observer: Observer,
    line: UnboundedSender<Line>,
    question: UnboundedSender<Question>,
) {
    let mut fold = EventFold::new();
    while let Some(observed) = observer.recv().await {
        let envelope = match observed {
            Observed::Message(envelope) => envelope,
            Observed::Lagged(_) => {
                tracing::warn!(%run, "messages were not told as events; the record has them");
                continue;
            }
        };
        // Without a person, or where nobody took the events, there is nobody to tell.
        if let Some(asked) = Question::of(&envelope.message) {
            let _ = question.send(asked);
        }
        for one in fold.on(&envelope) {
            let _ = line.send(one);
        }
    }
}
