//! Asking the person at the terminal: a line on standard error, an answer from standard input.

use std::io::BufRead;
use std::sync::Arc;

use artoo_runtime::Answerer;
use artoo_types::{ApprovalScope, CallId, ProposedRule};
use tokio::sync::oneshot;

use super::always::PolicyFile;
use crate::terminal::{Streams, Terminal};

/// The most bytes of an answer: one line that a person types.
const MAX_BYTES: u64 = 16 * 1024;

/// Where answers come from.
#[derive(Clone)]
pub(super) struct Keyboard {
    /// Throws away what was typed before the question.
    pub(super) forget: fn(),
    /// Waits for a line.
    pub(super) line: Arc<dyn Fn() -> String + Send + Sync>,
}

/// Asks the person, one question at a time.
pub(super) struct Asking {
    answerer: Answerer,
    keyboard: Keyboard,
    /// Where a rule would be written.
    policy: Option<PolicyFile>,
    open: Option<Open>,
}

/// A question that is put.
struct Open {
    question: Question,
    /// Whether the reason of a rule is awaited; otherwise the answer is.
    reason: bool,
    line: oneshot::Receiver<String>,
}

/// What a run asks the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// What a round of R1's questions asks.
    Clarification(u32),
    /// Whether the plan of this round may run.
    Plan(u32),
    /// Whether a call may do what it would.
    Effect {
        /// Which call.
        call_id: CallId,
        /// The rule that would answer it for good.
        always: Option<Box<ProposedRule>>,
    },
}

const REASON: &str = "why? one line, which stands in the rule (empty: back to the question) > ";

impl Question {
    /// What stands before the answer.
    fn prompt(&self) -> &'static str {
        match self {
            Self::Clarification(_) => "answer (empty: go ahead) > ",
            Self::Plan(_) => "run this plan? [y/N] > ",
            Self::Effect { always: None, .. } => {
                "y: yes, once   r: in this run   f: in this folder, in this run   N: no   or say what to do instead > "
            }
            Self::Effect { always: Some(_), .. } => {
                "y: yes, once   r: in this run   f: in this folder, in this run   a: always, by a rule   N: no   or say what to do instead > "
            }
        }
    }
}

/// Whether somebody is there to be asked: standard input and standard error are terminals, and the run is shown to a person.
pub(super) fn person_present(streams: Streams, json: bool, quiet: bool) -> bool {
    streams.stdin && streams.stderr && !json && !quiet
}

