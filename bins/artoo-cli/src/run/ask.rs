//! Questions to the user at the terminal: prompt on standard error, answer from standard input.

use std::collections::VecDeque;
use std::io::{BufRead, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use artoo_runtime::{Answer, Answerer, Noter, Offer, UserQuestion};
use artoo_types::{ApprovalRequested, ApprovalScope, CallId};
use tokio::sync::oneshot;

use super::always_rule::PolicyFile;
use super::answer::{self, Said, ends_the_run, is_yes};
use super::details_pager::Pager;
use crate::error::CommandError;
use crate::terminal::{Look, Streams, Terminal, with_the_rest_of_its_burst};
use crate::view::{Frame, details, first_screen};

/// Limit of an answer in bytes: one line typed by a person.
const MAX_BYTES: u64 = 16 * 1024;

/// Source of answers.
pub(crate) trait Keyboard: Send + Sync {
    /// Starts a question; input typed before it is discarded.
    fn begin(&self);
    /// Blocks until the answer: a line, or all lines of a paste.
    fn line(&self) -> String;
    /// The answer is no longer needed.
    fn give_up(&self);
    /// Called when a run starts; the implementation may pass it notes typed without a question.
    fn hear(&self, _noter: Noter) {}
}

/// Asks the user, one question at a time.
pub(super) struct Asking {
    /// `None` if questions are answered elsewhere.
    person: Option<Person>,
    open: Option<Open>,
    /// Questions that came while another one was open.
    later: VecDeque<UserQuestion>,
}

/// Access to the user.
struct Person {
    answerer: Answerer,
    keyboard: Arc<dyn Keyboard>,
    /// Where the answer *always* adds its rule.
    policy: Option<PolicyFile>,
    /// The folder that the run works in, if it is known.
    folder: Option<PathBuf>,
}

/// The open question.
struct Open {
    question: UserQuestion,
    awaited: Awaited,
    line: oneshot::Receiver<String>,
}

/// Meaning of the awaited line.
enum Awaited {
    Answer,
    /// The reason for the rule to be added.
    Reason,
    /// Whether to show more of the details.
    More(Pager),
}

const REASON: &str = "why? one line, which stands in the rule (empty: back to the question) > ";

/// The prompt before the answer.
fn prompt(question: &UserQuestion, columns: usize) -> String {
    match question {
        UserQuestion::Clarification(_) => "answer (empty: go ahead, /stop: stop the run) > ".to_owned(),
        UserQuestion::Plan(_) => "run this plan? [y/N] > ".to_owned(),
        UserQuestion::Continuation(_) => "go on? [y/N] > ".to_owned(),
        UserQuestion::Effect(asked) => answer::prompt(Offer::of(asked), columns),
    }
}

/// Whether a person can be asked: standard input and standard error are
/// terminals, and the output is for a person.
pub(super) fn person_present(streams: Streams, json: bool, quiet: bool) -> bool {
    streams.stdin && streams.stderr && !json && !quiet
}

/// Standard input, read line by line.
struct StandardInput;

/// Reads answers from standard input. What was typed before a question is discarded.
pub(crate) fn from_stdin() -> Arc<dyn Keyboard> {
    Arc::new(StandardInput)
}

impl Keyboard for StandardInput {
    fn begin(&self) {
        // Fails without a terminal, where there is nothing to discard.
        let _ = rustix::termios::tcflush(std::io::stdin(), rustix::termios::QueueSelector::IFlush);
    }

    fn line(&self) -> String {
        let read = || line(&mut std::io::stdin().lock());
        let first = read();
        // A pasted text is one answer: its first line alone agrees to nothing.
        if std::io::stdin().is_terminal() {
            with_the_rest_of_its_burst(first, || Some(read())).trim().to_owned()
        } else {
            first
        }
    }

    // A blocking read cannot be cancelled, so the next line typed is discarded.
    fn give_up(&self) {}
}

/// Reads one line; empty at the end of the input or if it is not UTF-8.
fn line(input: &mut dyn BufRead) -> String {
    let mut bytes = Vec::new();
    // A read error gives an empty answer: R1 continues with the request as it is, and a plan does not run.
    let _ = std::io::Read::take(input, MAX_BYTES).read_until(b'\n', &mut bytes);
    String::from_utf8(bytes).map(|text| text.trim().to_owned()).unwrap_or_default()
}

impl Asking {
    /// Asks through this answerer and keyboard. Rules are added to `policy`.
    pub(super) fn new(answerer: Answerer, keyboard: Arc<dyn Keyboard>, policy: Option<PolicyFile>) -> Self {
        let person = Person { answerer, keyboard, policy, folder: None };
        Self { person: Some(person), open: None, later: VecDeque::new() }
    }

    /// Names paths below this folder without it.
    pub(super) fn in_folder(mut self, folder: &Path) -> Self {
        self.person.iter_mut().for_each(|person| person.folder = Some(folder.to_owned()));
        self
    }

    /// Asks nobody; the questions are answered by another process.
    pub(super) fn elsewhere() -> Self {
        Self { person: None, open: None, later: VecDeque::new() }
    }

    /// Whether an answer is awaited. The terminal's last line then belongs to the user.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Starts to wait for the answer to a question that is already on the screen; after the open one, if there is one.
    pub(super) fn begin(&mut self, question: UserQuestion, terminal: &mut Terminal) {
        if self.person.is_none() {
            terminal.note("this waits for an answer");
            return;
        }
        if self.open.is_some() {
            self.later.push_back(question);
            return;
        }
        let prompt = prompt(&question, terminal.look().columns);
        self.wait(question, Awaited::Answer, &prompt, terminal);
    }

    /// Withdraws a question whose answer is no longer needed. The next line typed is discarded.
    pub(super) fn withdraw(&mut self, withdrawn: CallId, terminal: &mut Terminal) {
        let is_it = |question: &UserQuestion| match question {
            UserQuestion::Effect(asked) => asked.call_id == withdrawn,
            UserQuestion::Clarification(_) | UserQuestion::Plan(_) | UserQuestion::Continuation(_) => false,
        };
        self.later.retain(|question| !is_it(question));
        if self.open.as_ref().is_some_and(|open| is_it(&open.question)) {
            self.take_back(terminal);
            self.next(terminal);
        }
    }

    /// Puts the next question, once nothing is asked any more.
    fn next(&mut self, terminal: &mut Terminal) {
        if self.open.is_some() {
            return;
        }
        match self.later.pop_front() {
            Some(UserQuestion::Effect(asked)) => self.again(asked, terminal),
            Some(
                question @ (UserQuestion::Clarification(_)
                | UserQuestion::Plan(_)
                | UserQuestion::Continuation(_)),
            ) => self.begin(question, terminal),
            None => {}
        }
    }

    /// Withdraws any open question: it was answered by another process, or the run has ended.
    pub(super) fn give_up(&mut self, terminal: &mut Terminal) {
        self.later.clear();
        self.take_back(terminal);
    }

    fn take_back(&mut self, terminal: &mut Terminal) {
        if self.open.take().is_some() {
            if let Some(person) = &self.person {
                person.keyboard.give_up();
            }
            // Leaves the line of the prompt.
            terminal.note("");
        }
    }

    /// Waits for a line; never returns if nothing is asked. Cancel-safe.
    pub(super) async fn answered(&mut self) -> String {
        let Some(open) = &mut self.open else { return std::future::pending().await };
        (&mut open.line).await.unwrap_or_default()
    }

    /// Handles a line: passes on the answer, or continues the dialog.
    pub(super) fn take(&mut self, line: &str, terminal: &mut Terminal) {
        let Some(Open { question, awaited, .. }) = self.open.take() else { return };
        match question {
            UserQuestion::Clarification(_) | UserQuestion::Plan(_) | UserQuestion::Continuation(_)
                if ends_the_run(line) =>
            {
                self.reply(&question, Answer::Stop);
            }
            UserQuestion::Clarification(_) => self.reply(&question, Answer::Words(line.to_owned())),
            UserQuestion::Plan(_) | UserQuestion::Continuation(_) => {
                self.reply(&question, if is_yes(line) { Answer::Yes } else { Answer::No });
            }
            UserQuestion::Effect(asked) => match awaited {
                Awaited::Answer => self.answer(asked, line, terminal),
                Awaited::Reason => self.rule(asked, line, terminal),
                Awaited::More(pager) if pager.goes_on(line) => self.page(asked, pager, terminal),
                Awaited::More(_) => self.again(asked, terminal),
            },
        }
        self.next(terminal);
    }

    /// Handles an answer to an approval question.
    fn answer(&mut self, asked: Box<ApprovalRequested>, line: &str, terminal: &mut Terminal) {
        match Said::of(line) {
            Said::Yes(ApprovalScope::Always) => self.always(asked, terminal),
            Said::Yes(scope) if Offer::of(&asked).takes(scope) => {
                self.reply(&UserQuestion::Effect(asked), Answer::YesFor(scope));
            }
            Said::Yes(_) => {
                terminal.note("nothing of this can be agreed to for so long: y is a yes to this call");
                self.begin(UserQuestion::Effect(asked), terminal);
            }
            Said::No => self.reply(&UserQuestion::Effect(asked), Answer::No),
            Said::Stop => self.reply(&UserQuestion::Effect(asked), Answer::Stop),
            Said::Details => {
                let pager = Pager::new(details(&asked, plain(terminal)));
                self.page(asked, pager, terminal);
            }
            Said::Instead(words) => self.reply(&UserQuestion::Effect(asked), Answer::Words(words)),
        }
    }

    /// Shows the next page of the details. If the terminal does not report its height,
    /// shows everything and repeats the question.
    fn page(&mut self, asked: Box<ApprovalRequested>, mut pager: Pager, terminal: &mut Terminal) {
        let rows = terminal.rows();
        for line in pager.page(terminal.look().columns, rows) {
            terminal.note(&line);
        }
        if rows.is_none() {
            return self.again(asked, terminal);
        }
        if pager.was_all_at_once() {
            // The question is still visible above the details, so the next line answers it.
            return self.begin(UserQuestion::Effect(asked), terminal);
        }
        let prompt = pager.prompt();
        self.wait(UserQuestion::Effect(asked), Awaited::More(pager), &prompt, terminal);
    }

    /// Repeats a question that may have scrolled off the screen.
    fn again(&mut self, asked: Box<ApprovalRequested>, terminal: &mut Terminal) {
        let folder = self.person.as_ref().and_then(|person| person.folder.as_deref());
        for line in first_screen(&asked, folder, Frame::new(terminal.look(), false)) {
            terminal.note(&line);
        }
        self.begin(UserQuestion::Effect(asked), terminal);
    }

    /// Shows the proposed rule and asks for its reason.
    fn always(&mut self, asked: Box<ApprovalRequested>, terminal: &mut Terminal) {
        let Some((rule, file)) = asked.always.as_ref().zip(self.policy()) else {
            terminal.note("no rule can say this and nothing else: always is no answer here");
            return self.begin(UserQuestion::Effect(asked), terminal);
        };
        for line in file.offer(rule) {
            terminal.note(&line);
        }
        self.wait(UserQuestion::Effect(asked), Awaited::Reason, REASON, terminal);
    }

    /// Adds the rule, then answers yes. Without a reason, or if the rule
    /// cannot be written, repeats the question.
    fn rule(&mut self, asked: Box<ApprovalRequested>, line: &str, terminal: &mut Terminal) {
        let reason = line.trim();
        let (Some((rule, file)), false) = (asked.always.as_ref().zip(self.policy()), reason.is_empty())
        else {
            terminal.note("no reason, no rule");
            return self.begin(UserQuestion::Effect(asked), terminal);
        };
        match file.add(rule, reason) {
            Ok(done) => {
                terminal.note(&done);
                if let Some(person) = &self.person {
                    person.answerer.allow_always(asked.call_id, rule.clone(), reason);
                }
            }
            Err(error) => {
                terminal.error(&error);
                self.begin(UserQuestion::Effect(asked), terminal);
            }
        }
    }

    fn reply(&self, question: &UserQuestion, answer: Answer) {
        if let Some(person) = &self.person {
            person.answerer.give(question, answer);
        }
    }

    fn policy(&self) -> Option<&PolicyFile> {
        self.person.as_ref()?.policy.as_ref()
    }

    fn wait(&mut self, question: UserQuestion, awaited: Awaited, prompt: &str, terminal: &mut Terminal) {
        let line = self.line(prompt, terminal);
        self.open = Some(Open { question, awaited, line });
    }

    /// Prompts for a line. Input typed before is discarded.
    fn line(&self, prompt: &str, terminal: &mut Terminal) -> oneshot::Receiver<String> {
        let (send, receive) = oneshot::channel();
        let Some(Person { keyboard, .. }) = &self.person else { return receive };
        keyboard.begin();
        terminal.prompt(prompt);
        let keyboard = Arc::clone(keyboard);
        // A separate thread: reading cannot be cancelled, and must not delay the exit.
        let reader = std::thread::Builder::new().name("artoo-answer".to_owned()).spawn(move || {
            // The run may have ended meanwhile.
            let _ = send.send(keyboard.line());
        });
        if let Err(error) = reader {
            // The question counts as answered with nothing, which agrees to nothing.
            terminal.error(&CommandError::failed("the answer cannot be read").because(error));
        }
        receive
    }
}

/// The frame for details: without colours, so that the height of a line can be computed.
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
