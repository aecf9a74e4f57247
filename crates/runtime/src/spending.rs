//! Tracks what a run has taken: its hard budgets of tokens, money and replans, and when it asks whether it shall go on.
//! Pure; the soft budgets are the controller's, in Omega.

use std::{num::NonZeroU64, time::Duration};

use artoo_types::{
    Amount, ContinuationRequested, Fault, FaultKind, Limits, Message, ModelCall, Prices, Remedy, Role,
};

/// The totals of one run and its limits.
#[derive(Clone, Debug)]
pub(crate) struct Spending {
    limits: Limits,
    prices: Prices,
    tokens: u64,
    /// Whether any token count is estimated.
    estimated: bool,
    cost: Amount,
    /// Whether the cost is that of all calls.
    is_priced: bool,
    replans: u32,
    turns: u64,
    /// Tokens read that no cache spared.
    uncached: u64,
    /// How many questions were put.
    asked: u32,
    /// How many multiples of each bound have been reached: that of calls, that of tokens.
    multiples: [u64; 2],
}

/// What follows from what a run has spent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Milestone {
    /// A budget is spent, and the run ends.
    End(Fault),
    /// The user is asked whether the run shall go on.
    Checkpoint(ContinuationRequested),
}

impl Spending {
    /// Nothing spent.
    pub(crate) fn new(limits: Limits, prices: Prices) -> Self {
        Self {
            limits,
            prices,
            tokens: 0,
            estimated: false,
            cost: Amount::ZERO,
            is_priced: true,
            replans: 0,
            turns: 0,
            uncached: 0,
            asked: 0,
            multiples: [0; 2],
        }
    }

    /// Applies a message; returns the milestone that it reaches.
    pub(crate) fn on(&mut self, message: &Message) -> Option<Milestone> {
        if let Message::ModelCall(call) = message {
            self.called(call);
            let spent = self.too_many_tokens().or_else(|| self.too_dear());
            spent.map(Milestone::End).or_else(|| self.checkpoint().map(Milestone::Checkpoint))
        } else if let Message::PlanDirective(_) = message {
            self.replans = self.replans.saturating_add(1);
            self.too_many_replans().map(Milestone::End)
        } else {
            None
        }
    }

    fn called(&mut self, call: &ModelCall) {
        let used = call.prompt_tokens.saturating_add(call.completion_tokens);
        self.tokens = self.tokens.saturating_add(used);
        self.estimated |= call.estimated;
        let cost = self.prices.of(call);
        // A run with a money budget has a price for every role; otherwise its start is refused.
        self.is_priced &= cost.is_some();
        self.cost = self.cost.saturating_add(cost.unwrap_or_default());
        self.turns = self.turns.saturating_add(1);
        let uncached = call.prompt_tokens.saturating_sub(call.cached_tokens);
        self.uncached = self.uncached.saturating_add(uncached);
    }

    /// Whether a further multiple of a bound is reached. Several at once are one question.
    fn checkpoint(&mut self) -> Option<ContinuationRequested> {
        let checkpoints = self.limits.checkpoints;
        let multiples = |count: u64, bound: Option<NonZeroU64>| bound.map_or(0, |bound| count / bound);
        let reached =
            [multiples(self.turns, checkpoints.turns), multiples(self.uncached, checkpoints.tokens)];
        let is_new = reached.iter().zip(&self.multiples).any(|(now, before)| now > before);
        self.multiples = reached;
        is_new.then(|| {
            self.asked = self.asked.saturating_add(1);
            ContinuationRequested {
                number: self.asked,
                turns: self.turns,
                tokens: self.uncached,
                estimated: self.estimated,
                cost: self.is_priced.then_some(self.cost),
                currency: self.prices.currency.trim().to_owned(),
            }
        })
    }

