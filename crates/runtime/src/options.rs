//! `Options`: what is chosen once, for all runs. The builder fills it and the runtime keeps it, so that an option stands in one place.

use std::{collections::BTreeMap, ffi::OsString, path::PathBuf};

use artoo_ggs_core::{Parameters, Profile};
use artoo_redaction::Redactor;
use artoo_snapshot::{Retention, SnapshotLimits};
use artoo_types::Prices;

use crate::{Acceptance, Deadlines, Dreams, builder::Roles};

/// The options of artoo. What each means stands at its setter, a method of [`Builder`](crate::Builder) with the same name.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) roles: Roles,
    pub(crate) profile: Profile,
    /// In place of the profile's.
    pub(crate) parameters: Option<Parameters>,
    pub(crate) strict: bool,
    pub(crate) ask_before_plans: bool,
    pub(crate) parallel: Parallel,
    /// In place of those that follow from the models.
    pub(crate) deadlines: Option<Deadlines>,
    pub(crate) acceptance: Acceptance,
    pub(crate) prices: Prices,
    pub(crate) dreams: Dreams,
    pub(crate) programs: Vec<String>,
    pub(crate) environment: BTreeMap<OsString, OsString>,
    /// With what is [`protected`](Self::protected), once built.
    pub(crate) policy: artoo_consent::Rules,
    /// With the data folder and the policy's file, once built.
    pub(crate) protected: Vec<PathBuf>,
    pub(crate) keep: Vec<PathBuf>,
    pub(crate) sockets: Vec<PathBuf>,
    /// With the secrets of the environment, once built.
    pub(crate) redactor: Redactor,
    pub(crate) snapshot_limits: SnapshotLimits,
    pub(crate) retention: Retention,
}

impl Options {
    /// The controller's parameters; replans and time come from each request.
    pub(crate) fn parameters(&self) -> Parameters {
        self.parameters.unwrap_or_else(|| self.profile.parameters())
    }
}

/// Maximum number of subtasks of a run in parallel.
#[derive(Clone, Copy)]
pub(crate) struct Parallel(pub(crate) usize);

impl Default for Parallel {
    fn default() -> Self {
        Self(8)
    }
}
