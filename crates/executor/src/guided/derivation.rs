//! Derives the command of a step in more than one way, before anything is called.
//!
//! A small model writes code well where nothing stands around it: as a shell command, and as a Python program,
//! each behind the beginning of a code block, not as a text within JSON. Its mistakes in these differ, and programs that it
//! writes by chance differ in theirs. So one command and several programs are asked for at once, rehearsed where nothing of them
//! lasts, and compared by what they do. Source: `docs/deviations.md`, "Samples".

use std::path::PathBuf;
use std::sync::Arc;

use artoo_llm_client::{LlmClient, Request, StopReason};
use artoo_types::{Perturbation, Rehearsed, Samples, ToolName};

use super::SHELL;
use super::absence::{looked_for, may_be_nothing};
use super::code_block::{self, Language, PYTHON};
use super::majority::{self, Came, Candidate, Goal, Winner, differs, failed, is_nothing, winner};
use super::numbers::Numbers;
use super::subject::{self, Described};
use crate::{AttemptContext, CallTool, ExecuteError};

/// A command that tests whether commands can be rehearsed at all.
const NOTHING: &str = "true";
/// The temperature of a second sample, in hundredths: a small model says the same at a low one.
const TEMPERATURE: u16 = 80;
/// The programs that are derived, beside one shell command: a small model is wrong in the shell far more often.
const PROGRAMS: u32 = 3;
/// The shell commands that are derived where no programs can be run: more would only be options of the same one.
const COMMANDS: u32 = 2;
/// Output limit of a derivation, in tokens. What is longer repeats itself.
const DERIVATION_TOKENS: u32 = 320;
/// The shell commands that are derived beside the first one where programs alone agree: the first is wrong more often than
/// they are, and what is wrong in both languages is seldom wrong alike.
const AGAIN: u32 = 2;
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
    told: &(dyn Fn(Language) -> String + Sync),
    described: &Described,
    subject: &[PathBuf],
    tools: &dyn CallTool,
    model: &Arc<dyn LlmClient>,
) -> Result<Option<Derived>, ExecuteError> {
    let planned = if cx.subtask.kind.is_find_out() { Goal::Answer } else { Goal::Change };
    // A part of a request need not keep all that the request says.
    let numbers = cx.subtask.is_whole.then(|| Numbers::of(&cx.subtask.intent, &described.names));
    let (request, names) = (cx.subtask.intent.as_str(), described.names.as_slice());
    let world = World { request, names, subject, numbers: numbers.unwrap_or_default(), tools };
    let mut drawing = Drawing { cx, told, world, model, planned, asked: 0, candidates: Vec::new() };
    drawing.draw(first(cx.programs.iter().any(|program| program == PYTHON))).await?;
    let mut winner = drawing.winner();
    if winner.as_ref().is_some_and(|winner| drawing.is_found_by_programs_alone(winner)) {
        drawing.draw(again()).await?;
        winner = drawing.winner();
    }
    let Some(winner) = winner else { return Ok(None) };
    tracing::debug!(sample = winner.sample, samples = ?winner.samples, "chosen");
    let command = drawing.candidates.into_iter().find(|candidate| candidate.sample == winner.sample);
    Ok(command.map(|Candidate { command, .. }| Derived { command, samples: winner.samples }))
}

/// The commands of a step that were drawn so far.
struct Drawing<'a> {
    cx: &'a AttemptContext,
    told: &'a (dyn Fn(Language) -> String + Sync),
    world: World<'a>,
    model: &'a Arc<dyn LlmClient>,
    planned: Goal,
    /// How many were asked for.
    asked: u32,
    candidates: Vec<Candidate>,
}

impl Drawing<'_> {
    /// Asks for these samples at once, and rehearses what comes.
    async fn draw(&mut self, drawn: Vec<Sample>) -> Result<(), ExecuteError> {
        let questions: Vec<Request> =
            drawn.iter().map(|sample| sample.question(&(self.told)(sample.language))).collect();
        let completions = self.model.complete_several(&questions).await;
        let folder = &self.cx.surroundings.working_folder;
        for (Sample { language, .. }, completion) in drawn.into_iter().zip(completions) {
            let (sample, completion) = (self.asked, completion?);
            self.asked += 1;
            if completion.stop == StopReason::Length {
                continue;
            }
            let written = subject::with_names(&completion.text, self.world.subject, folder);
            let Some(command) = code_block::command(language, &written) else { continue };
            let command = match language {
                Language::Shell => subject::with_quotes(&command, self.world.subject, folder),
                // A program is one word to the shell, and has quotes of its own.
                Language::Python => command,
            };
            if is_known(&command, self.world.tools) {
                continue;
            }
            let before = self.candidates.iter().find(|candidate| candidate.command == command);
            let came = match before {
                Some(before) => before.came.clone(),
                None => match self.world.rehearse(&command, self.planned).await {
                    Some(came) => came,
                    None => continue,
                },
            };
            tracing::debug!(sample, %command, stdout = %came.as_is.stdout.text(), stderr = %came.as_is.stderr.text(), ignores = came.ignores, "derived");
            let programs = match language {
                Language::Shell => majority::programs(&command),
                // The interpreter does nothing by itself: another program is another way.
                Language::Python => vec![command.clone()],
            };
            self.candidates.push(Candidate { sample, language, command, programs, came });
        }
        Ok(())
    }

    /// What most of them came to.
    fn winner(&self) -> Option<Winner> {
        let goal = goal(self.planned, self.cx.subtask.is_whole, &self.candidates);
        // What changes something is no answer, and is not called for one.
        let may_be_called =
            |candidate: &&Candidate| goal == Goal::Change || candidate.came.as_is.changes.is_none();
        let candidates: Vec<Candidate> = self.candidates.iter().filter(may_be_called).cloned().collect();
        winner(&candidates, self.asked, goal)
    }

    /// Whether several programs came to what won, and no shell command.
    fn is_found_by_programs_alone(&self, Winner { sample, samples }: &Winner) -> bool {
        let won = self.candidates.iter().find(|candidate| candidate.sample == *sample);
        let is_program = won.is_some_and(|won| won.language == Language::Python && !failed(&won.came.as_is));
        is_program && samples.languages == 1 && samples.ways >= 2 && samples.depends != Some(false)
    }
}

