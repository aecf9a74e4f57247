//! Derives the command of a step in more than one way, before anything is called.
//!
//! A small model writes code well where nothing stands around it: as a shell command, and as a Python program,
//! each behind the beginning of a code block, not as a text within JSON. Its mistakes in these differ, and programs that it
//! writes by chance differ in theirs; in a query of a table it keeps the conditions best. So one command or query and several programs are asked for at once, rehearsed where nothing of them
//! lasts, and compared by what they do. Source: `docs/deviations.md`, "Samples".

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use artoo_checks::{MissingName, runs_program};
use artoo_llm_client::{Completion, LlmClient, Request, StopReason};
use artoo_types::{NotRehearsed, Perturbation, Progress, Rehearsed, Samples, ToolKind, ToolName, TrialFiles};
use futures_util::{FutureExt as _, StreamExt as _, stream};

use super::absence::{looked_for, may_be_nothing};
use super::code_block::{self, Language, PYTHON};
use super::majority::{Came, Candidate, Goal, Winner, differs, failed, is_nothing, winner};
use super::missing::missing;
use super::numbers::Numbers;
use super::subject::{self, Described};
use super::table::Field;
use super::values::{self, NamedValue};
use super::way::Way;
use crate::{AttemptContext, CallTool, ExecuteError};

/// A command that tests whether commands can be rehearsed at all.
const NOTHING: &str = "true";
/// The temperature of a second sample, in hundredths: a small model says the same at a low one.
const TEMPERATURE: u16 = 80;
/// The programs that are derived, beside one shell command or query: a small model is wrong in the shell far more often.
const PROGRAMS: u32 = 3;
/// The shell commands that are derived where no programs can be run: more would only be options of the same one.
const COMMANDS: u32 = 2;
/// Output limit of a derivation, in tokens. What is longer repeats itself.
const DERIVATION_TOKENS: u32 = 320;
/// The exit status of a search that found nothing.
const NO_HIT: i32 = 1;
/// How many commands are rehearsed at the same time: each starts several programs.
const AT_ONCE: usize = 2;

/// The derived command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Derived {
    pub(crate) command: String,
    pub(crate) samples: Samples,
    /// What the step is about and is not there, which is what the command shows.
    pub(crate) missing: Option<String>,
}

/// Whether commands can be derived here: they can be rehearsed.
pub(crate) async fn is_possible(cx: &AttemptContext, tools: &dyn CallTool) -> bool {
    cx.tools.iter().any(|tool| tool.name.is(ToolKind::Shell))
        && tools.rehearse(NOTHING, &Perturbation::AsIs).await.is_ok()
}

/// Whether a command can do the step, whatever it is, as far as the tools tell. Where others are offered, such as
/// those for the web, the model chooses first.
pub(crate) fn is_only_choice(cx: &AttemptContext) -> bool {
    cx.tools.iter().all(|tool| is_done_by_commands(&tool.name))
}

/// Whether a tool does nothing that a command does not do as well.
fn is_done_by_commands(tool: &ToolName) -> bool {
    match tool.kind() {
        Some(
            ToolKind::Mdfind
            | ToolKind::Glob
            | ToolKind::Grep
            | ToolKind::ReadFile
            | ToolKind::ReadEvidence
            | ToolKind::WriteFile
            | ToolKind::EditFile
            | ToolKind::Shell
            | ToolKind::Job,
        ) => true,
        Some(
            // A command may not write the data of a repository.
            ToolKind::GitCommit
            | ToolKind::UndoRun
            | ToolKind::AppleScript
            | ToolKind::Shortcuts
            | ToolKind::Search
            | ToolKind::Fetch,
        )
        | None => false,
    }
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
    let places = perturbed(subject).await;
    let values = if cx.subtask.is_whole { described.values.as_slice() } else { &[] };
    let world =
        World { request, names, places: &places, numbers: numbers.unwrap_or_default(), values, tools };
    let may_query = planned == Goal::Answer && described.is_of_a_table;
    let samples = samples(cx.programs.iter().any(|program| program == PYTHON), may_query);
    let asked = samples.len().try_into().unwrap_or(u32::MAX);
    let room = model.profile().room(DERIVATION_TOKENS);
    let questions: Vec<Request> =
        samples.iter().map(|sample| sample.question(&told(sample.language), room)).collect();
    let mut written: Vec<Option<String>> = Vec::with_capacity(samples.len());
    for (sample, completion) in samples.iter().zip(model.complete_several(&questions).await) {
        let folder = &cx.surroundings.working_folder;
        written.push(command(sample.language, &completion?, described, subject, folder));
    }
    let candidates = candidates(written, &world, planned).await;
    let goal = goal(planned, cx.subtask.is_whole, &candidates);
    // What changes something is no answer, and is not called for one.
    let may_be_called =
        |candidate: &&Candidate| goal == Goal::Change || candidate.came.as_is.changes.is_none();
    let callable: Vec<Candidate> = candidates.iter().filter(may_be_called).cloned().collect();
    let Some(Winner { sample, samples }) = winner(&callable, asked, goal) else { return Ok(None) };
    tracing::debug!(sample, ?samples, "chosen");
    let is_settled = samples.ways >= 2 && samples.depends == Some(true);
    let (sample, missing) = match missing(request, &candidates, asked) {
        Some((missing, says_so)) if goal == Goal::Answer && !is_settled && world.lacks(&missing).await => {
            (says_so.sample, Some(missing.name().to_owned()))
        }
        Some(_) | None => (sample, None),
    };
    let chosen = candidates.into_iter().find(|candidate| candidate.sample == sample);
    Ok(chosen.map(|Candidate { command, .. }| Derived { command, samples, missing }))
}