    fn too_many_tokens(&self) -> Option<Fault> {
        let allowed = self.limits.max_tokens.filter(|allowed| self.tokens > *allowed)?;
        let used = self.tokens;
        let message =
            format!("The token budget is spent: {used} tokens used{}, {allowed} allowed", self.marked());
        Some(spent(message, "ask for a smaller step, or allow more tokens", Remedy::AllowTokens))
    }

    fn too_dear(&self) -> Option<Fault> {
        let allowed = self.limits.max_cost.filter(|allowed| self.cost > *allowed)?;
        let currency = match self.prices.currency.trim() {
            "" => String::new(),
            currency => format!(" {currency}"),
        };
        let cost = self.cost;
        let message = format!(
            "The money budget is spent: {cost}{currency} spent{}, {allowed}{currency} allowed",
            self.marked()
        );
        Some(spent(message, "ask for a smaller step, or allow it to cost more", Remedy::AllowCost))
    }

    fn too_many_replans(&self) -> Option<Fault> {
        let allowed = self.limits.max_replans;
        let message = format!("The replan budget is spent: the controller asked for more than {allowed}");
        (self.replans > allowed)
            .then(|| spent(message, "ask for a smaller step, or allow more replans", Remedy::AllowReplans))
    }

    fn marked(&self) -> &'static str {
        if self.estimated { " (estimated)" } else { "" }
    }
}

/// The end of a run that would have to ask whether it goes on, with nobody there to answer.
pub(crate) fn nobody_says_to_go_on(asked: &ContinuationRequested) -> Fault {
    let message = format!("It has taken {}, and nobody is there to say that it may go on", asked.taken());
    spent(message, "ask for a smaller step, or be there when it asks", Remedy::AllowToGoOn)
}

/// The end of the time that the user stated.
pub(crate) fn out_of_time(allowed: Duration) -> Fault {
    let message = format!("The time budget is spent: {} s allowed", allowed.as_secs_f64());
    spent(message, "ask for a smaller step, or allow more time", Remedy::AllowTime)
}

