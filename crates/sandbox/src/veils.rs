//! Folders that a command sees through an overlay, so that no socket in them answers it.
//!
//! The kernel finds a socket by the inode to which it was bound. An overlay shows each file by an inode of its own, so
//! whoever connects through it is refused, no matter when the socket was bound. Files and their contents are the real ones.
//!
//! The price is that of an overlay whose lower layer changes: what a command looked for in vain stays absent for it when
//! another program creates it, and a list of the folder that it read once stays as it is.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{Access, Mode, access, open};
use rustix::io::Errno;
use rustix::mount::{MountFlags, mount};
use rustix::process::{chdir, fchdir, getuid};

use crate::child_data::c_string;
use crate::child_namespace::{self, as_c, escaped, outermost};
use crate::mounts::{FOLDER, MOST_HELD, MountPoint, OpenPlaces, empty_file_system, mount_points, put_mount};
use crate::network_namespace::may_pass;

/// Where programs make their sockets, by the Filesystem Hierarchy Standard.
const FOLDERS: [&str; 2] = ["/run", "/tmp"];

/// An overlay on one folder, with nothing in its upper layer.
#[derive(Debug, Clone)]
pub(crate) struct Veil {
    path: PathBuf,
    folder: CString,
    options: CString,
    /// What lies in the folder and is shown as it is.
    real: Vec<CString>,
}

impl Veil {
    fn of(path: &Path, real: &[PathBuf]) -> io::Result<Self> {
        let mut options = b"lowerdir=.:".to_vec();
        options.extend(escaped(path));
        options.extend(b",userxattr");
        let real = outermost(real.iter().filter(|place| place.starts_with(path)));
        let real: Vec<CString> = real.map(as_c).collect::<io::Result<_>>()?;
        if real.len() > MOST_HELD {
            return Err(io::Error::other("more lies in it than can be shown as it is"));
        }
        Ok(Self { path: path.to_owned(), folder: as_c(path)?, options: c_string(&options)?, real })
    }

    /// The folder, which exists only once it is mounted.
    pub(crate) fn folder(&self) -> &CString {
        &self.folder
    }

    /// Mounts it. Bare system calls only.
    pub(crate) fn mount(&self) -> Result<(), Errno> {
        let held = OpenPlaces::of(&self.real)?;
        let folder = open(self.folder.as_c_str(), FOLDER, Mode::empty())?;
        fchdir(&folder)?;
        drop(folder);
        // An overlay without an upper layer needs two lower ones: the folder, and an empty one that lies on it by now.
        put_mount(&empty_file_system(c"0755")?, &self.folder)?;
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        mount(c"overlay", self.folder.as_c_str(), c"overlay", flags, Some(self.options.as_c_str()))?;
        chdir(c"/")?;
        held.put_back(&self.real)
    }
}

/// What a command sees as it is, not through a veil.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shown {
    /// What it may change, and the sockets that the user named, by their real paths.
    pub(crate) granted: Vec<PathBuf>,
    /// The folder in which it starts.
    pub(crate) start: PathBuf,
}

/// The veils for a command to which this is shown, but for those that this machine is known to refuse.
///
/// A folder around a hidden place gets none: what may be read there is granted entry by entry, and not through an overlay.
pub(crate) fn over_sockets(shown: &Shown, hidden: &[PathBuf]) -> Vec<Veil> {
    let refused = REFUSED.lock().unwrap_or_else(PoisonError::into_inner);
    let veils = possible(shown, hidden).into_iter();
    veils.filter(|veil| !refused.contains(&veil.path)).collect()
}

/// The same, whatever this machine refuses.
fn possible(shown: &Shown, hidden: &[PathBuf]) -> Vec<Veil> {
    let Ok(points) = mount_points() else { return Vec::new() };
    let folders = folders(&points);
    let is_open = |folder: &&PathBuf| {
        !hidden.iter().any(|place| place.starts_with(folder))
            && !shown.granted.iter().any(|place| folder.starts_with(place))
    };
    let points = points.into_iter().map(|point| point.path);
    let shown = shown.granted.iter().cloned().chain(shown.start.canonicalize().ok());
    let mut within: Vec<PathBuf> = points.chain(shown).filter(|place| is_within(place, &folders)).collect();
    within.sort();
    let veils = folders.iter().filter(is_open).filter_map(|folder| {
        let real: Vec<PathBuf> = within.iter().filter(|place| *place != folder).cloned().collect();
        Veil::of(folder, &real).ok()
    });
    veils.collect()
}

/// The folders in which a command that was granted nothing there reaches no socket of another program, whenever that is
/// bound. It takes a trial of about a millisecond, once.
///
/// ```
/// for folder in artoo_sandbox::veiled_folders() {
///     assert!(folder.is_absolute());
/// }
/// ```
pub fn veiled_folders() -> Vec<PathBuf> {
    try_out();
    over_sockets(&Shown::default(), &[]).into_iter().map(|veil| veil.path).collect()
}

