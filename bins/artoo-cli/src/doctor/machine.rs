//! The sandbox, the folders, the disk, the programs.

use std::path::Path;

use artoo_sandbox::{SandboxMode, Support, probe};

use super::Check;
use crate::config::Settings;
use crate::machine::{installed_programs, writable};
use crate::program::Context;
use crate::view::bytes;

/// Below this a run may not be able to record itself.
const LITTLE_DISK: u64 = 200 * 1000 * 1000;

pub(super) fn checks(context: &Context<'_>, settings: &Settings) -> Vec<Check> {
    let search_path = context.environment.search_path();
    let mut checks = vec![sandbox(settings.sandbox)];
    checks.push(shell(&search_path));
    let programs = installed_programs(&search_path);
    checks.push(match programs.is_empty() {
        true => Check::note("programs", "only the ordinary ones of the system")
            .remedy("install python3 for requests that need to compute"),
        false => Check::good("programs", programs.join(", ")),
    });
    checks.push(folder("data folder", &settings.data_dir, "--data-dir DIR"));
    checks.push(folder("workspace", &settings.workspace, "--workspace DIR"));
    checks.push(disk(&settings.data_dir));
    checks
}

fn sandbox(mode: SandboxMode) -> Check {
    match (probe(), mode) {
        (support @ Support::Enforced { .. }, mode) => {
            let gaps: Vec<String> = match &support {
                Support::Enforced { gaps, .. } => gaps.iter().map(ToString::to_string).collect(),
                Support::Missing(_) => Vec::new(),
            };
            let open =
                if gaps.is_empty() { String::new() } else { format!("; not covered: {}", gaps.join("; ")) };
            Check::good("sandbox", format!("{mode}, {support}{open}"))
        }
        (support @ Support::Missing(_), SandboxMode::FullAccess) => {
            Check::note("sandbox", format!("{support}; commands run without confinement, as configured"))
        }
        (support @ Support::Missing(_), SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite) => Check::bad(
            "sandbox",
            support.to_string(),
            "use Linux 6.2 or later with Landlock, or pass `--sandbox full-access` to run commands without confinement",
        ),
    }
}

fn shell(search_path: &[std::path::PathBuf]) -> Check {
    let found = ["bash", "sh"]
        .iter()
        .find_map(|name| search_path.iter().map(|folder| folder.join(name)).find(|path| path.is_file()));
    match found {
        Some(path) => Check::good("shell", path.display().to_string()),
        None => {
            Check::bad("shell", "there is neither bash nor sh on the PATH", "install bash, or correct PATH")
        }
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
    let nearest = path.ancestors().find(|path| path.exists()).unwrap_or(Path::new("/"));
    match rustix::fs::statvfs(nearest) {
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
