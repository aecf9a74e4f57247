//! Authenticates the peer of a control socket: same user, and not started by this process.

use tokio::net::UnixStream;

/// Why a peer is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Stranger {
    #[error("this is a run of another user")]
    OtherUser,
    #[error("what a run has started cannot speak for the person")]
    Own,
    #[error("the system does not tell who this is")]
    Unknown,
}

/// Whether the peer may speak for the person: it has the same user, and is not a descendant of this process.
/// Orphans of a command are reparented to a sandbox process, which this process started, so everything that a
/// run starts stays below it.
pub(super) fn speaks_for_the_person(stream: &UnixStream) -> Result<(), Stranger> {
    let credentials = stream.peer_cred().map_err(|_| Stranger::Unknown)?;
    if credentials.uid() != rustix::process::geteuid().as_raw() {
        return Err(Stranger::OtherUser);
    }
    let pid = credentials.pid().and_then(|pid| u32::try_from(pid).ok()).filter(|pid| *pid > 0);
    let mut pid = pid.ok_or(Stranger::Unknown)?;
    let own = std::process::id();
    if pid == own {
        return Ok(());
    }
    // The chain of parents is finite; a process that ends meanwhile is unknown.
    while pid > 1 {
        pid = parent(pid).ok_or(Stranger::Unknown)?;
        if pid == own {
            return Err(Stranger::Own);
        }
    }
    Ok(())
}

/// The parent of a process; 0 if that lies outside of this process's namespace.
fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The program name may contain anything.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ancestors_lead_up_from_here() {
        let above = parent(std::process::id()).unwrap();
        assert_eq!(above, std::os::unix::process::parent_id());
        assert_eq!(parent(u32::MAX), None);
    }
}
