//! `artoo audit`: report, tail and verification of the auditor's log.

use artoo_auditor::{LOG_NAME, Window, report};
use artoo_bus::{Clock, SystemClock};
use artoo_types::{AuditReport, AuditTrigger};

use super::{Loaded, audit_page, audit_tail, audit_verify};
use crate::args::{AuditCommand, ReportArgs};
use crate::config::Given;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::terminal::neutral_json;

/// Dispatches to the subcommand.
pub(crate) fn run(context: &mut Context<'_>, command: &AuditCommand) -> Result<Exit, CommandError> {
    let data_folder = Loaded::load(context, Given::default())?.settings.data_dir;
    let log = data_folder.join(LOG_NAME);
    match command {
        AuditCommand::Report(args) => {
            let report = make_report(&log, args)?;
            let text = if args.json {
                let json = serde_json::to_string(&report)
                    .map_err(|error| CommandError::failed("cannot write JSON").because(error))?;
                format!("{}\n", neutral_json(&json))
            } else {
                audit_page::text(&report)
            };
            context.terminal.data(&text)?;
            Ok(Exit::OK)
        }
        AuditCommand::Tail(args) => audit_tail::run(context, &log, args),
        AuditCommand::Verify => audit_verify::run(context, &data_folder),
    }
}

fn make_report(log: &std::path::Path, args: &ReportArgs) -> Result<AuditReport, CommandError> {
    let now = SystemClock::new().now();
    let since = args.since.and_then(|since| since.back(now));
    report(log, &Window::new(AuditTrigger::OnDemand, since, now)).map_err(|error| {
        let hint = error.hint().unwrap_or("see: artoo doctor");
        CommandError::failed(error.to_string()).hint(hint)
    })
}
