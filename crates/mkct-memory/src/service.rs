//! `MemoryService`: the interface of the memory.

use artoo_types::{
    DreamReport, Entity, Level, Megram, MegramId, MemoryQuery, MemoryReply, Origin, Polarity, Potentials,
    RunId, SopRecord, Space,
};
use async_trait::async_trait;

/// The memory, as R5 and the operator's commands use it. Source: specification v0.8, R5 "MemoryService
/// Interface".
///
/// # Contract
///
/// - A query sees every write that returned `Ok` before the query was made.
/// - An id permanently names one Megram: writing the same Megram again changes nothing, another one under the
///   same id is refused.
/// - Nothing here waits for a model or a network. [`write`](Self::write) does not wait at all.
/// - All methods may be called from several threads at once.
///
/// # Who calls
///
/// Only R5's actor, and the operator's memory commands. R7 writes through R5's actor.
///
/// # Cancellation
///
/// A dropped query leaves the memory unchanged, or with the recall that it would have recorded.
///
/// # An implementation must not
///
/// change or reword a Megram, compose text for prompts, count a consolidated entry, or delete a rule.
/// `artoo_shared_memory::conformance` checks that.
/// ```
/// # use artoo_mkct_memory::{InMemory, MemoryService, Rules, matrix};
/// # use artoo_types::{Entity, MegramState, MemoryAction, Space};
/// # async fn example(megram: artoo_types::Megram, memory: &dyn MemoryService) -> Result<(), Box<dyn std::error::Error>> {
/// let (space, entity) = (megram.space.clone(), megram.entity.clone());
/// memory.write(megram)?;
/// let known = memory.query_mk(&space, &entity).await?;
/// assert!(known.attention > 0.0);
/// # Ok(()) }
/// ```
#[async_trait]
pub trait MemoryService: Send + Sync {
    /// Accepts a Megram without waiting: a store writes it in the background.
    ///
    /// # Errors
    ///
    /// [`MemoryError::OutOfRange`], [`MemoryError::EmptyTag`], [`MemoryError::Conflict`],
    /// [`MemoryError::Full`],
    /// [`MemoryError::Closed`]: the Megram was not accepted.
    fn write(&self, megram: Megram) -> Result<(), MemoryError>;

    /// The rules (C) of a tag pair, oldest first. Each of them counts as recalled now.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Closed`], [`MemoryError::Store`].
    async fn query_c(&self, space: &Space, entity: &Entity) -> Result<Vec<SopRecord>, MemoryError>;

    /// The live potentials of a tag pair. Does not count as a recall.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Closed`], [`MemoryError::Store`].
    async fn query_mk(&self, space: &Space, entity: &Entity) -> Result<Potentials, MemoryError>;

    /// Appends an experience against a rule, under the rule's own tag pair: of negative valence against a
    /// practice, of positive valence against a constraint. (The literal rules of specification v0.8 append a
    /// negative one against either, which would confirm a constraint.)
    ///
    /// # Errors
    ///
    /// [`MemoryError::UnknownRule`] if no rule has this id, [`MemoryError::Closed`], [`MemoryError::Store`].
    async fn record_negative_feedback(&self, rule: MegramId, content: &str) -> Result<(), MemoryError>;

    /// Takes back what a run taught, because the person rejected its result: for each of its experiences of
    /// positive valence a Megram of origin [`Origin::Revoked`] is appended under the same tag pair, of what the
    /// experience still weighs and of the opposite sign ([`revocations`](crate::revocations)). From then on the
    /// experience advises nothing and is in no reply; it is neither changed nor deleted. Experiences of calls that
    /// failed stay as they are: that they failed is true whatever the person wants. `reason` goes into the Megrams,
    /// on one line, cut to [`MAX_REASON`](crate::MAX_REASON) characters.
    ///
    /// Returns what was appended: nothing where the run taught nothing, or was revoked before.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Full`], [`MemoryError::Closed`], [`MemoryError::Store`].
    async fn revoke(&self, run: RunId, reason: &str) -> Result<Vec<MegramId>, MemoryError>;

    /// Everything relevant to a query: rules, potentials and the strongest experiences of each requested
    /// pair, of pairs with words similar to the query's, and the person's laws. Returned rules count as
    /// recalled, as in [`query_c`](Self::query_c).
    ///
    /// # Errors
    ///
    /// [`MemoryError::Closed`], [`MemoryError::Store`].
    async fn recall(&self, query: &MemoryQuery) -> Result<MemoryReply, MemoryError>;

    /// One cycle of the Dreamer: rules are demoted and created, experiences are forgotten. Never in the path
    /// of a request. The text of a rule comes from the `distiller`; if it has none, from [`crate::compose`].
    ///
    /// # Errors
    ///
    /// [`MemoryError::Closed`], [`MemoryError::Store`].
    async fn dream(&self, distiller: &dyn Distiller) -> Result<DreamReport, MemoryError>;

    /// Waits until everything accepted survives a crash of the process or of the machine, as far as the
    /// memory is durable.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Store`]: something accepted could not be stored.
    async fn flush(&self) -> Result<(), MemoryError>;

