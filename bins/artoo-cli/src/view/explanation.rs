//! Page of `artoo runs explain`: why a run went as it did.
//!
//! Nothing is cut: the page is read to understand details. The figures of the controller are in the page of `-v`.

use std::time::Duration;

use artoo_ggs_core::{Blocked, Budget, Cell, Nearness, Process, Rule, Standing, Trend};
use artoo_runtime::events;
use artoo_runtime::explain::{
    Cost, Decided, Difference, End, Explanation, Follows, Grounds, PlanChange, Reach, Remembered,
    RememberedKind, Round, RoundMemory, Unmet,
};
use artoo_types::{
    Amount, Basis, ControlSettings, DecidingGradient, FailureClass, Hyperparameters, MacroState,
    SolverOrigin, UnitInterval, Weighing,
};

use super::layout::Frame;
use super::units::{counted, money, seconds, tokens};
use super::{labels, memory};
use crate::terminal::{Style, neutral_line, pad, wrap};

/// Width of the label column.
const LABEL: usize = 10;

/// Renders the page.
pub(crate) fn explanation(page: &Explanation, frame: Frame) -> String {
    let currency = page.currency.clone().unwrap_or_default();
    let mut sheet = Sheet { text: String::new(), frame, currency };
    sheet.head(page);
    let settings = page.settings.as_ref();
    let undecided = match page.end.as_ref().map(|end| end.basis) {
        Some(Basis::Model) => "the request was answered from the model's knowledge",
        Some(Basis::Evidence) | None => "the record of this round ends before a decision",
    };
    for round in &page.rounds {
        sheet.round(round, settings, undecided);
    }
    sheet.end(page);
    sheet.text
}

struct Sheet {
    text: String,
    frame: Frame,
    /// Currency of all amounts.
    currency: String,
}

impl Sheet {
    fn head(&mut self, page: &Explanation) {
        let request = page.request.as_deref().unwrap_or("(no request is on record)");
        self.styled(Style::Strong, &format!("» {}", neutral_line(request)));
        let run = page.run_id.map(|id| format!("run {id}"));
        let started = page.started.map(|at| at.format("%Y-%m-%d %H:%M").to_string());
        let version = page.settings.as_ref().map(|settings| format!("artoo {}", settings.version));
        let head: Vec<String> = [run, started, version].into_iter().flatten().collect();
        if !head.is_empty() {
            self.styled(Style::Faint, &neutral_line(&head.join(" · ")));
        }
        let Some(settings) = &page.settings else {
            self.styled(
                Style::Notice,
                "what the controller went by is not on record: no directive can be computed again",
            );
            return;
        };
        if self.frame.verbose {
            self.styled(Style::Faint, &numbers(&settings.hyperparameters));
        }
        if settings.solver == SolverOrigin::Foreign {
            self.styled(
                Style::Notice,
                "a foreign solver decided: what is computed here is what artoo's own would have said",
            );
        }
        if settings.version != page.computed_by {
            let note = format!("computed again by artoo {}, which may decide otherwise", page.computed_by);
            self.styled(Style::Notice, &neutral_line(&note));
        }
    }

    fn round(&mut self, round: &Round, settings: Option<&ControlSettings>, undecided: &str) {
        self.text.push('\n');
        self.styled(Style::Strong, &format!("round {}", round.round));
        match &round.plan {
            Some(plan) => self.plan(plan),
            None => self.row("plan", "none"),
        }
        self.memory(&round.memory);
        self.unmet(round);
        for refused in &round.refused {
            let call = format!("{} {}: {}", refused.call.tool, refused.call.target, refused.reason);
            self.row("refused", &neutral_line(&call));
        }
        match &round.decided {
            Some(decided) => self.decided(decided, settings),
            None => self.row("decided", &format!("nothing: {undecided}")),
        }
        self.row("cost", &cost(&round.cost, &self.currency));
    }

    fn plan(&mut self, plan: &PlanChange) {
        let parts =
            [("kept", &plan.kept), ("again", &plan.again), ("replaced", &plan.replaced), ("new", &plan.new)];
        let mut label = "plan";
        for (name, intents) in parts {
            for intent in intents {
                self.row(label, &format!("{} {}", pad(name, 8), neutral_line(intent)));
                label = "";
            }
        }
        if !label.is_empty() {
            self.row(label, "no subtask");
        }
    }

