//! `artoo doctor`: how commands are confined and tried, and what is not held back.

use std::path::PathBuf;

use artoo_sandbox::preview::NoPreview;
use artoo_sandbox::{
    Gap, Network, NoPrivateNetwork, PrivateNetwork, ReducedMode, SandboxMode, Support, veiled_folders,
};

use super::Check;
use super::remedies::{FULL_CONFINEMENT, of_no_confinement};
use crate::config::Settings;

/// Where a reader finds what no confinement holds back.
const NOT_BLOCKED: &str = "docs/not-blocked.md in artoo's sources tells what is not held back on any machine";
/// What is not held back where nothing confines a command.
const UNCONFINED: &str = "after a yes, a command may read, change and send whatever you may, keys and tokens included; jobs in the \
                          background, servers of tools that are programs, and `git_commit` are refused";

/// What the settings grant to commands.
#[derive(Clone, Debug)]
pub(super) struct Granted {
    mode: SandboxMode,
    network: Network,
    /// Whether the commands of a run are expected to share a network of their own.
    has_own_network: bool,
    /// Whether commands may be granted a socket of another program.
    sockets: bool,
    /// The folders in which they reach no socket of another program, whenever it is bound.
    veiled: Vec<PathBuf>,
}

impl Granted {
    pub(super) fn of(settings: &Settings) -> Self {
        Self {
            mode: settings.sandbox,
            network: settings.network(),
            has_own_network: PrivateNetwork::is_expected(),
            sockets: !settings.sockets.is_empty(),
            veiled: veiled_folders(),
        }
    }
}

/// Whether commands are confined, what is not held back with its remedy, and where the rest is told.
/// `of_no_namespaces` is the remedy where commands get no namespaces.
pub(super) fn sandbox(granted: &Granted, support: &Support, of_no_namespaces: &str) -> Vec<Check> {
    let Some(reduced) = support.reduced_mode() else { return confined(granted, support) };
    let remedy = match &reduced {
        ReducedMode::WithoutNamespaces => of_no_namespaces,
        ReducedMode::Unconfined(reason) => of_no_confinement(reason),
    };
    match reduced.summary(granted.mode) {
        None => vec![as_configured(support, remedy)],
        Some(summary) => {
            let first = Check::note("sandbox", format!("{}, {summary}", granted.mode)).remedy(remedy);
            let mut checks = vec![first];
            checks.extend(not_held_in_reduced_mode(granted, support, &reduced));
            checks.push(Check::good("not blocked", NOT_BLOCKED));
            checks
        }
    }
}

fn confined(granted: &Granted, support: &Support) -> Vec<Check> {
    let Granted { mode, network, .. } = *granted;
    match mode {
        SandboxMode::FullAccess => {
            vec![as_configured(support, "leave out `run.sandbox` and `--sandbox` to have commands confined")]
        }
        SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite => {
            let first = Check::good("sandbox", format!("{mode}, {network}, {support}"));
            let gaps = gaps(support).iter().filter_map(|gap| not_held_back(*gap, granted));
            std::iter::once(first).chain(gaps).chain([Check::good("not blocked", NOT_BLOCKED)]).collect()
        }
    }
}

/// What is not held back; what namespaces would hold back has the remedy of the first line.
fn not_held_in_reduced_mode(granted: &Granted, support: &Support, reduced: &ReducedMode) -> Vec<Check> {
    match (reduced, granted.mode) {
        // No command runs.
        (ReducedMode::Unconfined(_), SandboxMode::ReadOnly) => Vec::new(),
        (ReducedMode::Unconfined(_), SandboxMode::WorkspaceWrite | SandboxMode::FullAccess) => {
            vec![Check::note("not held back", UNCONFINED)]
        }
        (ReducedMode::WithoutNamespaces, _) => {
            let (of_namespaces, others): (Vec<Gap>, Vec<Gap>) =
                gaps(support).iter().partition(|gap| gap.is_of_namespaces());
            let told: Vec<String> =
                of_namespaces.into_iter().filter_map(|gap| finding(gap, granted)).collect();
            let first = Check::note("not held back", told.join("; "));
            let others = others.into_iter().filter_map(|gap| not_held_back(gap, granted));
            std::iter::once(first).chain(others).collect()
        }
    }
}

