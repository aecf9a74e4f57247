//! The namespaces of a child process: which files it sees, which of them it can change, and which IPC
//! objects.
//!
//! Everything is read-only except the granted folders: overlaid folders, where every write goes to a layer;
//! folders granted as they are; and the private folder for temporary files. Read-only mounts also cover what
//! Landlock does not know: modes, owners, times, attributes. Hidden places are covered by an empty file
//! system that cannot be read.
//!
//! There is no PID namespace, although the kernel would end every process in one together with its first
//! process: `ps` and the like look for themselves in `/proc` and would not find themselves, and with a
//! `/proc` of its own a command would see no process of the machine.
//!
//! [`enter`](ChildNamespace::enter) runs in the first process of the command, on memory that belongs to this
//! process ([`crate::init_process`]): only bare system calls on strings prepared before, and no allocation.

use std::collections::BTreeSet;
use std::ffi::{CString, c_int};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use rustix::fs::{Mode, OFlags, fstat, mkdir, open, openat};
use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind_recursive, mount_change};
use rustix::process::{chdir, fchdir};

use crate::child_data::c_string;
use crate::mounts::{
    FOLDER, MOST_HELD, MountPoint, OpenPlaces, clone_of, clone_within, empty_file_system, mount_points,
    put_mount, set_read_only,
};
use crate::network_namespace::NetworkNamespace;
use crate::preview::{Layer, OverlayDirs};
use crate::real_names::real_paths;
use crate::socket_reach::OthersSockets;
use crate::user_namespace::OwnUsers;
use crate::veils::Veil;
use crate::{Confinement, SandboxError, SandboxMode, shared_memory, spawn};

/// The steps of [`ChildNamespace::enter`] in order, worded for errors.
const STEPS: [&str; 7] = [
    "naming its user in a namespace, or entering that of its network",
    "separating its mounts",
    VEILS,
    "overlaying its folders",
    "granting and sealing folders",
    "hiding protected places",
    "making everything else read-only",
];

/// The step that mounts veils.
const VEILS: &str = "keeping sockets of other programs away";

/// The namespaces of one command, prepared by the parent.
#[derive(Debug)]
pub(crate) struct ChildNamespace {
    own_users: Option<OwnUsers>,
    /// The network that it enters, with the user namespace of that one.
    network: Option<Arc<NetworkNamespace>>,
    overlays: Vec<Overlay>,
    /// Writable folders that are not overlaid, the private folder for temporary files last.
    writable: Vec<CString>,
    /// Folders between a granted folder and a sealed part. They are bind-mounted on themselves so that they
    /// cannot be renamed and the part replaced. Parents come first.
    pinned: Vec<CString>,
    sealed: Vec<CString>,
    hidden: Vec<Hidden>,
    /// Folders in which no socket answers it, parents first.
    veils: Vec<Veil>,
    /// Sockets elsewhere that only a cover keeps away.
    sockets: Vec<CString>,
    /// Whether it gets a `/dev/shm` of its own.
    has_own_shared_memory: bool,
    /// The number of completed steps.
    steps: AtomicUsize,
}

/// Folders that appear only with the command's mounts, after the rules were made.
#[derive(Debug, Default)]
pub(crate) struct LateFolders {
    /// Those that it may change and read.
    pub(crate) written: Vec<CString>,
    /// Those that it may read.
    pub(crate) read: Vec<CString>,
}

#[derive(Debug)]
struct Overlay {
    root: CString,
    /// Device and inode of the real folder.
    identity: (u64, u64),
    options: CString,
    /// Mount points inside the folder, which the overlay would not show.
    mounted: Vec<CString>,
}

/// A place that the command cannot read.
#[derive(Debug)]
struct Hidden {
    path: CString,
    is_folder: bool,
    /// Folders to create in the cover, leading to the granted folder that is mounted there again.
    ways: Vec<CString>,
}

