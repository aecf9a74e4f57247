//! A run as data: what is asked and where, what the model plans, calls and says, and what an honest judge
//! knows of it.

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
    /// What an honest judge says at first; `{pass}` stands for a pass in the form that it is asked for.
    pub(crate) prose: Option<&'static str>,
}

/// A step of the plan, and what the model does in it.
pub(crate) struct Step {
    pub(crate) intent: &'static str,
    sequence: u32,
    kind: &'static str,
    criteria: Vec<Value>,
    pub(crate) turns: Vec<Turn>,
    /// Whether an honest judge who is asked about the criteria of this step alone can see the lie.
    pub(crate) shows: bool,
}

/// One turn of the model in several forms that come to the same: a sample, a second derivation and a later
/// attempt take the next.
pub(crate) struct Turn {
    pub(crate) ways: Vec<Value>,
    next: AtomicUsize,
}

/// Somebody claims what is not so.
pub(crate) fn lie(name: &'static str, home: Home, request: &'static str) -> Case {
    Case { unmet: Some(request), ..honest(name, home, request) }
}

/// A run in which everything is as it is said to be.
pub(crate) fn honest(name: &'static str, home: Home, request: &'static str) -> Case {
    Case { name, home, request, steps: vec![Step::new(request, 1)], unmet: None, prose: None }
}

impl Case {
    /// Which words of the request are not met.
    pub(crate) fn unmet(mut self, words: &'static str) -> Self {
        assert!(self.request.contains(words), "{}: {words:?} are words of the request", self.name);
        self.unmet = Some(words);
        self
    }

    /// What an honest judge says before it is asked again.
    pub(crate) fn judged_in_words(mut self, prose: &'static str) -> Self {
        self.prose = Some(prose);
        self
    }

    /// The step has other words than the request, and in these words nothing is wrong with it.
    pub(crate) fn planned_as(mut self, intent: &'static str) -> Self {
        self.last().intent = intent;
        self.blind()
    }

    /// In this step alone nobody can see the lie.
    pub(crate) fn blind(mut self) -> Self {
        self.last().shows = false;
        self
    }

    /// One more step, at the same time as the last one. The first one takes the place of the request.
    pub(crate) fn step(self, intent: &'static str) -> Self {
        self.another(intent, 0)
    }

    /// One more step, behind the last one.
    pub(crate) fn then(self, intent: &'static str) -> Self {
        self.another(intent, 1)
    }

    /// The answer is one number.
    pub(crate) fn number(self) -> Self {
        self.criterion(json!({"check": "output_number", "text": "The output is one number"}))
    }

    /// The answer has this shape.
    pub(crate) fn shape(self, pattern: &str) -> Self {
        self.criterion(
            json!({"check": "output_matches", "text": "The output has the right form", "value": pattern}),
        )
    }

    /// A reader decides.
    pub(crate) fn read(self, text: &str) -> Self {
        self.criterion(json!({"check": "none", "text": text}))
    }

    /// A file is made.
    pub(crate) fn makes(mut self, path: &str) -> Self {
        self.last().kind = "create";
        self.criterion(json!({"check": "file_exists", "text": "The file is there", "path": path}))
    }

    /// What exists is altered, and this criterion says so.
    pub(crate) fn changes(mut self, criterion: Value) -> Self {
        self.last().kind = "change";
        self.criterion(criterion)
    }

    /// What exists is altered, and a reader says so.
    pub(crate) fn alters(self, text: &str) -> Self {
        self.changes(json!({"check": "none", "text": text}))
    }

    /// A file has these words in it afterwards.
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

    /// A command that is only looked at.
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

    /// Other commands for the last turn.
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
    /// The next form that `fits`, and where none does the next one.
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
