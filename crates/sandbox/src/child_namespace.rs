//! The namespaces of one command: what it sees of the file system, which of that it can change, and who else is there.
//!
//! Everything can only be read but the folders that are granted: folders under an overlay, which take every write into a layer; folders
//! that are granted as they are; and the private folder for temporary files. Read-only mounts hold for what Landlock does not know: modes,
//! owners, times, attributes. Hidden places are covered by an empty file system that nobody may read.
//!
//! There is no namespace of process numbers, though the kernel would end every process in it with its first one: `ps` and its like look for
//! themselves in `/proc` and find nobody, and with a `/proc` of its own a command would see no process of the machine.
//!
//! [`enter`](ChildNamespace::enter) runs in the first process of the command, in memory that belongs to this process
//! ([`crate::first_process`]): bare system calls on strings that were made before, and no allocation.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_int};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::fs::{Mode, OFlags, fstat, mkdir, open, openat};
use rustix::io::{Errno, write};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind_recursive, mount_change};
use rustix::process::{chdir, fchdir, getegid, geteuid};

use crate::mounts::{clone_of, clone_within, empty_file_system, mount_points, put_mount, set_read_only};
use crate::prepared::c_string;
use crate::preview::{Layer, OverlayDirs};
use crate::spawn;
use crate::{Confinement, SandboxError, SandboxMode, capabilities};

const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// File systems mounted within one overlaid folder: their descriptors lie on the child's stack.
const MOST_MOUNTS: usize = 64;

/// What is done, in order; the words of an error.
const STEPS: [&str; 6] = [
    "naming its user in a namespace",
    "separating its mounts",
    "overlaying its folders",
    "granting and sealing folders",
    "hiding protected places",
    "making everything else read-only",
];

/// What one command is born into.
#[derive(Debug)]
pub(crate) struct ChildNamespace {
    own_users: Option<OwnUsers>,
    overlays: Vec<Overlay>,
    /// Folders that stay what they are and can be written, the private one for temporary files last.
    writable: Vec<CString>,
    /// Folders between a granted folder and a sealed part. Mounted on themselves, they cannot be renamed, so that nothing else can
    /// be put in the part's place. Parents come first.
    pinned: Vec<CString>,
    sealed: Vec<CString>,
    hidden: Vec<Hidden>,
    /// The steps that are done.
    steps: AtomicUsize,
}

/// The maps of a user namespace in which this user is who they are, and nobody else is anybody.
#[derive(Debug)]
struct OwnUsers {
    user: CString,
    group: CString,
}

#[derive(Debug)]
struct Overlay {
    root: CString,
    /// Device and inode of the real folder.
    identity: (u64, u64),
    options: CString,
    /// Where other file systems are mounted in it, which the overlay would not show.
    mounted: Vec<CString>,
}

/// A place that the command cannot read.
#[derive(Debug)]
struct Hidden {
    path: CString,
    is_folder: bool,
    /// Folders to make in what covers it, and what of the granted then stands there again.
    ways: Vec<CString>,
}

impl ChildNamespace {
    /// What `confinement` grants, seals and hides, and overlays on the folders of `overlay_dirs`.
    pub(crate) fn build(
        program: &str,
        confinement: &Confinement,
        overlay_dirs: Option<&OverlayDirs>,
    ) -> Result<Self, SandboxError> {
        let unfit = |source| namespace_error(program, "preparing its namespaces", source);
        let layers = overlay_dirs.map(|overlay_dirs| overlay_dirs.layers.as_slice()).unwrap_or_default();
        let mut writable = Vec::new();
        for folder in confinement.granted() {
            let grant =
                |source| SandboxError::Grant { program: program.to_owned(), path: folder.clone(), source };
            writable.push(folder.canonicalize().map_err(grant)?);
        }
        // The private folder comes first in what is granted, and is mounted last: it may lie in another one, or in a hidden place.
        writable.reverse();
        let mounts = if layers.is_empty() { Vec::new() } else { mount_points().map_err(unfit)? };
        let (pinned, sealed) = sealed_parts(program, confinement)?;
        Ok(Self {
            own_users: OwnUsers::if_needed().map_err(unfit)?,
            overlays: layers
                .iter()
                .map(|layer| Overlay::of(layer, &mounts))
                .collect::<io::Result<_>>()
                .map_err(unfit)?,
            hidden: hidden(&confinement.hidden, &writable).map_err(unfit)?,
            writable: c_strings(&writable).map_err(unfit)?,
            pinned: c_strings(&pinned).map_err(unfit)?,
            sealed: c_strings(&sealed).map_err(unfit)?,
            steps: AtomicUsize::new(0),
        })
    }

    /// One with nothing in it, to try whether it can be had.
    fn bare() -> io::Result<Self> {
        Ok(Self {
            own_users: OwnUsers::if_needed()?,
            overlays: Vec::new(),
            writable: Vec::new(),
            pinned: Vec::new(),
            sealed: vec![c_string(b"/dev/null")?],
            hidden: Vec::new(),
            steps: AtomicUsize::new(0),
        })
    }