/// The subject, but for programs that run: what is asked of them may be about the processes, which go on without the files.
async fn perturbed(subject: &[PathBuf]) -> Vec<PathBuf> {
    let subject = subject.to_vec();
    let look = move || subject.into_iter().filter(|path| !runs_program(path)).collect();
    // This fails only when the process shuts down.
    tokio::task::spawn_blocking(look).await.unwrap_or_default()
}

/// The command that an answer comes to, with the names of the subject as they are; `None` if it has none or was cut short.
fn command(
    language: Language,
    completion: &Completion,
    described: &Described,
    subject: &[PathBuf],
    folder: &Path,
) -> Option<String> {
    match completion.stop {
        StopReason::End => {}
        StopReason::Length | StopReason::Refused => return None,
    }
    let written = subject::with_names(&completion.text, subject, folder);
    let command = code_block::command(language, &written, described.table.as_ref())?;
    Some(match language {
        Language::Shell => subject::with_quotes(&command, subject, folder),
        // A program and a query are one word to the shell, and have quotes of their own.
        Language::Python | Language::Sql => command,
    })
}

/// What was written and can be rehearsed, with what came of it. Each command is rehearsed once.
async fn candidates(written: Vec<Option<String>>, world: &World<'_>, planned: Goal) -> Vec<Candidate> {
    let new = |command: &&String| !is_known(command, world.tools);
    let commands: BTreeSet<&String> = written.iter().flatten().filter(new).collect();
    let of = u32::try_from(commands.len()).unwrap_or(u32::MAX);
    let rehearsals: Vec<_> = (1..)
        .zip(&commands)
        .map(|(variant, command)| {
            Variant { world, command: command.as_str(), number: variant, of }.rehearse(planned).boxed()
        })
        .collect();
    let came: Vec<Option<Came>> = stream::iter(rehearsals).buffered(AT_ONCE).collect().await;
    world.tools.tell_trial(None);
    let came: BTreeMap<String, Option<Came>> = commands.into_iter().cloned().zip(came).collect();
    let mut candidates = Vec::with_capacity(written.len());
    for (sample, command) in (0..).zip(written) {
        let Some(command) = command else { continue };
        let Some(Some(came)) = came.get(&command).cloned() else { continue };
        tracing::debug!(sample, %command, stdout = %came.as_is.stdout.text(), stderr = %came.as_is.stderr.text(), ignores = came.ignores, "derived");
        let Way { language, work } = Way::of(&command);
        candidates.push(Candidate { sample, language, command, programs: work, came });
    }
    candidates
}

/// One command to be derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sample {
    language: Language,
    /// Of its language, from 0: what the model holds for best.
    number: u32,
}

/// The samples of a step, those of a language side by side: they share its prompt. A small model counts the columns of a table
/// wrongly in the shell, where a query names them.
fn samples(has_python: bool, may_query: bool) -> Vec<Sample> {
    let of = |language, count| (0..count).map(move |number| Sample { language, number });
    let other = if may_query { Language::Sql } else { Language::Shell };
    if has_python {
        of(Language::Python, PROGRAMS).chain(of(other, 1)).collect()
    } else {
        of(Language::Shell, COMMANDS).collect()
    }
}

impl Sample {
    fn question(self, told: &str, room: u32) -> Request {
        let best = Request::new("executor", self.language.prompt(), told)
            .with_answer_begun(self.language.begun())
            .with_max_tokens(room);
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
    tools.is_known(&ToolKind::Shell.into(), &arguments)
}

/// Where commands are rehearsed.
struct World<'a> {
    request: &'a str,
    /// The names of the subject.
    names: &'a [String],
    /// What is hidden, and has lines doubled or planted.
    places: &'a [PathBuf],
    /// Those that the request names.
    numbers: Numbers,
    values: &'a [NamedValue],
    tools: &'a dyn CallTool,
}