/// Whether a place lies in one of the folders, and this user can reach it: what it cannot reach cannot be shown either. The place
/// itself is not looked at, because a file system mounted there may not answer.
fn is_within(place: &Path, folders: &[PathBuf]) -> bool {
    let is_reached = |around: &Path| access(around, Access::EXEC_OK).is_ok();
    folders.iter().any(|folder| place.starts_with(folder) && place != folder)
        && place.parent().is_some_and(is_reached)
}

/// The folders with sockets, parents first: the usual ones, and what is mounted in them for this user, which holds the
/// sockets of a session.
fn folders(points: &[MountPoint]) -> Vec<PathBuf> {
    let usual: Vec<PathBuf> = FOLDERS
        .iter()
        .filter_map(|folder| Path::new(folder).canonicalize().ok())
        .filter(|folder| folder.is_dir() && folder.parent().is_some())
        .collect();
    let own = getuid().as_raw();
    let is_own = |path: &Path| path.metadata().is_ok_and(|found| found.is_dir() && found.uid() == own);
    let mounted = points.iter().filter(|point| {
        point.is_in_memory
            && usual.iter().any(|folder| point.path.starts_with(folder))
            && !usual.contains(&point.path)
            && is_own(&point.path)
    });
    let mut folders: Vec<PathBuf> = mounted.map(|point| point.path.clone()).chain(usual.clone()).collect();
    folders.sort();
    folders.dedup();
    folders
}

/// The folders on which this machine can mount no veil.
static REFUSED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Tries the veils of a command to which nothing is shown: all together, and each alone if that fails. What is shown to a command
/// may be the reason that its own veils failed, and counts for nobody else. A command whose veils could not be mounted asks for
/// it, so that a machine which can mount them pays for no trial.
pub(crate) fn try_out() {
    let refused = refused(&possible(&Shown::default(), &[]));
    *REFUSED.lock().unwrap_or_else(PoisonError::into_inner) = refused;
}

/// The folders of these veils that cannot be mounted, whatever has run out at the moment.
fn refused(veils: &[Veil]) -> BTreeSet<PathBuf> {
    if child_namespace::try_with(veils).is_ok() {
        return BTreeSet::new();
    }
    let is_refused = |veil: &&Veil| {
        child_namespace::try_with(std::slice::from_ref(*veil)).is_err_and(|error| !may_pass(&error))
    };
    veils.iter().filter(is_refused).map(|veil| veil.path.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::child_namespace::ChildNamespace;
    use crate::spawn::try_namespace;

    #[test]
    fn a_folder_is_veiled_but_around_what_is_hidden_and_within_what_is_shown() {
        let paths = |places: &[&str]| places.iter().map(PathBuf::from).collect::<Vec<_>>();
        let veiled = |granted: &[&str], hidden: &[&str]| {
            let shown = Shown { granted: paths(granted), start: "/tmp".into() };
            over_sockets(&shown, &paths(hidden)).iter().any(|veil| veil.path == Path::new("/tmp"))
        };
        if !veiled(&[], &[]) {
            artoo_test_needs::skip(artoo_test_needs::Ability::Overlays, "no overlay can be mounted on /tmp");
            return;
        }
        assert!(veiled(&["/tmp/work"], &["/home/ada/.ssh"]));
        assert!(!veiled(&["/tmp"], &[]) && !veiled(&["/"], &[]), "the command may write all of it");
        assert!(!veiled(&[], &["/tmp/home/.ssh"]));
    }

    #[test]
    fn a_veil_is_refused_by_itself() {
        let [mut veils, none] = [possible(&Shown::default(), &[]), Vec::new()];
        assert_eq!(refused(&none), BTreeSet::new());
        let known = refused(&veils);
        veils.push(Veil::of(Path::new("/no such folder"), &[]).unwrap());
        let missing = PathBuf::from("/no such folder");
        assert_eq!(refused(&veils), known.into_iter().chain([missing]).collect());
    }

    #[test]
    fn a_veil_that_cannot_be_mounted_is_told_apart_from_other_failures() {
        if !child_namespace::works() {
            artoo_test_needs::skip(artoo_test_needs::Ability::Namespaces, "no namespaces can be made");
            return;
        }
        let missing = Veil::of(Path::new("/no such folder"), &[]).unwrap();
        let namespace = ChildNamespace::bare(&[missing]).unwrap();
        assert!(try_namespace(&namespace).is_err() && namespace.failed_at_veils());
        let namespace = ChildNamespace::bare(&[]).unwrap();
        assert!(try_namespace(&namespace).is_ok() && !namespace.failed_at_veils());
    }

    #[test]
    fn what_lies_in_it_is_shown_by_its_outermost_folder() {
        let real: Vec<PathBuf> =
            ["/run/user/1", "/run/user/1/doc", "/srv", "/tmp/a"].iter().map(PathBuf::from).collect();
        let veil = Veil::of(Path::new("/run"), &real).unwrap();
        assert_eq!(veil.real, [c_string(b"/run/user/1").unwrap()]);
    }
}
