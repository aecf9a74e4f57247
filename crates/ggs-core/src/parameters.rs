//! Validated hyperparameters, and the named profiles.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use artoo_types::{DecidingGradient, Hyperparameters, Limits, Weighing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Checked hyperparameters: every number is finite and within its range.
///
/// ```
/// use artoo_ggs_core::{Hyperparameters, Parameters};
/// assert!(Parameters::new(Hyperparameters::default()).is_ok());
/// let error = Parameters::new(Hyperparameters { epsilon: f64::NAN, ..Default::default() }).unwrap_err();
/// assert_eq!(error.to_string(), "epsilon must be a number above 0, at most 1000, not NaN");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Hyperparameters", into = "Hyperparameters")]
pub struct Parameters(Hyperparameters);

impl Parameters {
    /// Validates every number.
    ///
    /// # Errors
    /// The first number that is not finite or not in its range.
    pub fn new(values: Hyperparameters) -> Result<Self, ParameterError> {
        positive("alpha", values.alpha)?;
        not_negative("beta", values.beta)?;
        not_negative("lambda", values.lambda)?;
        share("replan_weight", values.replan_weight)?;
        share("time_weight", values.time_weight)?;
        positive("epsilon", values.epsilon)?;
        share("delta", values.delta)?;
        share("rho", values.rho)?;
        share("theta", values.theta)?;
        if values.time_budget_ms == 0 {
            return Err(ParameterError::Zero { name: "time_budget_ms" });
        }
        if values.law2_rounds == 0 {
            return Err(ParameterError::Zero { name: "law2_rounds" });
        }
        Ok(Self(values))
    }

    /// Replaces replans and time budget with a run's own.
    ///
    /// # Errors
    /// A time budget of 0.
    pub fn with_limits(self, limits: &Limits) -> Result<Self, ParameterError> {
        Self::new(Hyperparameters {
            max_replans: limits.max_replans,
            time_budget_ms: limits.time_budget_ms,
            ..self.0
        })
    }

    /// Strict mode: only a run with every criterion met ends well. Source: `docs/deviations.md`, "Success".
    #[must_use]
    pub fn strict(self) -> Self {
        Self(Hyperparameters { delta: 0.0, ..self.0 })
    }
}

impl Deref for Parameters {
    type Target = Hyperparameters;
    fn deref(&self) -> &Hyperparameters {
        &self.0
    }
}

impl TryFrom<Hyperparameters> for Parameters {
    type Error = ParameterError;
    fn try_from(values: Hyperparameters) -> Result<Self, Self::Error> {
        Self::new(values)
    }
}

impl From<Parameters> for Hyperparameters {
    fn from(parameters: Parameters) -> Self {
        parameters.0
    }
}

/// An invalid hyperparameter.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ParameterError {
    /// It is not a number within its range.
    #[error("{name} must be {range}, not {value}")]
    OutOfRange {
        /// Its name in configuration.
        name: &'static str,
        /// Its range in words.
        range: &'static str,
        /// The given value.
        value: f64,
    },
    /// It is a count and must be at least 1.
    #[error("{name} must be at least 1")]
    Zero {
        /// Its name in configuration.
        name: &'static str,
    },
}

/// A named set of rules. Source: `docs/deviations.md`: every numeric rule that the project settles
/// differently can be had in its literal form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Profile {
    /// The project's rules.
    #[default]
    #[serde(rename = "default")]
    Default,
    /// The literal rules of specification v0.8.
    #[serde(rename = "spec-v0.8")]
    SpecV08,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 2] = [Self::Default, Self::SpecV08];

    /// The name in configuration, for example `spec-v0.8`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::SpecV08 => "spec-v0.8",
        }
    }

    /// The hyperparameters of this profile.
    pub fn parameters(self) -> Parameters {
        let (deciding_gradient, weighing) = match self {
            Self::Default => (DecidingGradient::Goal, Weighing::Wish),
            Self::SpecV08 => (DecidingGradient::Loss, Weighing::Alike),
        };
        Parameters(Hyperparameters { deciding_gradient, weighing, ..Hyperparameters::default() })
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Profile {
    type Err = UnknownProfile;
    fn from_str(text: &str) -> Result<Self, UnknownProfile> {
        Self::ALL
            .into_iter()
            .find(|profile| profile.name() == text)
            .ok_or_else(|| UnknownProfile(text.to_owned()))
    }
}

/// A profile name that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no profile `{0}`; the profiles are `default` and `spec-v0.8`")]
pub struct UnknownProfile(String);

/// Far above any sensible weight, and low enough that no sum of losses can overflow.
const GREATEST: f64 = 1000.0;

fn positive(name: &'static str, value: f64) -> Result<(), ParameterError> {
    within(value > 0.0 && value <= GREATEST, name, "a number above 0, at most 1000", value)
}

fn not_negative(name: &'static str, value: f64) -> Result<(), ParameterError> {
    within((0.0..=GREATEST).contains(&value), name, "a number from 0 to 1000", value)
}

fn share(name: &'static str, value: f64) -> Result<(), ParameterError> {
    within((0.0..=1.0).contains(&value), name, "a number from 0 to 1", value)
}

fn within(fits: bool, name: &'static str, range: &'static str, value: f64) -> Result<(), ParameterError> {
    fits.then_some(()).ok_or(ParameterError::OutOfRange { name, range, value })
}
