//! The seccomp filter of a confined command: which system calls it may make.
//!
//! The filter is a deny list: an allow list would break programs with every kernel that gains a new call. It
//! sees call numbers and arguments, but never what a pointer points to, so it cannot tell one path from
//! another; files are the business of [`crate::landlock_rules`].

use std::fmt;
use std::io;
use std::sync::OnceLock;

use seccompiler::{BpfProgram, apply_filter};

use crate::{Network, SandboxError};

/// Which sockets a command may create.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sockets {
    /// Only connected pairs. Through any other socket a local service could do for the command what a preview
    /// must not do.
    None,
    /// Unix sockets.
    Local,
    /// The sockets that network connections need.
    Network,
}

impl Sockets {
    /// The sockets of a previewed command: none unless the network is granted.
    pub(crate) fn of_a_trial(network: Network) -> Self {
        match network {
            Network::Denied => Self::None,
            Network::Granted => Self::Network,
        }
    }
}

impl From<Network> for Sockets {
    fn from(network: Network) -> Self {
        match network {
            Network::Denied => Self::Local,
            Network::Granted => Self::Network,
        }
    }
}

/// The compiled filters, one for each [`Sockets`].
#[derive(Debug)]
struct Filters {
    none: BpfProgram,
    local: BpfProgram,
    network: BpfProgram,
}

/// Why no filter could be compiled or installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoFilter(String);

impl fmt::Display for NoFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The error for a command whose filter is missing: it is not run.
pub(crate) fn rejected(program: &str, error: &NoFilter) -> SandboxError {
    let source = io::Error::new(io::ErrorKind::Unsupported, error.to_string());
    SandboxError::Rules { program: program.to_owned(), source }
}

/// Installs the filter on the calling thread, which must do nothing else afterwards.
pub(crate) fn try_out() -> Result<(), NoFilter> {
    apply_filter(filter(Sockets::None)?).map_err(|error| NoFilter(words(&error)))
}

/// The compiled filter.
pub(crate) fn filter(sockets: Sockets) -> Result<&'static BpfProgram, NoFilter> {
    // Compiled once: compiling costs more than installing.
    static FILTERS: OnceLock<Result<Filters, NoFilter>> = OnceLock::new();
    let filters = FILTERS.get_or_init(compiled).as_ref().map_err(Clone::clone)?;
    Ok(match sockets {
        Sockets::None => &filters.none,
        Sockets::Local => &filters.local,
        Sockets::Network => &filters.network,
    })
}

/// The message of the crate, which leaves out the system's error.
fn words(error: &seccompiler::Error) -> String {
    error.to_string().trim_end_matches('.').to_owned()
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn compiled() -> Result<Filters, NoFilter> {
    let of = |sockets| crate::seccomp_rules::program(sockets).map_err(|error| NoFilter(words(&error.into())));
    Ok(Filters { none: of(Sockets::None)?, local: of(Sockets::Local)?, network: of(Sockets::Network)? })
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn compiled() -> Result<Filters, NoFilter> {
    Err(NoFilter(format!("its calls are not known on {}", std::env::consts::ARCH)))
}
