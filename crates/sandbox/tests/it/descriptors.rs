//! What artoo's parent left open is not open in a command.

use std::fs::{self, File};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use artoo_sandbox::{Ending, SandboxMode};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pipe::pipe;

use crate::setup::{Bench, confined_bench};

/// What can be done with an inherited descriptor, as a script in which `N` is its number.
const USES: [(&str, &str); 8] = [
    ("write to a file", "echo x >&N"),
    ("read a file", "cat <&N"),
    ("read a file by its name in /proc", "cat /proc/self/fd/N"),
    ("list a folder", "ls /proc/self/fd/N/"),
    ("read in a folder", "cat /proc/self/fd/N/secret"),
    ("write in a folder", "echo x > /proc/self/fd/N/new"),
    ("write to a socket or pipe", "printf x >&N"),
    ("read from a socket or pipe", "head -c 1 <&N"),
];

#[tokio::test]
async fn nothing_above_the_standard_streams_is_inherited() {
    let benches = confined_bench().into_iter().chain(confined_bench().map(|mut bench| {
        bench.mode = SandboxMode::ReadOnly;
        bench
    }));
    for bench in benches.chain([Bench::new(SandboxMode::FullAccess)]) {
        let secret = bench.outside.join("secret");
        fs::write(&secret, "secret").unwrap();
        let (mut socket, kept) = UnixStream::pair().unwrap();
        std::io::Write::write_all(&mut socket, b"s").unwrap();
        let (reader, writer) = pipe().unwrap();
        rustix::io::write(&writer, b"p").unwrap();
        let opened: Vec<OwnedFd> = vec![
            File::open(&secret).unwrap().into(),
            File::options().write(true).open(&secret).unwrap().into(),
            open(&bench.outside, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap(),
            open(&bench.outside, OFlags::PATH, Mode::empty()).unwrap(),
            kept.into(),
            reader,
            writer,
        ];
        for descriptor in &opened {
            fcntl_setfd(descriptor, FdFlags::empty()).unwrap();
        }
        // The shell opens none of its own, so only its streams and what lists them are there.
        let ran = bench.sh("ls /proc/self/fd").await;
        assert_eq!(ran.out(), "0\n1\n2\n3", "{}: {}", bench.mode, ran.err());
        for descriptor in opened.iter().map(AsRawFd::as_raw_fd) {
            for (use_, script) in USES {
                let ran = bench.sh(&script.replace('N', &descriptor.to_string())).await;
                assert_ne!(ran.outcome.ending, Ending::Exited(0), "{}: {use_} {descriptor}", bench.mode);
                assert_eq!(ran.out(), "", "{}: {use_} {descriptor}", bench.mode);
            }
        }
        assert_eq!(fs::read_to_string(&secret).unwrap(), "secret");
        assert_eq!(fs::read_dir(&bench.outside).unwrap().count(), 1);
    }
}
