//! Derives the command of a step in more than one way, before anything is called.
//!
//! A small model writes code well where nothing stands around it: as a shell command, as a Python program and,
//! about a table, as a query, each behind the beginning of a code block, not as a text within JSON. Its mistakes
//! in these differ. So they are asked for one after the other, rehearsed where nothing of them lasts, and
//! compared by what they do; what went wrong is written again, with the complaint, and what only one of them says
//! is drawn again, until two agree or the rounds are used. Source: `docs/deviations.md`, "Samples".

use std::path::PathBuf;
use std::sync::Arc;

use artoo_llm_client::{LlmClient, Message, Origin, Request, StopReason, fenced};
use artoo_types::{Perturbation, Samples, ToolName};

use super::SHELL;
use super::code_block::{self, Language, PYTHON};
use super::majority::{self, Came, Candidate, Goal, failed, winner};
use super::subject::{self, Described};
use crate::{AttemptContext, CallTool, ExecuteError};

/// A command that tests whether commands can be rehearsed at all.
const NOTHING: &str = "true";
/// How often each language is asked for.
const ROUNDS: u32 = 3;
/// The temperature of each round, in hundredths: a small model says the same at a low one.
const TEMPERATURES: [u16; ROUNDS as usize] = [0, 80, 110];
/// Output limit of a derivation, in tokens. What is longer repeats itself.
const DERIVATION_TOKENS: u32 = 320;
/// What a query is run by, as the name of a program: whatever reads the table for it.
const SQL: &str = "sql";
/// The most of a complaint that is shown, in bytes: the end of it, where programs say what is wrong.
const COMPLAINT: usize = 400;
const NOTHING_PRINTED: &str = "it printed nothing";
const SOMETHING_CHANGED: &str = "it changed files, which is not part of this task";
const NOTHING_CHANGED: &str = "it changed nothing";

/// The tools that do nothing which a command does not do as well. Where others are offered, such as those for
/// the web, the model chooses first.
const DONE_BY_COMMANDS: [&str; 9] =
    [SHELL, "glob", "grep", "mdfind", "read_file", "write_file", "edit_file", "read_evidence", "job"];

/// The derived command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Derived {
    pub(crate) command: String,
    pub(crate) samples: Samples,
}

/// Whether commands can be derived here: they can be rehearsed.
pub(crate) async fn is_possible(cx: &AttemptContext, tools: &dyn CallTool) -> bool {
    cx.tools.iter().any(|tool| tool.name.as_str() == SHELL)
        && tools.rehearse(NOTHING, &Perturbation::AsIs).await.is_ok()
}

/// Whether a command can do the step, whatever it is, as far as the tools tell.
pub(crate) fn is_only_choice(cx: &AttemptContext) -> bool {
    cx.tools.iter().all(|tool| DONE_BY_COMMANDS.contains(&tool.name.as_str()))
}

/// Derives the command of a step, which `told` describes to the model. `None` if no derivation can be used.
///
/// # Errors
/// Those of the model.
pub(crate) async fn derive(
    cx: &AttemptContext,
    told: &str,
    described: &Described,
    subject: &[PathBuf],
    tools: &dyn CallTool,
    model: &Arc<dyn LlmClient>,
) -> Result<Option<Derived>, ExecuteError> {
    let planned = if cx.subtask.kind.is_find_out() { Goal::Answer } else { Goal::Change };
    let has_python = cx.programs.iter().any(|program| program == PYTHON);
    let table = described.table.as_deref().filter(|_| planned == Goal::Answer);
    let languages: &[Language] = match (has_python, table) {
        (false, _) => &[Language::Shell],
        (true, None) => &[Language::Shell, Language::Python],
        // A shell knows no tables: it takes quoted commas apart.
        (true, Some(_)) => &[Language::Python, Language::Sql, Language::Shell],
    };
    let mut ways: Vec<Way> = languages.iter().map(|language| Way::new(*language, told)).collect();
    let mut candidates = Vec::new();
    let mut asked = 0;
    'rounds: for round in 0..ROUNDS {
        for way in &mut ways {
            let completion = model.complete(&way.request(round)).await?;
            let sample = asked;
            asked += 1;
            if completion.stop == StopReason::Length {
                continue;
            }
            let folder = &cx.surroundings.working_folder;
            let written = subject::with_names(&completion.text, subject, folder);
            let Some(command) = code_block::command(way.language, &written, table) else { continue };
            let command = match way.language {
                Language::Shell => subject::with_quotes(&command, subject, folder),
                // A program is one word to the shell, and has quotes of its own.
                Language::Python | Language::Sql => command,
            };
            if is_known(&command, tools) {
                continue;
            }
            let Some(came) = rehearse(&command, subject, tools).await else { continue };
            way.complaint =
                complaint(&came, planned, cx.subtask.is_whole).map(|complaint| (completion.text, complaint));
            tracing::debug!(sample, %command, stdout = %came.as_is.stdout.text(), stderr = %came.as_is.stderr.text(), "derived");
            let programs = match way.language {
                Language::Sql => vec![SQL.to_owned()],
                Language::Shell | Language::Python => majority::programs(&command),
            };
            candidates.push(Candidate { sample, command, programs, came });
            let goal = goal(planned, cx.subtask.is_whole, &candidates);
            if winner(&candidates, asked, goal).is_some_and(|winner| winner.is_settled) {
                break 'rounds;
            }
        }
    }
    let goal = goal(planned, cx.subtask.is_whole, &candidates);
    // What changes something is no answer, and is not called for one.
    if goal == Goal::Answer {
        candidates.retain(|candidate: &Candidate| candidate.came.as_is.changes.is_none());
    }
    let Some(winner) = winner(&candidates, asked, goal) else { return Ok(None) };
    let command = candidates.into_iter().find(|candidate| candidate.sample == winner.sample);
    Ok(command.map(|Candidate { command, .. }| Derived { command, samples: winner.samples }))
}