impl World<'_> {
    /// Whether this is nowhere in what the step is about. What cannot be searched may hold it.
    async fn lacks(&self, missing: &MissingName) -> bool {
        if missing.is_one_of(self.places) {
            return false;
        }
        let name = match missing {
            MissingName::File(_) => return true,
            MissingName::Key(name) => name,
        };
        let named: Vec<String> =
            self.places.iter().map(|path| subject::quoted(&path.to_string_lossy())).collect();
        if named.is_empty() {
            return false;
        }
        let search = format!("grep -rqF -e {} -- {}", subject::quoted(name), named.join(" "));
        let found = self.tools.rehearse(&search, &Perturbation::AsIs).await;
        found.is_ok_and(|found| found.status == NO_HIT)
    }
}

/// One of the commands that are rehearsed.
struct Variant<'a> {
    world: &'a World<'a>,
    command: &'a str,
    /// Its number among them, from 1.
    number: u32,
    of: u32,
}

impl Variant<'_> {
    /// Runs a command here.
    async fn run(&self, command: &str, on: &Perturbation) -> Result<Rehearsed, NotRehearsed> {
        let (variant, of, files) = (self.number, self.of, TrialFiles::from(on));
        self.world.tools.tell_trial(Some(Progress::TryingCommand { variant, of, files }));
        self.world.tools.rehearse(command, on).await
    }

    /// Runs the command in each world; `None` if it cannot be rehearsed on the files as they are. A command that
    /// fails there is not rehearsed in the other worlds.
    async fn rehearse(self, goal: Goal) -> Option<Came> {
        let (world, command) = (self.world, self.command);
        let as_is = self.run(command, &Perturbation::AsIs).await.ok()?;
        let mut came = Came { as_is, hidden: None, doubled: None, planted: None, ignores: false };
        if failed(&came.as_is) {
            return Some(came);
        }
        if !world.places.is_empty() {
            let places = world.places.to_vec();
            came.hidden = self.run(command, &Perturbation::Hidden(places.clone())).await.ok();
            came.doubled = self.run(command, &Perturbation::Doubled(places.clone())).await.ok();
            let line = looked_for(world.request, world.names, command).filter(|_| may_be_nothing(&came));
            if let Some(line) = line {
                let planted = Perturbation::Planted { places, line };
                came.planted = self.run(command, &planted).await.ok();
            }
        }
        came.ignores =
            self.ignores_a_number(&came.as_is, goal).await || self.ignores_a_value(&came.as_is, goal).await;
        Some(came)
    }

    /// Whether the values of a field that the request names make no difference, when others stand in their places. Of
    /// two values of a field one is enough: which of them is the larger need not depend on the smaller one.
    async fn ignores_a_value(&self, as_is: &Rehearsed, goal: Goal) -> bool {
        let world = self.world;
        let is_nothing = match goal {
            Goal::Answer => is_nothing(as_is),
            Goal::Change => as_is.changes.is_none(),
        };
        if is_nothing || world.places.is_empty() {
            return false;
        }
        let mut makes_a_difference: BTreeMap<&Field, bool> = BTreeMap::new();
        // A value may stand in several fields, and is replaced in all of them at once.
        let mut tried: BTreeMap<&str, bool> = BTreeMap::new();
        for NamedValue { value, field } in world.values {
            let known = makes_a_difference.entry(field).or_default();
            if *known {
                continue;
            }
            *known = match tried.get(value.as_str()) {
                Some(differed) => *differed,
                None => {
                    let (from, to) = (value.clone(), values::another(value));
                    let replaced = Perturbation::Replaced { places: world.places.to_vec(), from, to };
                    // What cannot be tried is no fact against it.
                    let other = self.run(self.command, &replaced).await;
                    other.map_or(true, |other| failed(&other) || differs(&other, as_is, goal))
                }
            };
            tried.insert(value, *known);
        }
        makes_a_difference.into_values().any(|makes_one| !makes_one)
    }

    /// Whether a number that the request names makes no difference. What found nothing may find nothing with any other
    /// number either.
    async fn ignores_a_number(&self, as_is: &Rehearsed, goal: Goal) -> bool {
        let found_nothing = is_nothing(as_is) && as_is.changes.is_none();
        for changed in self.world.numbers.changed(self.command).into_iter().filter(|_| !found_nothing) {
            let mut makes_a_difference = false;
            for other in changed {
                let other = self.run(&other, &Perturbation::AsIs).await.ok();
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
