//! A question in words, and the answers that a front end offers as choices.

use artoo_runtime::{Answer, Offer, UserQuestion};
use artoo_types::{ApprovalRequested, ApprovalScope, EffectKind, PlannedSubTask, ProposedRule};

/// An answer that a user can choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The word that protocols use for it.
    pub name: &'static str,
    /// What it means, for a person.
    pub label: String,
    /// What it does.
    pub meaning: ChoiceMeaning,
}

/// What a choice does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChoiceMeaning {
    /// A yes for this once.
    Once(Answer),
    /// A yes that covers later questions of the run.
    Lasting(Answer),
    /// A yes, by a rule that the front end has the host write first.
    Rule(ProposedRule),
    /// A no.
    No(Answer),
}

/// The choices of a question, in the order in which they are offered. A clarification has none: it is answered in words.
///
/// ```
/// use artoo_front_end::choices;
/// use artoo_runtime::UserQuestion;
/// use artoo_types::PlanApprovalRequested;
///
/// let question = UserQuestion::Plan(PlanApprovalRequested { round: 1, subtasks: vec![] });
/// assert_eq!(choices(&question).iter().map(|choice| choice.name).collect::<Vec<_>>(), ["yes", "no"]);
/// ```
pub fn choices(question: &UserQuestion) -> Vec<Choice> {
    match question {
        UserQuestion::Clarification(_) => Vec::new(),
        UserQuestion::Plan(_) => vec![yes("Run this plan"), no("Do not run it")],
        UserQuestion::Continuation(_) => vec![yes("Go on"), no("End here, with what there is")],
        UserQuestion::Effect(asked) => of_effects(asked),
    }
}

fn of_effects(asked: &ApprovalRequested) -> Vec<Choice> {
    let offer = Offer::of(asked);
    let lasting = |name: &'static str, covers: Option<&'static str>, scope: ApprovalScope| {
        covers.map(|covers| Choice {
            name,
            label: format!("Yes: {covers}"),
            meaning: ChoiceMeaning::Lasting(Answer::YesFor(scope)),
        })
    };
    let rule = asked.always.clone().filter(|_| offer.rule).map(|rule| Choice {
        name: "always",
        label: "Always: add a rule to my rules of consent".to_owned(),
        meaning: ChoiceMeaning::Rule(rule),
    });
    let mut choices = vec![yes("Yes, this once")];
    choices.extend(lasting("run", offer.run, ApprovalScope::Run));
    choices.extend(lasting("folder", offer.folder, ApprovalScope::Folder));
    choices.extend(rule);
    choices.push(no("No"));
    choices
}

fn yes(label: &str) -> Choice {
    Choice { name: "yes", label: label.to_owned(), meaning: ChoiceMeaning::Once(Answer::Yes) }
}

fn no(label: &str) -> Choice {
    Choice { name: "no", label: label.to_owned(), meaning: ChoiceMeaning::No(Answer::No) }
}

/// A question in words for a person, without its choices: everything that the answer is about.
pub fn question_text(question: &UserQuestion) -> String {
    match question {
        UserQuestion::Clarification(asked) => asked.questions.join("\n"),
        UserQuestion::Plan(asked) => {
            let step = |(number, step): (usize, &PlannedSubTask)| format!("{number}. {}", step.intent);
            let steps: Vec<String> = (1..).zip(&asked.subtasks).map(step).collect();
            format!("Run this plan?\n{}", steps.join("\n"))
        }
        UserQuestion::Continuation(asked) => {
            let (turns, tokens) = (asked.turns, asked.tokens);
            format!("This has taken {turns} model calls and {tokens} tokens. Go on?")
        }
        UserQuestion::Effect(asked) => effects_text(asked),
    }
}

fn effects_text(asked: &ApprovalRequested) -> String {
    let mut lines = vec![asked.command.clone()];
    if !asked.reason.is_empty() {
        lines.push(asked.reason.clone());
    }
    for effect in &asked.effects {
        let does = match effect.kind {
            EffectKind::Creates => "creates",
            EffectKind::Overwrites => "changes",
            EffectKind::Deletes => "deletes",
            EffectKind::Commits => "commits to",
            EffectKind::Network => "reaches other machines",
            EffectKind::OutsideMachine => "acts on other machines",
            EffectKind::Privilege => "uses the rights of another user",
            EffectKind::Unknown => "may do more than its words show",
        };
        let why = if effect.why.is_empty() { String::new() } else { format!(" ({})", effect.why) };
        lines.push(format!("- {does}: {}{why}", effect.what));
    }
    for change in asked.changes.iter().filter_map(|change| change.autorun.as_ref()) {
        lines.push(format!("- {change}"));
    }
    if let Some(commit) = &asked.commit {
        lines.push(format!("- commit to {}: {}", commit.branch, commit.message));
        lines.extend(commit.left_out.iter().map(|left_out| format!("  without {left_out}")));
        lines.extend(commit.files.iter().map(|file| format!("  {}", file.path)));
    }
    if let Some(moves) = &asked.moves {
        lines.extend(moves.lines().iter().map(|line| format!("- {line}")));
    }
    lines.join("\n")
}