    /// What the first process must be born with.
    pub(crate) fn flags(&self) -> c_int {
        let own_users = if self.own_users.is_some() { libc::CLONE_NEWUSER } else { 0 };
        own_users | libc::CLONE_NEWNS | libc::CLONE_NEWIPC
    }

    /// The folders that come into being with the overlays.
    pub(crate) fn overlaid(&self) -> Vec<CString> {
        self.overlays.iter().map(|overlay| overlay.root.clone()).collect()
    }

    /// The step at which it failed.
    pub(crate) fn failed_step(&self) -> &'static str {
        STEPS.get(self.steps.load(Ordering::Relaxed)).copied().unwrap_or("making its namespaces")
    }

    /// In the first process: goes there. Bare system calls only.
    pub(crate) fn enter(&self) -> Result<(), Errno> {
        if let Some(own) = &self.own_users {
            // Without this, the kernel lets no ordinary user map a group.
            put(c"/proc/self/setgroups", c"deny")?;
            put(c"/proc/self/uid_map", &own.user)?;
            put(c"/proc/self/gid_map", &own.group)?;
        }
        self.next_step();
        // Nobody else sees what is mounted from here on.
        mount_change(c"/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
        // Held open, because the place may be covered by what comes. There is always one where there is anything to cover it.
        let tmp = self.writable.last().map(|tmp| clone_of(tmp)).transpose()?;
        self.next_step();
        self.overlays.iter().try_for_each(Overlay::mount)?;
        self.next_step();
        let granted = self.writable.split_last().map(|(_, granted)| granted).unwrap_or_default();
        for folder in granted.iter().chain(&self.pinned).chain(&self.sealed) {
            mount_bind_recursive(folder.as_c_str(), folder.as_c_str())?;
        }
        self.next_step();
        self.hide()?;
        if let Some((tmp, place)) = tmp.as_ref().zip(self.writable.last()) {
            put_mount(tmp, place)?;
        }
        self.next_step();
        set_read_only(c"/", true)?;
        let overlaid = self.overlays.iter().map(|overlay| &overlay.root);
        // What is mounted within, the sealed parts among it, stays read-only.
        overlaid
            .chain(&self.writable)
            .chain(&self.pinned)
            .try_for_each(|folder| set_read_only(folder, false))?;
        self.next_step();
        Ok(())
    }

    /// Covers each hidden place by a folder or a file that nobody may read.
    fn hide(&self) -> Result<(), Errno> {
        if self.hidden.is_empty() {
            return Ok(());
        }
        let cover = empty_file_system(c"0")?;
        openat(&cover, c"file", OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
        for hidden in &self.hidden {
            match (hidden.is_folder, hidden.ways.is_empty()) {
                (false, _) => put_mount(&clone_within(&cover, c"file")?, &hidden.path)?,
                (true, true) => put_mount(&clone_within(&cover, c"")?, &hidden.path)?,
                (true, false) => {
                    // It can be passed, and not be read.
                    put_mount(&empty_file_system(c"0111")?, &hidden.path)?;
                    for way in &hidden.ways {
                        match mkdir(way.as_c_str(), Mode::from_raw_mode(0o111)) {
                            Ok(()) | Err(Errno::EXIST) => {}
                            Err(error) => return Err(error),
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn next_step(&self) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }
}

/// Whether this machine gives a command namespaces of its own, found out once by doing it.
pub(crate) fn works() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| ChildNamespace::bare().and_then(|bare| spawn::try_namespace(&bare)).is_ok())
}

pub(crate) fn namespace_error(program: &str, step: &'static str, source: io::Error) -> SandboxError {
    SandboxError::Namespace { program: program.to_owned(), step, source }
}

impl OwnUsers {
    fn if_needed() -> io::Result<Option<Self>> {
        if capabilities::may_mount()? {
            return Ok(None);
        }
        let map = |id: u32| c_string(format!("{id} {id} 1").as_bytes());
        Ok(Some(Self { user: map(geteuid().as_raw())?, group: map(getegid().as_raw())? }))
    }
}

impl Overlay {
    fn of(layer: &Layer, mounts: &[PathBuf]) -> io::Result<Self> {
        let mut options = b"lowerdir=.,upperdir=".to_vec();
        options.extend(escaped(&layer.upper));
        options.extend(b",workdir=");
        options.extend(escaped(&layer.work));
        // Attributes of users, because those of the kernel are the administrator's. Nothing needs to survive a crash. No index of hard
        // links, whatever is usual on this machine: a file with several names is refused instead.
        options.extend(b",userxattr,volatile,index=off");
        let found = fstat(&layer.real)?;
        let within = |mount: &&PathBuf| **mount != layer.root && mount.starts_with(&layer.root);
        let mounted: Vec<CString> =
            outermost(mounts.iter().filter(within)).map(as_c).collect::<io::Result<_>>()?;
        if mounted.len() > MOST_MOUNTS {
            return Err(io::Error::other("more file systems are mounted in it than can be shown"));
        }
        Ok(Self {
            root: as_c(&layer.root)?,
            identity: (found.st_dev, found.st_ino),
            options: c_string(&options)?,
            mounted,
        })
    }

    /// Lays it over the folder, which must still be the one that was looked at, and puts back what is mounted within.
    fn mount(&self) -> Result<(), Errno> {
        let mut held = [const { None::<OwnedFd> }; MOST_MOUNTS];
        for (place, mounted) in held.iter_mut().zip(&self.mounted) {
            *place = Some(clone_of(mounted)?);
        }
        let folder = open(self.root.as_c_str(), FOLDER, Mode::empty())?;
        let found = fstat(&folder)?;
        if (found.st_dev, found.st_ino) != self.identity {
            return Err(Errno::STALE);
        }
        fchdir(&folder)?;
        drop(folder);
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        mount(c"overlay", c".", c"overlay", flags, Some(self.options.as_c_str()))?;
        // Nothing of the real folder is held by what comes.
        chdir(c"/")?;
        for (mount, place) in held.iter().zip(&self.mounted) {
            if let Some(mount) = mount {
                put_mount(mount, place)?;
            }
        }
        Ok(())
    }
}

/// The parts of granted folders that stay as they are, and the folders on the way to them.
fn sealed_parts(
    program: &str,
    confinement: &Confinement,
) -> Result<(BTreeSet<PathBuf>, BTreeSet<PathBuf>), SandboxError> {
    let (mut pinned, mut sealed) = (BTreeSet::new(), BTreeSet::new());
    match confinement.mode {
        SandboxMode::WorkspaceWrite => {}
        SandboxMode::ReadOnly | SandboxMode::FullAccess => return Ok((pinned, sealed)),
    }
    for path in &confinement.sealed {
        let refused = |source| SandboxError::Seal { program: program.to_owned(), path: path.clone(), source };
        let Some(real) = real_path(path).map_err(refused)? else { continue };
        let roots = confinement.writable.iter().filter_map(|root| root.canonicalize().ok());
        if let Some(root) = roots.filter(|root| real.starts_with(root)).min() {
            let between = real.ancestors().skip(1);
            let between = between.take_while(|above| above.starts_with(&root) && **above != *root);
            pinned.extend(between.map(Path::to_owned));
            sealed.insert(real);
        }
    }
    Ok((pinned, sealed))
}

/// The path without symlinks on the way; nothing where nothing is there any more. A symlink itself cannot be sealed: it would be its
/// target that is, and the name would stay free for something else.
fn real_path(path: &Path) -> io::Result<Option<PathBuf>> {
    if !path.is_absolute() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is not absolute"));
    }
    match path.symlink_metadata() {
        Ok(found) if found.is_symlink() => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a symlink"))
        }
        Ok(_) => path.canonicalize().map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The places by their real names, as far as they are there. Only the private folder, the last of `writable`, is seen in a hidden one.
fn hidden(places: &[PathBuf], writable: &[PathBuf]) -> io::Result<Vec<Hidden>> {
    let real: BTreeSet<PathBuf> = places.iter().filter_map(|place| place.canonicalize().ok()).collect();
    let tmp = writable.last();
    outermost(real.iter())
        .map(|path| {
            let way = tmp.filter(|tmp| tmp.starts_with(path) && *tmp != path);
            let ways = way.map(|tmp| {
                let mut ways: Vec<&Path> = tmp.ancestors().take_while(|above| *above != path).collect();
                ways.reverse();
                ways
            });
            Ok(Hidden {
                path: as_c(path)?,
                is_folder: path.is_dir(),
                ways: ways.unwrap_or_default().into_iter().map(as_c).collect::<io::Result<_>>()?,
            })
        })
        .collect()
}

/// Sorted paths without those that lie in another one.
fn outermost<'a>(sorted: impl Iterator<Item = &'a PathBuf>) -> impl Iterator<Item = &'a Path> {
    let mut last: Option<&Path> = None;
    sorted.map(PathBuf::as_path).filter(move |path| {
        let is_outside = last.is_none_or(|last| !path.starts_with(last));
        if is_outside {
            last = Some(path);
        }
        is_outside
    })
}

/// Writes a short text into a file of the kernel's.
fn put(path: &CStr, text: &CStr) -> Result<(), Errno> {
    let file = open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    write(&file, text.to_bytes()).map(drop)
}

/// A path within the options of an overlay, where commas part one from the other.
fn escaped(path: &Path) -> Vec<u8> {
    let mut text = Vec::new();
    for byte in path.as_os_str().as_bytes() {
        if b"\\,:".contains(byte) {
            text.push(b'\\');
        }
        text.push(*byte);
    }
    text
}

fn c_strings<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> io::Result<Vec<CString>> {
    paths.into_iter().map(|path| as_c(path)).collect()
}

fn as_c(path: &Path) -> io::Result<CString> {
    c_string(path.as_os_str().as_bytes())
}
