//! The interface of the memory.

use artoo_types::{
    DreamReport, Entity, Level, Megram, MegramId, MemoryQuery, MemoryReply, Origin, Polarity, Potentials,
    SopRecord, Space,
};
use async_trait::async_trait;

/// The memory, as R5 and the operator's commands use it. Source: specification v0.8, R5 "MemoryService
/// Interface".
///
/// # Contract
///
/// - A query sees every write that returned `Ok` before the query was made.
/// - An id names one Megram for ever: the same Megram written again changes nothing, another one under the
///   same id is refused.
/// - Nothing here waits for a model or a network. [`write`](Self::write) waits for nothing at all.
/// - All methods may be called from several threads at once.
///
/// # Who calls
///
/// R5's actor alone, and the operator's memory commands. R7 writes through R5's actor.
///
/// # Cancellation
///
/// A query that is dropped leaves the memory as it was, or with the recall that it would have noted.
///
/// # An implementation must not
///
/// change or reword a Megram, compose text for prompts, count a consolidated entry, or delete a rule.
/// `artoo_shared_memory::conformance` tells whether it keeps to that.
///
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
    /// Takes a Megram in, without waiting: a store writes it behind the caller's back.
    ///
    /// # Errors
    ///
    /// [`MemoryError::OutOfRange`], [`MemoryError::EmptyTag`], [`MemoryError::Conflict`],
    /// [`MemoryError::Full`],
    /// [`MemoryError::Closed`]: the Megram was not taken.
    fn write(&self, megram: Megram) -> Result<(), MemoryError>;

    /// The rules (C) of a tag pair, oldest first. Each of them counts as recalled now.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Closed`], [`MemoryError::Store`].
    async fn query_c(&self, space: &Space, entity: &Entity) -> Result<Vec<SopRecord>, MemoryError>;

    /// The live potentials of a tag pair. A look, not a recall.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Closed`], [`MemoryError::Store`].
    async fn query_mk(&self, space: &Space, entity: &Entity) -> Result<Potentials, MemoryError>;

    /// Appends an experience that speaks against a rule, under the rule's own tag pair: of negative valence
    /// against a practice, of positive valence against a constraint. (The literal rules of specification v0.8
    /// append a negative one against either, which would confirm a constraint.)
    ///
    /// # Errors
    ///
    /// [`MemoryError::UnknownRule`] where no rule has this id, [`MemoryError::Closed`],
    /// [`MemoryError::Store`].
    async fn record_negative_feedback(&self, rule: MegramId, content: &str) -> Result<(), MemoryError>;

    /// Everything that bears on a question: rules, potentials and the strongest experiences of each pair that
    /// is asked for, of pairs whose words are like the question's, and the person's laws. Rules that it gives
    /// count as recalled, as in [`query_c`](Self::query_c).
    ///
    /// # Errors
    ///
    /// [`MemoryError::Closed`], [`MemoryError::Store`].
    async fn recall(&self, query: &MemoryQuery) -> Result<MemoryReply, MemoryError>;

    /// One cycle of the Dreamer: rules fall, rules arise, experiences are forgotten. Never on the way of a
    /// request. The words of a rule come from the `distiller`; where it has none, from [`crate::compose`].
    ///
    /// # Errors
    ///
    /// [`MemoryError::Closed`], [`MemoryError::Store`].
    async fn dream(&self, distiller: &dyn Distiller) -> Result<DreamReport, MemoryError>;

    /// Waits until everything that was taken in is where a crash of the process or of the machine cannot
    /// reach it, as far as the memory has such a place.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Store`]: something that was taken in could not be kept.
    async fn flush(&self) -> Result<(), MemoryError>;

    /// Finishes what was taken in, and ends. Every later call but `close` fails with [`MemoryError::Closed`].
    ///
    /// # Errors
    ///
    /// [`MemoryError::Store`]: something that was taken in could not be kept.
    async fn close(&self) -> Result<(), MemoryError>;
}

/// Writes the words of a rule from the experiences behind it.
///
/// *Who calls.* A memory, while it dreams; never with its state locked.
///
/// *Cancellation.* The future may be dropped at any await.
///
/// *An implementation must not* add what the sources do not say. `None` leaves the words to
/// [`crate::compose`].
#[async_trait]
pub trait Distiller: Send + Sync {
    /// The words of a rule of this polarity, on one line.
    async fn distil(&self, polarity: Polarity, sources: &[Megram]) -> Option<String>;
}

/// The distiller that asks nobody: rules are in the words of [`crate::compose`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Template;

#[async_trait]
impl Distiller for Template {
    async fn distil(&self, _: Polarity, _: &[Megram]) -> Option<String> {
        None
    }
}

/// Why the memory did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// A number of a Megram is outside its range.
    #[error("Megram {id}: {field} is {value}, not {range}")]
    OutOfRange {
        /// Which Megram.
        id: MegramId,
        /// Which number.
        field: &'static str,
        /// What it is.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// Half of a tag pair is missing, so nothing could ever find the Megram.
    #[error("Megram {0} has an empty tag")]
    EmptyTag(MegramId),
    /// A rule or a law of somebody who may not make one.
    #[error("Megram {id} is of level {level:?}, which only {who} may write")]
    NotAllowed {
        /// Which Megram.
        id: MegramId,
        /// Its level.
        level: Level,
        /// Who may write such a one.
        who: &'static str,
    },
    /// Another Megram has this id, or had it before it was forgotten.
    #[error("Megram {0} is in memory already, with other content")]
    Conflict(MegramId),
    /// There is no rule of this id.
    #[error("no rule has the id {0}")]
    UnknownRule(MegramId),
    /// Too much is on its way to the store.
    #[error("the memory's queue is full ({capacity} waiting)")]
    Full {
        /// How much may be waiting.
        capacity: usize,
    },
    /// The memory is closed.
    #[error("the memory is closed")]
    Closed,
    /// The store under the memory failed.
    #[error("the memory's store failed")]
    Store(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Whether a Megram can be kept at all: its numbers are in range, its tags are not empty, and it is of a
/// level that its origin may write. Laws (T) are the person's alone, rules (C) the person's and the
/// Dreamer's: neither a run nor an import makes one.
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
        ("k", megram.k, megram.k >= 0.0 && megram.k.is_finite(), "a rate per day, at least 0"),
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
        (Level::C, Some(Origin::Run(_) | Origin::Import) | None) => "the person or the Dreamer",
        (Level::T, Some(Origin::Run(_) | Origin::Import | Origin::Dreamer) | None) => "the person",
    };
    Err(MemoryError::NotAllowed { id: megram.id, level: megram.level, who })
}
