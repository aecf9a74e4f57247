//! Runs an embedder's solver on its own thread with a timeout.
//!
//! `Solver::step` is synchronous code on R7's task. One that never returns would hold R7's port forever, and
//! with it the only right to end the run; so a foreign solver runs on its own thread, and R7 waits for it for
//! a bounded time.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use artoo_ggs::Solver;
use artoo_ggs_core::{Decision, Observation, Parameters};

use crate::MakeSolver;

/// The panic payload of R7's loop when the solver does not answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Silent(Duration);

/// A solver on its own thread. The thread ends with the solver, or never if the solver never returns.
pub(crate) struct ForeignSolver {
    make: Option<(Arc<MakeSolver>, Parameters)>,
    patience: Duration,
    thread: Option<Thread>,
}

struct Thread {
    observations: mpsc::Sender<Observation>,
    decisions: mpsc::Receiver<thread::Result<Decision>>,
}

impl ForeignSolver {
    /// A solver that is created on its thread at the first step, with this time limit per step.
    pub(crate) fn new(make: Arc<MakeSolver>, parameters: Parameters, patience: Duration) -> Self {
        Self { make: Some((make, parameters)), patience, thread: None }
    }

    fn thread(&mut self) -> Option<&Thread> {
        if let Some((make, parameters)) = self.make.take() {
            self.thread = Thread::start(make, parameters);
        }
        self.thread.as_ref()
    }
}

impl Solver for ForeignSolver {
    /// Unwinds with the solver's panic message, or with [`Silent`]: R7's loop ends, and the supervisor ends
    /// the run.
    fn step(&mut self, observation: &Observation) -> Decision {
        let patience = self.patience;
        let decided = self.thread().and_then(|thread| {
            thread.observations.send(observation.clone()).ok()?;
            thread.decisions.recv_timeout(patience).ok()
        });
        match decided {
            Some(Ok(decision)) => decision,
            Some(Err(panic)) => resume_unwind(panic),
            None => resume_unwind(Box::new(Silent(patience))),
        }
    }
}

impl Thread {
    fn start(make: Arc<MakeSolver>, parameters: Parameters) -> Option<Self> {
        let (observations, asked) = mpsc::channel::<Observation>();
        let (decided, decisions) = mpsc::channel();
        let think = move || {
            let mut solver = None;
            for observation in asked {
                let step = || solver.get_or_insert_with(|| make(parameters)).step(&observation);
                let decision = catch_unwind(AssertUnwindSafe(step));
                if decided.send(decision).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("artoo-solver".to_owned()).spawn(think).ok()?;
        Some(Self { observations, decisions })
    }
}

impl fmt::Display for Silent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the controller's solver gave no decision within {} s", self.0.as_secs_f64())
    }
}