    /// Recalled rules, guarded calls, and their outcome.
    fn memory(&mut self, memory: &RoundMemory) {
        let mut label = "memory";
        for told in &memory.recalled {
            self.row(label, &neutral_line(&remembered(told)));
            label = "";
        }
        for guard in &memory.guards {
            self.row(label, &neutral_line(&memory::guard(guard)));
            label = "";
        }
        for held in &memory.held {
            let call = format!("{} {}: {}", held.call.tool, held.call.target, memory::held(&held.held));
            self.row("held", &neutral_line(&call));
        }
    }

    fn unmet(&mut self, round: &Round) {
        let count = round.unmet.len();
        match round.criteria {
            Some(all) => {
                self.row("unmet", &format!("{count} of {}", counted(all as u64, "criterion", "criteria")))
            }
            None if count == 0 => return,
            None => self.row("unmet", &format!("{count} so far")),
        }
        for unmet in &round.unmet {
            self.row("", &format!("✗ {}", neutral_line(&unmet_words(unmet))));
        }
    }

    fn decided(&mut self, decided: &Decided, settings: Option<&ControlSettings>) {
        self.row("loss", &if self.frame.verbose { loss(decided) } else { loss_in_words(decided) });
        let values = settings.map(|settings| &settings.hyperparameters);
        match &decided.follows {
            Follows::Yes { grounds } => self.grounds(grounds, decided.current, decided, values),
            Follows::Unknown { reason } => self.row("rule", &neutral_line(&format!("unknown: {reason}"))),
            Follows::No { .. } => self.row("rule", "none of artoo's: see below"),
        }
        let told = if decided.recorded { "" } else { ", but nobody was told" };
        let text = format!("{} -> {}{told}", decided.prev.name(), labels::state(decided.current));
        self.styled_row(Style::Notice, "decided", &text);
        if !decided.rationale.is_empty() {
            self.row("", &neutral_line(&decided.rationale));
        }
        self.blocked(&decided.blocked);
        if let Follows::No { computed, grounds, differences } = &decided.follows {
            self.departure(*computed, grounds, differences, decided, values);
        }
    }

    fn grounds(
        &mut self,
        grounds: &Grounds,
        current: MacroState,
        decided: &Decided,
        values: Option<&Hyperparameters>,
    ) {
        self.row("rule", &rule(grounds.rule, decided, values));
        let says = labels::state(grounds.cell_says);
        let says = if grounds.cell_says == current {
            format!("-> {says}")
        } else {
            format!("alone would say {says}")
        };
        if self.frame.verbose {
            self.row("", &format!("cell #{} of 24 ({}) {says}", grounds.number, cell(grounds.cell, values)));
        }
        if let Some(reach) = grounds.urgency {
            self.row("urgency", urgency(reach));
        }
    }

    fn departure(
        &mut self,
        computed: MacroState,
        grounds: &Grounds,
        differences: &[Difference],
        decided: &Decided,
        values: Option<&Hyperparameters>,
    ) {
        self.styled_row(Style::Bad, "✗", "this directive does not follow from its recorded inputs");
        self.row("", &format!("artoo's solver says {}:", labels::state(computed)));
        self.grounds(grounds, computed, decided, values);
        for difference in differences {
            let text = format!(
                "{}: {} where {} follows",
                difference.field, difference.recorded, difference.computed
            );
            self.row("", &neutral_line(&text));
        }
    }

    fn blocked(&mut self, blocked: &Blocked) {
        let tools = blocked.tools.iter().map(|tool| format!("the tool {tool}"));
        let targets = blocked.targets.iter().map(|target| format!("{} {}", target.tool, target.target));
        let approaches =
            blocked.approaches.iter().map(|way| format!("{} for \"{}\"", way.tool, way.approach));
        let programs = blocked
            .programs
            .iter()
            .map(|blocked| format!("the program {} of {}", blocked.program, blocked.tool));
        let all: Vec<String> = tools.chain(programs).chain(targets).chain(approaches).collect();
        if !all.is_empty() {
            self.row("blocked", &neutral_line(&all.join("; ")));
        }
    }

    fn end(&mut self, page: &Explanation) {
        self.text.push('\n');
        match (&page.end, labels::unfinished(page.state)) {
            (Some(end), _) => self.ended(end),
            (None, Some((_, sentence))) => self.styled(Style::Bad, sentence),
            (None, None) => {}
        }
        self.row("total", &cost(&page.cost, &self.currency));
        if let Some(damage) = &page.damage {
            self.styled(
                Style::Bad,
                &neutral_line(&format!("the journal is damaged, and explained up to there: {damage}")),
            );
        }
    }

