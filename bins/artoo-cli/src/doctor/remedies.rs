//! `artoo doctor`: what the machine's owner can do so that commands are confined in full.

use std::fs;

use artoo_sandbox::NoConfinement;

/// What confines commands in full.
pub(super) const FULL_CONFINEMENT: &str =
    "use Linux 6.2 or later with Landlock and seccomp on x86-64 or aarch64";

/// What to do where nothing confines a command.
pub(super) const fn of_no_confinement(reason: &NoConfinement) -> &'static str {
    match reason {
        NoConfinement::NotLinux | NoConfinement::TooOld { .. } => FULL_CONFINEMENT,
        NoConfinement::NotBuilt | NoConfinement::Refused { .. } => {
            "use Linux 6.2 or later; in a container, allow the Landlock calls: a newer container engine, or \
             `docker run --security-opt seccomp=unconfined`"
        }
        NoConfinement::NotEnabled => "add `landlock` to the kernel's `lsm=` option, and boot again",
        NoConfinement::NoCallFilter { .. } => {
            "use x86-64 or aarch64; in a container, allow the seccomp calls: `docker run --security-opt \
             seccomp=unconfined`"
        }
    }
}

/// What the kernel says of namespaces; `None` where it does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct NamespaceFacts {
    /// `user.max_user_namespaces`.
    most: Option<u64>,
    /// `kernel.unprivileged_userns_clone` of Debian's kernels.
    for_everybody: Option<u64>,
    /// `kernel.apparmor_restrict_unprivileged_userns` of Ubuntu's kernels.
    apparmor_restricts: Option<u64>,
    /// Whether `/` is no mount point, as in a chroot.
    is_chroot: Option<bool>,
}

/// What to do where commands get no namespaces.
pub(super) fn of_no_namespaces() -> &'static str {
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse().ok();
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok();
    for_facts(NamespaceFacts {
        most: number("/proc/sys/user/max_user_namespaces"),
        for_everybody: number("/proc/sys/kernel/unprivileged_userns_clone"),
        apparmor_restricts: number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"),
        is_chroot: mounts.map(|mounts| !has_root(&mounts)),
    })
}

/// Whether a table of mounts has one at `/`.
fn has_root(mounts: &str) -> bool {
    mounts.lines().any(|line| line.split(' ').nth(4) == Some("/"))
}

fn for_facts(facts: NamespaceFacts) -> &'static str {
    match facts {
        NamespaceFacts { most: Some(0), .. } => {
            "allow user namespaces: `sysctl -w user.max_user_namespaces=15000` as root"
        }
        NamespaceFacts { for_everybody: Some(0), .. } => {
            "allow user namespaces: `sysctl -w kernel.unprivileged_userns_clone=1` as root"
        }
        NamespaceFacts { is_chroot: Some(true), .. } => {
            "the kernel refuses them in a chroot: enter the folder by pivot_root, as systemd-nspawn and bwrap do"
        }
        NamespaceFacts { apparmor_restricts: Some(1), .. } => {
            "give artoo an AppArmor profile with `userns`, or allow all programs user namespaces: `sysctl -w \
             kernel.apparmor_restrict_unprivileged_userns=0` as root"
        }
        NamespaceFacts { .. } => {
            "let this user make namespaces; in a container: `docker run --security-opt seccomp=unconfined \
             --security-opt apparmor=unconfined`, as root also `--cap-add SYS_ADMIN`"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remedy_follows_from_what_the_kernel_says() {
        let nothing = NamespaceFacts::default();
        for (facts, word) in [
            (NamespaceFacts { most: Some(0), ..nothing }, "user.max_user_namespaces"),
            (
                NamespaceFacts { most: Some(9), for_everybody: Some(0), ..nothing },
                "unprivileged_userns_clone",
            ),
            (NamespaceFacts { is_chroot: Some(true), ..nothing }, "pivot_root"),
            (NamespaceFacts { apparmor_restricts: Some(1), is_chroot: Some(false), ..nothing }, "AppArmor"),
            (NamespaceFacts { most: Some(9), apparmor_restricts: Some(0), ..nothing }, "docker run"),
            (nothing, "docker run"),
        ] {
            assert!(for_facts(facts).contains(word), "{facts:?}: {}", for_facts(facts));
        }
    }

    #[test]
    fn a_chroot_has_no_mount_at_its_root() {
        assert!(has_root("22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"));
        assert!(!has_root(
            "90 22 8:1 /usr /usr ro - ext4 /dev/sda1 rw\n91 22 0:5 / /proc rw - proc proc rw\n"
        ));
        assert!(!has_root(""));
    }
}