/// One command to be derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sample {
    language: Language,
    /// Of its language, from 0: what the model holds for best.
    number: u32,
}

/// The first samples of a step, those of a language side by side: they share its prompt.
fn first(has_python: bool) -> Vec<Sample> {
    let of = |language, count| (0..count).map(move |number| Sample { language, number });
    if has_python {
        of(Language::Python, PROGRAMS).chain(of(Language::Shell, 1)).collect()
    } else {
        of(Language::Shell, COMMANDS).collect()
    }
}

/// The shell commands that are drawn where the first was wrong, or the programs are.
fn again() -> Vec<Sample> {
    (1..=AGAIN).map(|number| Sample { language: Language::Shell, number }).collect()
}

impl Sample {
    fn question(self, told: &str) -> Request {
        let best = Request::new("executor", self.language.prompt(), told)
            .with_answer_begun(self.language.begun())
            .with_max_tokens(DERIVATION_TOKENS);
        match self.number {
            0 => best,
            other => Request { temperature_percent: TEMPERATURE, ..best.sample(other) },
        }
    }
}

/// What the commands are for. Of a step that is the whole request, what most of them do contradicts a plan of a weak
/// model that takes a change for a question. A part of a plan is told the whole request, too, and each part would carry
/// it out.
fn goal(planned: Goal, is_whole: bool, candidates: &[Candidate]) -> Goal {
    let is_vote = |candidate: &&Candidate| !failed(&candidate.came.as_is);
    let votes = candidates.iter().filter(is_vote);
    let (changing, other): (Vec<_>, Vec<_>) =
        votes.partition(|candidate| candidate.came.as_is.changes.is_some());
    if is_whole && changing.len() > other.len() { Goal::Change } else { planned }
}

/// Whether this very command was called before, so that it yields nothing new.
fn is_known(command: &str, tools: &dyn CallTool) -> bool {
    let arguments = [("command".to_owned(), command.into())].into_iter().collect();
    tools.is_known(&ToolName::new(SHELL), &arguments)
}

/// Where commands are rehearsed.
struct World<'a> {
    request: &'a str,
    /// The names of the subject.
    names: &'a [String],
    subject: &'a [PathBuf],
    /// Those that the request names.
    numbers: Numbers,
    tools: &'a dyn CallTool,
}

impl World<'_> {
    /// Runs a command in each world; `None` if it cannot be rehearsed on the files as they are. A command that
    /// fails there is not rehearsed in the other worlds.
    async fn rehearse(&self, command: &str, goal: Goal) -> Option<Came> {
        let as_is = self.tools.rehearse(command, &Perturbation::AsIs).await.ok()?;
        let mut came = Came { as_is, hidden: None, doubled: None, planted: None, ignores: false };
        if failed(&came.as_is) {
            return Some(came);
        }
        if !self.subject.is_empty() {
            let subject = self.subject.to_vec();
            came.hidden = self.tools.rehearse(command, &Perturbation::Hidden(subject.clone())).await.ok();
            came.doubled = self.tools.rehearse(command, &Perturbation::Doubled(subject.clone())).await.ok();
            let line = looked_for(self.request, self.names, command).filter(|_| may_be_nothing(&came));
            if let Some(line) = line {
                let planted = Perturbation::Planted { places: subject, line };
                came.planted = self.tools.rehearse(command, &planted).await.ok();
            }
        }
        came.ignores = self.ignores_a_number(command, &came.as_is, goal).await;
        Some(came)
    }

    /// Whether a number that the request names makes no difference. What found nothing may find nothing with any other
    /// number either.
    async fn ignores_a_number(&self, command: &str, as_is: &Rehearsed, goal: Goal) -> bool {
        let found_nothing = is_nothing(as_is) && as_is.changes.is_none();
        for changed in self.numbers.changed(command).into_iter().filter(|_| !found_nothing) {
            let mut makes_a_difference = false;
            for other in changed {
                let other = self.tools.rehearse(&other, &Perturbation::AsIs).await.ok();
                makes_a_difference =
                    other.is_some_and(|other| !failed(&other) && differs(&other, as_is, goal));
                if makes_a_difference {
                    break;
                }
            }
            if !makes_a_difference {
                return true;
            }
        }
        false
    }
}
