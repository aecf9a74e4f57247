//! The GGS Quantization Matrix: strength, valence and decay rate of each kind of experience.
//!
//! Source: specification v0.8, R5 "GGS Quantization Matrix".

use artoo_types::{Entity, Level, Megram, MegramId, MegramState, Space};
use chrono::{DateTime, FixedOffset};

/// One row of the matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The state of the controller.
    pub state: MegramState,
    /// Magnitude, from 0 to 1.
    pub f: f64,
    /// Valence, from -1 (a warning) to 1 (a recommendation).
    pub sigma: f64,
    /// Decay rate per day.
    pub k: f64,
    /// Its meaning, in the specification's words.
    pub meaning: &'static str,
}

/// Every row, strongest first.
pub const MATRIX: [Row; 7] = [
    row(MegramState::Abandon),
    row(MegramState::Accept),
    row(MegramState::ChangeApproach),
    row(MegramState::Success),
    row(MegramState::BreakSymmetry),
    row(MegramState::ChangePath),
    row(MegramState::Refine),
];

/// The row of a state.
///
/// ```
/// use artoo_mkct_memory::matrix::row;
/// use artoo_types::MegramState;
/// let accept = row(MegramState::Accept);
/// assert_eq!((accept.f, accept.sigma, accept.k), (0.90, 1.0, 0.05));
/// ```
pub const fn row(state: MegramState) -> Row {
    let (f, sigma, k, meaning) = match state {
        MegramState::Abandon => (0.95, -1.0, 0.05, "PTSD trauma; generates hard Constraint"),
        MegramState::Accept => (0.90, 1.0, 0.05, "Flawless golden path; reinforced as SOP"),
        MegramState::ChangeApproach => (0.85, -1.0, 0.05, "Anti-pattern; tool class blacklisted"),
        MegramState::Success => (0.80, 1.0, 0.05, "Best practice; Planner copies directly"),
        MegramState::BreakSymmetry => (0.75, 1.0, 0.05, "Breakthrough; favour retrying this point"),
        MegramState::ChangePath => (0.30, 0.0, 0.2, "Dead end; tool unharmed; path avoided"),
        MegramState::Refine => (0.10, 0.5, 0.5, "Muscle memory; fast GC"),
    };
    Row { state, f, sigma, k, meaning }
}

/// A raw experience (level M) with the strength of its state in the matrix.
/// ```
/// # use artoo_mkct_memory::matrix;
/// # use artoo_types::{Entity, Level, MegramState, Space, ToolName};
/// # use chrono::DateTime;
/// # let at = DateTime::parse_from_rfc3339("2026-03-09T09:00:00+01:00")?;
/// # let id = "01970000-0000-7000-8000-000000000001".parse()?;
/// let (space, entity) = (Space::tool(&ToolName::new("shell")), Entity::path("ls /nowhere"));
/// let lesson = "ls /nowhere: no such folder".to_owned();
/// let megram = matrix::megram(id, MegramState::ChangePath, at, space, entity, lesson);
/// assert_eq!((megram.level, megram.f, megram.last_recalled_at), (Level::M, 0.30, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn megram(
    id: MegramId,
    state: MegramState,
    created_at: DateTime<FixedOffset>,
    space: Space,
    entity: Entity,
    content: String,
) -> Megram {
    let Row { f, sigma, k, .. } = row(state);
    Megram {
        id,
        level: Level::M,
        created_at,
        last_recalled_at: None,
        space,
        entity,
        content,
        state,
        f,
        sigma,
        k,
        origin: None,
    }
}
