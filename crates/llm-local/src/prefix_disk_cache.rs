//! File cache of model states after constant system texts, so that the next process need not process the same
//! text again.
//!
//! Processing a system text takes the embedded model ten seconds on two cores; the state of 600 tokens is a
//! file of 34 MB, which is read in a fraction of a second. Any problem with a file, or with its folder, costs
//! that time and nothing else.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use llguidance::toktrie::TokenId;
use sha2::{Digest, Sha256};

use crate::engine::{Model, State};

/// Version of the file format. Another format, or another way to compute, has another number.
const FORM: u32 = 1;
/// Maximum number of files; the oldest is removed.
const MOST_FILES: usize = 8;
/// File extension.
const ENDING: &str = "state";
/// Bytes of a checksum.
const CHECKSUM: usize = 32;

/// The folder with the files of one model.
pub(crate) struct PrefixFiles {
    folder: PathBuf,
    /// Identity of the model.
    model: Vec<u8>,
}

impl PrefixFiles {
    /// Opens this folder for the model in this file. `None` if the model file cannot be identified.
    pub(crate) fn of(folder: &Path, model: &Path) -> Option<Self> {
        let found = fs::metadata(model).ok()?;
        let changed = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let nanos = changed.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let mut told = model.canonicalize().ok()?.into_os_string().into_encoded_bytes();
        told.extend(found.len().to_le_bytes());
        told.extend(nanos.to_le_bytes());
        Some(Self { folder: folder.to_owned(), model: told })
    }

    /// The state after these tokens, if an intact file has it.
    pub(crate) fn load(&self, tokens: &[TokenId], model: &Model) -> Option<State> {
        let bytes = fs::read(self.path(tokens)).ok()?;
        let (rows, checksum) = bytes.split_at_checked(bytes.len().checked_sub(CHECKSUM)?)?;
        if Sha256::digest(rows).as_slice() != checksum {
            return None;
        }
        let number = |bytes: &[u8]| bytes.try_into().ok().map(f32::from_ne_bytes);
        let numbers: Vec<f32> = rows.chunks_exact(size_of::<f32>()).filter_map(number).collect();
        model.state(&numbers, tokens.len())
    }

    /// Stores the state after these tokens. An unusable folder is ignored.
    pub(crate) fn keep(&self, tokens: &[TokenId], state: &State) {
        // Not required: the text is processed again.
        let _ = self.write(tokens, state).and_then(|()| self.tidy());
    }

    fn write(&self, tokens: &[TokenId], state: &State) -> io::Result<()> {
        let mut bytes: Vec<u8> = Vec::new();
        for row in state.rows() {
            bytes.extend_from_slice(bytemuck::cast_slice(row));
        }
        let checksum = Sha256::digest(&bytes);
        bytes.extend_from_slice(&checksum);
        fs::create_dir_all(&self.folder)?;
        let path = self.path(tokens);
        let draft = path.with_extension(format!("{}.draft", std::process::id()));
        fs::write(&draft, &bytes).and_then(|()| fs::rename(&draft, &path)).inspect_err(|_| {
            // The incomplete draft is useless.
            let _ = fs::remove_file(&draft);
        })
    }

    /// Removes the oldest files if there are too many.
    fn tidy(&self) -> io::Result<()> {
        let mut files: Vec<(SystemTime, PathBuf)> = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|ending| ending == ENDING) {
                files.push((fs::metadata(&path)?.modified()?, path));
            }
        }
        files.sort();
        let too_many = files.len().saturating_sub(MOST_FILES);
        files.iter().take(too_many).try_for_each(|(_, path)| fs::remove_file(path))
    }

    fn path(&self, tokens: &[TokenId]) -> PathBuf {
        let mut name = Sha256::new();
        name.update(FORM.to_le_bytes());
        name.update(env!("CARGO_PKG_VERSION"));
        name.update((self.model.len() as u64).to_le_bytes());
        name.update(&self.model);
        name.update(bytemuck::cast_slice::<TokenId, u8>(tokens));
        self.folder.join(hex::encode(name.finalize())).with_extension(ENDING)
    }
}
