//! `artoo doctor`: the tools offered to the model, and what is missing for the others.

use artoo_tools::{ToolState, ToolStatus};
use artoo_types::ToolKind;

use super::Check;
use crate::config::Settings;
use crate::dispatch::Context;
use crate::tools::probe;

pub(super) fn checks(context: &Context<'_>, settings: &Settings) -> Vec<Check> {
    match probe(&settings.tools, context.environment) {
        Ok(probed) => lines(&probed.tools),
        Err(error) => vec![Check::of_error("tools", &error)],
    }
}

/// One line for all offered tools, and one for each that is not offered.
fn lines(tools: &[ToolStatus]) -> Vec<Check> {
    let offered = tools.iter().filter_map(|tool| match &tool.state {
        ToolState::Offered { how } if how.is_empty() => Some(tool.name.to_string()),
        ToolState::Offered { how } => Some(format!("{} ({how})", tool.name)),
        ToolState::NotGranted { .. } | ToolState::Absent { .. } => None,
    });
    let mut checks = vec![Check::good("tools", offered.collect::<Vec<_>>().join(", "))];
    for tool in tools.iter().filter(|tool| can_be_here(tool)) {
        let name = format!("tool {}", tool.name);
        match &tool.state {
            ToolState::Offered { .. } => {}
            ToolState::NotGranted { remedy } => {
                checks.push(Check::note(&name, "not granted").remedy(remedy.as_str()));
            }
            ToolState::Absent { missing, remedy } => {
                checks.push(Check::note(&name, missing.as_str()).remedy(remedy.as_str()));
            }
        }
    }
    checks
}

/// Whether a tool can be had on this system at all: some belong to macOS.
fn can_be_here(tool: &ToolStatus) -> bool {
    match tool.name.kind() {
        Some(ToolKind::AppleScript | ToolKind::Shortcuts) => cfg!(target_os = "macos"),
        Some(_) | None => true,
    }
}

#[cfg(test)]
mod tests {
    use artoo_tools::{Grants, Toolbox};

    use super::*;

    #[test]
    fn what_is_left_out_is_said_with_its_remedy() {
        let checks = lines(&Toolbox::probe(&["/nowhere".into()], &Grants::default()).tools);
        let lines: Vec<_> = checks
            .iter()
            .map(|check| {
                format!("{}: {}; {}", check.name, check.finding, check.remedy.as_deref().unwrap_or("-"))
            })
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r"
        tools: glob, grep, read_file, read_evidence, write_file, edit_file, shell (/bin/sh), job; -
        tool mdfind: there is no index of files that can be read without the rights of a group; set `tools.mdfind = true` to let it walk
        tool git_commit: there is no git that only the system could have put there; install git as a package of the system
        tool search: not granted; set `tools.web = true` to let runs read the web
        tool fetch: not granted; set `tools.web = true` to let runs read the web
        ");
    }
}