impl ChildNamespace {
    /// Prepares what `confinement` grants, seals and hides, with overlays on the folders of `overlay_dirs`, for
    /// a command that starts in `folder` and is in this network.
    pub(crate) fn build(
        (program, folder): (&str, &Path),
        confinement: &Confinement,
        overlay_dirs: Option<&OverlayDirs>,
        (sockets, network): (OthersSockets, Option<Arc<NetworkNamespace>>),
    ) -> Result<Self, SandboxError> {
        let unfit = |source| namespace_error(program, "preparing its namespaces", source);
        let layers = overlay_dirs.map(|overlay_dirs| overlay_dirs.layers.as_slice()).unwrap_or_default();
        let mut writable = Vec::new();
        for folder in confinement.granted() {
            let grant =
                |source| SandboxError::Grant { program: program.to_owned(), path: folder.clone(), source };
            writable.push(folder.canonicalize().map_err(grant)?);
        }
        // The private folder is the first one granted and is mounted last: it may be inside another one, or
        // inside a hidden place.
        writable.reverse();
        let mounts = if layers.is_empty() { Vec::new() } else { mount_points().map_err(unfit)? };
        let (pinned, sealed) = unchanging_parts(program, confinement, layers)?;
        let folder = folder.canonicalize().ok();
        let roots = layers.iter().map(|layer| &layer.root);
        let has_own_shared_memory =
            shared_memory::can_be_private(writable.iter().chain(roots).chain(&folder));
        Ok(Self {
            own_users: OwnUsers::if_needed().map_err(unfit)?,
            network,
            has_own_shared_memory,
            overlays: layers
                .iter()
                .map(|layer| Overlay::of(layer, &mounts))
                .collect::<io::Result<_>>()
                .map_err(unfit)?,
            hidden: hidden(&confinement.hidden, &writable).map_err(unfit)?,
            writable: c_strings(&writable).map_err(unfit)?,
            pinned: c_strings(&pinned).map_err(unfit)?,
            sealed: c_strings(&sealed).map_err(unfit)?,
            veils: sockets.veils,
            sockets: c_strings(&sockets.covered).map_err(unfit)?,
            steps: AtomicUsize::new(0),
        })
    }

    /// One with nothing but these veils, to test whether the machine supports namespaces and them.
    pub(crate) fn bare(veils: &[Veil]) -> io::Result<Self> {
        Ok(Self {
            own_users: OwnUsers::if_needed()?,
            network: None,
            has_own_shared_memory: false,
            overlays: Vec::new(),
            writable: Vec::new(),
            pinned: Vec::new(),
            sealed: vec![c_string(b"/dev/null")?],
            hidden: Vec::new(),
            veils: veils.to_vec(),
            sockets: Vec::new(),
            steps: AtomicUsize::new(0),
        })
    }

    /// The `clone` flags for the first process.
    pub(crate) fn flags(&self) -> c_int {
        if self.network.as_ref().is_some_and(|network| network.has_own_users()) {
            // It makes them in the user namespace of its network.
            return 0;
        }
        let own_users = if self.own_users.is_some() { libc::CLONE_NEWUSER } else { 0 };
        own_users | libc::CLONE_NEWNS | libc::CLONE_NEWIPC
    }

    /// The folders to grant that exist only once they are mounted: overlays, its own `/dev/shm`, and veils.
    pub(crate) fn late(&self) -> LateFolders {
        let shared = self.has_own_shared_memory.then(|| shared_memory::FOLDER.to_owned());
        LateFolders {
            written: self.overlays.iter().map(|overlay| overlay.root.clone()).chain(shared).collect(),
            read: self.veils.iter().map(|veil| veil.folder().clone()).collect(),
        }
    }

