//! Who is at the other end of a socket.

use tokio::net::UnixStream;

/// Why somebody is not heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Stranger {
    #[error("this is a run of another user")]
    OtherUser,
    #[error("what a run has started cannot speak for the person")]
    Own,
    #[error("the system does not tell who this is")]
    Unknown,
}

/// Whether the other end may speak for the person: it is of the same user, and no process that this one has
/// started. What a command leaves behind falls to a process of the sandbox, which this one has started, so
/// whatever a run starts stays below it.
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
    // Nobody's ancestors go on for ever; a process that ends meanwhile is not known.
    while pid > 1 {
        pid = parent(pid).ok_or(Stranger::Unknown)?;
        if pid == own {
            return Err(Stranger::Own);
        }
    }
    Ok(())
}

/// The process that a process falls to; 0 where that lies outside of what this one can see.
fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program may hold anything.
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
