//! Asking the person at the terminal: a line on standard error, an answer from standard input.

use std::io::BufRead;
use std::sync::Arc;

use artoo_runtime::{Answerer, Noter};
use artoo_types::{ApprovalRequested, ApprovalScope, CallId, Message};
use tokio::sync::oneshot;

use super::always::PolicyFile;
use super::answer::{Offer, Said, is_yes};
use super::pager::Pager;
use crate::terminal::{Look, Streams, Terminal};
use crate::view::{Frame, details, first_screen};

/// The most bytes of an answer: one line that a person types.
const MAX_BYTES: u64 = 16 * 1024;

/// Where answers come from.
pub(crate) trait Keyboard: Send + Sync {
    /// A question is put: what was typed before is no answer to it.
    fn begin(&self);
    /// Waits for the answer, which is one line.
    fn line(&self) -> String;
    /// Nobody waits for the answer any more.
    fn give_up(&self);
    /// A run has begun: what is said unasked may be told it.
    fn hear(&self, _noter: Noter) {}
}

/// Asks the person, one question at a time.
pub(super) struct Asking {
    /// Nobody is asked here where there is none.
    person: Option<Person>,
    open: Option<Open>,
}

/// Who is asked.
struct Person {
    answerer: Answerer,
    keyboard: Arc<dyn Keyboard>,
    /// Where a rule would be written.
    policy: Option<PolicyFile>,
}

/// A question that is put.
struct Open {
    question: Question,
    awaited: Awaited,
    line: oneshot::Receiver<String>,
}

/// What the line is that is awaited.
enum Awaited {
    Answer,
    /// The reason of the rule that would answer it.
    Reason,
    /// Whether the person wants to see more of the details.
    More(Pager),
}

/// What a run asks the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// What a round of R1's questions asks.
    Clarification(u32),
    /// Whether the plan of this round may run.
    Plan(u32),
    /// Whether a call may do what it would.
    Effect(Box<ApprovalRequested>),
}

const REASON: &str = "why? one line, which stands in the rule (empty: back to the question) > ";

impl Question {
    /// What a message asks the person.
    pub(super) fn of(message: &Message) -> Option<Self> {
        if let Message::ClarificationRequested(asked) = message {
            Some(Self::Clarification(asked.round))
        } else if let Message::PlanApprovalRequested(asked) = message {
            Some(Self::Plan(asked.round))
        } else if let Message::ApprovalRequested(asked) = message {
            asked.person.then(|| Self::Effect(Box::new(asked.clone())))
        } else {
            None
        }
    }

    /// What stands before the answer.
    fn prompt(&self) -> String {
        match self {
            Self::Clarification(_) => "answer (empty: go ahead) > ".to_owned(),
            Self::Plan(_) => "run this plan? [y/N] > ".to_owned(),
            Self::Effect(asked) => Offer::of(asked).prompt(),
        }
    }
}

/// Whether somebody is there to be asked: standard input and standard error are terminals, and the run is shown to a person.
pub(super) fn person_present(streams: Streams, json: bool, quiet: bool) -> bool {
    streams.stdin && streams.stderr && !json && !quiet
}

/// Standard input, a line at a time.
struct StandardInput;

/// Standard input. What was typed before the question is not an answer to it.
pub(crate) fn from_stdin() -> Arc<dyn Keyboard> {
    Arc::new(StandardInput)
}

impl Keyboard for StandardInput {
    fn begin(&self) {
        // Without a terminal behind it there is nothing to throw away.
        let _ = rustix::termios::tcflush(std::io::stdin(), rustix::termios::QueueSelector::IFlush);
    }

    fn line(&self) -> String {
        line(&mut std::io::stdin().lock())
    }

    // Reading cannot be cancelled: what is typed next goes nowhere.
    fn give_up(&self) {}
}

/// One line; nothing at the end of the input, or where it is not text.
fn line(input: &mut dyn BufRead) -> String {
    let mut bytes = Vec::new();
    // What cannot be read is no answer: R1 goes ahead with the request as it is, and a plan does not run.
    let _ = std::io::Read::take(input, MAX_BYTES).read_until(b'\n', &mut bytes);
    String::from_utf8(bytes).map(|text| text.trim().to_owned()).unwrap_or_default()
}

