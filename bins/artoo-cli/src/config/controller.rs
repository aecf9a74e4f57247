//! The `[controller]` table: rule set and hyperparameters of the controller.

use artoo_ggs_core::{Hyperparameters, ParameterError, Parameters, Profile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::layer::{Merged, put};
use crate::error::CommandError;

/// The rules of the controller, and its numbers. Replans and the time that the cost is measured against are the run's: `run.max_replans`
/// and `run.time_budget`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ControllerTable {
    /// Which rules apply where the project and the text of the specification differ.
    pub(crate) rules: Option<Profile>,
    /// The weight of the distance D in the loss; above 0.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub(crate) alpha: Option<f64>,
    /// The weight of the implausibility P in the loss.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub(crate) beta: Option<f64>,
    /// The weight of the cost Omega in the loss.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub(crate) lambda: Option<f64>,
    /// The part of Omega that replans make.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(crate) replan_weight: Option<f64>,
    /// The part of Omega that time makes.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(crate) time_weight: Option<f64>,
    /// A gradient this far from 0, or farther, is a signal; above 0.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub(crate) epsilon: Option<f64>,
    /// A distance this small, or smaller, is close enough for a success.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(crate) delta: Option<f64>,
    /// An implausibility above this means that the approach is wrong.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(crate) rho: Option<f64>,
    /// A cost this high, or higher, ends the run.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(crate) theta: Option<f64>,
    /// How many worsening rounds in a row end the run.
    #[schemars(range(min = 1))]
    pub(crate) law2_rounds: Option<u32>,
}

impl ControllerTable {
    /// Applies the values that are set to `base`.
    pub(crate) fn over(&self, base: Hyperparameters) -> Hyperparameters {
        let base = match self.rules.map(Profile::parameters) {
            None => base,
            Some(rules) => Hyperparameters {
                deciding_gradient: rules.deciding_gradient,
                weighing: rules.weighing,
                ..base
            },
        };
        Hyperparameters {
            alpha: self.alpha.unwrap_or(base.alpha),
            beta: self.beta.unwrap_or(base.beta),
            lambda: self.lambda.unwrap_or(base.lambda),
            replan_weight: self.replan_weight.unwrap_or(base.replan_weight),
            time_weight: self.time_weight.unwrap_or(base.time_weight),
            epsilon: self.epsilon.unwrap_or(base.epsilon),
            delta: self.delta.unwrap_or(base.delta),
            rho: self.rho.unwrap_or(base.rho),
            theta: self.theta.unwrap_or(base.theta),
            law2_rounds: self.law2_rounds.unwrap_or(base.law2_rounds),
            ..base
        }
    }
}

/// Writes a profile's rule set and all of its numbers into a layer.
pub(super) fn put_profile(table: &mut Table, rules: Profile) {
    let numbers = *rules.parameters();
    let values: [(&str, Value); 11] = [
        ("rules", rules.name().into()),
        ("alpha", numbers.alpha.into()),
        ("beta", numbers.beta.into()),
        ("lambda", numbers.lambda.into()),
        ("replan_weight", numbers.replan_weight.into()),
        ("time_weight", numbers.time_weight.into()),
        ("epsilon", numbers.epsilon.into()),
        ("delta", numbers.delta.into()),
        ("rho", numbers.rho.into()),
        ("theta", numbers.theta.into()),
        ("law2_rounds", i64::from(numbers.law2_rounds).into()),
    ];
    for (key, value) in values {
        put(table, &format!("controller.{key}"), value);
    }
}

/// Validates the numbers; an error names the origin of the wrong value.
pub(crate) fn checked(values: Hyperparameters, merged: &Merged) -> Result<Parameters, CommandError> {
    Parameters::new(values).map_err(|error| {
        let (name, wrong) = match error {
            ParameterError::OutOfRange { name, range, value } => {
                (name, format!("must be {range}, not {value}"))
            }
            ParameterError::Zero { name } => (name, "must be at least 1".to_owned()),
        };
        let key = format!("controller.{name}");
        let origin = merged.origins.get(&key).map(|origin| format!(" ({origin})")).unwrap_or_default();
        CommandError::configuration(format!("`{key}` {wrong}{origin}")).hint("see: artoo config show")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lowest layer contains the default numbers, so a file that only selects the specification's rules
    /// has to get the same numbers.
    #[test]
    fn profiles_differ_in_rules_and_not_in_numbers() {
        let table = |rules| ControllerTable { rules: Some(rules), ..ControllerTable::default() };
        let [default, literal] = Profile::ALL.map(|profile| *profile.parameters());
        assert_eq!(table(Profile::SpecV08).over(default), literal);
        assert_eq!(table(Profile::Default).over(literal), default);
        assert_eq!(ControllerTable::default().over(literal), literal);
    }

    #[test]
    fn every_number_is_taken_over() {
        let mut table = Table::new();
        put_profile(&mut table, Profile::SpecV08);
        let numbers = table["controller"].as_table_mut().unwrap();
        for (at, (_, value)) in (1..).zip(numbers.iter_mut().filter(|(key, _)| *key != "rules")) {
            *value = if value.is_integer() { Value::Integer(at) } else { Value::Float(at as f64 / 100.0) };
        }
        let read: ControllerTable = numbers.clone().try_into().unwrap();
        let over = read.over(Hyperparameters::default());
        let mut back = Table::try_from(over).unwrap();
        back.retain(|key, _| numbers.contains_key(key));
        numbers.remove("rules");
        assert_eq!(back, *numbers);
    }
}
