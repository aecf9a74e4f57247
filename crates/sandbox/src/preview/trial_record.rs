//! A trial that succeeded, remembered until the machine boots again.
//!
//! The record is one small file of the caller's. Its text names everything that the trial's result depends on, and it counts only if it
//! equals the text that this process would write now, byte by byte: nothing in it is parsed. Only successes are
//! recorded, and a record grants nothing: each command is confined anew, and a layer that cannot be laid fails as it does without a record.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::OFlags;
use rustix::process::geteuid;

/// The first line: another kind of trial gets another one.
const KIND: &str = "a trial of artoo's previews succeeded, version 1";
/// What the kernel says about itself, this boot and the rights of this process.
const TOLD: [&str; 4] = [
    "/proc/sys/kernel/random/boot_id",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/kernel/version",
    "/proc/self/attr/current",
];
/// The namespaces that decide what a process may mount, and where.
const NAMESPACES: [&str; 2] = ["/proc/self/ns/user", "/proc/self/ns/mnt"];
/// The lines of `/proc/self/status` about rights.
const RIGHTS: [&str; 6] = ["Uid:", "Gid:", "CapEff:", "NoNewPrivs:", "Seccomp:", "Seccomp_filters:"];
/// The permission bits of group and others.
const OTHERS: u32 = 0o077;

/// Whether a trial with the same result is on record. What is damaged, out of date or not this user's own says no.
pub(super) fn holds(record: &Path, place: &Path) -> bool {
    conditions(place).is_some_and(|expected| is_exactly(record, expected.as_bytes()).unwrap_or(false))
}

/// Records a trial that succeeded. Without a record the next process makes its own trial, so a failure to write is none of the caller's
/// concern.
pub(super) fn keep(record: &Path, place: &Path) {
    if let Some(conditions) = conditions(place) {
        let _ = replace(record, conditions.as_bytes());
    }
}

/// Removes a record that has proven wrong.
pub(super) fn discard(record: &Path) {
    // If it stays, each process that relies on it finds out the same.
    let _ = fs::remove_file(record);
}

/// Everything that a trial's result depends on. `None` on a system that does not tell.
fn conditions(place: &Path) -> Option<String> {
    let mut lines = vec![KIND.to_owned()];
    for path in TOLD {
        // A kernel without security modules has no label.
        let text = fs::read_to_string(path).or_else(|error| match path {
            "/proc/self/attr/current" => Ok(String::new()),
            _ => Err(error),
        });
        lines.push(text.ok()?.trim_end_matches(['\0', '\n']).to_owned());
    }
    for namespace in NAMESPACES {
        lines.push(fs::read_link(namespace).ok()?.display().to_string());
    }
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let rights = status.lines().filter(|line| RIGHTS.iter().any(|name| line.starts_with(name)));
    lines.extend(rights.map(str::to_owned));
    let program = fs::metadata("/proc/self/exe").ok()?;
    let changed = (program.ctime(), program.ctime_nsec());
    lines.push(format!("{} {} {} {changed:?}", program.dev(), program.ino(), program.size()));
    let folder = place.ancestors().find_map(|folder| folder.metadata().ok())?;
    lines.push(format!("{}", folder.dev()));
    Some(lines.join("\n"))
}

/// Whether a file that only this user can write has exactly this content.
fn is_exactly(path: &Path, expected: &[u8]) -> io::Result<bool> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let file: File = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let found = file.metadata()?;
    let is_own = found.is_file() && found.uid() == geteuid().as_raw() && found.mode() & OTHERS == 0;
    if !is_own || found.len() != expected.len() as u64 {
        return Ok(false);
    }
    let mut content = Vec::new();
    file.take(found.len().saturating_add(1)).read_to_end(&mut content)?;
    Ok(content == expected)
}

fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let new = path.with_extension(format!("{}-{number}.new", rustix::process::getpid()));
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&new)
        .and_then(|mut file| file.write_all(text))
        .and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        // The first error is told; the file may not even be there.
        let _ = fs::remove_file(&new);
    }
    written
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    #[test]
    fn only_an_own_record_of_the_same_conditions_counts() {
        let folder = tempfile::tempdir().unwrap();
        let (record, place) = (folder.path().join("record"), folder.path().join("runs/1/preview"));
        assert!(!holds(&record, &place), "there is none");
        keep(&record, &place);
        assert!(holds(&record, &place));
        assert_eq!(record.metadata().unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
        assert!(!holds(&record, Path::new("/proc")), "another disk is another condition");

        let text = fs::read(&record).unwrap();
        for damaged in
            [&text[1..], b"".as_slice(), &[text.as_slice(), b"\n"].concat(), &vec![b'x'; text.len()]]
        {
            fs::write(&record, damaged).unwrap();
            assert!(!holds(&record, &place), "{}", String::from_utf8_lossy(damaged));
        }
        keep(&record, &place);
        fs::set_permissions(&record, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(!holds(&record, &place), "others can read it: artoo writes no such file");
        keep(&record, &place);
        assert!(holds(&record, &place), "it is replaced, whatever it was");

        let elsewhere = folder.path().join("elsewhere");
        fs::rename(&record, &elsewhere).unwrap();
        symlink(&elsewhere, &record).unwrap();
        assert!(!holds(&record, &place), "a link is no record");
        discard(&record);
        assert!(elsewhere.exists() && !record.is_symlink());
        fs::create_dir(&record).unwrap();
        assert!(!holds(&record, &place));
        keep(&record, &place);
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            2,
            "a record that cannot be written leaves nothing"
        );
    }

    /// Another boot, kernel, program or set of rights is another text: each line of it counts.
    #[test]
    fn every_condition_is_in_the_text() {
        let folder = tempfile::tempdir().unwrap();
        let (record, place) = (folder.path().join("record"), folder.path().to_owned());
        let text = conditions(&place).unwrap();
        assert!(text.lines().count() >= 1 + TOLD.len() + NAMESPACES.len() + 2, "{text}");
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
        assert!(text.contains(boot.trim()), "{text}");
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
            let mut other: Vec<String> = text.lines().map(str::to_owned).collect();
            let mut bytes = line.as_bytes().to_vec();
            bytes[0] ^= 1;
            other[number] = String::from_utf8(bytes).unwrap();
            replace(&record, other.join("\n").as_bytes()).unwrap();
            assert!(!holds(&record, &place), "{line}");
        }
    }
}