impl Asking {
    /// Asks by this way. Rules are written to this file.
    pub(super) fn new(answerer: Answerer, keyboard: Arc<dyn Keyboard>, policy: Option<PolicyFile>) -> Self {
        Self { person: Some(Person { answerer, keyboard, policy }), open: None }
    }

    /// Asks nobody here: the questions wait for an answer from elsewhere.
    pub(super) fn elsewhere() -> Self {
        Self { person: None, open: None }
    }

    /// Whether an answer is awaited: the last line of the terminal is the person's then.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Begins to wait for the answer to a question, which is on the screen.
    pub(super) fn begin(&mut self, question: Question, terminal: &mut Terminal) {
        if self.person.is_none() {
            terminal.note("this waits for an answer");
            return;
        }
        let prompt = question.prompt();
        self.wait(question, Awaited::Answer, &prompt, terminal);
    }

    /// Gives a question up that nobody waits for any more. What is typed next goes nowhere.
    pub(super) fn withdraw(&mut self, withdrawn: CallId, terminal: &mut Terminal) {
        let is_it = |question: &Question| match question {
            Question::Effect(asked) => asked.call_id == withdrawn,
            Question::Clarification(_) | Question::Plan(_) => false,
        };
        if self.open.as_ref().is_some_and(|open| is_it(&open.question)) {
            self.give_up(terminal);
        }
    }

    /// Gives up whatever is open: somebody else has answered it, or the run has ended.
    pub(super) fn give_up(&mut self, terminal: &mut Terminal) {
        if self.open.take().is_some() {
            if let Some(person) = &self.person {
                person.keyboard.give_up();
            }
            // What follows begins on a line of its own.
            terminal.note("");
        }
    }

    /// Waits for a line; for ever where nothing is asked. Cancel-safe.
    pub(super) async fn answered(&mut self) -> String {
        let Some(open) = &mut self.open else { return std::future::pending().await };
        (&mut open.line).await.unwrap_or_default()
    }

    /// Takes a line: passes an answer on, or asks for more.
    pub(super) fn take(&mut self, line: &str, terminal: &mut Terminal) {
        let Some(Open { question, awaited, .. }) = self.open.take() else { return };
        match question {
            Question::Clarification(round) => self.reply(|person| person.answer(round, line.to_owned())),
            Question::Plan(round) if is_yes(line) => self.reply(|person| person.agree(round)),
            Question::Plan(round) => self.reply(|person| person.refuse(round)),
            Question::Effect(asked) => match awaited {
                Awaited::Answer => self.answer(asked, line, terminal),
                Awaited::Reason => self.rule(asked, line, terminal),
                Awaited::More(pager) if pager.goes_on(line) => self.page(asked, pager, terminal),
                Awaited::More(_) => self.again(asked, terminal),
            },
        }
    }

    /// Takes an answer to a question about effects.
    fn answer(&mut self, asked: Box<ApprovalRequested>, line: &str, terminal: &mut Terminal) {
        match Said::of(line) {
            Said::Yes(ApprovalScope::Always) => self.always(asked, terminal),
            Said::Yes(scope) if Offer::of(&asked).takes(scope) => {
                self.reply(|person| person.allow(asked.call_id, scope));
            }
            Said::Yes(_) => {
                terminal.note("nothing of this can be agreed to for so long: y is a yes to this call");
                self.begin(Question::Effect(asked), terminal);
            }
            Said::No => self.reply(|person| person.deny(asked.call_id, None)),
            Said::Details => {
                let pager = Pager::new(details(&asked, plain(terminal)));
                self.page(asked, pager, terminal);
            }
            Said::Instead(words) => self.reply(|person| person.deny(asked.call_id, Some(words))),
        }
    }

