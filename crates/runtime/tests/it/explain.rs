//! Explanations of runs, from their journals alone.

use artoo_runtime::{
    explain::{Cost, Explanation, Follows, explain},
    journal::{self, Read, RunState},
};
use artoo_types::{Amount, MacroState, MessageKind, Price, Prices, Role};

use crate::{
    fixture::Seen,
    scripted_plans::{Course, changed},
};

fn page(seen: &Seen) -> Explanation {
    let page = explain(&read(seen));
    let end = page.end.clone().unwrap();
    assert_eq!((end.summary, end.fault), (seen.result.summary.clone(), seen.result.fault.clone()));
    assert_eq!((end.exit_code, end.replans), (seen.exit_code(), seen.result.replans));
    holds_together(&page);
    page
}

fn read(seen: &Seen) -> Read {
    journal::read(&seen.folder.join(journal::FILE_NAME)).unwrap_or_else(|_| Read {
        envelopes: seen.envelopes.clone(),
        damage: None,
        state: RunState::Finished,
    })
}

/// Invariants of every page.
fn holds_together(page: &Explanation) {
    let sum = page.rounds.iter().fold(Cost::default(), |sum, round| sum + round.cost);
    assert_eq!(sum, page.cost, "the rounds are the whole cost");
    let numbers: Vec<u32> = page.rounds.iter().map(|round| round.round).collect();
    assert_eq!(numbers, (1..=numbers.len() as u32).collect::<Vec<_>>());
    for pair in page.rounds.windows(2) {
        let before = pair[0].decided.as_ref().unwrap();
        let after = pair[1].decided.as_ref().map_or(before.current.name(), |decided| decided.prev.name());
        assert_eq!(before.current.name(), after, "each round names the directive before");
    }
    let value = serde_json::to_value(page).unwrap();
    assert_eq!(serde_json::from_value::<Explanation>(value).unwrap(), *page);
}

fn all_follow(page: &Explanation) -> bool {
    let mut decided = page.rounds.iter().filter_map(|round| round.decided.as_ref());
    decided.all(|decided| matches!(decided.follows, Follows::Yes { .. }))
}

