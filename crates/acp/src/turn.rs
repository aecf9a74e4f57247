//! One prompt: begins a run, or answers one that waits, and follows it until the turn ends.

use std::sync::Arc;

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    FileSystemCapabilities, RequestPermissionRequest, SessionId as ClientSessionId, SessionNotification,
    SessionUpdate, StopReason,
};
use agent_client_protocol::{Client, Error};
use artoo_front_end::{
    ChoiceMeaning, Form, Host, HostRequest, HostedRun, Inquiry, OpenFiles, Step, question_text,
};
use artoo_runtime::{Answer, Answerer, Question, UserQuestion};
use artoo_types::{ClarificationRequested, SessionId};
use tokio_util::sync::CancellationToken;

use crate::commands::SlashCommand;
use crate::confirm::ConfirmInEditor;
use crate::error::of_host;
use crate::open_files::FilesOfClient;
use crate::open_sessions::{Turn, WaitingRun};
use crate::prompt::Prompt;
use crate::updates::{Updates, message, thought};
use crate::{clarification, commands, permission};

/// The client of a session.
#[derive(Clone)]
pub(crate) struct SessionClient {
    pub(crate) id: SessionId,
    pub(crate) session: ClientSessionId,
    pub(crate) connection: ConnectionTo<Client>,
    /// Whether the client shows forms.
    pub(crate) has_forms: bool,
    /// What it offers of its files.
    pub(crate) files: FileSystemCapabilities,
}

/// How a turn ended.
pub(crate) struct TurnEnd {
    pub(crate) reason: StopReason,
    /// The run, if it waits for the next prompt.
    pub(crate) waiting: Option<Box<WaitingRun>>,
}

impl SessionClient {
    /// The client's files, if it offers any of them.
    fn files(&self) -> Option<Arc<dyn OpenFiles>> {
        let offers = self.files.clone();
        if !(offers.read_text_file || offers.write_text_file) {
            return None;
        }
        let (session, connection) = (self.session.clone(), self.connection.clone());
        Some(Arc::new(FilesOfClient { session, connection, offers }))
    }

    /// Tells the client something. A client that is gone hears nothing, and its runs end with the connection.
    pub(crate) fn tell(&self, update: SessionUpdate) {
        let _ = self.connection.send_notification(SessionNotification::new(self.session.clone(), update));
    }
}

/// Works on a prompt. `began` is told of the run that it begins.
///
/// # Errors
/// The run could not be begun, or the record could not be read.
pub(crate) async fn work(
    host: &Arc<dyn Host>,
    client: &SessionClient,
    turn: Turn,
    prompt: Prompt,
    began: impl Fn(&HostedRun),
) -> Result<TurnEnd, Error> {
    let cancel = turn.cancel.clone();
    if let Some(waiting) = turn.waiting {
        let WaitingRun { run, updates, question } = *waiting;
        run.answerer().give(&question, Answer::Words(prompt.text));
        return Ok(follow(host, client, run, updates, cancel).await);
    }
    match commands::read(&prompt.text, turn.last_run) {
        Some(SlashCommand::Inquiry(inquiry)) => return inquire(host, client, inquiry).await,
        Some(SlashCommand::NoRun) => {
            client.tell(message("This session has no run yet. Name a run: /runs lists them.".to_owned()));
            return Ok(TurnEnd { reason: StopReason::EndTurn, waiting: None });
        }
        None => {}
    }
    let confirm = ConfirmInEditor { session: client.session.clone(), connection: client.connection.clone() };
    let request = HostRequest {
        session: Some(client.id),
        mode: turn.mode,
        user_present: true,
        confirm: Arc::new(confirm),
        attachments: prompt.attachments,
        servers: turn.servers,
        open_files: client.files(),
        ..HostRequest::new(prompt.text, turn.folder.clone())
    };
    let run = tokio::select! {
        biased;
        () = cancel.cancelled() => return Ok(TurnEnd { reason: StopReason::Cancelled, waiting: None }),
        begun = host.begin(request) => begun.map_err(|error| of_host(&error))?,
    };
    began(&run);
    Ok(follow(host, client, run, Updates::new(turn.folder), cancel).await)
}

async fn inquire(host: &Arc<dyn Host>, client: &SessionClient, inquiry: Inquiry) -> Result<TurnEnd, Error> {
    let reply = host.inquire(inquiry, Form::Text).await.map_err(|error| of_host(&error))?;
    client.tell(message(format!("```\n{}\n```", reply.text)));
    Ok(TurnEnd { reason: StopReason::EndTurn, waiting: None })
}

