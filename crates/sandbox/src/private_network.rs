//! The network of one run: a loopback interface that its commands share, and nobody else.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

#[cfg(target_os = "linux")]
use crate::network_namespace::{self as platform, NetworkNamespace};
#[cfg(not(target_os = "linux"))]
use platform::NetworkNamespace;

/// A network that consists of a loopback interface (`127.0.0.1` and `::1`). All commands that are started with
/// a clone of one value share it: what one of them listens at, the others reach. Nothing else is in it, and
/// nothing outside can be reached from it.
///
/// It is made when the first command starts, and gone with the last clone and the last command.
///
/// ```
/// use artoo_sandbox::PrivateNetwork;
///
/// let network = PrivateNetwork::default();
/// assert_eq!(network, network.clone());
/// assert_ne!(network, PrivateNetwork::default());
/// ```
#[derive(Clone, Default)]
pub struct PrivateNetwork(Arc<Mutex<Option<Arc<NetworkNamespace>>>>);

/// Why there is no private network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoPrivateNetwork {
    /// The system is not Linux.
    #[error("private networks exist on Linux only")]
    NotLinux,
    /// Commands get no namespaces here.
    #[error("this user may make no namespaces")]
    NoNamespaces,
    /// The kernel refuses.
    #[error("the kernel refuses a network namespace: {0}")]
    Refused(String),
    /// Something has run out. The next try may succeed.
    #[error("no network namespace can be made at the moment: {0}")]
    ForNow(String),
}

/// What the kernel refused for good, found out once.
static REFUSED: OnceLock<NoPrivateNetwork> = OnceLock::new();

impl PrivateNetwork {
    /// Whether this machine is expected to have private networks, as far as is known without making one.
    pub fn is_expected() -> bool {
        REFUSED.get().is_none() && platform::has_namespaces()
    }

    /// Makes it, unless it is there already. Takes about a millisecond.
    ///
    /// # Errors
    ///
    /// Why there is none. [`NoPrivateNetwork::ForNow`] is worth another try.
    pub fn make(&self) -> Result<(), NoPrivateNetwork> {
        self.namespace().map(drop)
    }

    /// Its namespace, made now if there is none yet.
    pub(crate) fn namespace(&self) -> Result<Arc<NetworkNamespace>, NoPrivateNetwork> {
        if let Some(refused) = REFUSED.get() {
            return Err(refused.clone());
        }
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(namespace) = &*made {
            return Ok(Arc::clone(namespace));
        }
        if !platform::has_namespaces() {
            return Err(platform::MISSING);
        }
        let namespace = Arc::new(NetworkNamespace::make().map_err(|error| refusal(&error))?);
        *made = Some(Arc::clone(&namespace));
        Ok(namespace)
    }
}

/// A failure that may pass is not remembered.
fn refusal(error: &io::Error) -> NoPrivateNetwork {
    if platform::may_pass(error) {
        return NoPrivateNetwork::ForNow(error.to_string());
    }
    REFUSED.get_or_init(|| NoPrivateNetwork::Refused(error.to_string())).clone()
}

#[cfg(not(target_os = "linux"))]
mod platform {
    use std::io;

    use super::NoPrivateNetwork;

    /// There is none.
    #[derive(Debug)]
    pub(crate) enum NetworkNamespace {}

    pub(super) const MISSING: NoPrivateNetwork = NoPrivateNetwork::NotLinux;

    pub(super) fn has_namespaces() -> bool {
        false
    }

    pub(super) fn may_pass(_: &io::Error) -> bool {
        false
    }

    impl NetworkNamespace {
        pub(super) fn make() -> io::Result<Self> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }
}

impl PartialEq for PrivateNetwork {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for PrivateNetwork {}

impl fmt::Debug for PrivateNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateNetwork")
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use rustix::io::Errno;

    /// Namespaces, processes or files may be free again by the next command.
    #[test]
    fn a_lack_that_may_pass_is_not_remembered() {
        for errno in [Errno::AGAIN, Errno::NOSPC, Errno::NOMEM, Errno::MFILE] {
            let refusal = refusal(&errno.into());
            assert!(matches!(refusal, NoPrivateNetwork::ForNow(_)), "{refusal}");
        }
        assert_eq!(REFUSED.get(), None);
    }

    #[test]
    fn one_value_is_one_network() {
        let (one, other) = (PrivateNetwork::default(), PrivateNetwork::default());
        if let Err(reason) = one.make() {
            artoo_test_needs::skip(artoo_test_needs::Ability::Namespaces, reason);
            return;
        }
        let namespace = |network: &PrivateNetwork| network.namespace().unwrap();
        assert!(Arc::ptr_eq(&namespace(&one), &namespace(&one.clone())));
        assert!(!Arc::ptr_eq(&namespace(&one), &namespace(&other)));
    }
}
