//! Handle of one run on the bus.

use std::sync::Arc;
use std::time::Duration;

use artoo_types::{Envelope, Role, RunId};

use crate::activity::Activities;
use crate::bus::Registry;
use crate::observer::{InRun, Observer, Watch};
use crate::run::{Recorder, Run};
use crate::{BusError, Port, RunFailure, Takeover};

/// One run on the bus. Clones share the same run; when the last one is dropped, the run is closed, so that
/// nothing waits forever on an abandoned run.
///
/// ```
/// use std::sync::Arc;
/// use artoo_bus::{Bus, BusError, BusLimits, SystemClock};
/// use artoo_types::{MessageKind, Role, RunId, Warning};
///
/// let bus = Bus::new(Arc::new(SystemClock::new()), BusLimits::default());
/// let run = bus.open(RunId::OPERATOR).unwrap();
/// let auditor = run.port(Role::Auditor).unwrap();
/// let refused = auditor.publish(Warning { role: Role::Auditor, message: "psst".into() });
/// assert_eq!(refused, Err(BusError::Boundary { role: Role::Auditor, kind: MessageKind::Warning }));
/// ```
#[derive(Clone)]
pub struct RunBus {
    open: Arc<OpenRun>,
}

impl RunBus {
    pub(crate) fn new(run: Arc<Run>, registry: Arc<Registry>) -> Self {
        Self { open: Arc::new(OpenRun { run, registry }) }
    }

    /// The id of the run.
    pub fn run_id(&self) -> RunId {
        self.run().id
    }

    /// Opens the role's port. Messages sent to the role earlier are waiting in it.
    ///
    /// # Errors
    ///
    /// [`BusError::PortOpen`] while another port of the role lives, [`BusError::RunClosed`] after
    /// [`RunBus::close`].
    pub fn port(&self, role: Role) -> Result<Port, BusError> {
        let run_id = self.run_id();
        let mut state = self.run().lock();
        if state.closed {
            return Err(BusError::RunClosed { run_id });
        }
        let mailbox = state.mailbox(role);
        if mailbox.open {
            return Err(BusError::PortOpen { run_id, role });
        }
        mailbox.open = true;
        mailbox.generation += 1;
        Ok(Port::new(Arc::clone(self.run()), role, mailbox.generation))
    }

    /// As [`RunBus::port`], but delivered messages are kept until the run is dropped, so that
    /// [`RunBus::take_over`] can replay them.
    ///
    /// # Errors
    ///
    /// As [`RunBus::port`].
    pub fn kept_port(&self, role: Role) -> Result<Port, BusError> {
        self.port(role).map(Port::keeping)
    }

    /// Opens the port of a role whose [kept port](RunBus::kept_port) was dropped, for a successor that needs
    /// its predecessor's messages. `choose` receives the messages delivered to the predecessor, in order, and
    /// selects those to replay; messages waiting in the mailbox follow.
    ///
    /// # Errors
    ///
    /// As [`RunBus::port`].
    pub fn take_over(
        &self,
        role: Role,
        choose: impl FnOnce(Vec<Arc<Envelope>>) -> Takeover,
    ) -> Result<Port, BusError> {
        let port = self.port(role)?;
        let handed = std::mem::take(&mut self.run().lock().mailbox(role).handed);
        Ok(port.taking_over(choose(handed)))
    }

    /// Observes this run from now on. `capacity` is how many messages the observer may fall behind before it
    /// loses the oldest; at least 1. On a closed run it ends at once.
    pub fn observe(&self, capacity: usize) -> Observer {
        let number = self.run().lock().add_observer(capacity);
        Observer { watch: Watch::new(InRun { run: Arc::clone(self.run()), number }) }
    }

    /// What goes on in the run now.
    pub fn activities(&self) -> Activities {
        Activities(Arc::clone(self.run()))
    }

    /// Adds a recorder: it is called for every message from now on, in order, without loss.
    ///
    /// It is called under the run's lock: it must be quick (push to a queue), and must not call the bus. If
    /// it panics, it is not called again and the run is marked as failed. It is dropped when the run is
    /// closed.
    pub fn record(&self, recorder: Recorder) {
        let mut state = self.run().lock();
        if !state.closed {
            state.recorders.push(recorder);
        }
    }

    /// Stops the run's clock while a person is asked. Pauses nest: the clock resumes after as many
    /// [`RunBus::resume`]s.
    pub fn pause(&self) {
        let mut state = self.run().lock();
        state.clock.pause(self.run().monotonic());
    }

    /// Ends one [`RunBus::pause`].
    pub fn resume(&self) {
        let mut state = self.run().lock();
        state.clock.resume(self.run().monotonic());
    }

    /// Elapsed time of the run, without the pauses.
    pub fn elapsed(&self) -> Duration {
        let state = self.run().lock();
        state.clock.elapsed(self.run().monotonic())
    }

    /// Waits until the bus fails the run because a mailbox overflowed or a recorder panicked; `None` if the
    /// run is closed without a failure. Cancel-safe; every caller gets the same, first failure.
    pub async fn failure(&self) -> Option<RunFailure> {
        loop {
            // Created before the check, so that a failure in between wakes it.
            let changed = self.run().failed.notified();
            {
                let state = self.run().lock();
                if state.failure.is_some() || state.closed {
                    return state.failure.clone();
                }
            }
            changed.await;
        }
    }

    /// Closes the run: nothing can be published any more, receivers and observers get the waiting messages
    /// and then `None`. Closing again does nothing.
    pub fn close(&self) {
        self.open.close();
    }

    fn run(&self) -> &Arc<Run> {
        &self.open.run
    }
}

struct OpenRun {
    run: Arc<Run>,
    registry: Arc<Registry>,
}

impl OpenRun {
    fn close(&self) {
        self.run.close();
        self.registry.forget(&self.run);
    }
}

impl Drop for OpenRun {
    fn drop(&mut self) {
        self.close();
    }
}