fn spent(message: String, hint: &str, remedy: Remedy) -> Fault {
    let (hint, remedy) = (Some(hint.to_owned()), Some(remedy));
    Fault { role: Role::Supervisor, kind: FaultKind::Budget, message, hint, remedy }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use artoo_types::{Checkpoints, Price};

    use super::*;

    fn call(role: Role, prompt: u64, completion: u64, estimated: bool) -> Message {
        Message::from(ModelCall {
            role,
            subtask_id: None,
            model: "m".to_owned(),
            prompt_tokens: prompt,
            cached_tokens: 0,
            completion_tokens: completion,
            estimated,
            elapsed_ms: 1,
            requests: 1,
            error: None,
            usable: Some(true),
        })
    }

    fn end(reached: Option<Milestone>) -> Fault {
        match reached {
            Some(Milestone::End(fault)) => fault,
            other @ (Some(Milestone::Checkpoint(_)) | None) => panic!("{other:?}"),
        }
    }

    fn checkpoint(reached: Option<Milestone>) -> Option<ContinuationRequested> {
        match reached {
            Some(Milestone::Checkpoint(asked)) => Some(asked),
            Some(Milestone::End(fault)) => panic!("{fault:?}"),
            None => None,
        }
    }

    /// Calls of all roles count, failed ones too: the user is asked at each multiple of a bound, once.
    #[test]
    fn each_multiple_of_a_bound_is_a_question() {
        let checkpoints = Checkpoints { turns: NonZeroU64::new(3), tokens: NonZeroU64::new(1_000) };
        let limits = Limits { checkpoints, ..Limits::default() };
        let mut spending = Spending::new(limits, prices());
        let roles = [Role::Planner, Role::Executor].into_iter().cycle();
        let mut asked: Vec<(u32, u64, u64)> = Vec::new();
        for (number, role) in (1..=9).zip(roles) {
            // The seventh call reads more than a multiple of the bound.
            let prompt = if number == 7 { 2_500 } else { 10 };
            let question = checkpoint(spending.on(&call(role, prompt, 5, false)));
            asked.extend(question.map(|asked| (asked.number, asked.turns, asked.tokens)));
        }
        assert_eq!(asked, [(1, 3, 30), (2, 6, 60), (3, 7, 2_560), (4, 9, 2_580)]);
    }

    #[test]
    fn a_question_says_what_was_taken() {
        let checkpoints = Checkpoints { turns: NonZeroU64::new(2), tokens: None };
        let limits = Limits { checkpoints, ..Limits::default() };
        let mut spending = Spending::new(limits, prices());
        let cached = |role, estimated| {
            let message = call(role, 1_000, 250, estimated);
            let call = message.payload::<ModelCall>().unwrap().clone();
            Message::from(ModelCall { cached_tokens: 900, ..call })
        };
        assert_eq!(spending.on(&cached(Role::Planner, false)), None);
        let asked = checkpoint(spending.on(&cached(Role::Executor, true))).unwrap();
        assert_eq!(asked.taken(), "2 model calls, 200 uncached tokens read (estimated), 0.004 EUR");
        // A part of the cost never passes for the whole.
        spending.on(&cached(Role::AgentValidator, true));
        let asked = checkpoint(spending.on(&cached(Role::Executor, true))).unwrap();
        assert_eq!((asked.number, asked.cost), (2, None));
        let fault = nobody_says_to_go_on(&asked);
        assert_eq!((fault.kind, fault.remedy), (FaultKind::Budget, Some(Remedy::AllowToGoOn)));
    }

    #[test]
    fn without_a_bound_nobody_is_asked() {
        let limits = Limits { checkpoints: Checkpoints::NONE, ..Limits::default() };
        let mut spending = Spending::new(limits, prices());
        for _ in 0..1_000 {
            assert_eq!(spending.on(&call(Role::Executor, 100_000, 100, false)), None);
        }
    }

    fn amount(units: f64) -> Amount {
        Amount::new(units).unwrap()
    }

    fn prices() -> Prices {
        let price = Price { prompt: amount(2.0), completion: amount(8.0) };
        let roles = BTreeMap::from([(Role::Planner, price), (Role::Executor, Price::FREE)]);
        Prices { currency: "EUR".to_owned(), roles }
    }

    #[test]
    fn a_budget_is_spent_when_more_than_it_allows_is_used() {
        let limits = Limits { max_tokens: Some(100), ..Limits::default() };
        let mut spending = Spending::new(limits, Prices::default());
        assert_eq!(spending.on(&call(Role::Planner, 60, 40, false)), None, "all of it, and no more");
        let fault = end(spending.on(&call(Role::Planner, 1, 0, true)));
        assert_eq!(fault.kind, FaultKind::Budget);
        assert_eq!(fault.message, "The token budget is spent: 101 tokens used (estimated), 100 allowed");
    }

    #[test]
    fn money_is_counted_by_the_price_of_the_role() {
        let limits = Limits { max_cost: Some(amount(0.004)), ..Limits::default() };
        let mut spending = Spending::new(limits, prices());
        assert_eq!(spending.on(&call(Role::Planner, 1000, 250, false)), None);
        let free = spending.on(&call(Role::Executor, 1_900_000, 9_000_000, false));
        assert_eq!(free, None, "it costs nothing");
        let fault = end(spending.on(&call(Role::Planner, 1, 0, false)));
        assert_eq!(fault.message, "The money budget is spent: 0.004002 EUR spent, 0.004 EUR allowed");
        assert_eq!(fault.remedy, Some(Remedy::AllowCost));
    }

    #[test]
    fn a_lying_server_cannot_overflow_a_sum() {
        let limits = Limits { max_cost: Some(amount(1.0)), ..Limits::default() };
        let mut spending = Spending::new(limits, prices());
        assert!(spending.on(&call(Role::Planner, u64::MAX, u64::MAX, false)).is_some());
        assert!(spending.on(&call(Role::Planner, u64::MAX, u64::MAX, false)).is_some());
    }
}
