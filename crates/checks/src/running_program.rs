//! Whether a file is a program that runs.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

/// The most bytes of a program's name that the kernel tells.
const LONGEST_NAME: usize = 15;

/// Whether some process runs this program or script, whose path is absolute and without links. What is asked about it may be
/// about the process, which goes on whether the file can be read or not. False where processes cannot be listed:
/// other systems than Linux have no `/proc`, and those of other people are not shown.
/// ```
/// let own = std::env::current_exe().unwrap().canonicalize().unwrap();
/// assert_eq!(artoo_checks::runs_program(&own), cfg!(target_os = "linux"));
/// assert!(!artoo_checks::runs_program(std::path::Path::new("/tmp")));
/// ```
pub fn runs_program(file: &Path) -> bool {
    let mut processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.any(|process| {
        let process = process.path();
        fs::read_link(process.join("exe")).is_ok_and(|program| program == file) || runs_script(&process, file)
    })
}

/// Whether a process is that of an interpreter which runs this script: it bears its name, and is given its path first.
fn runs_script(process: &Path, script: &Path) -> bool {
    let Some(name) = script.file_name().map(OsStr::as_encoded_bytes) else { return false };
    let told = name.get(..LONGEST_NAME).unwrap_or(name);
    if !fs::read(process.join("comm")).is_ok_and(|comm| comm.trim_ascii_end() == told) {
        return false;
    }
    let arguments = fs::read(process.join("cmdline")).unwrap_or_default();
    let path = arguments.split(|byte| *byte == 0).nth(1).unwrap_or_default();
    // Of a path that is not absolute, the folder of the process is where it begins.
    let path = std::str::from_utf8(path).ok().map(|path| process.join("cwd").join(path));
    path.and_then(|path| path.canonicalize().ok()).is_some_and(|path| path == script)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::{Command, Stdio};

    use super::*;

    #[expect(clippy::disallowed_methods, reason = "the test ends the processes itself")]
    #[test]
    fn a_script_runs_until_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().canonicalize().unwrap().join("a-long-named-service");
        fs::write(&script, "#!/bin/sh\nread end\n").unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(!runs_program(&script));
        // Who only reads it does not run it.
        let mut reader = Command::new("/bin/sh")
            .args(["-c", "read end"])
            .arg(&script)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        assert!(!runs_program(&script));
        reader.kill().unwrap();
        reader.wait().unwrap();
        // Another process may still hold the file open for writing, which a fork of it inherited.
        let start = || {
            let mut command = Command::new("./a-long-named-service");
            command.current_dir(&folder).stdin(Stdio::piped()).spawn()
        };
        let mut process = (0..50)
            .find_map(|_| start().map_err(|_| std::thread::sleep(std::time::Duration::from_millis(20))).ok())
            .unwrap();
        let runs = (0..50).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            runs_program(&script)
        });
        assert!(runs);
        process.kill().unwrap();
        process.wait().unwrap();
        assert!(!runs_program(&script));
    }
}