/// One of the languages, and what came of it last.
struct Way {
    language: Language,
    request: Request,
    /// The answer that went wrong, and how.
    complaint: Option<(String, String)>,
}

impl Way {
    fn new(language: Language, told: &str) -> Self {
        let request = Request::new("executor", language.prompt(), told)
            .with_answer_begun(language.begun())
            .with_max_tokens(DERIVATION_TOKENS);
        Self { language, request, complaint: None }
    }

    /// The request of this round: the question, the question again by lot or, after a mistake, its mending.
    fn request(&self, round: u32) -> Request {
        let mut request = self.request.sample(round);
        request.temperature_percent = TEMPERATURES.get(round as usize).copied().unwrap_or_default();
        if let Some((answer, complaint)) = &self.complaint {
            request.messages.push(Message::assistant(format!("{}{answer}", self.language.begun())));
            request.messages.push(Message::user(format!(
                "That went wrong:\n{}\nWrite it again, mended.",
                fenced(Origin::ToolOutput, complaint)
            )));
        }
        request
    }
}

/// What the commands are for. Of a step that is the whole request, what they do contradicts a plan of a weak model
/// that takes a change for a question. A part of a plan is told the whole request, too, and each part would carry it
/// out.
fn goal(planned: Goal, is_whole: bool, candidates: &[Candidate]) -> Goal {
    if !is_whole {
        return planned;
    }
    let mut worked = candidates.iter().filter(|candidate| !failed(&candidate.came.as_is)).peekable();
    let all_change =
        worked.peek().is_some() && worked.all(|candidate| candidate.came.as_is.changes.is_some());
    if all_change { Goal::Change } else { planned }
}

/// What a model is told about a rehearsal that cannot be right; `None` if it may be.
fn complaint(came: &Came, goal: Goal, is_whole: bool) -> Option<String> {
    let stderr = came.as_is.stderr.text();
    if !stderr.trim().is_empty() {
        let stderr = stderr.trim();
        return Some(
            stderr.get(stderr.ceil_char_boundary(stderr.len().saturating_sub(COMPLAINT))..)?.to_owned(),
        );
    }
    match goal {
        Goal::Answer if came.as_is.changes.is_some() => (!is_whole).then(|| SOMETHING_CHANGED.to_owned()),
        Goal::Answer if came.as_is.stdout.text().trim().is_empty() => Some(NOTHING_PRINTED.to_owned()),
        Goal::Change if came.as_is.changes.is_none() => Some(NOTHING_CHANGED.to_owned()),
        Goal::Answer | Goal::Change => None,
    }
}

/// Whether this very command was called before, so that it yields nothing new.
fn is_known(command: &str, tools: &dyn CallTool) -> bool {
    let arguments = [("command".to_owned(), command.into())].into_iter().collect();
    tools.is_known(&ToolName::new(SHELL), &arguments)
}

/// Runs a command in each world; `None` if it cannot be rehearsed on the files as they are. A command that
/// fails there is not rehearsed in the other worlds.
async fn rehearse(command: &str, subject: &[PathBuf], tools: &dyn CallTool) -> Option<Came> {
    let as_is = tools.rehearse(command, &Perturbation::AsIs).await.ok()?;
    let mut came = Came { as_is, hidden: None, doubled: None };
    if !subject.is_empty() && !failed(&came.as_is) {
        came.hidden = tools.rehearse(command, &Perturbation::Hidden(subject.to_vec())).await.ok();
        came.doubled = tools.rehearse(command, &Perturbation::Doubled(subject.to_vec())).await.ok();
    }
    Some(came)
}
