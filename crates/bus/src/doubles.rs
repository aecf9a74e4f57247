//! Test double: an open run in which a single role can be tested.

use std::sync::{Arc, Mutex, PoisonError};

use artoo_types::{Envelope, Message, Role, RunId};
use chrono::{DateTime, FixedOffset};

use crate::{Bus, BusError, BusLimits, ManualClock, RunBus};

/// An open run on a bus of its own that records all its messages.
///
/// ```
/// use artoo_bus::doubles::Scene;
/// use artoo_types::{Role, Warning};
///
/// let scene = Scene::new("2026-03-14T09:26:53+08:00".parse().unwrap())?;
/// let warning = Warning { role: Role::Planner, message: "look here".into() };
/// scene.bus.port(Role::Planner)?.publish(warning.clone())?;
/// assert_eq!(scene.said(), [warning.into()]);
/// assert_eq!(scene.said(), []);
/// # Ok::<(), artoo_bus::BusError>(())
/// ```
pub struct Scene {
    /// The run. Its clock stands still.
    pub bus: RunBus,
    heard: Arc<Mutex<Vec<Arc<Envelope>>>>,
}

impl Scene {
    /// A run of [`RunId::OPERATOR`] at this time.
    ///
    /// # Errors
    /// None today: the bus is new, so no run of it is open.
    pub fn new(now: DateTime<FixedOffset>) -> Result<Self, BusError> {
        let bus = Bus::new(Arc::new(ManualClock::new(now)), BusLimits::default()).open(RunId::OPERATOR)?;
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hear = Arc::clone(&heard);
        bus.record(Box::new(move |envelope| {
            hear.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(envelope));
        }));
        Ok(Self { bus, heard })
    }

    /// The messages of all roles since the last query.
    pub fn said(&self) -> Vec<Message> {
        self.envelopes().iter().map(|envelope| Message::clone(&envelope.message)).collect()
    }

    /// The messages of this role since the last query. Those of other roles are discarded.
    pub fn said_by(&self, role: Role) -> Vec<Message> {
        let envelopes = self.envelopes();
        let own = envelopes.iter().filter(|envelope| envelope.from == role);
        own.map(|envelope| Message::clone(&envelope.message)).collect()
    }

    fn envelopes(&self) -> Vec<Arc<Envelope>> {
        std::mem::take(&mut *self.heard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
