//! The scripted model: what it would say if its server were sound.

use serde_json::{Value, json};

use super::{
    call::{Call, Role},
    stream::{Completion, ToolCall},
};

/// What a run is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// To count files with a command.
    Count,
    /// To read a file.
    Read,
    /// To write a new file.
    Write,
    /// To change a file.
    Edit,
    /// To add a line to a file; each answer adds another one.
    Append,
    /// Two things at once, and a third behind them.
    Three,
    /// This command, which leaves something behind or puts out too much.
    Deed(&'static str),
    /// To do something that never ends.
    Endless(Loop),
}

/// The steps of [`Task::Three`].
const STEPS: [&str; 3] = ["Count the .txt files in docs", "Read notes.md", "Write report.txt"];

/// What a model does that never comes to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loop {
    /// The same call again.
    Same,
    /// The same command with another comment.
    Comment,
    /// Two calls in turn.
    Alternating,
    /// Another file that is not there.
    Missing,
    /// A new file each time.
    NewFiles,
    /// An announcement, and no call.
    Promises,
    /// A tool that does not exist.
    NoSuchTool,
    /// Arguments that no tool takes.
    BadArguments,
}

/// What the judges say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judge {
    /// Yes.
    Satisfied,
    /// No.
    Never,
    /// Yes and no in turn.
    Wavering,
    /// Yes, by a call that was never made.
    Inventive,
}

/// What the planner says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Planner {
    /// An ordinary plan.
    Plain,
    /// A plan without a step.
    Empty,
    /// More steps than there may be.
    Huge,
    /// That it cannot be done.
    Impossible,
    /// A question.
    Asks,
    /// Steps with criteria that contradict each other.
    Contradictory,
}

/// A model with a part to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Model {
    /// What the run is about.
    pub task: Task,
    /// What the judges say.
    pub judge: Judge,
    /// What the planner says.
    pub planner: Planner,
}

impl Task {
    /// The request.
    pub(super) fn request(self) -> &'static str {
        match self {
            Self::Count | Self::Endless(_) => "How many .txt files are in docs?",
            Self::Read => "What does notes.md say about the harbour?",
            Self::Write => "Write the names of the files in docs into report.txt",
            Self::Edit => "Change two to 2 in docs/b.txt",
            Self::Append => "Append a line to lines.log",
            Self::Three => "Count the .txt files in docs, read notes.md, and write both into report.txt",
            Self::Deed(_) => "Run the script of the day and tell what it says",
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Count | Self::Read | Self::Endless(_) | Self::Deed(_) => "find_out",
            Self::Write | Self::Append | Self::Three => "create",
            Self::Edit => "change",
        }
    }

    /// What the step of this text takes: the calls, in turn, and the words behind them. `number` is that of the call of the model.
    fn step(self, step: &str, number: usize) -> (Vec<(&'static str, Value)>, &'static str) {
        let count = ("shell", json!({"command": "ls docs/*.txt | wc -l", "output_is_answer": true}));
        let notes = ("read_file", json!({"path": "notes.md", "output_is_answer": true}));
        let write = |text: &str| ("write_file", json!({"path": "report.txt", "content": text}));
        match self {
            Self::Three if step == STEPS[1] => (vec![notes], "The harbour is closed until May."),
            Self::Three if step == STEPS[2] => (
                vec![write("3, and the harbour is closed\n")],
                "report.txt holds the number 3 and the harbour.",
            ),
            Self::Count | Self::Three => (vec![count], "3"),
            Self::Read => (vec![notes], "The harbour is closed until May."),
            Self::Write => (
                vec![("glob", json!({"pattern": "docs/*.txt"})), write("a.txt\nb.txt\nc.txt\n")],
                "report.txt holds a.txt, b.txt and c.txt.",
            ),
            Self::Edit => (
                vec![
                    ("read_file", json!({"path": "docs/b.txt"})),
                    ("edit_file", json!({"path": "docs/b.txt", "edits": [{"old": "two", "new": "2"}]})),
                ],
                "docs/b.txt says 2 now.",
            ),
            Self::Append => (
                vec![(
                    "shell",
                    json!({"command": format!("echo answer-{number} >> lines.log; cat lines.log")}),
                )],
                "A line was appended to lines.log.",
            ),
            Self::Deed(command) => {
                (vec![("shell", json!({"command": command, "output_is_answer": true}))], "It was started.")
            }
            Self::Endless(_) => (Vec::new(), ""),
        }
    }
}

