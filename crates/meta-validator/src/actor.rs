//! The meta-validator's actor: connects the bus port to the fan-in gate, the task judge and the answer.

use std::{sync::Arc, time::Duration};

use artoo_bus::{Port, Sender};
use artoo_case_file::Background;
use artoo_checks::{Filesystem, Mentions, Record, Subject, evaluate};
use artoo_judging::{Excerpts, JudgeError, Rerun, WHOLE, Waiting, decided};
use artoo_llm_client::{Conversation, KeptConversation, LlmClient, Silence, metered};
use artoo_types::{
    Answer, AnswerOrigin, Criterion, CriterionVerdict, FailureClass, Finding, Judge, Message, Mode,
    OutcomeStatus, OutcomeSummary, ReplanRequest, Role, StructuredOutput, SubTaskOutcome, Surroundings,
    TaskSpec, ToolCall, UnitInterval, UserStatement, VerdictReached, Warning,
};
use serde_json::Value;

use crate::answer_parts::{Part, listed, parts, summed_up, text};
use crate::compose::{Grounds, compose};
use crate::confidence::{Sureness, confidence};
use crate::doubts::{Claim, Doubts};
use crate::refusal::refuse;
use crate::{FanIn, Gathered, OutputSchema, TaskContext, TaskJudge, merge, structured_output};

/// The actor's inputs besides its port.
#[derive(Clone)]
pub struct Settings {
    /// Environment of the run: time, folders, platform.
    pub surroundings: Surroundings,
    /// How long a judge may be silent over a criterion, and a model that writes the answer.
    pub judge_deadline: Duration,
    /// The run's silence. Limits of silence rest while it rests, as when the run waits for a person.
    pub silence: Silence,
    /// The schema for the output, if the person gave one.
    pub output_schema: Option<OutputSchema>,
    /// Whether a judge is asked about the whole request. Without it, everything that no criterion covers is
    /// accepted unseen; only for measuring the effect of the judge.
    pub judges_the_whole: bool,
    /// Runs calls again in perturbed worlds, to find out what they depend on.
    pub again: Arc<dyn Rerun>,
    /// The folders of the run, without the files that no judge is shown and no check reads.
    pub world: Filesystem,
    /// The executor's conversation, if the judge's model is the same and may go on with it.
    pub conversation: Option<KeptConversation>,
    /// How much of each output a judge is shown.
    pub excerpts: Excerpts,
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings")
            .field("surroundings", &self.surroundings)
            .field("judge_deadline", &self.judge_deadline)
            .field("output_schema", &self.output_schema)
            .finish_non_exhaustive()
    }
}

/// Collects and judges the plans of the run. Returns when the run is closed.
pub async fn run(mut port: Port, judge: Arc<dyn TaskJudge>, model: Arc<dyn LlmClient>, settings: Settings) {
    let calls = port.sender();
    let settings = Settings { silence: settings.silence.below(), ..settings };
    let heard = settings.silence.clone();
    let model = metered(model, Role::MetaValidator, None, move |call| {
        heard.heard();
        if let Err(error) = calls.publish(call) {
            tracing::debug!(%error, "a model call was not recorded");
        }
    });
    let actor = Actor { sender: port.sender(), judge, model, settings };
    let mut gate = FanIn::default();
    while let Some(envelope) = port.recv().await {
        let gathered = if let Message::DispatchManifest(manifest) = envelope.message.as_ref() {
            gate.on_manifest(manifest)
        } else if let Message::SubTaskOutcome(outcome) = envelope.message.as_ref() {
            gate.on_outcome(outcome)
        } else {
            None
        };
        if let Some(gathered) = gathered {
            actor.on_plan(gathered).await;
        }
    }
}

struct Actor {
    sender: Sender,
    judge: Arc<dyn TaskJudge>,
    model: Arc<dyn LlmClient>,
    settings: Settings,
}

impl Actor {
    /// Judges a plan by the facts of the whole run.
    async fn on_plan(&self, gathered: Gathered) {
        let case = self.sender.case_file();
        let Some(spec) = case.task() else { return };
        let mut background = case.background(gathered.round);
        // The request ends with the notes.
        background.statements.retain(|statement| !matches!(statement, UserStatement::Note(_)));
        self.conclude(&spec, gathered, &background).await;
    }