    /// The step at which [`enter`](Self::enter) failed.
    pub(crate) fn failed_step(&self) -> &'static str {
        STEPS.get(self.steps.load(Ordering::Relaxed)).copied().unwrap_or("making its namespaces")
    }

    /// Whether [`enter`](Self::enter) failed when it mounted veils.
    pub(crate) fn failed_at_veils(&self) -> bool {
        self.failed_step() == VEILS && !self.veils.is_empty()
    }

    /// Enters the namespaces, in the first process. Bare system calls only.
    pub(crate) fn enter(&self) -> Result<(), Errno> {
        match (&self.network, &self.own_users) {
            (Some(network), _) => network.enter()?,
            (None, Some(own)) => own.map()?,
            (None, None) => {}
        }
        self.next_step();
        // Mounts from here on are invisible outside.
        mount_change(c"/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
        // Held open, because the following mounts may cover the path. There is always one if anything can
        // cover it.
        let tmp = self.writable.last().map(|tmp| clone_of(tmp)).transpose()?;
        self.next_step();
        self.veils.iter().try_for_each(Veil::mount)?;
        self.next_step();
        self.overlays.iter().try_for_each(Overlay::mount)?;
        self.next_step();
        let granted = self.writable.split_last().map(|(_, granted)| granted).unwrap_or_default();
        for folder in granted.iter().chain(&self.pinned).chain(&self.sealed) {
            mount_bind_recursive(folder.as_c_str(), folder.as_c_str())?;
        }
        self.next_step();
        self.hide()?;
        if self.has_own_shared_memory {
            shared_memory::mount()?;
        }
        if let Some((tmp, place)) = tmp.as_ref().zip(self.writable.last()) {
            put_mount(tmp, place)?;
        }
        self.next_step();
        set_read_only(c"/", true)?;
        let overlaid = self.overlays.iter().map(|overlay| &overlay.root);
        if self.has_own_shared_memory {
            set_read_only(shared_memory::FOLDER, false)?;
        }
        // Not recursive: mounts inside, including the sealed parts, stay read-only.
        overlaid
            .chain(&self.writable)
            .chain(&self.pinned)
            .try_for_each(|folder| set_read_only(folder, false))?;
        self.next_step();
        Ok(())
    }

    /// Covers each hidden place and socket with a folder or file that cannot be read.
    fn hide(&self) -> Result<(), Errno> {
        if self.hidden.is_empty() && self.sockets.is_empty() {
            return Ok(());
        }
        let cover = empty_file_system(c"0")?;
        openat(&cover, c"file", OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
        for hidden in &self.hidden {
            match (hidden.is_folder, hidden.ways.is_empty()) {
                (false, _) => put_mount(&clone_within(&cover, c"file")?, &hidden.path)?,
                (true, true) => put_mount(&clone_within(&cover, c"")?, &hidden.path)?,
                (true, false) => {
                    // It can be traversed, but not read.
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
        for socket in &self.sockets {
            match put_mount(&clone_within(&cover, c"file")?, socket) {
                // It is gone by now, or in a hidden place.
                Ok(()) | Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn next_step(&self) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }
}

/// Whether this machine supports a command's namespaces, tested once by creating them.
pub(crate) fn works() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| try_with(&[]).is_ok())
}

/// Creates them with these veils, and nothing in them.
///
/// # Errors
///
/// The kernel's.
pub(crate) fn try_with(veils: &[Veil]) -> io::Result<()> {
    ChildNamespace::bare(veils).and_then(|bare| spawn::try_namespace(&bare))
}

pub(crate) fn namespace_error(program: &str, step: &'static str, source: io::Error) -> SandboxError {
    SandboxError::Namespace { program: program.to_owned(), step, source }
}

impl Overlay {
    fn of(layer: &Layer, mounts: &[MountPoint]) -> io::Result<Self> {
        let mut options = b"lowerdir=.,upperdir=".to_vec();
        options.extend(escaped(&layer.upper));
        options.extend(b",workdir=");
        options.extend(escaped(&layer.work));
        // User attributes, because those of the kernel need the administrator. Nothing has to survive a
        // crash. No index of hard links, whatever the machine's default: a file with several names is refused
        // instead.
        options.extend(b",userxattr,volatile,index=off");
        let found = fstat(&layer.real)?;
        let within = |mount: &&PathBuf| **mount != layer.root && mount.starts_with(&layer.root);
        let mounted = mounts.iter().map(|mount| &mount.path).filter(within);
        let mounted: Vec<CString> = outermost(mounted).map(as_c).collect::<io::Result<_>>()?;
        if mounted.len() > MOST_HELD {
            return Err(io::Error::other("more file systems are mounted in it than can be shown"));
        }
        Ok(Self {
            root: as_c(&layer.root)?,
            identity: (found.st_dev, found.st_ino),
            options: c_string(&options)?,
            mounted,
        })
    }

    /// Mounts the overlay on the folder, which must still be the one examined before, and restores the mounts
    /// inside.
    fn mount(&self) -> Result<(), Errno> {
        let held = OpenPlaces::of(&self.mounted)?;
        let folder = open(self.root.as_c_str(), FOLDER, Mode::empty())?;
        let found = fstat(&folder)?;
        if (found.st_dev, found.st_ino) != self.identity {
            return Err(Errno::STALE);
        }
        fchdir(&folder)?;
        drop(folder);
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        mount(c"overlay", c".", c"overlay", flags, Some(self.options.as_c_str()))?;
        // From here on nothing holds the real folder.
        chdir(c"/")?;
        held.put_back(&self.mounted)
    }
}

/// The parts of granted and overlaid folders that must not change, and the folders on the way to them.
fn unchanging_parts(
    program: &str,
    confinement: &Confinement,
    layers: &[Layer],
) -> Result<(BTreeSet<PathBuf>, BTreeSet<PathBuf>), SandboxError> {
    let (mut pinned, mut unchanging) = (BTreeSet::new(), BTreeSet::new());
    let mut roots: Vec<PathBuf> = layers.iter().map(|layer| layer.root.clone()).collect();
    let mut parts: Vec<PathBuf> =
        confinement.read_only.iter().filter_map(|path| path.canonicalize().ok()).collect();
    match confinement.mode {
        SandboxMode::WorkspaceWrite => {
            roots.extend(confinement.writable.iter().filter_map(|root| root.canonicalize().ok()));
            for path in &confinement.sealed {
                let refused =
                    |source| SandboxError::Seal { program: program.to_owned(), path: path.clone(), source };
                parts.extend(real_path(path).map_err(refused)?);
            }
        }
        SandboxMode::ReadOnly | SandboxMode::FullAccess => {}
    }
    for part in parts {
        if let Some(root) = roots.iter().filter(|root| part.starts_with(root)).min() {
            let between = part.ancestors().skip(1);
            let between = between.take_while(|above| above.starts_with(root) && above != root);
            pinned.extend(between.map(Path::to_owned));
            unchanging.insert(part);
        }
    }
    // A folder on the way to one part may itself be in another part.
    pinned.retain(|folder| !unchanging.iter().any(|part| folder.starts_with(part)));
    Ok((pinned, unchanging))
}

/// The path with symlinks resolved, or `None` if it no longer exists. A symlink itself cannot be sealed: the
/// seal would apply to its target, and the name could be reused for something else.
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

/// The places that exist, by their real paths. Only the private folder, the last of `writable`, is visible
/// inside a hidden place.
fn hidden(places: &[PathBuf], writable: &[PathBuf]) -> io::Result<Vec<Hidden>> {
    let real: BTreeSet<PathBuf> = real_paths(places).into_iter().collect();
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

/// Sorted paths, without those inside another one.
pub(crate) fn outermost<'a>(sorted: impl Iterator<Item = &'a PathBuf>) -> impl Iterator<Item = &'a Path> {
    let mut last: Option<&Path> = None;
    sorted.map(PathBuf::as_path).filter(move |path| {
        let is_outside = last.is_none_or(|last| !path.starts_with(last));
        if is_outside {
            last = Some(path);
        }
        is_outside
    })
}

/// A path as an overlay option, in which commas separate options.
pub(crate) fn escaped(path: &Path) -> Vec<u8> {
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

pub(crate) fn as_c(path: &Path) -> io::Result<CString> {
    c_string(path.as_os_str().as_bytes())
}