/// Follows a run until it ends, or asks what only the next prompt can answer.
async fn follow(
    host: &Arc<dyn Host>,
    client: &SessionClient,
    mut run: HostedRun,
    mut updates: Updates,
    cancel: CancellationToken,
) -> TurnEnd {
    let mut pending: Vec<(Question, CancellationToken)> = Vec::new();
    let mut was_cancelled = false;
    loop {
        let step = tokio::select! {
            biased;
            () = cancel.cancelled(), if !was_cancelled => {
                was_cancelled = true;
                run.canceller().cancel();
                continue;
            }
            step = run.next() => step,
        };
        match step {
            Some(Step::Line(line)) => updates.on(&line).into_iter().for_each(|update| client.tell(update)),
            Some(Step::Notice(notice)) => client.tell(thought(notice)),
            Some(Step::Asked(_)) if was_cancelled => {}
            Some(Step::Asked(question @ UserQuestion::Clarification(_))) if !client.has_forms => {
                client.tell(message(format!(
                    "{}\n\n(Your next message is the answer.)",
                    question_text(&question)
                )));
                let waiting = Some(Box::new(WaitingRun { run, updates, question }));
                return TurnEnd { reason: StopReason::EndTurn, waiting };
            }
            Some(Step::Asked(question)) => {
                let settled = CancellationToken::new();
                if let Some(of) = question_of(&question) {
                    pending.push((of, settled.clone()));
                }
                tokio::spawn(ask(Arc::clone(host), client.clone(), run.answerer(), question, settled));
            }
            Some(Step::Settled(question)) => {
                for (_, settled) in pending.extract_if(.., |(of, _)| *of == question) {
                    settled.cancel();
                }
            }
            // The protocol has no message for it: a client shows that the turn goes on.
            Some(Step::GoesOn(_) | Step::Ended(_)) => {}
            None => break,
        }
    }
    for (_, settled) in pending {
        settled.cancel();
    }
    let reason = if was_cancelled { StopReason::Cancelled } else { StopReason::EndTurn };
    TurnEnd { reason, waiting: None }
}

/// What identifies a question.
fn question_of(question: &UserQuestion) -> Option<Question> {
    Question::of(&match question {
        UserQuestion::Clarification(asked) => asked.clone().into(),
        UserQuestion::Plan(asked) => asked.clone().into(),
        UserQuestion::Continuation(asked) => asked.clone().into(),
        UserQuestion::Effect(asked) => asked.as_ref().clone().into(),
    })
}

/// Puts a question to the client, and gives its answer. Runs beside the run that waits for it.
async fn ask(
    host: Arc<dyn Host>,
    client: SessionClient,
    answerer: Answerer,
    question: UserQuestion,
    settled: CancellationToken,
) {
    let answered = async {
        match permission::request(client.session.clone(), &question) {
            Some(request) => choose(&host, &client, &answerer, &question, request).await,
            None => {
                if let UserQuestion::Clarification(asked) = &question {
                    let words = in_words(&client, asked).await;
                    answerer.give(&question, Answer::Words(words));
                }
            }
        }
    };
    tokio::select! {
        () = settled.cancelled() => {}
        () = answered => {}
    }
}

async fn choose(
    host: &Arc<dyn Host>,
    client: &SessionClient,
    answerer: &Answerer,
    question: &UserQuestion,
    request: RequestPermissionRequest,
) {
    let response = client.connection.send_request(request).block_task().await;
    // No answer is a no: a client that is gone, one that knows no permissions, and a prompt that was cancelled.
    let chosen = response.ok().and_then(|response| permission::chosen(question, &response.outcome));
    match chosen {
        Some(ChoiceMeaning::Once(answer) | ChoiceMeaning::Lasting(answer) | ChoiceMeaning::No(answer)) => {
            answerer.give(question, answer);
        }
        Some(ChoiceMeaning::Rule(rule)) => {
            let reason = "agreed to in the editor";
            match (host.allow_always(rule.clone(), reason.to_owned()).await, question) {
                (Ok(()), UserQuestion::Effect(asked)) => answerer.allow_always(asked.call_id, rule, reason),
                (Ok(()), _) => answerer.give(question, Answer::Yes),
                (Err(error), _) => {
                    client
                        .tell(thought(format!("The rule was not added, and this yes is for once: {error}")));
                    answerer.give(question, Answer::Yes);
                }
            }
        }
        None => answerer.give(question, Answer::No),
    }
}

async fn in_words(client: &SessionClient, asked: &ClarificationRequested) -> String {
    let request = clarification::request(client.session.clone(), asked);
    let response = client.connection.send_request(request).block_task().await;
    response.map(|response| clarification::answer(&response)).unwrap_or_default()
}
