//! Reduced mode in a real chroot, where the kernel refuses namespaces: as the administrator and as an ordinary user.
//!
//! The folder for it has the system's own folders, bound, and the folders of the test at their own paths.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use artoo_sandbox::Support;
use artoo_test_needs::{Ability, skip};

use crate::fixture::Scene;
use crate::mock_model::counting;
use crate::process::{Said, say};

/// An ordinary user, who needs no entry anywhere.
const ORDINARY: &str = "1234:1234";

/// Makes the mounts in a mount namespace, so that they are gone with the last process, and enters the folder.
const ENTER: &str = r#"
set -e
PATH=$PATH:/usr/sbin:/sbin
root=$1 user=$2 artoo=$3 scene=$4 folder=$5; shift 5
for place in usr etc dev; do mount --rbind "/$place" "$root/$place"; done
mount -t proc proc "$root/proc"
mount --bind "$artoo" "$root/artoo"
mount --bind "$scene" "$root$scene"
exec chroot --userspec="$user" "$root" /bin/sh -c 'cd "$0" && exec /artoo "$@"' "$folder" "$@"
"#;

/// A root for `chroot`.
struct Root {
    folder: tempfile::TempDir,
    scene: Scene,
    user: &'static str,
}

impl Root {
    fn of(scene: Scene, user: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["usr", "etc", "dev", "proc"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        for name in ["bin", "lib", "lib64"] {
            symlink(Path::new("usr").join(name), root.join(name)).unwrap();
        }
        std::fs::write(root.join("artoo"), "").unwrap();
        let there = scene.folder().parent().unwrap().to_owned();
        std::fs::create_dir_all(root.join(there.strip_prefix("/").unwrap())).unwrap();
        let open = |path: &Path| run("chmod", &["-R".as_ref(), "a+rX".as_ref(), path.as_ref()]);
        open(root);
        run("chown", &["-R".as_ref(), user.as_ref(), there.as_ref()]);
        Self { folder, scene, user }
    }

    fn say(&self, line: &[&str]) -> Said {
        let artoo = self.scene.artoo(line);
        #[expect(clippy::disallowed_methods, reason = "it enters the root in which the program is tested")]
        let mut command = Command::new("unshare");
        let scene = self.scene.folder().parent().unwrap().to_owned();
        command.args(["--mount", "--propagation", "private", "sh", "-c", ENTER, "sh"]);
        command.arg(self.folder.path()).arg(self.user).arg(artoo.get_program()).arg(scene);
        command.arg(self.scene.folder()).args(artoo.get_args());
        command.env_clear().envs(artoo.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.stdin(std::process::Stdio::null());
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        say(&mut command)
    }
}

fn run(program: &str, arguments: &[&std::ffi::OsStr]) {
    #[expect(clippy::disallowed_methods, reason = "it prepares the root in which the program is tested")]
    let ended = Command::new(program).args(arguments).status().unwrap();
    assert!(ended.success(), "{program} {arguments:?}");
}

/// Whether a test may make mounts and enter a root here.
fn can_enter() -> bool {
    let support = artoo_sandbox::probe();
    if !matches!(support, Support::Enforced { .. }) {
        skip(Ability::Landlock, support);
        return false;
    }
    if !rustix::process::geteuid().is_root() || support.reduced_mode().is_some() {
        skip(Ability::Namespaces, "only root makes the mounts of a chroot");
        return false;
    }
    true
}

#[test]
fn a_chroot_is_in_reduced_mode() {
    if !can_enter() {
        return;
    }
    for user in ["0:0", ORDINARY] {
        let root = Root::of(Scene::new(counting()), user);
        let file = root.scene.folder().join("docs/a.txt");
        let page = root.say(&["doctor"]).ended(0).out;
        for part in ["reduced mode: commands are confined by Landlock", "pivot_root", "artoo can work here"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        let said = root.say(&["run", "How many .txt files are in docs?"]).ended(0);
        assert_eq!(said.out, "3\n");
        assert_eq!(said.err.matches("reduced mode: ").count(), 1, "{}", said.err);
        let said = root.say(&["sandbox", "rm docs/a.txt"]).ended(5);
        assert!(said.err.contains("nothing can be tried on this machine"), "{}", said.err);
        assert!(file.exists());
        root.say(&["sandbox", "--yes", "deletes", "--yes", "unknown", "rm docs/a.txt"]).ended(0);
        assert!(!file.exists());
        root.say(&["runs", "undo", "last"]).ended(0);
        assert!(file.exists());
    }
}
