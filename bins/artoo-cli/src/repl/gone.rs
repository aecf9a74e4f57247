//! A terminal that goes away while nobody is told.

use std::io;

use nix::sys::termios::tcgetsid;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::retry_on_intr;
use rustix::process::{Signal, getpid, kill_process};

/// Hangs up where the terminal is gone. Whoever has it as controlling terminal hears that from the kernel; anybody else, for example a
/// program in a terminal of a test or of a container, would look for keys for ever.
pub(super) fn watch() -> io::Result<()> {
    // It tells its session to nobody else. The number says nothing: a session outside of a container's own processes has 0.
    let hears_it = tcgetsid(io::stdin()).is_ok();
    if hears_it {
        return Ok(());
    }
    let thread = std::thread::Builder::new().name("artoo-terminal".to_owned());
    thread.spawn(|| {
        let stdin = io::stdin();
        // Nothing is waited for, so only the end of the terminal comes.
        let mut end = [PollFd::new(&stdin, PollFlags::empty())];
        if retry_on_intr(|| poll(&mut end, None)).is_ok() {
            // This process is there.
            let _ = kill_process(getpid(), Signal::HUP);
        }
    })?;
    Ok(())
}