fn snapshot(name: &str, page: &Explanation) {
    insta::with_settings!({
        filters => vec![
            (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "[id]"),
            // The house of the run.
            (r#"[^" ]*/\.tmp\w+/home"#, "~"),
            (r#""(version|computed_by)": "[^"]+""#, r#""$1": "[version]""#),
            // They are estimated from prompts, which name the day of the week.
            (r#""prompt_tokens": \d+"#, r#""prompt_tokens": 100"#),
        ],
        omit_expression => true,
    }, {
        insta::assert_snapshot!(name, serde_json::to_string_pretty(page).unwrap());
    });
}

#[tokio::test(start_paused = true)]
async fn one_round_that_is_accepted() {
    let page = page(&Course::new(&["say apple; whisper pear"]).run().await);
    assert!(all_follow(&page));
    snapshot("accept", &page);
}

#[tokio::test(start_paused = true)]
async fn a_logical_failure_then_accept() {
    let page = page(&Course::new(&["say apple; say pear wrongly", "whisper pear"]).run().await);
    assert!(all_follow(&page));
    snapshot("logical", &page);
}

/// The second plan attempts the blocked input again and is refused by code.
#[tokio::test(start_paused = true)]
async fn an_environmental_failure_with_what_is_blocked_then_accept() {
    let course = Course::new(&["say apple; fetch pear", "try pears"]);
    let page = page(&course.run().await);
    assert!(all_follow(&page));
    snapshot("environmental", &page);
}

#[tokio::test(start_paused = true)]
async fn abandon_by_omega() {
    let course = Course::new(&["fetch apple; fetch pear", "say plum wrongly; fetch fig", "say kiwi wrongly"]);
    let page = page(&course.max_replans(2).each_answer_takes(0.6).run().await);
    assert!(all_follow(&page));
    snapshot("omega", &page);
}

#[tokio::test(start_paused = true)]
async fn abandon_by_the_cap_on_replans() {
    let page = page(&Course::new(&["fetch apple", "fetch pear"]).max_replans(1).run().await);
    assert!(all_follow(&page));
    snapshot("cap", &page);
}

#[tokio::test(start_paused = true)]
async fn abandon_by_law_2() {
    let plans = [
        "fetch a; fetch b; say c; say d",
        "fetch e; fetch f; fetch g; fetch h; fetch i; fetch j",
        "say k wrongly; say l wrongly; say m wrongly; say q wrongly; say r wrongly; say t wrongly",
    ];
    let page = page(&Course::new(&plans).run().await);
    assert!(all_follow(&page));
    snapshot("law_2", &page);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run() {
    let course = Course::new(&["say apple; say pear wrongly", "whisper pear"]).cancelled_in(2);
    let page = page(&course.run().await);
    assert!(all_follow(&page));
    snapshot("cancelled", &page);
}

#[tokio::test(start_paused = true)]
async fn a_damaged_journal_is_explained_up_to_the_damage() {
    let seen = Course::new(&["say apple; say pear wrongly", "whisper pear"]).run().await;
    let whole = page(&seen);
    let cut = |text: String| {
        let second = text.find(r#""round":2"#).unwrap();
        text[..second].to_owned()
    };
    let damaged = explain(&changed(&seen, cut));
    holds_together(&damaged);
    assert!(damaged.damage.is_some() && damaged.end.is_none());
    assert_eq!(damaged.rounds[0], whole.rounds[0]);
    snapshot("damaged", &damaged);
    // Any prefix of a journal makes a page.
    let lines = seen.envelopes.len();
    for kept in 0..lines {
        let envelopes = seen.envelopes[..kept].to_vec();
        let page = explain(&Read { envelopes, damage: None, state: RunState::Finished });
        holds_together(&page);
        assert_eq!(page.end, None, "{kept} of {lines}");
    }
}

/// Law 0: the recorded decisions follow from the record, or the page says that they do not.
#[tokio::test(start_paused = true)]
async fn a_directive_that_was_changed_afterwards_is_found() {
    let seen = Course::new(&["say apple; say pear wrongly", "whisper pear"]).run().await;
    let forged = changed(&seen, |text| {
        text.replace(r#""directive":"break_symmetry","blocked"#, r#""directive":"refine","blocked"#)
    });
    let page = explain(&forged);
    snapshot("forged_directive", &page);
    assert_eq!(page.departures().map(|(round, _)| round).collect::<Vec<_>>(), [1]);

    let forged = changed(&seen, |text| text.replacen(r#""grad_goal":0.0"#, r#""grad_goal":-0.2"#, 1));
    let page = explain(&forged);
    let fields: Vec<Vec<String>> = page
        .departures()
        .map(|(_, differences)| differences.iter().map(|difference| difference.field.clone()).collect())
        .collect();
    assert_eq!(fields, [["grad_goal"]], "one number is enough, and the next round is still computed");
    assert!(matches!(page.rounds[1].decided.as_ref().unwrap().follows, Follows::Yes { .. }));
}

/// An `abandon` altered to an `accept`, and a verdict altered to pass.
#[tokio::test(start_paused = true)]
async fn an_end_that_was_changed_afterwards_is_found() {
    let seen = Course::new(&["fetch apple"]).max_replans(0).run().await;
    let forged = changed(&seen, |text| text.replace(r#""directive":"abandon""#, r#""directive":"accept""#));
    let page = explain(&forged);
    let decided = page.rounds[0].decided.as_ref().unwrap();
    assert_eq!(decided.current, MacroState::Accept);
    let Follows::No { computed, differences, .. } = &decided.follows else { panic!("{decided:#?}") };
    assert_eq!((*computed, differences[0].field.as_str()), (MacroState::Abandon, "directive"));

    let judged = changed(&seen, |text| {
        text.replace(r#""failure_class":"environmental""#, r#""failure_class":"logical""#)
    });
    assert_eq!(explain(&judged).departures().count(), 1, "P no longer fits");
}

/// A solver that gives up at once; artoo's would have continued.
#[tokio::test(start_paused = true)]
async fn a_foreign_solver_is_told_from_artoos_own() {
    use artoo_ggs_core::{GoalGradientSolver, Hyperparameters, Parameters};
    let course = Course::new(&["say apple; say pear wrongly"]);
    let seen = course
        .run_with(|builder| {
            builder.solver(|parameters| {
                let values = Hyperparameters { max_replans: 0, ..parameters.into() };
                Box::new(GoalGradientSolver::new(Parameters::new(values).unwrap()))
            })
        })
        .await;
    let page = page(&seen);
    assert_eq!(page.departures().map(|(round, _)| round).collect::<Vec<_>>(), [1]);
    snapshot("foreign", &page);
}

/// Journals from before the settings were recorded.
#[tokio::test(start_paused = true)]
async fn without_settings_nothing_is_computed_and_the_page_says_so() {
    let seen = Course::new(&["say apple; say pear wrongly", "whisper pear"]).run().await;
    let envelopes =
        seen.envelopes.iter().filter(|e| e.message.kind() != MessageKind::ControlSettings).cloned().collect();
    let page = explain(&Read { envelopes, damage: None, state: RunState::Finished });
    for round in &page.rounds {
        let decided = round.decided.as_ref().unwrap();
        let Follows::Unknown { reason } = &decided.follows else { panic!("{decided:#?}") };
        assert_eq!(reason, "the journal does not tell what the controller went by");
    }
    assert_eq!(page.rounds[0].unmet.len(), 1, "the numbers and the verdicts are on record all the same");
}

/// Costs are shown if the request has prices, and only for complete totals.
#[tokio::test(start_paused = true)]
async fn what_a_run_cost_in_money_is_on_its_page() {
    let price = Price { prompt: Amount::new(100.0).unwrap(), completion: Amount::new(600.0).unwrap() };
    let of = |role| Prices {
        currency: "EUR".to_owned(),
        roles: [(role, price), (Role::MetaValidator, price)].into(),
    };
    let course = || Course::new(&["say apple; say pear wrongly", "whisper pear"]);
    let priced = page(&course().run_with(|artoo| artoo.prices(of(Role::Executor))).await);
    assert_eq!((priced.rounds.len(), priced.currency.as_deref()), (2, Some("EUR")));
    for cost in priced.rounds.iter().map(|round| round.cost).chain([priced.cost]) {
        assert!(cost.amount > Some(Amount::ZERO), "{cost:?}");
        assert_eq!(cost.amount, Some(price.of(cost.prompt_tokens, cost.completion_tokens)));
    }
    let unpriced = page(&course().run_with(|artoo| artoo.prices(of(Role::Planner))).await);
    assert_eq!(unpriced.cost.amount, None, "the executor's calls have no price");
}