fn gaps(support: &Support) -> &[Gap] {
    match support {
        Support::Enforced { gaps, .. } => gaps,
        Support::Missing(_) => &[],
    }
}

fn as_configured(support: &Support, remedy: &str) -> Check {
    let finding = format!(
        "full-access: commands run without confinement, as configured; confinement on this machine: {support}"
    );
    Check::note("sandbox", finding).remedy(remedy)
}

/// Whether the commands of a run share a network. Nothing is said where they are in the machine's, or do not
/// run at all.
pub(super) fn own_network(
    granted: &Granted,
    support: &Support,
    make: impl FnOnce() -> Result<(), NoPrivateNetwork>,
) -> Option<Check> {
    const NAME: &str = "network";
    match (granted.mode, granted.network, support) {
        (SandboxMode::FullAccess, _, _) | (_, Network::Granted, _) | (_, _, Support::Missing(_)) => {
            return None;
        }
        (SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite, Network::Denied, Support::Enforced { .. }) => {}
    }
    Some(match make() {
        Ok(()) => Check::good(
            NAME,
            "the commands and jobs of a run share a loopback of their own, and reach nothing else",
        ),
        Err(reason) => {
            let remedy = match &reason {
                NoPrivateNetwork::NotLinux => "use Linux for servers and clients within a run",
                NoPrivateNetwork::NoNamespaces | NoPrivateNetwork::Refused(_) => {
                    "let this user make user and network namespaces"
                }
                NoPrivateNetwork::ForNow(_) => "see what uses up the namespaces, processes or files",
            };
            Check::note(NAME, format!("commands have none, not even among themselves: {reason}"))
                .remedy(remedy)
        }
    })
}

/// Whether commands are tried before their changes are kept. In reduced mode the line about the sandbox says so.
pub(super) fn trials(
    mode: SandboxMode,
    reduced: Option<&ReducedMode>,
    supported: impl FnOnce() -> Result<(), NoPreview>,
) -> Option<Check> {
    const NAME: &str = "trials";
    let instead = match (mode, reduced) {
        (SandboxMode::ReadOnly, _) | (SandboxMode::WorkspaceWrite, Some(_)) => return None,
        (SandboxMode::WorkspaceWrite, None) => {
            "commands run where they can write nothing, and you are asked before they may"
        }
        (SandboxMode::FullAccess, _) => "you are asked before each command",
    };
    let Err(reason) = supported() else {
        return Some(Check::good(
            NAME,
            "each command is tried first, and you are asked about what it would change",
        ));
    };
    let remedy = match reason {
        NoPreview::NoConfinement(_) => FULL_CONFINEMENT,
        NoPreview::Refused { .. } => {
            "let this user make user namespaces and overlays, on a file system with user attributes"
        }
    };
    Some(Check::note(NAME, format!("{reason}; {instead}")).remedy(remedy))
}

/// The check of one gap; `None` if too little is granted for the gap to matter.
fn not_held_back(gap: Gap, granted: &Granted) -> Option<Check> {
    Some(Check::note("not held back", finding(gap, granted)?).remedy(gap.remedy()))
}