    async fn conclude(&self, spec: &TaskSpec, mut gathered: Gathered, background: &Background) {
        if gathered.is_unjudged() {
            return;
        }
        let mentions = self.mentions(spec).await;
        if !gathered.all_matched() {
            // The gate is code: no model is asked whether a failed subtask may pass.
            self.replan(spec, gathered, Vec::new(), &mentions);
            return;
        }
        let again = self.settings.again.as_ref();
        // The prompt of a guided planner has no such kind.
        let links_are_declared = !self.model.profile().guided;
        let claim = Claim {
            spec,
            mentions: &mentions,
            before: &background.before,
            outcomes: &gathered.outcomes,
            links_are_declared,
        };
        let doubts = Doubts::of(claim, &self.settings.world, again).await;
        let material = Material::of(&gathered, &background.before);
        let whole = Criterion::new(WHOLE, Mode::Verifiable);
        let calibration = self.model.profile().calibration();
        let confidence = |judged| confidence(&gathered.outcomes, calibration, judged);
        // No judge, however sure, makes an accept of what is known too little of.
        let may_be_accepted = confidence(None).confirms();
        let criteria: Vec<Criterion> = gathered
            .task_criteria
            .iter()
            .cloned()
            .chain((self.settings.judges_the_whole && may_be_accepted).then_some(whole))
            .collect();
        let checked = self.checked(&criteria, &material);
        let has_failed = |checked: &Option<Finding>| matches!(checked, Some(Finding::Fail { .. }));
        let refuted = doubts.refuted.clone().or_else(|| {
            checked.iter().any(has_failed).then(|| "a check has failed, so it was not judged".to_owned())
        });
        let (mut answer, mut structured) = (None, None);
        let mut sure = None;
        let judged: Vec<Option<(Judge, Finding)>> = match refuted {
            // The result is refuted, so no judge's verdict could lead to acceptance.
            Some(reason) => {
                let fail = Finding::failure(FailureClass::Logical, reason);
                // What refutes the whole says nothing about a criterion that nobody has looked at.
                let has_whole = criteria.iter().any(|criterion| criterion.text == WHOLE);
                let asked = criteria.iter().filter(|criterion| criterion.check.is_none());
                let fails = |criterion: &Criterion| !has_whole || criterion.text == WHOLE;
                asked.map(|criterion| fails(criterion).then(|| (Judge::Rule, fail.clone()))).collect()
            }
            None => {
                (answer, structured) = self.answer(spec, &gathered, &material).await;
                let told = answer.as_ref().map(|answer| answer.text.as_str());
                let run = (&gathered, background);
                match self.judged(spec, run, &material, told, &doubts, &criteria).await {
                    Ok((judged, least)) => {
                        sure = least;
                        judged.into_iter().map(Some).collect()
                    }
                    // Everything matched, and nobody has looked at the whole: R7 hands it over as what it is.
                    Err(error) => return self.publish(error.fault(Role::MetaValidator)),
                }
            }
        };
        let task_verdicts = verdicts(&criteria, checked, judged);
        for verdict in &task_verdicts {
            self.publish(VerdictReached { subtask_id: None, attempt: 0, verdict: verdict.clone() });
        }
        if task_verdicts.iter().all(CriterionVerdict::passed) {
            let confidence = Some(confidence(sure));
            self.publish(OutcomeSummary {
                answer,
                structured,
                confidence,
                task_verdicts,
                ..OutcomeSummary::new(
                    spec.task_id.clone(),
                    material.merged_output,
                    summary(&gathered),
                    gathered.outcomes,
                )
            });
        } else {
            task_verdicts.iter().for_each(|verdict| refuse(&mut gathered.outcomes, verdict));
            self.replan(spec, gathered, task_verdicts, &mentions);
        }
    }

    /// The findings of the checks of these criteria; `None` for a criterion without a check.
    fn checked(&self, criteria: &[Criterion], material: &Material) -> Vec<Option<Finding>> {
        let subject = Subject { output: &material.output, tool_calls: &material.tool_calls };
        let checked =
            |criterion: &Criterion| Some(evaluate(criterion.check.as_ref()?, &subject, &self.settings.world));
        criteria.iter().map(checked).collect()
    }

