//! Approval broker: the workers of a run ask for consent here, one question at a time, each answer recorded.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use artoo_bus::Sender;
use artoo_consent::{Answer, Consent, ProposedEffects, Question, Rules};
use artoo_llm_client::Silence;
use artoo_types::{
    Approval, ApprovalDecided, ApprovalRequested, ApprovalScope, BlockedTarget, CallId,
    ClarificationAnswered, ClarificationRequested, MemoryGuard, Message, SubTaskId, Surroundings, Taint,
};
use async_trait::async_trait;
use tokio::sync::oneshot;

use crate::approvals::{Approvals, Standing, Terms};
use crate::memory_hold;
use crate::taint_word::ForeignWord;

/// Consent state shared by all workers of a run.
pub(crate) struct ApprovalBroker {
    sender: Sender,
    approvals: Mutex<Approvals>,
    /// Environment of the run.
    surroundings: Surroundings,
    /// Pending approvals, by call id.
    waiting: Mutex<HashMap<CallId, oneshot::Sender<ApprovalDecided>>>,
    /// Pending questions with a free-text answer, by the number of the question.
    asking: Mutex<HashMap<u32, oneshot::Sender<String>>>,
    /// Serialises the questions: an answer may settle the next one.
    turn: tokio::sync::Mutex<()>,
}

impl ApprovalBroker {
    pub(crate) fn new(sender: Sender, terms: Terms, surroundings: Surroundings) -> Arc<Self> {
        Arc::new(Self {
            sender,
            approvals: Mutex::new(Approvals::new(terms)),
            surroundings,
            waiting: Mutex::default(),
            asking: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        })
    }

    /// The approval interface for one call.
    pub(crate) fn of(
        self: &Arc<Self>,
        (subtask_id, call_id): (SubTaskId, CallId),
        foreign: Vec<ForeignWord>,
        silence: &Silence,
    ) -> Arc<dyn Consent> {
        let (broker, silence) = (Arc::clone(self), silence.clone());
        Arc::new(Counter { broker, subtask_id, call_id, foreign, silence })
    }

    /// Asks the person whether a single call that memory holds back may be made anyway; `None` if no person
    /// is present. A yes applies to this call alone, and is not consent to its effects.
    pub(crate) async fn ask_about_memory(
        self: &Arc<Self>,
        (subtask_id, call_id): (SubTaskId, CallId),
        call: &BlockedTarget,
        guard: &MemoryGuard,
    ) -> Option<ApprovalDecided> {
        if !self.approvals().asks_somebody() {
            return None;
        }
        let (broker, foreign, silence) = (Arc::clone(self), Vec::new(), Silence::default());
        let counter = Counter { broker, subtask_id, call_id, foreign, silence };
        let _turn = self.turn.lock().await;
        let request = ApprovalRequested {
            subtask_id,
            call_id,
            tool: call.tool.clone(),
            command: call.target.clone(),
            effects: Vec::new(),
            changes: Vec::new(),
            commit: None,
            moves: None,
            rule: "memory".to_owned(),
            reason: memory_hold::question(guard),
            person: true,
            always: None,
            because: guard.because.clone(),
        };
        Some(counter.ask_the_person(request).await)
    }

    /// Asks the person for information that only they have. `None` if no person is present or the answer is
    /// empty.
    pub(crate) async fn ask_person(&self, subtask_id: SubTaskId, question: &str) -> Option<String> {
        if !self.approvals().asks_somebody() {
            return None;
        }
        let _turn = self.turn.lock().await;
        let (send, answer) = oneshot::channel();
        let round = {
            let mut asking = self.asking();
            // Only one question waits at a time, so the next number is free.
            let round = asking.keys().max().copied().unwrap_or_default().saturating_add(1);
            asking.insert(round, send);
            round
        };
        let questions = vec![artoo_llm_client::inline(question)];
        if !self.publish(ClarificationRequested { round, subtask_id: Some(subtask_id), questions }) {
            return None;
        }
        answer.await.ok().filter(|answer| !answer.trim().is_empty())
    }

    /// Delivers a free-text answer to the step that waits for it.
    pub(crate) fn person_answered(&self, answer: &ClarificationAnswered) {
        if answer.subtask_id.is_some()
            && let Some(waiting) = self.asking().remove(&answer.round)
        {
            // If the step has ended meanwhile, the answer is not needed.
            let _ = waiting.send(answer.answer.clone());
        }
    }

    fn asking(&self) -> MutexGuard<'_, HashMap<u32, oneshot::Sender<String>>> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Delivers a decision to the call that waits for it. A decision for an unknown call is dropped.
    pub(crate) fn answered(&self, decision: &ApprovalDecided) {
        if let Some(waiting) = self.waiting().remove(&decision.call_id) {
            // If the call has ended meanwhile, the answer is not needed.
            let _ = waiting.send(decision.clone());
        }
    }

    fn approvals(&self) -> MutexGuard<'_, Approvals> {
        self.approvals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<CallId, oneshot::Sender<ApprovalDecided>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, message: impl Into<Message>) -> bool {
        let published = self.sender.publish(message);
        if let Err(error) = &published {
            tracing::debug!(%error, "consent could not be asked for");
        }
        published.is_ok()
    }
}

