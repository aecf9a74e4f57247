//! What a Unix socket of another process controls, for the question about it.
//!
//! Whoever listens at a socket acts with its own rights, so that a command that may connect can do through it
//! what it may not do itself. A socket that is not in the table is described as that.

use std::path::Path;

use artoo_types::{Effect, EffectKind};

/// A kind of socket.
struct Known {
    /// What its path contains.
    part: &'static str,
    /// What can be done through it, behind "can".
    control: &'static str,
    /// The programs that use it.
    programs: &'static [&'static str],
    /// Whether these programs do nothing without it.
    is_needed: bool,
}

const KNOWN: [Known; 19] = [
    known(
        "docker",
        "control Docker: start containers that read and change any file of this machine",
        &["docker", "docker-compose", "buildx", "act", "kind"],
    ),
    known(
        "podman",
        "control Podman: start containers with your files in them",
        &["podman", "podman-compose", "docker"],
    ),
    known("containerd", "control containers of this machine", &["ctr", "nerdctl", "crictl"]),
    known("libvirt", "control virtual machines", &["virsh", "virt-install"]),
    known(
        "system_bus_socket",
        "control services of this machine over D-Bus",
        &["busctl", "gdbus", "dbus-send"],
    ),
    known("systemd/private", "control your services, and start programs outside the sandbox", &["systemctl"]),
    known("systemd/notify", "report to the service manager", &["systemd-notify"]),
    optional("gpg-agent", "sign and decrypt with your keys", &["gpg", "gpg2", "git"]),
    optional("ssh", "use your SSH keys on other machines", &["ssh", "scp", "sftp", "rsync", "git"]),
    optional("keyring", "use the keys and passwords of your keyring", &["ssh", "git", "secret-tool"]),
    known("X11-unix", "see your screen and type into your windows", &["xdotool", "xclip", "xsel", "import"]),
    known("wayland", "open windows on your desktop and read its clipboard", &["wl-copy", "wl-paste"]),
    known("pulse", "use your microphone and speakers", &["paplay", "parecord", "pactl"]),
    known("pipewire", "use your microphone, camera and speakers", &["pw-play", "pw-record"]),
    known("tmux", "type into your terminals", &["tmux"]),
    optional(
        "PGSQL",
        "read and change the databases of this server",
        &["psql", "pg_dump", "pg_restore", "createdb"],
    ),
    optional("mysql", "read and change the databases of this server", &["mysql", "mysqldump", "mariadb"]),
    optional("redis", "read and change the data of this server", &["redis-cli"]),
    // The last one: the session's bus is called just that.
    known(
        "/bus",
        "control your desktop and its programs over D-Bus",
        &["busctl", "gdbus", "dbus-send", "notify-send"],
    ),
];

const fn known(part: &'static str, control: &'static str, programs: &'static [&'static str]) -> Known {
    Known { part, control, programs, is_needed: true }
}

/// One whose programs have work without it, or another way to the service.
const fn optional(part: &'static str, control: &'static str, programs: &'static [&'static str]) -> Known {
    Known { is_needed: false, ..known(part, control, programs) }
}

fn kind_of(socket: &Path) -> Option<&'static Known> {
    let path = socket.to_str()?;
    KNOWN.iter().find(|known| path.contains(known.part))
}

/// The effect of letting a command connect to a socket.
///
/// ```
/// use artoo_consent::socket_effect;
///
/// let effect = socket_effect("/run/docker.sock".as_ref(), "docker");
/// assert!(effect.why.starts_with("it can control Docker"));
/// let effect = socket_effect("/srv/own.sock".as_ref(), "");
/// assert_eq!(effect.why, "it can do whatever the program that listens there does for others, with that program's rights");
/// ```
pub fn socket_effect(socket: &Path, program: &str) -> Effect {
    let why = match kind_of(socket) {
        Some(known) => format!("it can {}", known.control),
        None => {
            "it can do whatever the program that listens there does for others, with that program's rights"
                .to_owned()
        }
    };
    Effect { kind: EffectKind::Privilege, what: socket.display().to_string(), word: program.to_owned(), why }
}

/// The program of a command that is known to use this socket.
pub fn user_of_socket<'a>(socket: &Path, programs: &'a [String]) -> Option<&'a str> {
    user_of(kind_of(socket)?, programs)
}

/// The program of a command that is known to do nothing without this socket.
///
/// ```
/// use artoo_consent::needs_socket;
///
/// let programs = ["git".to_owned(), "docker".to_owned()];
/// assert_eq!(needs_socket("/run/docker.sock".as_ref(), &programs), Some("docker"));
/// assert_eq!(needs_socket("/tmp/ssh-Xk/agent.71".as_ref(), &programs), None); // git works without keys
/// ```
pub fn needs_socket<'a>(socket: &Path, programs: &'a [String]) -> Option<&'a str> {
    user_of(kind_of(socket).filter(|known| known.is_needed)?, programs)
}

fn user_of<'a>(known: &Known, programs: &'a [String]) -> Option<&'a str> {
    let is_user = |program: &&str| known.programs.contains(&program.rsplit('/').next().unwrap_or(program));
    programs.iter().map(String::as_str).find(is_user)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_described_by_its_path_and_connected_with_its_programs() {
        let of = |socket: &str, programs: &[&str]| {
            let programs: Vec<String> = programs.iter().map(|program| (*program).to_owned()).collect();
            let user = user_of_socket(Path::new(socket), &programs).map(str::to_owned);
            (kind_of(Path::new(socket)).map(|known| known.part), user)
        };
        for (socket, programs, part, user) in [
            ("/run/docker.sock", &["echo", "docker"][..], Some("docker"), Some("docker")),
            ("/run/user/1000/docker.sock", &["/usr/bin/docker"], Some("docker"), Some("/usr/bin/docker")),
            ("/run/docker.sock", &["ls"], Some("docker"), None),
            ("/run/user/1000/bus", &["busctl"], Some("/bus"), Some("busctl")),
            ("/tmp/ssh-Xk/agent.71", &["git"], Some("ssh"), Some("git")),
            ("/var/run/postgresql/.s.PGSQL.5432", &["psql"], Some("PGSQL"), Some("psql")),
            ("/tmp/.X11-unix/X0", &["xdotool"], Some("X11-unix"), Some("xdotool")),
            ("/srv/own.sock", &["docker"], None, None),
        ] {
            assert_eq!(of(socket, programs), (part, user.map(str::to_owned)), "{socket}");
        }
    }
}