    /// A judge's findings on the criteria that no check decides, and the judge's confidence. An error means that the
    /// judge gave no verdict.
    async fn judged(
        &self,
        spec: &TaskSpec,
        (gathered, background): (&Gathered, &Background),
        material: &Material,
        answer: Option<&str>,
        doubts: &Doubts,
        criteria: &[Criterion],
    ) -> Result<(Vec<(Judge, Finding)>, Option<UnitInterval>), JudgeError> {
        let asked: Vec<Criterion> =
            criteria.iter().filter(|criterion| criterion.check.is_none()).cloned().collect();
        let conversation = self.conversation(gathered, background);
        let cx = TaskContext {
            spec,
            laws: &gathered.laws,
            background,
            outcomes: &gathered.outcomes,
            merged_output: &material.merged_output,
            answer,
            surroundings: &self.settings.surroundings,
            world: &self.settings.world,
            doubts: &doubts.told,
            grounds: doubts.grounds,
            conversation: conversation.as_ref(),
            excerpts: self.settings.excerpts,
        };
        let sureness = Sureness::default();
        let model = sureness.of(&self.model);
        let judging = || async { self.judge.judge(&asked, &cx, &model).await };
        let record = Record { tool_calls: &material.tool_calls, earlier: &[] };
        let asked_again = |error: &JudgeError| {
            let message = format!("{error}; it is asked again");
            self.publish(Warning { role: Role::MetaValidator, message });
        };
        let Settings { judge_deadline: deadline, silence, .. } = &self.settings;
        let waiting = Waiting { deadline: *deadline, silence, asked_again: &asked_again };
        Ok((decided(judging, asked.len(), waiting, record).await?, sureness.least()))
    }

    /// The conversation in which all of the work was done: there is none where several steps or plans did it.
    fn conversation(&self, gathered: &Gathered, background: &Background) -> Option<Conversation> {
        let kept = self.settings.conversation.as_ref()?;
        let [only] = gathered.outcomes.as_slice() else { return None };
        if background.before.is_empty() { kept.take(only.subtask_id) } else { None }
    }

    /// The answer for the person: a value of their schema if they gave one, otherwise a single text.
    async fn answer(
        &self,
        spec: &TaskSpec,
        gathered: &Gathered,
        material: &Material,
    ) -> (Option<Answer>, Option<StructuredOutput>) {
        let parts = parts(&gathered.outcomes);
        let surroundings = &self.settings.surroundings;
        let grounds = Grounds { spec, surroundings, parts: &parts, tool_calls: &material.tool_calls };
        let mut structured = None;
        if let Some(schema) = &self.settings.output_schema {
            let asking = structured_output::structured(&grounds, schema, self.model.as_ref());
            let late = || StructuredOutput::Missing("the model took too long".to_owned());
            structured = Some(self.in_time(asking).await.unwrap_or_else(late));
        }
        let is_answered = matches!(structured, Some(StructuredOutput::Value(_)));
        let answer = match parts.as_slice() {
            [] | [_] => None,
            several => Some(match summed_up(&gathered.outcomes) {
                Some(text) => Answer { text, origin: AnswerOrigin::LastStep },
                // No text is composed if no one reads it. A guided model loses more by copying than a person
                // does by reading the parts.
                None if is_answered || self.model.profile().guided => as_they_are(several),
                None => self.composed(&grounds).await,
            }),
        };
        (answer, structured)
    }

    async fn composed(&self, grounds: &Grounds<'_>) -> Answer {
        let composing = compose(grounds, self.model.as_ref());
        let why = match self.in_time(composing).await {
            Some(Ok(text)) => return Answer { text, origin: AnswerOrigin::Composed },
            Some(Err(error)) => error.to_string(),
            None => "the model took too long".to_owned(),
        };
        let message = format!("the results of the steps are not put into one text: {why}");
        self.publish(Warning { role: Role::MetaValidator, message });
        as_they_are(grounds.parts)
    }

    /// What a model writes, unless it is silent for too long.
    async fn in_time<T>(&self, writing: impl Future<Output = T>) -> Option<T> {
        self.settings.silence.at_most(self.settings.judge_deadline, writing).await
    }

    /// What the request names, as it is now.
    async fn mentions(&self, spec: &TaskSpec) -> Mentions {
        let (request, world) = (spec.intent.clone(), self.settings.world.clone());
        // This fails only when the process shuts down.
        tokio::task::spawn_blocking(move || Mentions::of(&request, &world)).await.unwrap_or_default()
    }

