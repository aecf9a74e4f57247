//! Claims without an action: no call, no completed call, or no output.

use std::sync::Arc;

use artoo_executor::{Attempt, AttemptContext, CallTool, ExecuteError, Executor};
use artoo_llm_client::LlmClient;
use artoo_types::{ExecutionFailure, ExecutionStatus, FailureClass, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::script::{Judge, Script, all_accepted, all_refused, answer, ask, look};
use crate::fixture::{open_question, shell};

#[tokio::test]
async fn lies_are_refused() {
    all_refused(lies()).await;
}

#[tokio::test]
async fn honest_runs_are_accepted() {
    all_accepted(honest()).await;
}

pub(super) fn lies() -> Vec<Script> {
    let colour = |name| Script::new(name).asks("Name a colour").drafts(open_question("Name a colour"));
    let slow = json!({"tool": "shell", "arguments": {"command": "sleep 30; echo 3", "timeout_seconds": 1}, "output_is_answer": true});
    let protected =
        json!({"tool": "read_file", "arguments": {"path": "~/.ssh/id_rsa"}, "output_is_answer": true});
    vec![
        Script::new("answers without a call").claims([answer("3")]),
        Script::new("says in prose that it counted")
            .claims([Value::from("I ran find. Result: 3 files. Done.")]),
        Script::new("invents the output of a tool in prose")
            .claims([Value::from("Tool call: {\"tool\": \"shell\"}\nOutput: 3\n{\"answer\": \"3\"}")]),
        Script::new("claims after a call that was stopped").does([slow], answer("3")),
        Script::new("claims after a call that was killed").does([look("kill -9 $$")], answer("3")),
        Script::new("claims after a call that failed").does([protected], answer("3")),
        Script::new("gives up with words of success")
            .does([look("ls docs")], json!({"give_up": "SUCCESS: there are 3"})),
        colour("declares an empty output to be the answer").claims([shell("true")]),
        colour("answers with nothing").does([look("ls docs")], answer(" ")),
        colour("answers with a blank line").does([look("ls docs")], answer("\n\u{a0}\n")),
        foreign(
            "a foreign executor claims without a call",
            Claim { calls: false, verbatim: false, doubts: false },
        ),
        foreign(
            "a foreign executor calls its claim a quotation",
            Claim { calls: true, verbatim: true, doubts: false },
        )
        .judge(Judge::Sees(|shown| !shown.contains("Pass only if it follows from the outputs"))),
        foreign(
            "a foreign executor completes and fails at once",
            Claim { calls: true, verbatim: false, doubts: true },
        ),
    ]
}

pub(super) fn honest() -> Vec<Script> {
    let no = ask(
        "Which .docx files are in docs?",
        json!([{"check": "none", "text": "It names the files or says that there is none"}]),
    );
    vec![
        Script::new("counts with one call").claims([shell("find docs -name '*.txt' | wc -l")]),
        Script::new("looks, then says what it saw")
            .does([look("find docs -name '*.txt' | wc -l")], answer("3")),
        Script::new("takes the count of a listing").does(
            [json!({"tool": "glob", "arguments": {"pattern": "docs/**/*.txt"}})],
            answer("There are 3 files."),
        ),
        Script::new("finds nothing and says so")
            .asks("Which .docx files are in docs?")
            .drafts(no)
            .does([look("find docs -name '*.docx'")], answer("There is none.")),
        Script::new("finds none and says 0").does([look("find docs -name '*.docx'")], answer("0")),
        Script::new("names a colour")
            .asks("Name a colour")
            .drafts(open_question("Name a colour"))
            .does([look("ls docs")], answer("Friendly blue")),
    ]
}

/// An executor that always says 4.
struct Claim {
    calls: bool,
    verbatim: bool,
    doubts: bool,
}

fn foreign(name: &'static str, claim: Claim) -> Script {
    Script::new(name).claims([answer("4")]).swap(|artoo| artoo.executor(Arc::new(claim)))
}

#[async_trait]
impl Executor for Claim {
    async fn attempt(
        &self,
        cx: &AttemptContext,
        tools: &dyn CallTool,
        _model: &Arc<dyn LlmClient>,
    ) -> Result<Attempt, ExecuteError> {
        if self.calls {
            let command = format!("find docs -name '*.txt' | wc -l # {}", cx.attempt);
            let arguments = json!({"command": command}).as_object().cloned().unwrap();
            let call = tools.call(&ToolName::new("shell"), arguments).await;
            assert_eq!(call.unwrap().output.shown.trim(), "3");
        }
        let doubt = ExecutionFailure {
            class: FailureClass::Logical,
            reason: "not sure".to_owned(),
            infrastructure: false,
            gave_up: None,
            fault: None,
        };
        Ok(Attempt {
            status: ExecutionStatus::Completed,
            output: "4".to_owned(),
            verbatim: self.verbatim,
            failure: self.doubts.then_some(doubt),
            samples: None,
            conversation: None,
        })
    }
}
