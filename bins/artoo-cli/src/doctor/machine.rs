//! `artoo doctor`: checks of the machine: the sandbox, the shell, installed programs, folders and disk space.

use std::path::{Path, PathBuf};

use artoo_consent::secrets_in;
use artoo_policy::Block;
use artoo_sandbox::preview::Preview;
use artoo_sandbox::{PrivateNetwork, ReducedMode, SandboxMode, probe};

use super::Check;
use super::confinement::{Granted, own_network, sandbox, trials};
use super::remedies::of_no_namespaces;
use crate::config::{Settings, own_policy};
use crate::dispatch::Context;
use crate::machine::{nearest_folder, writable};
use crate::view::bytes;

/// Below this, a run may fail to write its records.
const LITTLE_DISK: u64 = 200 * 1000 * 1000;

pub(super) fn checks(context: &Context<'_>, settings: &Settings) -> Vec<Check> {
    let search_path = context.environment.search_path();
    let home = &context.folders.home;
    let (granted, support) = (Granted::of(settings), probe());
    let reduced = support.reduced_mode();
    let mut checks = sandbox(&granted, &support, of_no_namespaces());
    checks.extend(own_network(&granted, &support, || PrivateNetwork::default().make()));
    let can_try = || Preview::supported(&nearest_folder(&settings.data_dir));
    checks.extend(trials(settings.sandbox, reduced.as_ref(), can_try));
    checks.push(protected(home, settings, reduced.as_ref()));
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

/// The existing paths that no run may read, as far as something keeps commands from them.
fn protected(home: &Path, settings: &Settings, reduced: Option<&ReducedMode>) -> Check {
    let own = settings.protected.iter().cloned();
    let places = secrets_in(home).chain(own).filter(|place| place.symlink_metadata().is_ok());
    let names: Vec<String> = places.map(|place| in_home(&place, home)).collect();
    let data = in_home(&settings.data_dir, home);
    let places = if names.is_empty() { "other secrets (none found)".to_owned() } else { names.join(", ") };
    match (settings.sandbox, reduced) {
        (SandboxMode::WorkspaceWrite | SandboxMode::FullAccess, Some(ReducedMode::Unconfined(_))) => {
            Check::note(
                "protected",
                format!("nothing but your answers keeps commands from {data} or {places}"),
            )
        }
        (_, Some(ReducedMode::Unconfined(_) | ReducedMode::WithoutNamespaces) | None) => {
            Check::good("protected", format!("no command reads {data} or {places}"))
        }
    }
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
