//! Tracks a run's hard budgets: tokens, money, replans. Pure; the soft budgets are the controller's, in
//! Omega.

use artoo_types::{Amount, Fault, FaultKind, Limits, Message, Prices, Remedy, Role};

/// The totals of one run and its limits.
#[derive(Clone, Debug)]
pub(crate) struct Spending {
    limits: Limits,
    prices: Prices,
    tokens: u64,
    /// Whether any token count is estimated.
    estimated: bool,
    cost: Amount,
    replans: u32,
}

impl Spending {
    /// Nothing spent.
    pub(crate) fn new(limits: Limits, prices: Prices) -> Self {
        Self { limits, prices, tokens: 0, estimated: false, cost: Amount::ZERO, replans: 0 }
    }

    /// Applies a message; returns a fault if it exceeds a budget.
    pub(crate) fn on(&mut self, message: &Message) -> Option<Fault> {
        if let Message::ModelCall(call) = message {
            let used = call.prompt_tokens.saturating_add(call.completion_tokens);
            self.tokens = self.tokens.saturating_add(used);
            self.estimated |= call.estimated;
            // A run with a money budget has a price for every role; otherwise its start is refused.
            self.cost = self.cost.saturating_add(self.prices.of(call).unwrap_or_default());
            self.too_many_tokens().or_else(|| self.too_dear())
        } else if let Message::PlanDirective(_) = message {
            self.replans = self.replans.saturating_add(1);
            self.too_many_replans()
        } else {
            None
        }
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

fn spent(message: String, hint: &str, remedy: Remedy) -> Fault {
    let (hint, remedy) = (Some(hint.to_owned()), Some(remedy));
    Fault { role: Role::Supervisor, kind: FaultKind::Budget, message, hint, remedy }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use artoo_types::{ModelCall, Price};

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
        let fault = spending.on(&call(Role::Planner, 1, 0, true)).unwrap();
        assert_eq!(fault.kind, FaultKind::Budget);
        assert_eq!(fault.message, "The token budget is spent: 101 tokens used (estimated), 100 allowed");
    }

    #[test]
    fn money_is_counted_by_the_price_of_the_role() {
        let limits = Limits { max_cost: Some(amount(0.004)), ..Limits::default() };
        let mut spending = Spending::new(limits, prices());
        assert_eq!(spending.on(&call(Role::Planner, 1000, 250, false)), None);
        assert_eq!(spending.on(&call(Role::Executor, 9_000_000, 9_000_000, false)), None, "it costs nothing");
        let fault = spending.on(&call(Role::Planner, 1, 0, false)).unwrap();
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
