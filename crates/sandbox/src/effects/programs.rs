//! The table of known programs. What is not here is unknown.

use super::found::Kind::{Deletes, Network, OutsideMachine, Overwrites, Privilege, Unknown};
use super::rules::Act::{self, Other, Runs, Writes};
use super::rules::{Builtin, Options, Own, Rule};
use super::wrappers::Wrapper;

/// Folders whose programs are those that their names say.
const FOLDERS: [&str; 7] =
    ["/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/opt/homebrew/bin", "/usr/local/sbin"];

const fn plain(values: &'static str) -> Options {
    Options { values, but: &[] }
}

const fn but(values: &'static str, but: &'static [(&'static str, Act)]) -> Options {
    Options { values, but }
}

const fn reads(values: &'static str) -> Rule {
    Rule::Reads { skip: 0, options: plain(values) }
}

const fn each(act: Act, skip: usize, values: &'static str) -> Rule {
    Rule::Each { act, skip, options: plain(values) }
}

const SYSTEM: &str = "it changes the system";
const SENDS: &str = "it acts on other machines";
const ASKS: &str = "it asks another machine";
const CODE: &str = "it runs code of its own";

/// Names, a blank between them, and their rule. A name stands once.
const TABLE: &[(&str, Rule)] = &[
    // The shell itself.
    (
        ": true false echo pwd exit return break continue shift wait times umask ulimit type which sleep \
         yes seq logname whoami id groups tty arch uname nproc uptime free getconf locale lscpu lsblk \
         lsusb sw_vers cal ncal factor expr numfmt printenv users who w last ps pgrep pstree vmstat \
         iostat netstat whereis apropos whatis",
        Rule::Quiet(plain("")),
    ),
    ("cd", Rule::Builtin(Builtin::Cd)),
    (
        "set",
        Rule::Builtin(Builtin::Switches(&[
            "-e", "-u", "-x", "-eu", "-ex", "-ux", "-eux", "-euo", "-eo", "-uo", "-o", "pipefail", "errexit",
            "nounset", "-f", "+e", "+x", "+u",
        ])),
    ),
    (
        "shopt",
        Rule::Builtin(Builtin::Switches(&[
            "-s",
            "-u",
            "-q",
            "globstar",
            "nullglob",
            "dotglob",
            "nocaseglob",
            "failglob",
        ])),
    ),
    ("export declare typeset local readonly", Rule::Builtin(Builtin::Assigns)),
    ("read", Rule::Builtin(Builtin::Read)),
    ("eval", Rule::Builtin(Builtin::Eval)),
    ("trap", Rule::Builtin(Builtin::Trap)),
    ("unset", Rule::Builtin(Builtin::Unset)),
    ("test [", Rule::Builtin(Builtin::Test)),
    ("printf", Rule::Builtin(Builtin::Printf)),
    (
        "source . alias unalias enable bind complete let mapfile readarray history fc pushd popd jobs \
         hash getopts",
        Rule::Always(Unknown, "what the shell does from here on is not followed"),
    ),
    // Reading.
    (
        "cat tac nl rev wc ls dir vdir stat basename dirname realpath readlink md5sum sha1sum sha224sum \
         sha256sum sha384sum sha512sum b2sum cksum sum md5 zcat bzcat xzcat gzcat namei \
         mdls cmp expand unexpand paste comm tsort pathchk lsattr getfacl zipinfo",
        reads(""),
    ),
    ("head tail", reads("nc")),
    ("cut", reads("bcdf")),
    ("fold fmt", reads("w")),
    ("od hexdump hd", reads("AjNtwnse")),
    ("strings", reads("nteT")),
    ("du df", reads("dBtX")),
    ("join", reads("taeo12vj")),
    ("diff diff3", reads("xXIFUCW")),
    ("column colrm pr", reads("tscowlh")),
    ("tr", Rule::Quiet(plain(""))),
    ("jq", Rule::Reads { skip: 1, options: plain("") }),
    (
        "grep egrep fgrep zgrep zegrep zfgrep bzgrep xzgrep",
        Rule::Reads { skip: 1, options: plain("efmABCdD") },
    ),
    ("look locate plocate mdfind pidof cmark", Rule::Quiet(plain(""))),
    (
        "shasum base64 base32 basenc",
        Rule::Reads { skip: 0, options: but("aw", &[("-o", Writes), ("--output", Writes)]) },
    ),
    (
        "sort",
        Rule::Reads {
            skip: 0,
            options: but("ktST", &[("-o", Writes), ("--output", Writes), ("--compress-program", Runs)]),
        },
    ),
    ("shuf", Rule::Reads { skip: 0, options: but("in", &[("-o", Writes), ("--output", Writes)]) }),
    (
        "sdiff",
        Rule::Reads {
            skip: 0,
            options: but("wI", &[("-o", Writes), ("--output", Writes), ("--diff-program", Runs)]),
        },
    ),
    ("file", Rule::Reads { skip: 0, options: but("mfFPe", &[("-C", Writes), ("--compile", Writes)]) }),
    (
        "tree",
        Rule::Reads {
            skip: 0,
            options: but("LPIHT", &[("-o", Writes), ("--output", Writes), ("-R", Writes)]),
        },
    ),
    (
        "less more",
        Rule::Reads {
            skip: 0,
            options: but(
                "",
                &[
                    ("-o", Writes),
                    ("-O", Writes),
                    ("--log-file", Writes),
                    ("--LOG-FILE", Writes),
                    ("-k", Runs),
                    ("--lesskey-file", Runs),
                ],
            ),
        },
    ),
    (
        "rg",
        Rule::Reads { skip: 1, options: but("efgmABCtTjEMr", &[("--pre", Runs), ("--hostname-bin", Runs)]) },
    ),
    ("ag", Rule::Reads { skip: 1, options: but("", &[("--pager", Runs)]) }),
    (
        "fd fdfind",
        Rule::Reads {
            skip: 1,
            options: but("deEtcSo", &[("-x", Runs), ("-X", Runs), ("--exec", Runs), ("--exec-batch", Runs)]),
        },
    ),
    ("bat batcat", Rule::Reads { skip: 0, options: but("lHrm", &[("--pager", Runs)]) }),
    ("exa eza", reads("LIts")),
    ("iconv", Rule::Reads { skip: 0, options: but("ft", &[("-o", Writes), ("--output", Writes)]) }),
    (
        "yq",
        Rule::Reads {
            skip: 1,
            options: but(
                "",
                &[
                    ("-i", Act::Changes),
                    ("--inplace", Act::Changes),
                    ("--in-place", Act::Changes),
                    ("-s", Act::Changes),
                    ("--split-exp", Act::Changes),
                ],
            ),
        },
    ),
    (
        "ss",
        Rule::Quiet(but(
            "fA",
            &[("-K", Act::Deletes), ("--kill", Act::Deletes), ("-D", Writes), ("--diag", Writes)],
        )),
    ),
    (
        "dmesg journalctl",
        Rule::Quiet(but(
            "",
            &[
                ("-c", Act::Deletes),
                ("-C", Act::Deletes),
                ("-D", Overwrite),
                ("-E", Overwrite),
                ("-n", Overwrite),
                ("--clear", Act::Deletes),
                ("--read-clear", Act::Deletes),
                ("--console", Overwrite),
                ("--vacuum", Act::Deletes),
                ("--rotate", Overwrite),
                ("--flush", Overwrite),
                ("--setup-keys", Overwrite),
                ("--sync", Overwrite),
                ("--relinquish-var", Overwrite),
                ("--smart-relinquish-var", Overwrite),
                ("--update-catalog", Overwrite),
                ("--vacuum-size", Act::Deletes),
                ("--vacuum-time", Act::Deletes),
                ("--vacuum-files", Act::Deletes),
            ],
        )),
    ),
    ("bc", reads("")),
    ("uniq", Rule::ReadsThenWrites { reads: 1, options: plain("fsw") }),
    ("xxd", Rule::ReadsThenWrites { reads: 1, options: plain("") }),
    ("pdftotext", Rule::Always(Unknown, "it writes a file beside the one that it reads")),
    ("hostname", Rule::Shows(Privilege, SYSTEM)),
    ("mount ip ifconfig sysctl swapon", Rule::Shows(Privilege, SYSTEM)),
    ("date", Rule::Own(Own::Date)),
    // Making, changing, deleting.
    ("mkdir", each(Act::Makes, 0, "m")),
    ("touch", each(Act::Touches, 0, "drt")),
    ("tee", each(Writes, 0, "")),
    ("mkfifo", each(Writes, 0, "m")),
    ("mknod", Rule::Always(Privilege, "it makes a device")),
    ("rm rmdir unlink shred wipe srm trash trash-put gio rmtrash", each(Act::Deletes, 0, "")),
    ("trash-empty trash-rm", Rule::Always(Deletes, "it empties the bin")),
    ("truncate fallocate", each(Act::Changes, 0, "srlo")),
    ("chmod chown chgrp chattr setfacl setfattr xattr chflags chcon chsh chfn", each(Act::Changes, 1, "")),
    (
        "ex ed vi vim nvim emacs nano pico sponge patch dos2unix unix2dos rename prename mmv install-info \
         sqlite3 split csplit indent clang-format black isort rustfmt prettier xmllint",
        Rule::Always(Unknown, "it may change files in ways that its words do not show"),
    ),
    ("cp", Rule::Own(Own::Copy)),
    ("mv", Rule::Own(Own::Move)),
    ("ln link", Rule::Own(Own::Link)),
    ("dd", Rule::Own(Own::Dd)),
    ("rsync", Rule::Own(Own::Rsync)),
    ("mktemp", Rule::Own(Own::Mktemp)),
    ("tar gtar bsdtar", Rule::Own(Own::Tar)),
    ("gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd compress uncompress lzma pigz", Rule::Own(Own::Gzip)),
    ("unzip", Rule::Own(Own::Unzip)),
    (
        "install ditto zip cpio ar 7z 7za unrar rar pax unar",
        Rule::Always(Overwrites, "it writes files that its words do not name"),
    ),
    // Languages.
    ("find gfind", Rule::Own(Own::Find)),
    ("sed gsed", Rule::Own(Own::Sed)),
    ("awk gawk mawk nawk", Rule::Own(Own::Awk)),
    ("git", Rule::Own(Own::Git)),
    (
        "python python3 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14",
        Rule::Own(Own::Python),
    ),
    ("sh bash dash ash ksh mksh rbash", Rule::Own(Own::Shell)),
    (
        "zsh fish csh tcsh pwsh xonsh nu perl ruby node nodejs deno bun php lua luajit tclsh R Rscript \
         osascript expect java go ghc runghc scala julia groovy m4 python2 gdb strace ltrace make gmake \
         cmake ninja npx npm yarn pnpm pipx uv cargo rustc gcc cc clang bundle gem tox pytest jupyter \
         screen tmux script shortcuts open xdg-open",
        Rule::Always(Unknown, CODE),
    ),
    ("pip pip3", Rule::Verbs { harmless: &["list", "show", "freeze"], otherwise: Unknown, why: CODE }),
    // Wrappers.
    ("sudo doas su pkexec runuser", Rule::Wraps(Wrapper::Rights)),
    (
        "chroot unshare nsenter setpriv capsh sg newgrp",
        Rule::Always(Privilege, "it changes rights or what the system looks like"),
    ),
    ("env", Rule::Wraps(Wrapper::Env)),
    ("nice", Rule::Wraps(Wrapper::Options { values: "n", operands: 0 })),
    ("ionice", Rule::Wraps(Wrapper::Options { values: "cnp", operands: 0 })),
    ("timeout gtimeout", Rule::Wraps(Wrapper::Options { values: "sk", operands: 1 })),
    ("stdbuf", Rule::Wraps(Wrapper::Options { values: "ioe", operands: 0 })),
    ("taskset chrt", Rule::Wraps(Wrapper::Options { values: "", operands: 1 })),
    (
        "nohup setsid unbuffer builtin caffeinate gtime",
        Rule::Wraps(Wrapper::Options { values: "", operands: 0 }),
    ),
    ("time", Rule::Wraps(Wrapper::Time)),
    ("exec", Rule::Wraps(Wrapper::Options { values: "a", operands: 0 })),
    ("command", Rule::Wraps(Wrapper::Command)),
    ("xargs", Rule::Wraps(Wrapper::Xargs)),
    ("busybox toybox", Rule::Wraps(Wrapper::Busybox)),
    (
        "watch parallel flock entr at batch systemd-run start-stop-daemon dbus-run-session fakeroot proot \
         firejail bwrap disown bg fg",
        Rule::Wraps(Wrapper::Beyond),
    ),
    // The network.
    ("curl wget http https aria2c lynx links w3m ftp lftp", Rule::Own(Own::Curl)),
    ("ping ping6 dig host nslookup traceroute whois nmap tracepath mtr", Rule::Always(Network, ASKS)),
    (
        "nc ncat netcat socat telnet ssh scp sftp mosh rclone mail mailx sendmail mutt msmtp gh glab hub \
         aws gcloud gsutil az heroku kubectl helm terraform ansible ansible-playbook twine vercel netlify \
         flyctl doctl s3cmd rsh rlogin psql mysql mongosh mongo redis-cli svn hg vagrant wrangler \
         firebase pulumi",
        Rule::Always(OutsideMachine, SENDS),
    ),
    // Processes, power, the system.
    ("kill pkill killall skill xkill fuser killall5", Rule::Always(Deletes, "it ends processes")),
    ("renice", Rule::Always(Overwrites, "it changes processes")),
    (
        "shutdown reboot halt poweroff init telinit service rc-service pmset loginctl",
        Rule::Always(Privilege, SYSTEM),
    ),
    (
        "systemctl launchctl",
        Rule::Verbs {
            harmless: &["status", "list-units", "is-active", "is-enabled", "show", "cat", "list"],
            otherwise: Privilege,
            why: SYSTEM,
        },
    ),
    ("crontab", Rule::Always(Overwrites, "it changes the user's schedule")),
    (
        "mkfs mkfs.ext4 mkfs.ext3 mkfs.ext2 mkfs.xfs mkfs.btrfs mkfs.vfat mke2fs fdisk sfdisk gdisk \
         sgdisk parted wipefs mkswap swapoff umount losetup cryptsetup lvremove vgremove pvremove mdadm \
         hdparm blkdiscard diskutil fsck e2fsck tune2fs resize2fs zpool zfs btrfs badblocks dmsetup \
         fstrim nvme",
        Rule::Always(Deletes, "it works on a device"),
    ),
    (
        "apt brew snap flatpak defaults",
        Rule::Verbs {
            harmless: &["list", "show", "search", "policy", "info", "read"],
            otherwise: Privilege,
            why: SYSTEM,
        },
    ),
    (
        "apt-get aptitude dpkg yum dnf rpm pacman zypper apk port nix-env useradd userdel usermod \
         groupadd groupdel groupmod adduser deluser passwd chpasswd visudo vipw gpasswd iptables \
         ip6tables nft ufw firewall-cmd setenforce modprobe insmod rmmod kexec update-grub grub-install \
         scutil csrutil spctl dscl nvram bless tmutil ldconfig update-alternatives hostnamectl \
         timedatectl localectl hwclock route arp iwconfig nmcli setcap quotaoff logrotate updatedb depmod",
        Rule::Always(Privilege, SYSTEM),
    ),
    (
        "docker podman nerdctl docker-compose buildah lxc lxc-destroy virsh qemu-img ctr crictl multipass",
        Rule::Verbs {
            harmless: &["ps", "images", "version", "info", "logs", "top", "port", "diff", "stats"],
            otherwise: Privilege,
            why: "containers and machines are run with the rights of the system",
        },
    ),
    (
        "gpg gpg2 openssl ssh-keygen ssh-add pass security keychain secret-tool",
        Rule::Always(Unknown, "it works with keys"),
    ),
];

/// What an option does that makes the program change something its words do not name.
#[expect(non_upper_case_globals, reason = "it stands among the variants of Act in the table")]
const Overwrite: Act = Other(Overwrites, "this option changes what is there");

/// The name by which the table knows a program, if it lies where programs of that name lie.
pub(super) fn name(program: &str) -> Option<&str> {
    match program.rsplit_once('/') {
        None => Some(program),
        Some((folder, name)) => FOLDERS.contains(&folder).then_some(name),
    }
}

/// The rule of a program.
pub(super) fn rule(name: &str) -> Option<Rule> {
    TABLE.iter().find(|(names, _)| names.split(' ').any(|one| one == name)).map(|(_, rule)| *rule)
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
