//! Starts a `shell` command as a background job.

use artoo_sandbox::{SandboxMode, Support, probe};

use super::reach::Reach;
use super::{Call, Shell, begin, confinement};
use crate::consent::Step;
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
        let reach = self.reach_of_a_job().await?;
        let held = confinement(cx, (SandboxMode::ReadOnly, reach), &Granted::default());
        let job = Job::start(self.command, self.invocation, held, cx);
        job.wait(cx.limits.job_grace).await;
        if !job.is_running() {
            return end_of(&job, cx);
        }
        let (number, job) = cx.jobs.add(job)?;
        going_on(&job, number, cx)
    }

    /// Asks for what needs consent before the start; nothing is asked afterwards. Returns what the command may
    /// reach.
    async fn reach_of_a_job(&self) -> Result<Reach, ToolError> {
        let (cx, reading) = (self.cx, &self.reading);
        let (mut reach, mut effects) = Reach::named(reading, cx);
        if reading.leaves_something_open() && effects.is_empty() {
            effects = reach.beyond("it is left running, and nothing shows whom it would reach", cx);
            reach = Reach::most(cx);
        }
        let demand = cx.demanded(reading.proposed())?;
        if effects.is_empty() && demand.is_none() {
            return Ok(reach);
        }
        let effects = if effects.is_empty() { reading.demanded() } else { effects };
        cx.consented(reading.question(Shell.name(), self.command, effects, demand)).await?;
        Ok(reach)
    }
}
