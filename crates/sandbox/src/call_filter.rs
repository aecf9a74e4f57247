//! Which system calls a confined command may make.
//!
//! A filter names what is refused and lets the rest pass: a list of what is allowed would break programs with every
//! kernel that learns a new call. It sees numbers and never what a pointer points to, so it cannot tell one path from
//! another; files are the business of [`crate::rules`].

use std::fmt;
use std::io;
use std::sync::OnceLock;

use seccompiler::{BpfProgram, apply_filter};

use crate::{Network, SandboxError};

/// Which sockets a command may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sockets {
    /// Only connected pairs, which lead to nobody else: a service of the machine would do in the world what a preview may not.
    None,
    /// Unix sockets.
    Local,
    /// What connections need.
    Network,
}

impl Sockets {
    /// Those of a command that is tried: without the network none.
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

/// The compiled filter, for each answer to which sockets there are.
#[derive(Debug)]
struct Filters {
    none: BpfProgram,
    local: BpfProgram,
    network: BpfProgram,
}

/// Why there is no filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoFilter(String);

impl fmt::Display for NoFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// No filter, no command.
pub(crate) fn rejected(program: &str, error: &NoFilter) -> SandboxError {
    let source = io::Error::new(io::ErrorKind::Unsupported, error.to_string());
    SandboxError::Rules { program: program.to_owned(), source }
}

/// Tries it out on the calling thread, which must do nothing else.
pub(crate) fn try_out() -> Result<(), NoFilter> {
    apply_filter(filter(Sockets::None)?).map_err(|error| NoFilter(words(&error)))
}

/// The compiled filter.
pub(crate) fn filter(sockets: Sockets) -> Result<&'static BpfProgram, NoFilter> {
    // Compiled once: it costs more than to install it.
    static FILTERS: OnceLock<Result<Filters, NoFilter>> = OnceLock::new();
    let filters = FILTERS.get_or_init(compiled).as_ref().map_err(Clone::clone)?;
    Ok(match sockets {
        Sockets::None => &filters.none,
        Sockets::Local => &filters.local,
        Sockets::Network => &filters.network,
    })
}

/// The crate's own words leave out what the system said.
fn words(error: &seccompiler::Error) -> String {
    error.to_string().trim_end_matches('.').to_owned()
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn compiled() -> Result<Filters, NoFilter> {
    let of = |sockets| crate::call_list::program(sockets).map_err(|error| NoFilter(words(&error.into())));
    Ok(Filters { none: of(Sockets::None)?, local: of(Sockets::Local)?, network: of(Sockets::Network)? })
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn compiled() -> Result<Filters, NoFilter> {
    Err(NoFilter(format!("its calls are not known on {}", std::env::consts::ARCH)))
}