    /// Shows the next of the details. Where the terminal does not tell how much fits, that is all, and the question follows.
    fn page(&mut self, asked: Box<ApprovalRequested>, mut pager: Pager, terminal: &mut Terminal) {
        let rows = terminal.rows();
        for line in pager.page(terminal.look().columns, rows) {
            terminal.note(&line);
        }
        if rows.is_none() {
            return self.again(asked, terminal);
        }
        if pager.was_all_at_once() {
            // Everything stands above the question: what is answered next is the question.
            return self.begin(Question::Effect(asked), terminal);
        }
        let prompt = pager.prompt();
        self.wait(Question::Effect(asked), Awaited::More(pager), &prompt, terminal);
    }

    /// Puts a question again that is not on the screen any more.
    fn again(&mut self, asked: Box<ApprovalRequested>, terminal: &mut Terminal) {
        for line in first_screen(&asked, Frame::new(terminal.look(), false)) {
            terminal.note(&line);
        }
        self.begin(Question::Effect(asked), terminal);
    }

    /// Shows the rule and asks for its reason.
    fn always(&mut self, asked: Box<ApprovalRequested>, terminal: &mut Terminal) {
        let Some((rule, file)) = asked.always.as_ref().zip(self.policy()) else {
            terminal.note("no rule can say this and nothing else: always is no answer here");
            return self.begin(Question::Effect(asked), terminal);
        };
        for line in file.offer(rule) {
            terminal.note(&line);
        }
        self.wait(Question::Effect(asked), Awaited::Reason, REASON, terminal);
    }

    /// Writes the rule, and then says yes. Without a reason, or where it cannot be written, the question is put again.
    fn rule(&mut self, asked: Box<ApprovalRequested>, line: &str, terminal: &mut Terminal) {
        let reason = line.trim();
        let (Some((rule, file)), false) = (asked.always.as_ref().zip(self.policy()), reason.is_empty())
        else {
            terminal.note("no reason, no rule");
            return self.begin(Question::Effect(asked), terminal);
        };
        match file.add(rule, reason) {
            Ok(done) => {
                terminal.note(&done);
                self.reply(|person| person.allow_always(asked.call_id, rule.clone(), reason));
            }
            Err(error) => {
                terminal.error(&error);
                self.begin(Question::Effect(asked), terminal);
            }
        }
    }

    fn reply(&self, reply: impl FnOnce(&Answerer)) {
        if let Some(person) = &self.person {
            reply(&person.answerer);
        }
    }

    fn policy(&self) -> Option<&PolicyFile> {
        self.person.as_ref()?.policy.as_ref()
    }

    fn wait(&mut self, question: Question, awaited: Awaited, prompt: &str, terminal: &mut Terminal) {
        let line = self.line(prompt, terminal);
        self.open = Some(Open { question, awaited, line });
    }

    /// Asks for a line. What was typed before is not it.
    fn line(&self, prompt: &str, terminal: &mut Terminal) -> oneshot::Receiver<String> {
        let (send, receive) = oneshot::channel();
        let Some(Person { keyboard, .. }) = &self.person else { return receive };
        keyboard.begin();
        terminal.prompt(prompt);
        let keyboard = Arc::clone(keyboard);
        // A thread of its own: reading cannot be cancelled, and must not keep the program.
        std::thread::spawn(move || {
            // The run may have ended meanwhile.
            let _ = send.send(keyboard.line());
        });
        receive
    }
}

/// How the details are drawn: without colours, so that it is known how much of the terminal a line takes.
fn plain(terminal: &Terminal) -> Frame {
    Frame::new(Look { colour: false, ..terminal.look() }, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_one_line_of_text() {
        let read = |input: &[u8]| line(&mut &*input);
        assert_eq!(read(" 报告.txt \nmore\n".as_bytes()), "报告.txt");
        assert_eq!((read(b""), read(b"\n"), read(b"\xff\n")), (String::new(), String::new(), String::new()));
        assert_eq!(read(&[b'a'; 20_000]).len(), 16 * 1024);
    }

    #[test]
    fn only_a_person_at_a_terminal_is_asked() {
        let terminal = Streams { stdin: true, stdout: false, stderr: true };
        assert!(person_present(terminal, false, false));
        assert!(!person_present(terminal, true, false) && !person_present(terminal, false, true));
        assert!(!person_present(Streams { stdin: false, ..terminal }, false, false));
        assert!(!person_present(Streams { stderr: false, ..terminal }, false, false));
    }
}
