//! The rationale of a decision in words for a person: no symbols, no names of variables.

use artoo_types::{ActionState, BlockedProgram, GaveUp, PrevDirective};

use crate::{Blocked, Nearness, Parameters, Process, Rule, State, Trend};

/// The inputs of the text.
pub(crate) struct Grounds<'a> {
    pub(crate) state: State,
    pub(crate) rule: Rule,
    pub(crate) trend: Trend,
    pub(crate) nearness: Nearness,
    pub(crate) process: Process,
    pub(crate) prev: PrevDirective,
    pub(crate) unmet: usize,
    pub(crate) criteria: usize,
    pub(crate) worsening: u32,
    pub(crate) blocked: &'a Blocked,
    pub(crate) missing_file: Option<&'a str>,
    pub(crate) gave_up: Option<&'a GaveUp>,
}

fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', '!', '?', '。']) { text.to_owned() } else { format!("{text}.") }
}

/// One to four sentences.
pub(crate) fn rationale(grounds: &Grounds<'_>, parameters: &Parameters) -> String {
    let mut sentences = vec![missing(grounds)];
    match grounds.rule {
        Rule::EveryCriterionMet => {}
        Rule::BudgetSpent => {
            sentences.push("The time and the replans allowed are nearly used up.".to_owned())
        }
        Rule::CloseEnough => {
            sentences.push("So little is missing that another try is not worth its cost.".to_owned())
        }
        Rule::OnlyDenied => sentences.push(
            "What is missing needs an action that was not allowed, and a refusal is not worked around."
                .to_owned(),
        ),
        Rule::KeepsWorsening => {
            sentences.push(format!("The last {} plans each made the result worse.", grounds.worsening))
        }
        Rule::NoReplansLeft => sentences.push(match parameters.max_replans {
            0 => "The plan may not be changed.".to_owned(),
            1 => "The one replan allowed is used.".to_owned(),
            n => format!("All {n} replans allowed are used."),
        }),
        Rule::NoMeansLeft => {
            sentences.push("Every way that is left was tried, and none brought an answer.".to_owned())
        }
        // Whatever else is missing follows from these two.
        Rule::FileMissing => {
            let file = grounds.missing_file.unwrap_or("A file that the request names");
            let sentence =
                "is not there, and no file below the working folder that is not hidden has that name.";
            sentences = vec![format!("{file} {sentence}")];
        }
        Rule::GaveUp => {
            sentences = grounds.gave_up.map(|gave_up| sentence(&gave_up.reason)).into_iter().collect();
        }
        Rule::ActionGrid => {
            if grounds.nearness == Nearness::Near {
                sentences
                    .push("Little is missing, but the result cannot be handed over as it is.".to_owned());
            }
            if let State::Action(action) = grounds.state {
                sentences.push(advice(action, grounds));
            }
        }
    }
    for tool in spared(grounds.blocked) {
        sentences.push(format!(
            "{tool} stays usable, because no other tool is left; what failed with it does not."
        ));
    }
    for BlockedProgram { tool, program } in &grounds.blocked.spared {
        sentences.push(format!(
            "{program} stays usable in {tool}, because no other program is left; what failed with it does not."
        ));
    }
    sentences.join(" ")
}

fn missing(grounds: &Grounds<'_>) -> String {
    match (grounds.unmet, grounds.criteria) {
        (0, 0) => "No criterion was judged.".to_owned(),
        (0, 1) => "The one criterion is met.".to_owned(),
        (0, all) => format!("All {all} criteria are met."),
        (1, 1) => "The one criterion is not met.".to_owned(),
        (unmet, all) => {
            format!("{unmet} of {all} criteria {} not met.", if unmet == 1 { "is" } else { "are" })
        }
    }
}

fn advice(action: ActionState, grounds: &Grounds<'_>) -> String {
    let direction = match grounds.trend {
        Trend::Improving => "The result gets better",
        Trend::Worsening => "The result gets worse",
        Trend::Plateau if grounds.prev == PrevDirective::Init => "This was the first plan",
        Trend::Plateau => "The last change made no difference",
    };
    let approach = match grounds.process {
        Process::Sound => "nothing shows that the approach is wrong",
        Process::Wrong => "the approach looks wrong",
    };
    let change = match action {
        ActionState::BreakSymmetry
            if grounds.blocked.tools.is_empty() && grounds.blocked.programs.is_empty() =>
        {
            "find another way"
        }
        ActionState::BreakSymmetry => "use other tools",
        ActionState::ChangeApproach => "use another method",
        ActionState::ChangePath => "keep the approach, but use other inputs or places",
        ActionState::Refine => "keep the approach and tighten it",
    };
    format!("{direction}, and {approach}: {change}.")
}

fn spared(blocked: &Blocked) -> Vec<String> {
    let mut tools: Vec<_> = blocked.approaches.iter().map(|approach| approach.tool.to_string()).collect();
    tools.dedup();
    tools
}
