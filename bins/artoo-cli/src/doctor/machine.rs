//! `artoo doctor`: checks of the sandbox, the shell, installed programs, folders and disk space.

use std::path::{Path, PathBuf};

use artoo_consent::secrets_in;
use artoo_policy::Block;
use artoo_sandbox::preview::{NoPreview, Preview};
use artoo_sandbox::{
    Gap, Network, NoPrivateNetwork, PrivateNetwork, SandboxMode, Support, probe, veiled_folders,
};

use super::Check;
use crate::config::{Settings, own_policy};
use crate::dispatch::Context;
use crate::machine::{nearest_folder, writable};
use crate::view::bytes;

/// Below this, a run may fail to write its records.
const LITTLE_DISK: u64 = 200 * 1000 * 1000;

pub(super) fn checks(context: &Context<'_>, settings: &Settings) -> Vec<Check> {
    let search_path = context.environment.search_path();
    let home = &context.folders.home;
    let mut checks = sandbox(&Granted::of(settings), probe());
    checks.extend(own_network(&Granted::of(settings), &probe(), || PrivateNetwork::default().make()));
    checks.extend(trials(settings.sandbox, || Preview::supported(&nearest_folder(&settings.data_dir))));
    checks.push(protected(home, settings));
    checks.extend(kept(context, home));
    checks.extend(sockets(home, &settings.sockets));
    checks.push(shell(&search_path));
    let programs = artoo_tools::installed_programs(&search_path);
    checks.push(match programs.is_empty() {
        true => Check::note("programs", "only the ordinary ones of the system")
            .remedy("install python3 for requests that need to compute"),
        false => Check::good("programs", programs.join(", ")),
    });
    if let Err(error) = context.folders.current() {
        let remedy = error.next_step().unwrap_or_default();
        checks.push(Check::note("folder", format!("no run can work here: {error}")).remedy(remedy));
    }
    checks.push(folder("data folder", &settings.data_dir, "--data-dir DIR"));
    checks.push(folder("workspace", &settings.workspace, "--workspace DIR"));
    checks.push(disk(&settings.data_dir));
    checks
}

/// What the settings grant to commands.
#[derive(Clone, Debug)]
struct Granted {
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
    fn of(settings: &Settings) -> Self {
        Self {
            mode: settings.sandbox,
            network: settings.network(),
            has_own_network: PrivateNetwork::is_expected(),
            sockets: !settings.sockets.is_empty(),
            veiled: veiled_folders(),
        }
    }
}

/// Whether commands are confined, each gap of the confinement with its remedy, and where the rest is told.
fn sandbox(granted: &Granted, support: Support) -> Vec<Check> {
    let Granted { mode, network, .. } = *granted;
    match (support, mode) {
        (support @ Support::Enforced { .. }, SandboxMode::FullAccess) => vec![
            Check::note(
                "sandbox",
                format!(
                    "{mode}: commands run without confinement, as configured; this machine has it: {support}"
                ),
            )
            .remedy("leave out `run.sandbox` and `--sandbox` to have commands confined"),
        ],
        (support @ Support::Enforced { .. }, SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite) => {
            let first = Check::good("sandbox", format!("{mode}, {network}, {support}"));
            let gaps = match support {
                Support::Enforced { gaps, .. } => gaps,
                Support::Missing(_) => Vec::new(),
            };
            let gaps = gaps.into_iter().filter_map(|gap| not_held_back(gap, granted));
            let page = Check::good("not blocked", NOT_BLOCKED);
            std::iter::once(first).chain(gaps).chain([page]).collect()
        }
        (support @ Support::Missing(_), SandboxMode::FullAccess) => vec![
            Check::note("sandbox", format!("{support}; commands run without confinement, as configured"))
                .remedy(WHAT_CONFINES),
        ],
        (support @ Support::Missing(_), SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite) => {
            vec![Check::bad(
                "sandbox",
                format!("{support}; in the mode {mode} every command is refused"),
                format!(
                    "{WHAT_CONFINES}, or pass `--sandbox full-access` to run commands without confinement"
                ),
            )]
        }
    }
}

