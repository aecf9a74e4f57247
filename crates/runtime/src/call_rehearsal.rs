//! Repeats calls over discarded layers, to find out what their output depends on.

use std::time::Duration;

use artoo_agent_validator::{PutOut, Rerun};
use artoo_tools::Rehearsal;
use artoo_types::{Perturbation, ToolCall};
use async_trait::async_trait;

/// Rehearses the commands of calls.
pub(crate) struct CallsAgain(pub(crate) Rehearsal);

#[async_trait]
impl Rerun for CallsAgain {
    async fn run_again(
        &self,
        calls: &[&ToolCall],
        world: &Perturbation,
        within: Duration,
    ) -> Result<PutOut, String> {
        let commands: Option<Vec<&str>> =
            calls.iter().map(|call| call.arguments.get("command")?.as_str()).collect();
        let commands = commands.ok_or("one of the calls is no command")?;
        let rehearsed = self.0.run(&commands, world, within).await.map_err(|error| error.to_string())?;
        Ok(PutOut {
            stdout: rehearsed.stdout.text(),
            stderr: rehearsed.stderr.text(),
            status: rehearsed.status,
        })
    }
}