    fn ended(&mut self, end: &End) {
        let (style, how) = match (end.directive, &end.fault) {
            (_, Some(fault)) => (Style::Bad, format!("{}: {}", labels::fault(fault.kind), fault.message)),
            (Some(state), None) => {
                let good = state == artoo_types::TerminalState::Accept;
                (if good { Style::Good } else { Style::Notice }, labels::terminal(state).to_owned())
            }
            (None, None) => (Style::Bad, "unknown".to_owned()),
        };
        self.styled_row(style, "end", &neutral_line(&how));
        for line in end.summary.lines() {
            self.row("", &neutral_line(line));
        }
        if let Some(origin) = end.answer {
            self.row("answer", labels::answer(origin));
        }
        // Without a measurement there is no confidence to show.
        if let Some(confidence) = end.confidence.as_ref().filter(|known| known.value < UnitInterval::ONE) {
            let (value, least) = (confidence.value.get(), confidence.least.get());
            let told = format!("{value:.2} of at least {least:.2}: {}", confidence.why);
            self.row("believed", &neutral_line(&told));
        }
        if let Some(why) = &end.structured_error {
            self.row("", &neutral_line(&format!("no JSON of the schema: {why}")));
        }
        let replans = counted(u64::from(end.replans), "replan", "replans");
        self.row("", &format!("{replans}, exit code {}", end.exit_code));
    }

    fn row(&mut self, label: &str, text: &str) {
        self.styled_row(Style::Plain, label, text);
    }

    fn styled_row(&mut self, style: Style, label: &str, text: &str) {
        let room = self.frame.columns.saturating_sub(LABEL + 2);
        for (at, line) in wrap(text, room).iter().enumerate() {
            let label = if at == 0 { label } else { "" };
            let row = format!("  {}{}", pad(label, LABEL), self.frame.paint.text(style, line));
            self.text.push_str(row.trim_end());
            self.text.push('\n');
        }
    }

    fn styled(&mut self, style: Style, text: &str) {
        for line in wrap(text, self.frame.columns) {
            self.text.push_str(&self.frame.paint.text(style, &line));
            self.text.push('\n');
        }
    }
}

/// All parts of the loss.
fn loss(Decided { loss, grad_l, grad_goal, .. }: &Decided) -> String {
    let (d, p, omega, l) = (loss.d.get(), loss.p.get(), loss.omega.get(), loss.l);
    format!("D {d:.3}  P {p:.3}  Ω {omega:.3}  L {l:.3}  ∇L {grad_l:+.3}  ∇G {grad_goal:+.3}")
}

/// The loss and how it changed since the round before.
fn loss_in_words(decided: &Decided) -> String {
    let by = decided.grad_l.abs();
    let way = if decided.grad_l > 0.0 { "more" } else { "less" };
    let change =
        if by < 0.000_5 { String::new() } else { format!(", {by:.3} {way} than in the round before") };
    format!("{:.3}{change}", decided.loss.l)
}

fn numbers(values: &Hyperparameters) -> String {
    let decides = match values.deciding_gradient {
        DecidingGradient::Goal => "∇G, the gradient of α·D + β·P, decides",
        DecidingGradient::Loss => "∇L decides",
    };
    let weighs = match values.weighing {
        Weighing::Wish => "",
        Weighing::Alike => "; in D each criterion weighs alike",
    };
    format!(
        "α {}, β {}, λ {}, ε {}, δ {}, ρ {}, θ {}; at most {}, {}; {decides}{weighs}",
        values.alpha,
        values.beta,
        values.lambda,
        values.epsilon,
        values.delta,
        values.rho,
        values.theta,
        counted(u64::from(values.max_replans), "replan", "replans"),
        seconds(Duration::from_millis(values.time_budget_ms)),
    )
}

fn unmet_words(unmet: &Unmet) -> String {
    let of = unmet.subtask.as_deref().map(|intent| format!(" [{intent}]")).unwrap_or_default();
    let weight = if unmet.weight < 1.0 { format!(", weighs {:.2}", unmet.weight) } else { String::new() };
    match &unmet.standing {
        Standing::Met => unmet.criterion.clone(),
        Standing::Skipped { reason } => format!("{} (skipped): {reason}{of}", unmet.criterion),
        Standing::Unmet { class, reason, failures, attempts } => {
            let tries = format!("{failures} of {}", counted(u64::from(*attempts), "attempt", "attempts"));
            format!("{} ({}, {tries}{weight}): {reason}{of}", unmet.criterion, class_name(*class))
        }
    }
}

