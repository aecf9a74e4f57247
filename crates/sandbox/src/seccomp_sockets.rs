//! The rules of the seccomp filter about sockets: which a command may make and connect.

use seccompiler::{BackendError, SeccompCondition, SeccompRule};

use crate::seccomp::Sockets;
use crate::seccomp_conditions::{all, has, is, is_not};

/// The obsolete interface for reading packets.
pub(crate) const SOCK_PACKET: i32 = 10;

/// The part of a socket's type that is not a flag.
const TYPE_MASK: u64 = 0xF;

/// The rules of the calls that make or connect sockets.
pub(crate) fn rules(allowed: Sockets) -> Result<Vec<(i64, Vec<SeccompRule>)>, BackendError> {
    let mut rules =
        vec![(libc::SYS_socket, refused_sockets(allowed)?), (libc::SYS_socketpair, refused_pairs()?)];
    match allowed {
        // Without a condition, so refused whatever the arguments are.
        Sockets::Unconnected => rules.push((libc::SYS_connect, Vec::new())),
        Sockets::Unix | Sockets::Network | Sockets::UnixAndNetwork => {}
    }
    Ok(rules)
}

/// The pairs that cannot be made. The kernel only creates pairs of Unix sockets, except for one cluster protocol. An end
/// of a pair for datagrams can still send to any address.
fn refused_pairs() -> Result<Vec<SeccompRule>, BackendError> {
    let pair = |kind: i32| all([is_family(libc::AF_UNIX)?, is_kind(kind)?]);
    Ok(vec![all([is_not(0, libc::AF_UNIX)?])?, pair(libc::SOCK_DGRAM)?, pair(libc::SOCK_RAW)?])
}

/// The sockets that cannot be created.
///
/// Of the network those that connections need are allowed, not those that read or forge packets, change the
/// machine's network (netlink, except for the address and route tables that name resolution reads) or belong
/// to a rarely used part of the kernel. Of Unix sockets those for datagrams are not: what they send needs no
/// connection.
fn refused_sockets(allowed: Sockets) -> Result<Vec<SeccompRule>, BackendError> {
    let mut families = Vec::new();
    let mut refused = Vec::new();
    let kind = |family: i32, kind: i32| all([is_family(family)?, is_kind(kind)?]);
    if allowed.has_unix() {
        families.push(libc::AF_UNIX);
        refused.extend([kind(libc::AF_UNIX, libc::SOCK_DGRAM)?, kind(libc::AF_UNIX, libc::SOCK_RAW)?]);
    }
    if allowed.has_network() {
        families.extend([libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK]);
        refused.extend([
            all([is_family(libc::AF_NETLINK)?, is_not(2, libc::NETLINK_ROUTE)?])?,
            kind(libc::AF_INET, libc::SOCK_RAW)?,
            kind(libc::AF_INET6, libc::SOCK_RAW)?,
            kind(libc::AF_INET, SOCK_PACKET)?,
        ]);
    }
    let others: Vec<_> = families.into_iter().map(|family| is_not(0, family)).collect::<Result<_, _>>()?;
    refused.push(SeccompRule::new(others)?);
    Ok(refused)
}

/// The second argument is this type of socket, whatever flags it has.
fn is_kind(kind: i32) -> Result<SeccompCondition, BackendError> {
    has(1, TYPE_MASK, kind.cast_unsigned().into())
}

fn is_family(family: i32) -> Result<SeccompCondition, BackendError> {
    is(0, family.cast_unsigned().into())
}