impl Model {
    /// What it says to this. `number` counts the calls of the run.
    pub(super) fn says(&self, call: &Call, number: usize) -> Completion {
        let said = match call.role() {
            Role::Plan => Completion::words(self.plan().to_string()),
            Role::Parts => Completion::words(self.parts(call, number).to_string()),
            Role::Verdict => Completion::words(self.verdict(call, number).to_string()),
            Role::Resolved => {
                let request = self.task.request();
                Completion::words(json!({"questions": [], "intent": request}).to_string())
            }
            Role::Action => self.acts(call, number),
            Role::Words => Completion::words("It is as the calls show."),
        };
        match call.schema_tool() {
            // The schema is asked for as a tool.
            Some(name) if said.calls.is_empty() => {
                let arguments = serde_json::from_str(&said.text).unwrap_or(Value::Null);
                Completion::call(format!("call_{number}"), name, arguments)
            }
            Some(_) | None => said,
        }
    }

    fn plan(&self) -> Value {
        let request = self.task.request();
        let answers = json!({"text": "The output answers the request", "check": "none"});
        let step = |intent: &str, sequence: u32, kind: &str, criteria: &[Value]| json!({"intent": intent, "sequence": sequence, "kind": kind, "criteria": criteria});
        match self.planner {
            Planner::Plain if self.task == Task::Three => json!({"subtasks": [
                step(STEPS[0], 1, "find_out", &[json!({"text": "The output is a number", "check": "output_number"})]),
                step(STEPS[1], 1, "find_out", std::slice::from_ref(&answers)),
                step(STEPS[2], 2, "create", &[json!({"text": "report.txt is there", "check": "file_exists", "path": "report.txt"})]),
            ]}),
            Planner::Plain => json!({"subtasks": [step(request, 1, self.task.kind(), &[answers])]}),
            Planner::Empty => json!({"subtasks": []}),
            Planner::Huge => {
                let steps: Vec<Value> = (1..=300)
                    .map(|at| step(&format!("Step {at}"), at, "find_out", std::slice::from_ref(&answers)))
                    .collect();
                json!({"subtasks": steps})
            }
            Planner::Impossible => {
                json!({"subtasks": [], "give_up": "nobody can"})
            }
            Planner::Asks => {
                json!({"subtasks": [], "ask": "Which docs?"})
            }
            Planner::Contradictory => {
                let says = |value: &str| json!({"text": format!("It says {value}"), "check": "output_matches", "value": value});
                json!({"subtasks": [step(request, 1, "find_out", &[says("^3$"), says("^4$"), says("(")])]})
            }
        }
    }

    fn agrees(&self, number: usize) -> bool {
        match self.judge {
            Judge::Satisfied | Judge::Inventive => true,
            Judge::Never => false,
            Judge::Wavering => number.is_multiple_of(2),
        }
    }

    fn parts(&self, call: &Call, number: usize) -> Value {
        let lines = call.lines();
        let request = lines.iter().find_map(|line| line.strip_prefix("Request: "));
        let mut last = lines
            .iter()
            .filter_map(|line| line.strip_prefix("Call ")?.split(':').next()?.parse::<u64>().ok());
        let last = match self.judge {
            Judge::Inventive => 4711,
            Judge::Satisfied | Judge::Never | Judge::Wavering => last.next_back().unwrap_or(1),
        };
        let verdict = if self.agrees(number) { "pass" } else { "fail" };
        let part = json!({"quote": request.unwrap_or(self.task.request()), "reason": "as the call shows", "call": last, "verdict": verdict});
        let further: Vec<Value> = (1..=call.verdicts())
            .map(|at| json!({"criterion": at, "reason": "as the call shows", "verdict": verdict, "call": last}))
            .collect();
        if further.is_empty() {
            return json!({"parts": [part]});
        }
        json!({"parts": [part], "verdicts": further})
    }

