//! The table of known programs and their rules. Programs not listed are unknown.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::effects::Kind::{Creates, Deletes, Network, OutsideMachine, Overwrites, Privilege, Unknown};
use super::program_rules::Act::{self, Other, Writes};
use super::program_rules::But;
use super::program_rules::Rule::{self, Always, Builtin, Each, Own, Reads, Verbs};
use super::{builtins, files, find, git, network, wrappers};

/// Folders in which a program is what its name says.
const FOLDERS: [&str; 7] =
    ["/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/opt/homebrew/bin", "/usr/local/sbin"];

/// None of its operands are files.
const ALL: usize = usize::MAX;

const OUTPUT: But = &[("-o --output", Writes), ("--compress-program", RUNS)];
const CHANGES: Act = Other(Overwrites, "an option tells it to change what is there");
const RUNS: Act = Other(Unknown, "it runs what an option names");
const CLEARS: Act = Other(Deletes, "an option tells it to delete what is there");

const SYSTEM: &str = "it changes the system";
pub(super) const CODE: &str = "what it does shows only when it is tried";

/// Program names, separated by blanks, and their rule. Each name occurs once.
const TABLE: &[(&str, Rule)] = &[
    // Shell builtins.
    ("set shopt test [", Builtin(|_, _| {})),
    ("cd pushd popd", Builtin(builtins::cd)),
    (
        "export declare typeset local readonly read unset printf let mapfile readarray getopts",
        Builtin(builtins::assigns),
    ),
    ("eval", Builtin(builtins::eval)),
    ("trap", Builtin(builtins::trap)),
    (
        "source . alias unalias enable bind complete history fc jobs hash",
        Always(Unknown, "what the shell does from here on is not followed"),
    ),
    // Readers.
    (
        ": true false echo pwd exit return break continue shift wait times umask ulimit type which sleep \
         yes seq logname whoami id groups tty arch uname nproc uptime free getconf locale lscpu lsblk \
         lsusb sw_vers cal ncal factor expr numfmt printenv users who w last ps pgrep pstree vmstat \
         iostat netstat whereis apropos whatis tr look locate plocate mdfind pidof cmark basename dirname",
        Reads(ALL, "", &[]),
    ),
    (
        "cat tac nl rev wc ls dir vdir stat realpath readlink md5sum sha1sum sha224sum \
         sha256sum sha384sum sha512sum b2sum cksum sum md5 zcat bzcat xzcat gzcat namei bc \
         mdls cmp expand unexpand paste comm tsort pathchk lsattr getfacl zipinfo",
        Reads(0, "", &[]),
    ),
    ("head tail", Reads(0, "nc", &[])),
    ("cut", Reads(0, "bcdf", &[])),
    ("fold fmt", Reads(0, "w", &[])),
    ("od hexdump hd strings", Reads(0, "AjNtnseT", &[])),
    ("du df", Reads(0, "dBtX", &[])),
    ("join", Reads(0, "taeo12vj", &[])),
    ("diff diff3", Reads(0, "xXIFUCW", &[])),
    ("column colrm pr", Reads(0, "tscowlh", &[])),
    ("exa eza", Reads(0, "LIts", &[])),
    ("jq", Reads(1, "", &[])),
    ("grep egrep fgrep zgrep zegrep zfgrep bzgrep xzgrep", Reads(1, "efmABCdD", &[])),
    ("sort", Reads(0, "koST", OUTPUT)),
    ("shuf", Reads(0, "ino", OUTPUT)),
    ("sdiff iconv", Reads(0, "wIoft", OUTPUT)),
    ("tree", Reads(0, "LPIHTo", OUTPUT)),
    ("shasum base64 base32 basenc", Reads(0, "awo", OUTPUT)),
    ("file", Reads(0, "mfFPe", &[("-C --compile", Writes)])),
    ("less more", Reads(0, "oO", &[("-o -O --log-file", Writes)])),
    ("rg", Reads(1, "efgmABCtTjEMr", &[("--pre --hostname-bin", RUNS)])),
    ("ag", Reads(1, "", &[("--pager", RUNS)])),
    ("bat batcat", Reads(0, "lHrm", &[("--pager", RUNS)])),
    ("fd fdfind", Reads(1, "deEtcSo", &[("-x -X --exec --exec-batch", RUNS)])),
    ("yq", Reads(1, "", &[("-i --inplace --in-place", CHANGES)])),
    ("ss", Reads(ALL, "", &[("-K --kill", CLEARS)])),
    (
        "dmesg journalctl",
        Reads(ALL, "", &[("-c -C --clear --read-clear --vacuum-size --vacuum-time --vacuum-files", CLEARS)]),
    ),
    ("date", Reads(ALL, "dfrI", &[("-s --set", Other(Privilege, SYSTEM))])),
    // Creating, changing, deleting.
    ("mkdir", Each(Act::Makes, 0, "m")),
    ("touch", Each(Writes, 0, "drt")),
    ("tee", Each(Writes, 0, "")),
    ("mkfifo", Each(Writes, 0, "m")),
    ("mktemp", Always(Creates, "it makes a file or folder with a new name")),
    ("rm rmdir unlink shred wipe srm trash trash-put gio rmtrash", Each(Act::Deletes, 0, "")),
    ("trash-empty trash-rm", Always(Deletes, "it empties the bin")),
    ("truncate fallocate", Each(Act::Changes, 0, "srlo")),
    ("chmod chown chgrp chattr setfacl setfattr xattr chflags chcon chsh chfn", Each(Act::Changes, 1, "")),
    ("cp install ditto", Own(files::copy)),
    ("mv", Own(files::rename)),
    ("ln link", Own(files::link)),
    ("dd", Own(files::dd)),
    ("rsync", Own(files::rsync)),
    ("uniq xxd", Own(files::filter)),
    ("sed gsed", Own(files::sed)),
    ("find gfind", Own(find::run)),
    ("git", Own(git::run)),
    // Opaque programs, whose effects only a trial run shows: interpreters, editors, archivers, key tools.
    (
        "awk gawk mawk nawk python python2 python3 python3.9 python3.10 python3.11 python3.12 python3.13 \
         python3.14 fish csh tcsh pwsh xonsh nu perl ruby node nodejs deno bun php lua luajit tclsh R \
         Rscript osascript expect java go ghc runghc scala julia groovy m4 gdb strace ltrace make gmake \
         cmake ninja npx npm yarn pnpm pip pip3 pipx uv cargo rustc gcc cc clang bundle gem tox pytest \
         jupyter screen tmux script shortcuts open xdg-open ex ed vi vim nvim emacs nano pico sponge patch \
         dos2unix unix2dos rename prename mmv install-info sqlite3 split csplit indent clang-format black \
         isort rustfmt prettier xmllint pdftotext tar gtar bsdtar gzip gunzip bzip2 bunzip2 xz unxz zstd \
         unzstd compress uncompress lzma pigz zip unzip cpio ar 7z 7za unrar rar pax unar gpg gpg2 openssl \
         ssh-keygen ssh-add pass security keychain secret-tool",
        Always(Unknown, CODE),
    ),
    // Programs that start others.
    ("sh bash dash ash ksh mksh rbash zsh", Own(wrappers::shell)),
    ("sudo doas su pkexec runuser", Own(wrappers::rights)),
    ("env", Own(wrappers::env)),
    (
        "nice ionice timeout gtimeout stdbuf taskset chrt nohup setsid unbuffer builtin caffeinate busybox toybox time gtime \
         exec",
        Own(wrappers::wrap),
    ),
    ("command", Own(wrappers::command)),
    ("xargs", Own(wrappers::xargs)),
    (
        "watch parallel flock entr at batch systemd-run start-stop-daemon dbus-run-session fakeroot proot \
         firejail bwrap disown bg fg",
        Own(wrappers::beyond),
    ),
    // Network programs.
    ("curl wget http https aria2c lynx links w3m ftp lftp", Own(network::fetch)),
    (
        "ping ping6 dig host nslookup traceroute whois nmap tracepath mtr",
        Always(Network, "it asks another machine"),
    ),
    (
        "nc ncat netcat socat telnet ssh scp sftp mosh rclone mail mailx sendmail mutt msmtp gh glab hub \
         aws gcloud gsutil az heroku kubectl helm terraform ansible ansible-playbook twine vercel netlify \
         flyctl doctl s3cmd rsh rlogin psql mysql mongosh mongo redis-cli svn hg vagrant wrangler \
         firebase pulumi",
        Always(OutsideMachine, "it acts on other machines"),
    ),
    // Processes, power, the system.
    ("kill pkill killall skill xkill fuser killall5", Always(Deletes, "it ends processes")),
    ("renice", Always(Overwrites, "it changes processes")),
    ("crontab", Always(Overwrites, "it changes the user's schedule")),
    (
        "mkfs mkfs.ext4 mkfs.ext3 mkfs.ext2 mkfs.xfs mkfs.btrfs mkfs.vfat mke2fs fdisk sfdisk gdisk \
         sgdisk parted wipefs mkswap swapoff umount losetup cryptsetup lvremove vgremove pvremove mdadm \
         hdparm blkdiscard diskutil fsck e2fsck tune2fs resize2fs zpool zfs btrfs badblocks dmsetup \
         fstrim nvme",
        Always(Deletes, "it works on a device"),
    ),
    (
        "systemctl launchctl apt brew snap flatpak defaults hostname mount ip ifconfig sysctl swapon docker podman \
         nerdctl docker-compose buildah lxc lxc-destroy virsh qemu-img ctr crictl multipass",
        Verbs(
            Privilege,
            SYSTEM,
            "status list-units is-active is-enabled show cat list search policy info read ps images version logs \
             top port diff stats -s -f -i -I -l",
        ),
    ),
    (
        "chroot unshare nsenter setpriv capsh sg newgrp mknod shutdown reboot halt poweroff init telinit service rc-service pmset loginctl apt-get aptitude \
         dpkg yum dnf rpm pacman zypper apk port nix-env useradd userdel usermod groupadd groupdel \
         groupmod adduser deluser passwd chpasswd visudo vipw gpasswd iptables ip6tables nft ufw \
         firewall-cmd setenforce modprobe insmod rmmod kexec update-grub grub-install scutil csrutil \
         spctl dscl nvram bless tmutil ldconfig update-alternatives hostnamectl timedatectl localectl \
         hwclock route arp iwconfig nmcli setcap quotaoff logrotate updatedb depmod",
        Always(Privilege, SYSTEM),
    ),
];

/// The name under which the table knows a program, if its folder is one of [`FOLDERS`].
pub(super) fn name(program: &str) -> Option<&str> {
    match program.rsplit_once('/') {
        None => Some(program),
        Some((folder, name)) => FOLDERS.contains(&folder).then_some(name),
    }
}

/// The rule of a program.
pub(super) fn rule(name: &str) -> Option<Rule> {
    static RULES: LazyLock<BTreeMap<&str, Rule>> = LazyLock::new(|| {
        let named = |(names, rule): &'static (&str, Rule)| names.split(' ').map(move |name| (name, *rule));
        TABLE.iter().flat_map(named).collect()
    });
    RULES.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_once() {
        let mut names: Vec<&str> = TABLE.iter().flat_map(|(names, _)| names.split(' ')).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn only_places_of_programs_make_a_known_program() {
        assert_eq!(name("/bin/rm"), Some("rm"));
        assert_eq!(name("rm"), Some("rm"));
        assert_eq!(name("./cat"), None);
        assert_eq!(name("/tmp/cat"), None);
    }
}