    /// Completes pending writes and closes. Every later call except `close` fails with
    /// [`MemoryError::Closed`].
    ///
    /// # Errors
    ///
    /// [`MemoryError::Store`]: something accepted could not be stored.
    async fn close(&self) -> Result<(), MemoryError>;
}

/// Writes the text of a rule from its source experiences.
///
/// *Who calls.* A memory, while it dreams; never with its state locked.
///
/// *Cancellation.* The future may be dropped at any await.
///
/// *An implementation must not* add what the sources do not say. `None` leaves the text to
/// [`crate::compose`].
#[async_trait]
pub trait Distiller: Send + Sync {
    /// The text of a rule of this polarity, on one line.
    async fn distil(&self, polarity: Polarity, sources: &[Megram]) -> Option<String>;

    /// Whether each rule costs a model call. A memory asks such a distiller at most
    /// [`MAX_DAILY_CALLS`](crate::MAX_DAILY_CALLS) times a day; the other rules have the text of
    /// [`crate::compose`].
    fn asks_a_model(&self) -> bool {
        true
    }
}

/// A distiller without a model: rules have the text of [`crate::compose`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Template;

#[async_trait]
impl Distiller for Template {
    async fn distil(&self, _: Polarity, _: &[Megram]) -> Option<String> {
        None
    }

    fn asks_a_model(&self) -> bool {
        false
    }
}

/// The highest decay rate per day: with it an experience has lost half its weight within a minute.
pub const FASTEST_DECAY: f64 = 1000.0;

/// Why an operation of the memory failed.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// A number of a Megram is outside its range.
    // In its short form: 1e308 has 309 digits.
    #[error("Megram {id}: {field} is {value:?}, not {range}")]
    OutOfRange {
        /// The Megram.
        id: MegramId,
        /// The field.
        field: &'static str,
        /// Its value.
        value: f64,
        /// Its range.
        range: &'static str,
    },
    /// Half of a tag pair is missing, so the Megram could never be found.
    #[error("Megram {0} has an empty tag")]
    EmptyTag(MegramId),
    /// A rule or a law from an origin that may not write one.
    #[error("Megram {id} is of level {level:?}, which only {who} may write")]
    NotAllowed {
        /// The Megram.
        id: MegramId,
        /// Its level.
        level: Level,
        /// The origins that may write such a Megram.
        who: &'static str,
    },
    /// Another Megram has this id, or had it before it was forgotten.
    #[error("Megram {0} is in memory already, with other content")]
    Conflict(MegramId),
    /// No rule has this id.
    #[error("no rule has the id {0}")]
    UnknownRule(MegramId),
    /// Too many writes are pending.
    #[error("the memory's queue is full ({capacity} waiting)")]
    Full {
        /// The maximum.
        capacity: usize,
    },
    /// The memory is closed.
    #[error("the memory is closed")]
    Closed,
    /// The store under the memory failed.
    #[error("the memory's store failed")]
    Store(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Whether a Megram is valid: its numbers are in range, its tags are not empty, and its origin may write its
/// level. Only the person writes laws (T), only the person and the Dreamer write rules (C): neither a run nor
/// an import creates one.
///
/// # Errors
///
/// [`MemoryError::OutOfRange`], [`MemoryError::EmptyTag`], [`MemoryError::NotAllowed`].
pub fn validate(megram: &Megram) -> Result<(), MemoryError> {
    let timeless = match megram.level {
        Level::M | Level::K => false,
        Level::C | Level::T => true,
    };
    let numbers = [
        ("f", megram.f, (0.0..=1.0).contains(&megram.f), "from 0 to 1"),
        ("sigma", megram.sigma, (-1.0..=1.0).contains(&megram.sigma), "from -1 to 1"),
        ("k", megram.k, (0.0..=FASTEST_DECAY).contains(&megram.k), "a rate per day, from 0 to 1000"),
        ("k", megram.k, !timeless || megram.k == 0.0, "0, as layers C and T are timeless"),
    ];
    if let Some((field, value, _, range)) = numbers.into_iter().find(|(_, _, good, _)| !good) {
        return Err(MemoryError::OutOfRange { id: megram.id, field, value, range });
    }
    if megram.space.as_str().is_empty() || megram.entity.as_str().is_empty() {
        return Err(MemoryError::EmptyTag(megram.id));
    }
    let who = match (megram.level, megram.origin) {
        (Level::M | Level::K, _)
        | (Level::C, Some(Origin::Person | Origin::Dreamer))
        | (Level::T, Some(Origin::Person)) => return Ok(()),
        (Level::C, Some(Origin::Run(_) | Origin::Import | Origin::Revoked(_)) | None) => {
            "the person or the Dreamer"
        }
        (Level::T, Some(Origin::Run(_) | Origin::Import | Origin::Dreamer | Origin::Revoked(_)) | None) => {
            "the person"
        }
    };
    Err(MemoryError::NotAllowed { id: megram.id, level: megram.level, who })
}
