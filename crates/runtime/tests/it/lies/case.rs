//! A run as data: its request and home, the model's plan, calls and words, and what an honest judge knows of
//! it.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::home::Home;

/// One run.
pub(crate) struct Case {
    /// The lie, or what is honest.
    pub(crate) name: &'static str,
    pub(crate) home: Home,
    pub(crate) request: &'static str,
    pub(crate) steps: Vec<Step>,
    /// The words of the request that the run does not meet; `None` for an honest run.
    pub(crate) unmet: Option<&'static str>,
    /// An honest judge's first answer; `{pass}` stands for a pass in the requested form.
    pub(crate) prose: Option<&'static str>,
}

/// A step of the plan, and the model's behaviour in it.
pub(crate) struct Step {
    pub(crate) intent: &'static str,
    sequence: u32,
    kind: &'static str,
    criteria: Vec<Value>,
    pub(crate) turns: Vec<Turn>,
    /// Whether an honest judge who is asked only about this step's criteria can see the lie.
    pub(crate) shows: bool,
}

/// One turn of the model in several equivalent forms: a sample and a later attempt take
/// the next.
pub(crate) struct Turn {
    pub(crate) ways: Vec<Value>,
    next: AtomicUsize,
}

/// A run with a false claim.
pub(crate) fn lie(name: &'static str, home: Home, request: &'static str) -> Case {
    Case { unmet: Some(request), ..honest(name, home, request) }
}

/// A run whose claims are true.
pub(crate) fn honest(name: &'static str, home: Home, request: &'static str) -> Case {
    Case { name, home, request, steps: vec![Step::new(request, 1)], unmet: None, prose: None }
}

impl Case {
    /// The unmet words of the request.
    pub(crate) fn unmet(mut self, words: &'static str) -> Self {
        assert!(self.request.contains(words), "{}: {words:?} are words of the request", self.name);
        self.unmet = Some(words);
        self
    }

    /// An honest judge's first answer, before it is asked again.
    pub(crate) fn judged_in_words(mut self, prose: &'static str) -> Self {
        self.prose = Some(prose);
        self
    }

    /// The step is worded differently from the request, and meets its own wording.
    pub(crate) fn planned_as(mut self, intent: &'static str) -> Self {
        self.last().intent = intent;
        self.blind()
    }

    /// This step alone does not reveal the lie.
    pub(crate) fn blind(mut self) -> Self {
        self.last().shows = false;
        self
    }

    /// One more step, concurrent with the last one. The first one takes the place of the request.
    pub(crate) fn step(self, intent: &'static str) -> Self {
        self.another(intent, 0)
    }

    /// One more step, after the last one.
    pub(crate) fn then(self, intent: &'static str) -> Self {
        self.another(intent, 1)
    }

    /// The answer is one number.
    pub(crate) fn number(self) -> Self {
        self.criterion(json!({"check": "output_number", "text": "The output is one number"}))
    }

    /// The answer has this pattern.
    pub(crate) fn shape(self, pattern: &str) -> Self {
        self.criterion(
            json!({"check": "output_matches", "text": "The output has the right form", "value": pattern}),
        )
    }

    /// A judge decides by reading.
    pub(crate) fn read(self, text: &str) -> Self {
        self.criterion(json!({"check": "none", "text": text}))
    }

    /// A file is created.
    pub(crate) fn makes(mut self, path: &str) -> Self {
        self.last().kind = "create";
        self.criterion(json!({"check": "file_exists", "text": "The file is there", "path": path}))
    }

    /// A link is made.
    pub(crate) fn links(self, path: &str) -> Self {
        let mut case = self.makes(path);
        case.last().kind = "link";
        case
    }

    /// An existing file is changed, with this criterion.
    pub(crate) fn changes(mut self, criterion: Value) -> Self {
        self.last().kind = "change";
        self.criterion(criterion)
    }

    /// An existing file is changed, and a judge decides by reading.
    pub(crate) fn alters(self, text: &str) -> Self {
        self.changes(json!({"check": "none", "text": text}))
    }

    /// A file contains these words afterwards.
    pub(crate) fn contains(self, path: &str, value: &str) -> Self {
        self.changes(json!({"check": "file_contains", "text": "The words are in the file", "path": path, "value": value}))
    }

    pub(crate) fn criterion(mut self, criterion: Value) -> Self {
        self.last().criteria.push(criterion);
        self
    }

    /// A command whose output is the answer.
    pub(crate) fn runs(self, command: &str) -> Self {
        self.turn(shell(command, Is::Answer))
    }

    /// A command whose output is not the answer.
    pub(crate) fn looks(self, command: &str) -> Self {
        self.turn(shell(command, Is::Look))
    }

    /// A call of another tool.
    pub(crate) fn calls(self, tool: &str, arguments: Value) -> Self {
        self.turn(json!({"tool": tool, "arguments": arguments, "output_is_answer": false}))
    }

    pub(crate) fn answers(self, text: &str) -> Self {
        self.turn(json!({"answer": text}))
    }

    /// Alternative commands for the last turn.
    pub(crate) fn or<const N: usize>(mut self, commands: [&str; N]) -> Self {
        let turn = self.last().turns.last_mut().unwrap();
        let is = if turn.ways[0]["output_is_answer"] == true { Is::Answer } else { Is::Look };
        turn.ways.extend(commands.map(|command| shell(command, is)));
        self
    }

    /// What the planner drafts.
    pub(crate) fn draft(&self) -> Value {
        let step = |step: &Step| {
            json!({
                "intent": step.intent, "sequence": step.sequence, "kind": step.kind, "criteria": step.criteria,
            })
        };
        json!({"subtasks": self.steps.iter().map(step).collect::<Vec<_>>()})
    }

    fn another(mut self, intent: &'static str, later: u32) -> Self {
        let last = self.last();
        if last.turns.is_empty() && last.criteria.is_empty() {
            last.intent = intent;
        } else {
            let sequence = last.sequence + later;
            self.steps.push(Step::new(intent, sequence));
        }
        self
    }

    fn turn(mut self, way: Value) -> Self {
        self.last().turns.push(Turn { ways: vec![way], next: AtomicUsize::new(0) });
        self
    }

    fn last(&mut self) -> &mut Step {
        self.steps.last_mut().unwrap()
    }
}

impl Step {
    fn new(intent: &'static str, sequence: u32) -> Self {
        Self { intent, sequence, kind: "find_out", criteria: Vec::new(), turns: Vec::new(), shows: true }
    }
}

impl Turn {
    /// The next form that `fits`, or the next one if none does.
    pub(crate) fn take(&self, fits: impl Fn(&Value) -> bool) -> &Value {
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        let in_turn = (0..self.ways.len()).map(|n| &self.ways[(first + n) % self.ways.len()]);
        in_turn.clone().find(|way| fits(way)).unwrap_or_else(|| in_turn.clone().next().unwrap())
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Is {
    Answer,
    Look,
}

fn shell(command: &str, is: Is) -> Value {
    json!({"tool": "shell", "arguments": {"command": command}, "output_is_answer": is == Is::Answer})
}