fn remembered(told: &Remembered) -> String {
    let used = if told.used { "used" } else { "not used" };
    let kind = match told.kind {
        RememberedKind::Law => "your law",
        RememberedKind::Practice => "prefer",
        RememberedKind::Constraint => "must not",
        RememberedKind::Experience => "experience",
    };
    let when = told.created_at.map(|at| format!(" of {}", at.format("%Y-%m-%d"))).unwrap_or_default();
    let whose = told.origin.map(|origin| format!(", {}", memory::origin(origin))).unwrap_or_default();
    let pair = told.pair.as_ref().map(|pair| format!(" {pair}")).unwrap_or_default();
    let why = told.reason.as_ref().map(memory::why).unwrap_or_default();
    format!("{used}: {kind}{when}{whose}: {}{pair}{why}", told.content)
}

/// The name under which P counts the class.
fn class_name(class: FailureClass) -> &'static str {
    match class {
        FailureClass::Logical => "logical",
        FailureClass::Environmental => "environmental",
        FailureClass::Denied => "denied",
        FailureClass::Forbidden => "never allowed",
        FailureClass::Unknown => "unknown",
    }
}

/// The rule that decided, in the specification's symbols.
fn rule(rule: Rule, decided: &Decided, values: Option<&Hyperparameters>) -> String {
    let default = Hyperparameters::default();
    let values = values.unwrap_or(&default);
    match rule {
        Rule::EveryCriterionMet => "every criterion is met".to_owned(),
        Rule::BudgetSpent => format!("hard cap: Ω {:.3} ≥ θ {}", decided.loss.omega.get(), values.theta),
        Rule::CloseEnough => format!(
            "close enough: D {:.3} ≤ δ {}, and there is something to hand over",
            decided.loss.d.get(),
            values.delta
        ),
        Rule::OnlyDenied => "all that failed was refused, and a refusal is not worked around".to_owned(),
        Rule::KeepsWorsening => format!(
            "Law 2: the gradient was above ε {} in {}",
            values.epsilon,
            counted(u64::from(values.law2_rounds), "round", "rounds in a row")
        ),
        Rule::NoReplansLeft => match values.max_replans {
            0 => "hard cap: no replan is allowed".to_owned(),
            1 => "hard cap: the one replan is used".to_owned(),
            all => format!("hard cap: all {all} replans are used"),
        },
        Rule::NoMeansLeft => "nothing is left that another plan could use".to_owned(),
        Rule::FileMissing => "a file that the request names is nowhere".to_owned(),
        Rule::GaveUp => "a step was given up, and what was looked at bears that out".to_owned(),
        Rule::ActionGrid => "the action grid of the table".to_owned(),
    }
}

/// The conditions of a cell of the macro-state table.
fn cell(cell: Cell, values: Option<&Hyperparameters>) -> String {
    let gradient = match values.map(|values| values.deciding_gradient) {
        Some(DecidingGradient::Loss) => "∇L",
        Some(DecidingGradient::Goal) | None => "∇G",
    };
    let trend = match cell.trend {
        Trend::Improving => format!("{gradient} ≤ -ε"),
        Trend::Plateau => format!("|{gradient}| < ε"),
        Trend::Worsening => format!("{gradient} ≥ ε"),
    };
    let nearness = match cell.nearness {
        Nearness::Near => "D ≤ δ",
        Nearness::Far => "D > δ",
    };
    let process = match cell.process {
        Process::Sound => "P ≤ ρ",
        Process::Wrong => "P > ρ",
    };
    let budget = match cell.budget {
        Budget::Within => "Ω < θ",
        Budget::Spent => "Ω ≥ θ",
    };
    format!("{trend}, {nearness}, {process}, {budget}")
}

fn urgency(reach: Reach) -> &'static str {
    match reach {
        Reach::ThisRound => "the loss does not rise: what failed in this round alone is blocked",
        Reach::EveryRound => "the loss rises: what failed in any round is blocked",
    }
}

fn cost(cost: &Cost, currency: &str) -> String {
    let paid = cost.amount.filter(|amount| *amount > Amount::ZERO);
    let paid = paid.map(|amount| money(&events::Cost { amount, currency: currency.to_owned() }));
    let parts = [
        Some(counted(cost.model_calls, "model call", "model calls")),
        Some(format!("{} tokens", tokens(cost.prompt_tokens.saturating_add(cost.completion_tokens)))),
        paid,
        Some(counted(cost.tool_calls, "tool call", "tool calls")),
        Some(seconds(Duration::from_millis(cost.elapsed_ms))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
