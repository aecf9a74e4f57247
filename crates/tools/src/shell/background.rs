//! Starts a `shell` command as a background job.

use artoo_sandbox::{Network, SandboxMode, Support, probe};
use artoo_types::Effect;

use super::{Call, Shell, any_machine, begin, confinement};
use crate::consent::{Reading, Step};
use crate::jobs::job_tool::{end_of, going_on};
use crate::jobs::running::Job;
use crate::writable_folders::Granted;
use crate::{Tool as _, ToolError, ToolReport};

impl Call<'_> {
    /// Starts the command with only temporary files writable, and leaves it running.
    ///
    /// Other calls run meanwhile. Over layers the command would keep seeing files as they were when it first
    /// read them, and its changes could only be decided after the files below had changed. So it sees the
    /// real files and changes none.
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
        // Without a trial, what the words leave open stays open.
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

    /// Asks for what needs consent before the start; nothing is asked afterwards. Returns whether the command
    /// may use the network.
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

/// The other machines that it names, or any machine if they are unknown.
fn machines(reading: &Reading) -> Vec<Effect> {
    let named = reading.other_machines();
    if named.is_empty() && reading.leaves_something_open() {
        return vec![any_machine("it is left running, and nothing shows whom it would reach")];
    }
    named
}