/// Standard input. What was typed before the question is not an answer to it.
pub(super) fn from_stdin() -> Keyboard {
    Keyboard {
        forget: || {
            // Without a terminal behind it there is nothing to throw away.
            let _ = rustix::termios::tcflush(std::io::stdin(), rustix::termios::QueueSelector::IFlush);
        },
        line: Arc::new(|| line(&mut std::io::stdin().lock())),
    }
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
    pub(super) fn new(answerer: Answerer, keyboard: Keyboard, policy: Option<PolicyFile>) -> Self {
        Self { answerer, keyboard, policy, open: None }
    }

    /// Whether an answer is awaited: the last line of the terminal is the person's then.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Begins to wait for the answer to a question, which is on the screen.
    pub(super) fn begin(&mut self, question: Question, terminal: &mut Terminal) {
        let prompt = question.prompt();
        let line = self.line(prompt, terminal);
        self.open = Some(Open { question, reason: false, line });
    }

    /// Gives a question up that nobody waits for any more. What is typed next goes nowhere.
    pub(super) fn withdraw(&mut self, withdrawn: CallId, terminal: &mut Terminal) {
        let is_it = |question: &Question| match question {
            Question::Effect { call_id, .. } => *call_id == withdrawn,
            Question::Clarification(_) | Question::Plan(_) => false,
        };
        if self.open.take_if(|open| is_it(&open.question)).is_some() {
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
        let Some(Open { question, reason, .. }) = self.open.take() else { return };
        match question {
            Question::Clarification(round) => self.answerer.answer(round, line.to_owned()),
            Question::Plan(round) if is_yes(line) => self.answerer.agree(round),
            Question::Plan(round) => self.answerer.refuse(round),
            Question::Effect { call_id, always: Some(rule) } if reason => {
                self.rule(call_id, rule, line, terminal);
            }
            Question::Effect { call_id, always } => match Said::of(line) {
                Said::Yes(scope) => self.answerer.allow(call_id, scope),
                Said::No => self.answerer.deny(call_id, None),
                Said::Instead(words) => self.answerer.deny(call_id, Some(words)),
                Said::Always => self.always(call_id, always, terminal),
            },
        }
    }

    /// Shows the rule and asks for its reason.
    fn always(&mut self, call_id: CallId, always: Option<Box<ProposedRule>>, terminal: &mut Terminal) {
        let Some((rule, file)) = always.zip(self.policy.as_ref()) else {
            terminal.note("no rule can say this and nothing else: always is no answer here");
            return self.begin(Question::Effect { call_id, always: None }, terminal);
        };
        for line in file.offer(&rule) {
            terminal.note(&line);
        }
        let line = self.line(REASON, terminal);
        let question = Question::Effect { call_id, always: Some(rule) };
        self.open = Some(Open { question, reason: true, line });
    }

    /// Writes the rule, and then says yes. Without a reason, or where it cannot be written, the question is put again.
    fn rule(&mut self, call_id: CallId, rule: Box<ProposedRule>, line: &str, terminal: &mut Terminal) {
        let (reason, file) = (line.trim(), self.policy.as_ref());
        let written = match file {
            Some(file) if !reason.is_empty() => file.add(&rule, reason),
            Some(_) | None => {
                terminal.note("no reason, no rule");
                return self.begin(Question::Effect { call_id, always: Some(rule) }, terminal);
            }
        };
        match written {
            Ok(done) => {
                terminal.note(&done);
                self.answerer.allow_always(call_id, *rule, reason);
            }
            Err(error) => {
                terminal.error(&error);
                self.begin(Question::Effect { call_id, always: Some(rule) }, terminal);
            }
        }
    }

    /// Asks for a line. What was typed before is not it.
    fn line(&self, prompt: &str, terminal: &mut Terminal) -> oneshot::Receiver<String> {
        (self.keyboard.forget)();
        terminal.prompt(prompt);
        let (send, receive) = oneshot::channel();
        let line = Arc::clone(&self.keyboard.line);
        // A thread of its own: reading cannot be cancelled, and must not keep the program.
        std::thread::spawn(move || {
            // The run may have ended meanwhile.
            let _ = send.send(line());
        });
        receive
    }
}

/// Whether somebody agreed, in so many words: an empty line, the end of the input and anything else are a no.
fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

/// What somebody said about an effect.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    Yes(ApprovalScope),
    No,
    /// Yes, by a rule.
    Always,
    /// No, and what to do instead.
    Instead(String),
}

/// What is shorter, in bytes, was a slip, and a slip is a no.
const SHORTEST_WORDS: usize = 8;

impl Said {
    /// Only these letters and words are a yes. Anything else is a no, the end of the input too.
    fn of(answer: &str) -> Self {
        match answer.trim().to_lowercase().as_str() {
            "y" | "yes" => Self::Yes(ApprovalScope::Once),
            "r" | "run" => Self::Yes(ApprovalScope::Run),
            "f" | "folder" => Self::Yes(ApprovalScope::Folder),
            "a" | "always" => Self::Always,
            words if words.len() < SHORTEST_WORDS => Self::No,
            _ => Self::Instead(answer.trim().to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_is_a_yes() {
        assert!(["y", "Y", " yes ", "YES"].into_iter().all(is_yes));
        assert!(!["", "n", "no", "yes but", "ye", "yy", "0", "是的"].into_iter().any(is_yes));
    }

    #[test]
    fn only_what_was_offered_allows_an_effect() {
        use ApprovalScope::{Folder, Once, Run};
        let said =
            [("y", Once), (" YES ", Once), ("r", Run), ("run", Run), ("F", Folder), ("folder", Folder)];
        for (answer, scope) in said {
            assert_eq!(Said::of(answer), Said::Yes(scope), "{answer}");
        }
        for answer in ["", "n", "no", "never", "ye", "yy", "y?", "yes!", "rf", "aa", "always!"] {
            assert_eq!(Said::of(answer), Said::No, "{answer}");
        }
        for answer in ["a", " ALWAYS "] {
            assert_eq!(Said::of(answer), Said::Always);
        }
        for answer in ["yes but not now", "Write it to new.txt", "写到 new.txt"] {
            assert_eq!(Said::of(&format!(" {answer}\n")), Said::Instead(answer.to_owned()));
        }
    }

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
