//! Arguments of `artoo run`.

use std::path::PathBuf;
use std::time::Duration;

use artoo_types::Amount;
use clap::Args;
use clap::builder::PossibleValuesParser;

use super::{Moment, PermissionArgs};
use crate::config::{MemoryMode, parse_span};

/// Reads an amount of money.
fn parse_amount(text: &str) -> Result<Amount, String> {
    let amount = text.trim().parse().ok().and_then(Amount::new);
    amount.ok_or_else(|| "write an amount from 0 to a million, for example 0.50".to_owned())
}

/// One request, and what it may do.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RunArgs {
    /// What to do, in any language; `-` or a pipe reads it from standard input
    #[arg(value_name = "REQUEST", hide_short_help = true)]
    pub(crate) request: Option<String>,

    /// Print one JSON object per event, and nothing else
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// Show the result alone, and what goes wrong
    #[arg(long, short, help_heading = "Output", conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// End with JSON that meets the JSON Schema in this file, alone on standard output
    ///
    /// Where what was found does not fill it, nothing is printed there, the answer goes to standard error, and the exit code is 3.
    #[arg(long, value_name = "FILE", help_heading = "Output", hide_short_help = true)]
    pub(crate) output_schema: Option<PathBuf>,

    /// Show the plan and ask before anything of it runs
    ///
    /// A replan is asked about where it has a new step. A no ends the run with exit code 5, as does nobody to ask: without a terminal,
    /// or with `--json` or `--quiet`, nothing is run.
    #[arg(long, help_heading = "Permissions")]
    pub(crate) plan: bool,
    /// What it may do, and where.
    #[command(flatten)]
    pub(crate) permissions: PermissionArgs,

    /// Recall nothing of earlier runs and keep nothing for later ones: the same as `--memory off`
    #[arg(long, help_heading = "Memory", conflicts_with = "memory", hide_short_help = true)]
    pub(crate) no_memory: bool,
    /// What the run does with memory: `on`, `read-only` (it recalls and keeps nothing), `off` [default: on]
    #[arg(long, value_name = "MODE", help_heading = "Memory", hide_short_help = true, conflicts_with_all = ["record", "replay"],
          value_parser = PossibleValuesParser::new(MemoryMode::ALL.map(MemoryMode::name)))]
    pub(crate) memory: Option<String>,

    /// Use this model for every role
    #[arg(long, short, value_name = "MODEL", help_heading = "Model")]
    pub(crate) model: Option<String>,
    /// Use the OpenAI-compatible server at this address for every role
    #[arg(long, value_name = "URL", help_heading = "Model", hide_short_help = true)]
    pub(crate) base_url: Option<String>,

    /// The time that the run may take
    ///
    /// It gives up sooner as this comes closer, and ends there with what there is. Without this option, 5m (embedded model: 30m) only
    /// decide how soon it gives up.
    #[arg(long, value_name = "TIME", value_parser = parse_span, help_heading = "Limits")]
    pub(crate) time_budget: Option<Duration>,
    /// When it must be done: `30m`, `17:00` or a date with its time. The time budget ends then at the latest
    #[arg(long, value_name = "TIME", value_parser = Moment::parse, help_heading = "Limits", hide_short_help = true)]
    pub(crate) deadline: Option<Moment>,
    /// Change nothing outside of this folder. It adds no permission: of the folders that the run may change, what lies in it stays
    #[arg(long, value_name = "FOLDER", help_heading = "Limits", hide_short_help = true)]
    pub(crate) scope: Option<String>,
    /// How often the plan may be changed [default: 3]
    #[arg(long, value_name = "N", help_heading = "Limits", hide_short_help = true)]
    pub(crate) max_replans: Option<u32>,
    /// How many tokens the model calls may use together
    ///
    /// What there is then, is delivered.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) max_tokens: Option<u64>,
    /// What the model calls may cost together, by the prices in the configuration: `[prices."MODEL"]`
    #[arg(long, value_name = "AMOUNT", value_parser = parse_amount, help_heading = "Limits", hide_short_help = true)]
    pub(crate) max_cost: Option<Amount>,
    /// After how many model calls the run asks whether it shall go on, and again after as many more [default: 200]
    ///
    /// 0 is never. Without a user it ends there.
    #[arg(long, value_name = "N", help_heading = "Limits", hide_short_help = true)]
    pub(crate) ask_after_turns: Option<u64>,
    /// The same after so many tokens read, those that a cache spared left out [default: 2000000]
    #[arg(long, value_name = "N", help_heading = "Limits", hide_short_help = true)]
    pub(crate) ask_after_tokens: Option<u64>,
    /// End the run after this time, with exit code 124
    #[arg(long, value_name = "TIME", value_parser = parse_span, help_heading = "Limits")]
    pub(crate) timeout: Option<Duration>,
    /// Never settle for `partial`: every criterion met, or nothing
    #[arg(long, help_heading = "Limits", hide_short_help = true)]
    pub(crate) strict: bool,

    /// Go on with the newest session of this folder
    ///
    /// The request may speak of what came before it.
    #[arg(long = "continue", help_heading = "Sessions", conflicts_with_all = ["session", "record", "replay"])]
    pub(crate) go_on: bool,
    /// Go on with this session: its id or its name
    ///
    /// Of an id the beginning or the end is enough.
    #[arg(long, value_name = "SESSION", help_heading = "Sessions", conflicts_with_all = ["record", "replay"])]
    pub(crate) session: Option<String>,
    /// Work in the background: print the run's id and return
    ///
    /// What it asks waits for `artoo runs attach`.
    #[arg(long, help_heading = "Sessions", conflicts_with_all = ["json", "quiet"])]
    pub(crate) detach: bool,
    /// The same, for the process that artoo starts for it
    #[arg(long, hide = true, conflicts_with_all = ["json", "quiet", "detach"])]
    pub(crate) detached: bool,
    /// Take answers from the control socket of the run, for a program that shows the questions of `--json` itself. A question waits
    /// until it is answered there, or by `artoo runs attach`
    #[arg(long, hide_short_help = true, help_heading = "Sessions", requires = "json", conflicts_with_all = ["detach", "detached"])]
    pub(crate) answer_by_socket: bool,

    /// Record every model call into this folder, without secrets
    ///
    /// The run recalls nothing of earlier ones and keeps nothing for later ones, so that it can be replayed.
    #[arg(
        long,
        value_name = "DIR",
        help_heading = "Recordings",
        conflicts_with = "replay",
        hide_short_help = true
    )]
    pub(crate) record: Option<PathBuf>,
    /// Answer model calls from a recorded folder, as if at the time of the recording; no model is needed
    #[arg(long, value_name = "DIR", help_heading = "Recordings", hide_short_help = true)]
    pub(crate) replay: Option<PathBuf>,
}

impl RunArgs {
    /// Whether another process answers the questions of the run.
    pub(crate) fn is_answered_by_socket(&self) -> bool {
        self.detached || self.answer_by_socket
    }
}
