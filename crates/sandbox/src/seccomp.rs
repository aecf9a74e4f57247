//! The seccomp filter of a confined command: which system calls it may make.
//!
//! The filter is a deny list: an allow list would break programs with every kernel that gains a new call. It
//! sees call numbers and arguments, but never what a pointer points to, so it cannot tell one path from
//! another; files are the business of [`crate::landlock_rules`].

use std::fmt;
use std::io;
use std::sync::OnceLock;

use seccompiler::{BpfProgram, apply_filter};

use crate::SandboxError;

/// Which sockets a command may create and connect, besides pairs that are connected to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sockets {
    /// Unix sockets that nothing can connect: a program that merely listens (a browser for a second start of
    /// itself) works, and reaches nobody.
    Unconnected,
    /// Unix sockets, with which it reaches whatever is not kept away by other means.
    Unix,
    /// The sockets that network connections need.
    Network,
    /// Both.
    UnixAndNetwork,
}

impl Sockets {
    /// All of them, in the order of [`Filters`].
    pub(crate) const ALL: [Self; 4] = [Self::Unconnected, Self::Unix, Self::Network, Self::UnixAndNetwork];

    pub(crate) const fn has_unix(self) -> bool {
        match self {
            Self::Unconnected | Self::Unix | Self::UnixAndNetwork => true,
            Self::Network => false,
        }
    }

    pub(crate) const fn has_network(self) -> bool {
        match self {
            Self::Network | Self::UnixAndNetwork => true,
            Self::Unconnected | Self::Unix => false,
        }
    }
}

/// The compiled filters, one for each of [`Sockets::ALL`].
type Filters = [BpfProgram; 4];

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
    apply_filter(filter(Sockets::Unconnected)?).map_err(|error| NoFilter(words(&error)))
}

/// The compiled filter.
pub(crate) fn filter(sockets: Sockets) -> Result<&'static BpfProgram, NoFilter> {
    // Compiled once: compiling costs more than installing.
    static FILTERS: OnceLock<Result<Filters, NoFilter>> = OnceLock::new();
    let filters = FILTERS.get_or_init(compiled).as_ref().map_err(Clone::clone)?;
    let [unconnected, unix, network, both] = filters;
    Ok(match sockets {
        Sockets::Unconnected => unconnected,
        Sockets::Unix => unix,
        Sockets::Network => network,
        Sockets::UnixAndNetwork => both,
    })
}

/// The message of the crate, which leaves out the system's error.
fn words(error: &seccompiler::Error) -> String {
    error.to_string().trim_end_matches('.').to_owned()
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn compiled() -> Result<Filters, NoFilter> {
    let of = |sockets| crate::seccomp_rules::program(sockets).map_err(|error| NoFilter(words(&error.into())));
    let [unconnected, unix, network, both] = Sockets::ALL.map(of);
    Ok([unconnected?, unix?, network?, both?])
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn compiled() -> Result<Filters, NoFilter> {
    Err(NoFilter(format!("its calls are not known on {}", std::env::consts::ARCH)))
}