fn finding(gap: Gap, granted: &Granted) -> Option<String> {
    match gap {
        Gap::PartsOfFolders => match granted.mode {
            SandboxMode::ReadOnly => None,
            SandboxMode::WorkspaceWrite | SandboxMode::FullAccess => Some(gap.to_string()),
        },
        Gap::LateSockets => match (granted.network, granted.sockets || granted.has_own_network) {
            (Network::Denied, false) => None,
            (Network::Granted, _) | (Network::Denied, true) => {
                let veiled: Vec<String> =
                    granted.veiled.iter().map(|folder| folder.display().to_string()).collect();
                let except = if veiled.is_empty() { "" } else { ", except in " };
                Some(format!("{gap}{except}{}", veiled.join(", ")))
            }
        },
        Gap::Metadata | Gap::HiddenPlaces | Gap::Ipc | Gap::Orphans | Gap::DeviceControl | Gap::Signals => {
            Some(gap.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::State;

    /// With the oldest supported kernel, with the newest one, and without enforcement.
    #[test]
    fn what_is_enforced_and_what_is_not_is_said() {
        use artoo_sandbox::NoConfinement;
        let old = Support::Enforced { abi: 3, gaps: Gap::of(3, false) };
        let new = Support::Enforced { abi: 9, gaps: Gap::of(9, true) };
        let missing = Support::Missing(NoConfinement::NoCallFilter {
            answer: "its calls are not known on riscv64".to_owned(),
        });
        let mut lines = Vec::new();
        for (mode, network, support) in [
            (SandboxMode::WorkspaceWrite, Network::Denied, old.clone()),
            (SandboxMode::ReadOnly, Network::Denied, old),
            (SandboxMode::ReadOnly, Network::Granted, new.clone()),
            (SandboxMode::FullAccess, Network::Denied, new),
            (SandboxMode::WorkspaceWrite, Network::Granted, missing.clone()),
            (SandboxMode::ReadOnly, Network::Denied, missing.clone()),
            (SandboxMode::FullAccess, Network::Denied, missing),
        ] {
            let granted = Granted {
                mode,
                network,
                has_own_network: false,
                sockets: false,
                veiled: vec!["/run".into(), "/tmp".into()],
            };
            for Check { name, state, finding, remedy } in sandbox(&granted, &support, "allow namespaces") {
                lines.push(format!("{state:?} {name}: {finding}\n  {}", remedy.unwrap_or_default()));
            }
            lines.push(String::new());
        }
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn the_network_of_a_run_is_told_where_there_is_no_other() {
        let told = |mode, network, made: Result<(), NoPrivateNetwork>| {
            let granted =
                Granted { mode, network, has_own_network: made.is_ok(), sockets: false, veiled: Vec::new() };
            let support = Support::Enforced { abi: 9, gaps: Vec::new() };
            own_network(&granted, &support, || made).map(|check| (check.state, check.remedy.is_some()))
        };
        let none = || Err(NoPrivateNetwork::NoNamespaces);
        let full = || Err(NoPrivateNetwork::ForNow("full".to_owned()));
        for (mode, network, made, expected) in [
            (SandboxMode::WorkspaceWrite, Network::Denied, Ok(()), Some((State::Good, false))),
            (SandboxMode::ReadOnly, Network::Denied, none(), Some((State::Note, true))),
            (SandboxMode::ReadOnly, Network::Denied, full(), Some((State::Note, true))),
            (SandboxMode::WorkspaceWrite, Network::Granted, none(), None),
            (SandboxMode::FullAccess, Network::Denied, none(), None),
        ] {
            assert_eq!(told(mode, network, made), expected, "{mode}, {network}");
        }
    }

    #[test]
    fn late_sockets_are_told_with_the_folders_where_they_are_held_back() {
        let told = |veiled: &[&str]| {
            let granted = Granted {
                mode: SandboxMode::WorkspaceWrite,
                network: Network::Denied,
                has_own_network: true,
                sockets: false,
                veiled: veiled.iter().map(PathBuf::from).collect(),
            };
            not_held_back(Gap::LateSockets, &granted).unwrap().finding
        };
        assert_eq!(told(&[]), Gap::LateSockets.to_string());
        assert_eq!(told(&["/run", "/tmp"]), format!("{}, except in /run, /tmp", Gap::LateSockets));
    }

    /// Every gap names a next step.
    #[test]
    fn each_gap_has_a_remedy() {
        let granted = Granted {
            mode: SandboxMode::WorkspaceWrite,
            network: Network::Denied,
            has_own_network: true,
            sockets: false,
            veiled: Vec::new(),
        };
        for gap in Gap::of(3, false) {
            let check = not_held_back(gap, &granted).unwrap();
            assert!(check.remedy.is_some_and(|remedy| !remedy.is_empty()), "{gap:?}");
        }
    }
}