    fn replan(
        &self,
        spec: &TaskSpec,
        gathered: Gathered,
        task_verdicts: Vec<CriterionVerdict>,
        mentions: &Mentions,
    ) {
        let gap_summary = gap(&gathered, &task_verdicts);
        let missing_file = missing_file(mentions, &gathered.outcomes);
        let gave_up = gathered.outcomes.iter().find_map(|outcome| outcome.gave_up.as_deref().cloned());
        self.publish(ReplanRequest {
            task_verdicts,
            missing_file,
            gave_up,
            ..ReplanRequest::new(spec.task_id.clone(), gathered.outcomes, gap_summary)
        });
    }

    fn publish(&self, message: impl Into<Message>) {
        if let Err(error) = self.sender.publish(message) {
            // A closed run needs no gate; the bus itself reports an overflow.
            tracing::debug!(%error, "the meta-validator could not publish");
        }
    }
}

/// A file named by the request that does not exist anywhere. None for changes, since these name what does not exist yet.
fn missing_file(mentions: &Mentions, outcomes: &[SubTaskOutcome]) -> Option<String> {
    if outcomes.iter().any(SubTaskOutcome::is_about_a_deed) {
        return None;
    }
    let mut missing = outcomes.iter().filter_map(|outcome| mentions.missing_file(&outcome.tool_calls));
    missing.next().map(str::to_owned)
}

/// The verdicts on these criteria, in order: check findings where there are any, the judge's findings for the
/// rest. A criterion that nobody judged has none.
fn verdicts(
    criteria: &[Criterion],
    checked: Vec<Option<Finding>>,
    judged: Vec<Option<(Judge, Finding)>>,
) -> Vec<CriterionVerdict> {
    let mut judged = judged.into_iter();
    let verdict = |(criterion, checked): (&Criterion, Option<Finding>)| {
        let (judge, finding) = match checked {
            Some(finding) => (Judge::Check, finding),
            None => judged.next()??,
        };
        Some(CriterionVerdict {
            whole: criterion.text == WHOLE,
            ..CriterionVerdict::of(criterion, judge, finding)
        })
    };
    criteria.iter().zip(checked).filter_map(verdict).collect()
}

/// The input of the checks of one plan, assembled once.
struct Material {
    merged_output: Value,
    /// The merged output as text.
    output: String,
    /// The calls of the run: those of earlier plans first.
    tool_calls: Vec<ToolCall>,
}

impl Material {
    fn of(gathered: &Gathered, before: &[SubTaskOutcome]) -> Self {
        let outcomes = before.iter().chain(&gathered.outcomes);
        let merged_output = merge(&gathered.outcomes);
        Self {
            output: text(&merged_output),
            merged_output,
            tool_calls: outcomes.flat_map(|outcome| &outcome.tool_calls).cloned().collect(),
        }
    }
}

fn as_they_are(parts: &[Part<'_>]) -> Answer {
    Answer { text: listed(parts), origin: AnswerOrigin::Listed }
}

fn summary(gathered: &Gathered) -> String {
    match gathered.outcomes.as_slice() {
        [only] => format!("Done and checked: {}", only.intent),
        several => format!("Done and checked, in {} steps.", several.len()),
    }
}

/// Describes what is missing: failed steps with their reasons, then unmet task criteria.
fn gap(gathered: &Gathered, task_verdicts: &[CriterionVerdict]) -> String {
    let mut parts = Vec::new();
    for outcome in &gathered.outcomes {
        match outcome.status {
            OutcomeStatus::Matched => {}
            OutcomeStatus::Failed => {
                let reason = outcome.failure_reason.as_deref().unwrap_or("no reason was given");
                parts.push(format!("failed: {} ({reason})", outcome.intent));
            }
            OutcomeStatus::Skipped => parts.push(format!("not run: {}", outcome.intent)),
            OutcomeStatus::Unjudged => parts.push(format!("not judged: {}", outcome.intent)),
        }
    }
    for verdict in task_verdicts {
        if let Finding::Fail { reason, .. } = &verdict.finding {
            parts.push(format!("unmet: {} ({reason})", verdict.criterion));
        }
    }
    if parts.is_empty() { "the plan has no subtask".to_owned() } else { parts.join("; ") }
}