/// The broker as seen by one call.
struct Counter {
    broker: Arc<ApprovalBroker>,
    subtask_id: SubTaskId,
    call_id: CallId,
    /// Foreign words in the call's arguments.
    foreign: Vec<ForeignWord>,
    /// What is heard of the attempt: it rests while somebody is asked.
    silence: Silence,
}

#[async_trait]
impl Consent for Counter {
    fn approval(&self) -> Approval {
        self.broker.approvals().approval()
    }

    fn foreign_words(&self, proposed: ProposedEffects<'_>) -> Option<String> {
        let taint = self.taint(proposed)?;
        Some(format!("`{}` in it came from {}, not from you", taint.words, taint.foreign.words()))
    }

    fn forbids(&self, proposed: ProposedEffects<'_>) -> Option<String> {
        self.broker.approvals().forbids(proposed)
    }

    fn rules(&self) -> Rules {
        self.broker.approvals().rules().clone()
    }

    fn takes_rules(&self) -> bool {
        self.foreign.is_empty() && self.broker.approvals().takes_rules()
    }

    fn allows(&self, proposed: ProposedEffects<'_>) -> bool {
        let approvals = self.broker.approvals();
        match self.taint(proposed) {
            None => approvals.allows(proposed),
            Some(_) => approvals.allows_foreign_words(proposed),
        }
    }

    async fn ask(&self, question: Question) -> Answer {
        let _resting = self.silence.rest();
        let _turn = self.broker.turn.lock().await;
        let standing = self.standing(question.proposed());
        let asked = question.clone();
        let decided = match standing {
            Standing::Granted(reason) => self.settled(question, true, reason),
            Standing::Denied(reason) => self.settled(question, false, reason),
            Standing::Open => self.ask_the_person(self.request(question, true)).await,
        };
        self.broker.approvals().decided(asked.proposed(), &decided);
        match decided {
            ApprovalDecided { granted: true, .. } => Answer::Yes,
            ApprovalDecided { instead: Some(words), .. } => Answer::Instead { words },
            ApprovalDecided { reason, .. } => Answer::No { reason },
        }
    }

    async fn ask_words(&self, question: String) -> Option<String> {
        let _resting = self.silence.rest();
        self.broker.ask_person(self.subtask_id, &question).await
    }
}

impl Counter {
    /// The first foreign word that steers the call.
    fn taint(&self, proposed: ProposedEffects<'_>) -> Option<&Taint> {
        let word = self.foreign.iter().find(|word| word.leads(proposed, &self.broker.surroundings))?;
        Some(&word.taint)
    }

    fn standing(&self, proposed: ProposedEffects<'_>) -> Standing {
        let approvals = self.broker.approvals();
        match self.taint(proposed) {
            None => approvals.standing(proposed),
            Some(_) => approvals.standing_of_foreign_words(proposed),
        }
    }

    /// Records a decision that was made without asking. Consent that could not be recorded is not granted.
    fn settled(&self, question: Question, granted: bool, reason: String) -> ApprovalDecided {
        let decision = self.decision(granted, reason);
        let is_recorded =
            self.broker.publish(self.request(question, false)) && self.broker.publish(decision.clone());
        if is_recorded { decision } else { self.decision(false, "it could not be put on record".to_owned()) }
    }

    async fn ask_the_person(&self, request: ApprovalRequested) -> ApprovalDecided {
        let (send, answer) = oneshot::channel();
        self.broker.waiting().insert(self.call_id, send);
        let mut open = Open { counter: self, is_answered: false };
        if !self.broker.publish(request) {
            return self.decision(false, "the question could not be put".to_owned());
        }
        let Ok(decision) = answer.await else {
            return self.decision(false, "the answer was lost".to_owned());
        };
        open.is_answered = true;
        decision
    }

    fn request(&self, question: Question, person: bool) -> ApprovalRequested {
        let foreign_words = self.foreign_words(question.proposed());
        let Question {
            tool,
            command,
            effects,
            changes,
            commit,
            moves,
            rule,
            reason,
            beyond_undo,
            always,
            ..
        } = question;
        let (subtask_id, call_id) = (self.subtask_id, self.call_id);
        let more = [foreign_words, beyond_undo].into_iter().flatten();
        let reason = std::iter::once(reason).chain(more).collect::<Vec<_>>().join("; ");
        // Without a question to the person, no rule can be written.
        let always = always.filter(|_| person);
        ApprovalRequested {
            subtask_id,
            call_id,
            tool,
            command,
            effects,
            changes,
            commit,
            moves,
            rule,
            reason,
            person,
            always,
            because: Vec::new(),
        }
    }

    fn decision(&self, granted: bool, reason: String) -> ApprovalDecided {
        let (call_id, scope) = (self.call_id, ApprovalScope::Once);
        ApprovalDecided { call_id, granted, scope, reason, instead: None, rule: None }
    }
}

/// A question that is waiting for its answer. It is withdrawn if its call ends first, so that the clocks
/// resume.
struct Open<'a> {
    counter: &'a Counter,
    is_answered: bool,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            self.counter.broker.waiting().remove(&self.counter.call_id);
            let reason = "the call ended before it was answered".to_owned();
            self.counter.broker.publish(self.counter.decision(false, reason));
        }
    }
}
