//! Validation of the parameters.

use artoo_ggs_core::{DecidingGradient, Hyperparameters, ParameterError, Parameters, Profile, Weighing};
use artoo_types::Limits;

#[test]
fn the_default_is_the_specifications_table() {
    let got = Hyperparameters::from(Profile::Default.parameters());
    let expected = Hyperparameters {
        alpha: 0.6,
        beta: 0.3,
        lambda: 0.4,
        replan_weight: 0.6,
        time_weight: 0.4,
        epsilon: 0.1,
        delta: 0.3,
        rho: 0.5,
        theta: 0.8,
        max_replans: 3,
        time_budget_ms: 300_000,
        law2_rounds: 2,
        deciding_gradient: DecidingGradient::Goal,
        weighing: Weighing::Wish,
    };
    assert_eq!(got, expected);
    let literal =
        Hyperparameters { deciding_gradient: DecidingGradient::Loss, weighing: Weighing::Alike, ..expected };
    assert_eq!(Hyperparameters::from(Profile::SpecV08.parameters()), literal);
}

#[test]
fn numbers_out_of_range_are_refused_by_name() {
    let base = Hyperparameters::default();
    let table = [
        (Hyperparameters { alpha: 0.0, ..base }, "alpha must be a number above 0, at most 1000, not 0"),
        (Hyperparameters { beta: -0.1, ..base }, "beta must be a number from 0 to 1000, not -0.1"),
        (
            Hyperparameters { lambda: f64::INFINITY, ..base },
            "lambda must be a number from 0 to 1000, not inf",
        ),
        (
            Hyperparameters { replan_weight: 1.1, ..base },
            "replan_weight must be a number from 0 to 1, not 1.1",
        ),
        (
            Hyperparameters { time_weight: f64::NAN, ..base },
            "time_weight must be a number from 0 to 1, not NaN",
        ),
        // With epsilon 0 a gradient of 0 would be a signal without a sign.
        (Hyperparameters { epsilon: 0.0, ..base }, "epsilon must be a number above 0, at most 1000, not 0"),
        (Hyperparameters { delta: 2.0, ..base }, "delta must be a number from 0 to 1, not 2"),
        (Hyperparameters { rho: -1.0, ..base }, "rho must be a number from 0 to 1, not -1"),
        (Hyperparameters { theta: 1.5, ..base }, "theta must be a number from 0 to 1, not 1.5"),
        (Hyperparameters { time_budget_ms: 0, ..base }, "time_budget_ms must be at least 1"),
        (Hyperparameters { law2_rounds: 0, ..base }, "law2_rounds must be at least 1"),
    ];
    for (values, message) in table {
        assert_eq!(Parameters::new(values).unwrap_err().to_string(), message);
    }
}

#[test]
fn reading_checks_too() {
    assert!(serde_json::from_str::<Parameters>(r#"{"delta": 0.1}"#).is_ok_and(|read| read.delta == 0.1));
    assert!(serde_json::from_str::<Parameters>(r#"{"delta": 7}"#).is_err());
    assert!(serde_json::from_str::<Parameters>(r#"{"dleta": 0.1}"#).is_err());
}

#[test]
fn a_runs_limits_replace_its_budget() {
    let limits = Limits { max_replans: 1, time_budget_ms: 60_000, ..Limits::default() };
    let parameters = Parameters::default().with_limits(&limits).unwrap();
    assert_eq!((parameters.max_replans, parameters.time_budget_ms), (1, 60_000));
    let none = Limits { time_budget_ms: 0, ..Limits::default() };
    assert_eq!(
        Parameters::default().with_limits(&none),
        Err(ParameterError::Zero { name: "time_budget_ms" })
    );
}

#[test]
fn profiles_have_names() {
    for profile in Profile::ALL {
        assert_eq!(profile.to_string().parse::<Profile>(), Ok(profile));
        assert_eq!(serde_json::to_value(profile).unwrap(), profile.name());
    }
    let error = "spec".parse::<Profile>().unwrap_err().to_string();
    assert_eq!(error, "there is no profile `spec`; the profiles are `default` and `spec-v0.8`");
}
