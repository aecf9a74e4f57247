//! Runs the Dreamer beside the runs: it wakes after each and reports to the operator's run.

use std::sync::{Arc, Mutex, PoisonError};

use artoo_bus::{BusError, Port};
use artoo_llm_client::{LlmClient, metered};
use artoo_mkct_memory::{Distiller, MemoryService, Template};
use artoo_shared_memory::{ModelDistiller, Rhythm};
use artoo_types::{ModelCall, Prices, Role};
use tokio::sync::Notify;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::events::{Cost, Cumulative};

/// How the memory dreams beside the runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dreams {
    /// When it is quiet after a run, and periodically; rules are worded by the planner's model. What is due when artoo is
    /// closed is left to the next process, so that no rule is worded in haste.
    #[default]
    Model,
    /// The same, and once more when artoo is closed; rules are worded by code.
    Code,
    /// Never: what is due is left to another process.
    Off,
}

/// The Dreamer of one process.
pub(crate) struct Dreamer {
    dreams: Dreams,
    memory: Arc<dyn MemoryService>,
    port: Port,
    run_ended: Arc<Notify>,
    spent: Arc<Mutex<Cumulative>>,
    /// Stops it with the last clone.
    stop: DropGuard,
}

/// Lets the memory dream after and between runs, until the Dreamer is dropped. `port` is R5's in the
/// operator's run, which receives its reports and the calls of `model`, whose prices are the planner's.
pub(crate) fn dream(
    dreams: Dreams,
    memory: Arc<dyn MemoryService>,
    (model, prices): (Arc<dyn LlmClient>, &Prices),
    port: Port,
) -> Dreamer {
    let (stop, run_ended) = (CancellationToken::new(), Arc::new(Notify::new()));
    let spent: Arc<Mutex<Cumulative>> = Arc::default();
    let distiller: Option<Box<dyn Distiller>> = match dreams {
        Dreams::Off => None,
        Dreams::Code => Some(Box::new(Template)),
        Dreams::Model => {
            let (calls, sum) = (port.sender(), Arc::clone(&spent));
            let (price, currency) = (prices.roles.get(&Role::Planner).copied(), prices.currency.clone());
            let count = move |call: ModelCall| {
                let amount = price.map(|price| price.of(call.prompt_tokens, call.completion_tokens));
                let cost = amount.map(|amount| Cost { amount, currency: currency.clone() });
                sum.lock().unwrap_or_else(PoisonError::into_inner).add(&call, cost.as_ref());
                told(calls.publish(call));
            };
            Some(Box::new(ModelDistiller::new(metered(model, Role::SharedMemory, None, count))))
        }
    };
    if let Some(distiller) = distiller {
        let (stopped, ended) = (stop.clone(), Arc::clone(&run_ended));
        let (mind, sender) = (Arc::clone(&memory), port.sender());
        tokio::spawn(async move {
            let report = |did| told(sender.publish(did));
            tokio::select! {
                () = stopped.cancelled() => {}
                end = artoo_shared_memory::dream(mind.as_ref(), &*distiller, Rhythm::default(), &ended, report) => {
                    if let Err(error) = end {
                        tracing::warn!(%error, "the Dreamer stopped");
                    }
                }
            }
        });
    }
    Dreamer { dreams, memory, port, run_ended, spent, stop: stop.drop_guard() }
}

impl Dreamer {
    /// Signals that a run is over.
    pub(crate) fn run_ended(&self) {
        self.run_ended.notify_one();
    }

    /// Its model calls so far.
    pub(crate) fn spent(&self) -> Cumulative {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stops it. If rules are worded by code, it dreams one last time, briefly.
    pub(crate) async fn close(&self) {
        self.stop.token().cancel();
        match self.dreams {
            Dreams::Code => {}
            Dreams::Model | Dreams::Off => return,
        }
        match artoo_shared_memory::last_dream(self.memory.as_ref()).await {
            Ok(None) => {}
            Ok(Some(did)) => told(self.port.publish(did)),
            Err(error) => {
                tracing::warn!(%error, "memory could not be put in order at the end");
            }
        }
    }
}

/// A closed bus means the end of the process; there is no receiver left.
fn told(published: Result<u64, BusError>) {
    if let Err(error) = published {
        tracing::debug!(%error, "what the Dreamer did was not recorded");
    }
}