    fn verdict(&self, call: &Call, number: usize) -> Value {
        let verdict = if self.agrees(number) { "pass" } else { "fail" };
        let one = json!({"reason": "as the call shows", "verdict": verdict, "class": "logical"});
        let of = |at: u64| json!({"criterion": at, "reason": "as the call shows", "verdict": verdict, "class": "logical"});
        match call.verdicts() {
            0 => one,
            several => json!({"verdicts": (1..=several).map(of).collect::<Vec<_>>()}),
        }
    }

    fn acts(&self, call: &Call, number: usize) -> Completion {
        let id = format!("call_{number}");
        if let Task::Endless(endless) = self.task {
            return endless.says(id, number);
        }
        let lines = call.lines();
        let step = lines.iter().rev().find_map(|line| line.strip_prefix("Step: ")).unwrap_or_default();
        let (calls, words) = self.task.step(step, number);
        let Some((name, mut arguments)) = calls.into_iter().nth(call.turns()) else {
            return Completion::words(if call.has_tools() {
                words.to_owned()
            } else {
                json!({"answer": words}).to_string()
            });
        };
        if call.has_tools() {
            return Completion::call(id, name, arguments);
        }
        // Tools are told in the prompt, and called in JSON, where the schema is strict.
        let is_answer = arguments.as_object_mut().and_then(|given| given.remove("output_is_answer"));
        let mut action = json!({"tool": name, "arguments": arguments});
        if let Some(action) = action.as_object_mut().filter(|_| name != "edit_file") {
            action.insert("output_is_answer".to_owned(), is_answer.unwrap_or(Value::Bool(false)));
        }
        Completion::words(action.to_string())
    }
}

impl Loop {
    fn says(self, id: String, number: usize) -> Completion {
        let shell = |command: String| Completion::call(id.clone(), "shell", json!({"command": command}));
        match self {
            Self::Same => shell("ls docs".to_owned()),
            Self::Comment => shell(format!("ls docs # look {number}")),
            Self::Alternating => shell(if number.is_multiple_of(2) { "ls docs" } else { "ls" }.to_owned()),
            Self::Missing => {
                Completion::call(id, "read_file", json!({"path": format!("no-such-file-{number}.txt")}))
            }
            Self::NewFiles => Completion::call(
                id,
                "write_file",
                json!({"path": format!("made-{number}.txt"), "content": "x\n"}),
            ),
            Self::Promises => Completion::words("I will now look into the folder and count the files."),
            Self::NoSuchTool => Completion::call(id, "launch_rocket", json!({"target": "moon"})),
            Self::BadArguments => Completion {
                text: "I try another way.".to_owned(),
                calls: vec![ToolCall { id, name: "shell".to_owned(), arguments: json!([number]) }],
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(body: Value) -> Call {
        Call { path: "/v1/chat/completions".into(), bytes: body.to_string().len(), body }
    }

    fn model(task: Task) -> Model {
        Model { task, judge: Judge::Satisfied, planner: Planner::Plain }
    }

    #[test]
    fn a_step_is_said_again_until_it_has_a_result() {
        let tools = json!([{"function": {"name": "shell"}}]);
        let none = call(json!({"tools": tools, "messages": []}));
        assert_eq!(model(Task::Count).says(&none, 3).calls[0].name, "shell");
        let one = call(json!({"tools": tools, "messages": [{"role": "tool", "content": "3"}]}));
        assert!(model(Task::Count).says(&one, 4).text == "3");
    }

    #[test]
    fn the_judge_points_at_the_last_call_and_takes_the_request_whole() {
        let schema = json!({"json_schema": {"name": "parts", "schema": {"properties": {"verdicts": {"minItems": 2}}}}});
        let messages = json!([{"role": "user", "content": "Request: Do it\nCall 1: ls\nCall 2: cat"}]);
        let said =
            model(Task::Count).says(&call(json!({"response_format": schema, "messages": messages})), 1);
        let judged: Value = serde_json::from_str(&said.text).unwrap();
        assert_eq!((&judged["parts"][0]["quote"], &judged["parts"][0]["call"]), (&json!("Do it"), &json!(2)));
        assert_eq!(judged["verdicts"].as_array().unwrap().len(), 2);
    }
}
