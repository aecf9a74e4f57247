//! A command that is left running.

use artoo_sandbox::{Network, SandboxMode, Support, probe};
use artoo_types::Effect;

use super::{Call, Shell, any_machine, begin, confinement};
use crate::consent::{Reading, Step};
use crate::granted::Granted;
use crate::jobs::look::{end_of, going_on};
use crate::jobs::running::Job;
use crate::{Tool as _, ToolError, ToolReport};

impl Call<'_> {
    /// Starts it where it can write nothing but temporary files, and leaves it running.
    ///
    /// Others run while it does. Over layers it would go on seeing files as they were when it first read
    /// them, and what it changed could only be decided about when the files below have become others. So it
    /// sees the real ones, and changes none.
    pub(super) async fn leave_running(self) -> Result<ToolReport, ToolError> {
        let cx = self.cx;
        if cx.trial_only {
            let came = "it was not started, for what is left running cannot be tried".to_owned();
            return Err(ToolError::Unconfirmed { came });
        }
        if let Support::Missing(reason) = probe() {
            return Err(ToolError::argument(
                "background",
                format!("cannot be had on this machine: {reason}"),
            ));
        }
        // Nothing of it is tried, so what its words leave open stays so.
        let can_be_tried = false;
        if begin(&self.reading, can_be_tried, cx)? == Step::Refuse {
            return Err(ToolError::Ruled { rule: "it is refused".to_owned() });
        }
        cx.jobs.room()?;
        let network = self.network().await?;
        let held = confinement(cx, (SandboxMode::ReadOnly, network), &Granted::default());
        let job = Job::start(self.command, self.invocation, held, cx);
        job.wait(cx.limits.job_grace).await;
        if !job.is_running() {
            return end_of(&job, cx);
        }
        let (number, job) = cx.jobs.add(job)?;
        going_on(&job, number, cx)
    }

    /// Asks what needs consent before it starts; afterwards nobody is asked. Whether it may use the network.
    async fn network(&self) -> Result<Network, ToolError> {
        let (cx, reading) = (self.cx, &self.reading);
        let machines = match cx.network {
            Network::Granted => machines(reading),
            Network::Denied => Vec::new(),
        };
        let network = if machines.is_empty() { Network::Denied } else { Network::Granted };
        let demand = cx.demanded(reading.proposed())?;
        if machines.is_empty() && demand.is_none() {
            return Ok(network);
        }
        let effects = if machines.is_empty() { reading.effects.clone() } else { machines };
        cx.consented(reading.question(Shell.name(), self.command, effects, demand)).await?;
        Ok(network)
    }
}

/// The other machines that it names, or any where that is not known.
fn machines(reading: &Reading) -> Vec<Effect> {
    let named = reading.other_machines();
    if named.is_empty() && reading.leaves_something_open() {
        return vec![any_machine("it is left running, and nothing shows whom it would reach")];
    }
    named
}