/// Whether the commands of a run share a network. Nothing is said where they are in the machine's, or do not
/// run at all.
fn own_network(
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

/// Whether commands are tried before their changes are kept.
fn trials(mode: SandboxMode, supported: impl FnOnce() -> Result<(), NoPreview>) -> Option<Check> {
    const NAME: &str = "trials";
    let instead = match mode {
        SandboxMode::ReadOnly => return None,
        SandboxMode::WorkspaceWrite => {
            "commands run where they can write nothing, and you are asked before they may"
        }
        SandboxMode::FullAccess => "you are asked before each command",
    };
    match (supported(), mode) {
        (Ok(()), _) => Some(Check::good(
            NAME,
            "each command is tried first, and you are asked about what it would change",
        )),
        // Nothing runs at all, and the line about the sandbox says so.
        (Err(NoPreview::NoConfinement(_)), SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite) => None,
        (Err(NoPreview::NoConfinement(reason)), SandboxMode::FullAccess) => {
            Some(Check::note(NAME, format!("{reason}; {instead}")).remedy(WHAT_CONFINES))
        }
        (Err(reason), _) => Some(Check::note(NAME, format!("{reason}; {instead}")).remedy(
            "let this user make user namespaces and overlays, on a file system with user attributes",
        )),
    }
}

/// The existing paths that no run may read.
fn protected(home: &Path, settings: &Settings) -> Check {
    let own = settings.protected.iter().cloned();
    let places = secrets_in(home).chain(own).filter(|place| place.symlink_metadata().is_ok());
    let names: Vec<String> = places.map(|place| in_home(&place, home)).collect();
    let data = in_home(&settings.data_dir, home);
    Check::good(
        "protected",
        format!(
            "no command reads {data} or {}",
            if names.is_empty() { "other secrets (none found)".to_owned() } else { names.join(", ") }
        ),
    )
}

/// The places that the user's laws and `policy.toml` keep from every run.
fn kept(context: &Context<'_>, home: &Path) -> Option<Check> {
    let places = match own_policy(context.environment, home) {
        Ok(policy) => policy.places,
        Err(error) => return Some(Check::of_error("kept", &error)),
    };
    let named = |block: Block| -> Vec<String> {
        places.iter().filter(|place| place.block == block).map(|place| in_home(&place.path, home)).collect()
    };
    let (unchanged, unread) = (named(Block::Changes), named(Block::Access));
    let said = [("no run changes", unchanged), ("no run reads or changes", unread)];
    let said: Vec<String> = said
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| format!("{what} {}", names.join(", ")))
        .collect();
    (!said.is_empty()).then(|| Check::good("kept", said.join("; ")))
}

/// The sockets of other programs that a command may use after a question.
fn sockets(home: &Path, sockets: &[PathBuf]) -> Option<Check> {
    let names: Vec<String> = sockets.iter().map(|socket| in_home(socket, home)).collect();
    let finding = format!("after a question, a command may use {}", names.join(", "));
    (!names.is_empty()).then(|| Check::note("sockets", finding))
}

/// The path with the home folder shown as `~`.
fn in_home(path: &Path, home: &Path) -> String {
    match path.strip_prefix(home) {
        Ok(below) => format!("~/{}", below.display()),
        Err(_) => path.display().to_string(),
    }
}

/// Where a reader finds what no confinement holds back.
const NOT_BLOCKED: &str = "docs/not-blocked.md in artoo's sources tells what is not held back on any machine";
const WHAT_CONFINES: &str = "use Linux 6.2 or later with Landlock and seccomp on x86-64 or aarch64";

/// The check of one gap; `None` if too little is granted for the gap to matter.
fn not_held_back(gap: Gap, granted: &Granted) -> Option<Check> {
    let finding = match gap {
        Gap::PartsOfFolders => match granted.mode {
            SandboxMode::ReadOnly => return None,
            SandboxMode::WorkspaceWrite | SandboxMode::FullAccess => {
                format!("{gap}; therefore commands may write nothing in a workspace that holds a repository")
            }
        },
        Gap::LateSockets => match (granted.network, granted.sockets || granted.has_own_network) {
            (Network::Denied, false) => return None,
            (Network::Granted, _) | (Network::Denied, true) => {
                let veiled: Vec<String> =
                    granted.veiled.iter().map(|folder| folder.display().to_string()).collect();
                let except = if veiled.is_empty() { "" } else { ", except in " };
                format!("{gap}{except}{}", veiled.join(", "))
            }
        },
        Gap::Metadata | Gap::HiddenPlaces | Gap::Ipc | Gap::Orphans | Gap::DeviceControl | Gap::Signals => {
            gap.to_string()
        }
    };
    Some(Check::note("not held back", finding).remedy(gap.remedy()))
}

fn shell(search_path: &[std::path::PathBuf]) -> Check {
    match artoo_tools::shell_program(search_path) {
        Some(path) => Check::good("shell", path.display().to_string()),
        None => Check::bad(
            "shell",
            "there is neither bash on the PATH nor /bin/sh",
            "install bash, or correct PATH",
        ),
    }
}

fn folder(name: &str, path: &Path, option: &str) -> Check {
    match writable(path) {
        Ok(()) if path.is_dir() => Check::good(name, path.display().to_string()),
        Ok(()) => Check::good(name, format!("{} (made when it is needed)", path.display())),
        Err(error) => Check::bad(
            name,
            format!("{} cannot be written: {error}", path.display()),
            format!("check its owner and permissions, or choose another with {option}"),
        ),
    }
}

fn disk(path: &Path) -> Check {
    let nearest = nearest_folder(path);
    match rustix::fs::statvfs(&nearest) {
        Ok(stat) => {
            let free = stat.f_bavail.saturating_mul(stat.f_frsize);
            let finding = format!("{} free at {}", bytes(free), nearest.display());
            if free < LITTLE_DISK {
                Check::bad("disk", finding, "free some space, or choose another folder with --data-dir DIR")
            } else {
                Check::good("disk", finding)
            }
        }
        Err(error) => {
            Check::note("disk", format!("the free space at {} is not known: {error}", nearest.display()))
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
            (SandboxMode::FullAccess, Network::Denied, missing),
        ] {
            let granted = Granted {
                mode,
                network,
                has_own_network: false,
                sockets: false,
                veiled: vec!["/run".into(), "/tmp".into()],
            };
            for Check { name, state, finding, remedy } in sandbox(&granted, support) {
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
