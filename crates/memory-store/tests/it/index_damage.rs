//! An index with 200 kinds of damage. For any damage, either every answer is right, or it is known that none
//! may be trusted, and a rebuilt one is right.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use artoo_memory_store::disk::RealDisk;
use artoo_memory_store::index::{Damage, Entry, Index, IndexError};
use artoo_types::Megram;

use crate::index_fixtures::{Truth, Wrong, id, megram, open, place, position};

const SESSIONS: u64 = 7;

/// The writes of a session: some new, some earlier ones recalled or forgotten.
fn session(number: u64) -> Vec<Entry> {
    let wide = |n: u64| {
        Entry::Live(Megram { content: format!("{n} ").repeat(20 + 60 * (n % 7) as usize), ..megram(n) })
    };
    let new = (number * 20..number * 20 + 20).map(wide);
    let old = (0..number * 20).step_by(11);
    new.chain(old.map(|n| if n % 2 == 0 { Entry::Consolidated(megram(n)) } else { Entry::Forgotten(id(n)) }))
        .collect()
}

/// An index of several tables on two levels, and a log; its state two sessions before; and the truth.
async fn pristine(place: &Path) -> (PathBuf, PathBuf, Truth) {
    let (now, earlier) = (place.join("now"), place.join("earlier"));
    let mut truth = Truth::default();
    for number in 0..SESSIONS {
        if number == SESSIONS - 2 {
            copy(&now, &earlier);
        }
        let index = open(&now).await.unwrap();
        truth.take(&session(number));
        index.project(session(number), position(number)).await.unwrap();
        index.close().await;
    }
    (now, earlier, truth)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for name in names(from) {
        fs::copy(from.join(&name), to.join(&name)).unwrap();
    }
}

fn names(folder: &Path) -> Vec<String> {
    let all = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = all.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Reproducible random numbers.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = (self.0 ^ (self.0 << 13)).wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 7;
        self.0 = self.0.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((self.0 >> 33) as usize) % bound.max(1)
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// Damages the files of an index, and describes how.
fn damage(folder: &Path, earlier: &Path, chance: &mut Chance) -> String {
    let all = names(folder);
    let name = chance.one(&all).clone();
    let path = folder.join(&name);
    let mut bytes = fs::read(&path).unwrap();
    let length = bytes.len();
    let how = match chance.below(11) {
        0 | 1 => {
            for _ in 0..=chance.below(8) {
                if length > 0 {
                    bytes[chance.below(length)] ^= 1 << chance.below(8);
                }
            }
            "bytes flipped"
        }
        2 => {
            bytes.truncate(chance.below(length));
            "cut"
        }
        3 => {
            fs::remove_file(&path).unwrap();
            return format!("{name}: deleted");
        }
        4 => {
            let other = chance.one(&all).clone();
            let content = fs::read(folder.join(&other)).unwrap();
            fs::write(folder.join(&other), &bytes).unwrap();
            fs::write(&path, content).unwrap();
            return format!("{name}: swapped with {other}");
        }
        5 => {
            let from = chance.below(length);
            let to = length.min(from + 1 + chance.below(4_096));
            bytes[from..to].fill(0);
            "zeros"
        }
        6 => {
            bytes.clear();
            "emptied"
        }
        7 => {
            bytes.extend((0..=chance.below(5_000)).map(|n| (n * 31) as u8));
            "more at its end"
        }
        8 => {
            // Where lengths are stored: in the footer of a table, in the headers of a log.
            let near = if name.ends_with(".ldb") { length.saturating_sub(48) } else { 0 };
            let from = near + chance.below(40);
            let to = length.min(from + 9);
            bytes[from.min(to)..to].fill(0xff);
            "a great length"
        }
        9 => {
            for name in names(earlier) {
                if chance.below(2) == 0 {
                    fs::copy(earlier.join(&name), folder.join(&name)).unwrap();
                }
            }
            return "some files of an earlier day".to_owned();
        }
        _ => {
            let from = chance.below(length);
            let to = length.min(from + 1 + chance.below(400));
            bytes.drain(from..to);
            "a piece taken out"
        }
    };
    fs::write(&path, bytes).unwrap();
    format!("{name}: {how}")
}

/// How a store would use an index without a rebuild: opens it, updates it, queries it.
async fn used(folder: &Path, truth: &Truth) -> Result<&'static str, Wrong> {
    let index = open(folder).await?;
    let answer = asked(&index, truth).await;
    index.close().await;
    answer
}

async fn asked(index: &Index, truth: &Truth) -> Result<&'static str, Wrong> {
    let told = index.position().await?;
    let lags =
        (0..SESSIONS).find(|number| told == Some(position(*number))).map(|number| SESSIONS - 1 - number);
    match lags {
        // No position, or one that the journal does not know.
        None => return Ok("no position"),
        Some(behind) => {
            for number in SESSIONS - behind..SESSIONS {
                // The current state of what was touched then.
                let now = session(number).iter().map(|entry| truth.entry(entry.id())).collect();
                index.project(now, position(number)).await?;
            }
        }
    }
    truth.is_told_by(index).await?;
    // Files not read so far are read now, and would be lost here.
    index.compact().await?;
    truth.is_told_by(index).await?;
    Ok(if lags == Some(0) { "right" } else { "brought up" })
}

#[tokio::test]
async fn two_hundred_kinds_of_damage() {
    let place = place();
    let (now, earlier, truth) = pristine(place.path()).await;
    assert!(names(&now).iter().filter(|name| name.ends_with(".ldb")).count() > 1, "{:?}", names(&now));
    assert_eq!(used(&copied(&now, place.path(), "whole"), &truth).await.unwrap(), "right");

    let before = most_memory();
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..200 {
        let folder = copied(&now, place.path(), &format!("damaged-{seed}"));
        let what = damage(&folder, &earlier, &mut Chance(seed + 1));
        let outcome = match used(&folder, &truth).await {
            Ok(outcome) => outcome.to_owned(),
            Err(Wrong::Doubt(_)) => "an answer in doubt".to_owned(),
            Err(Wrong::Counts(counts)) => panic!("{seed}, {what}: all is right but {counts:?}"),
            Err(Wrong::Error(error)) => {
                assert!(error.wants_rebuild(), "{seed}, {what}: {error}");
                if let IndexError::Failed { because } = &error {
                    format!("failed: {}", kind(because))
                } else {
                    format!("not opened: {}", kind(&error))
                }
            }
        };
        *outcomes.entry(outcome.clone()).or_default() += 1;
        if !["right", "brought up"].contains(&outcome.as_str()) {
            let index =
                Index::rebuild(&folder, Arc::new(RealDisk), truth.entries(), position(SESSIONS - 1)).await;
            let index = index.unwrap_or_else(|error| panic!("{seed}, {what}: {error:?}"));
            truth.is_told_by(&index).await.unwrap();
            index.close().await;
        }
        fs::remove_dir_all(&folder).unwrap();
    }
    println!("{outcomes:#?}");
    for outcome in ["right", "brought up", "not opened: damaged", "failed: damaged"] {
        assert!(outcomes.contains_key(outcome), "no {outcome:?} in {outcomes:?}");
    }
    assert!(outcomes.keys().any(|outcome| outcome.contains("doubt")), "{outcomes:?}");
    let grown = most_memory() - before;
    assert!(grown < 512 << 10, "{grown} KiB of address space for a few hundred kilobytes of index");
}

fn copied(from: &Path, place: &Path, name: &str) -> PathBuf {
    let to = place.join(name);
    copy(from, &to);
    to
}

fn kind(error: &IndexError) -> &'static str {
    match error {
        IndexError::Damaged { .. } => "damaged",
        IndexError::File { .. } => "a file",
        IndexError::Engine { .. } => "the engine refused",
        IndexError::Panicked { .. } => "the engine panicked",
        IndexError::Locked { .. }
        | IndexError::Full { .. }
        | IndexError::Failed { .. }
        | IndexError::Closed
        | IndexError::Source(_) => "something else",
    }
}

/// The peak address space of this process, in KiB: this includes memory that is allocated and not touched.
fn most_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmPeak:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}

/// Files that no disk damage produces.
#[tokio::test]
async fn hostile_files_are_refused() {
    let place = place();
    let (now, _, truth) = pristine(place.path()).await;
    let end = |end: &'static str| names(&now).into_iter().rfind(move |name| name.contains(end)).unwrap();
    for (number, name) in [end(".ldb"), end(".log"), end("MANIFEST"), "CURRENT".to_owned()].iter().enumerate()
    {
        for what in ["pipe", "folder", "link", "endless link", "a terabyte of nothing"] {
            let folder = copied(&now, place.path(), &format!("hostile-{number}"));
            let path = folder.join(name);
            fs::remove_file(&path).unwrap();
            match what {
                "pipe" => rustix::fs::mknodat(
                    rustix::fs::CWD,
                    &path,
                    rustix::fs::FileType::Fifo,
                    rustix::fs::Mode::RUSR,
                    0,
                )
                .unwrap(),
                "folder" => fs::create_dir(&path).unwrap(),
                "link" => std::os::unix::fs::symlink("CURRENT", &path).unwrap(),
                "endless link" => std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
                _ => fs::File::create(&path).unwrap().set_len(1 << 40).unwrap(),
            }
            match used(&folder, &truth).await {
                Err(Wrong::Error(error)) => {
                    assert!(error.wants_rebuild(), "{what} for {name}: {error}");
                }
                other => panic!("{what} for {name}: {other:?}"),
            }
            fs::remove_dir_all(&folder).unwrap();
        }
    }
}

/// Names that the engine does not create, and some that it fails on.
#[tokio::test]
async fn strange_names_beside_its_files_do_no_harm() {
    use std::os::unix::ffi::OsStrExt as _;
    let place = place();
    let (now, _, truth) = pristine(place.path()).await;
    for name in
        [&b"\xff\xfe.log"[..], b"notes.txt", b"MANIFEST-", b".", b"LOG", b"-1.ldb", "muisti.ldb".as_bytes()]
    {
        if name != b"." {
            fs::write(now.join(std::ffi::OsStr::from_bytes(name)), "not ours").unwrap();
        }
    }
    assert_eq!(used(&now, &truth).await.unwrap(), "right");
}

#[tokio::test]
async fn a_failed_index_says_so_until_it_is_rebuilt() {
    let place = place();
    let (now, _, truth) = pristine(place.path()).await;
    let table = names(&now).into_iter().find(|name| name.ends_with(".ldb")).unwrap();
    let mut bytes = fs::read(now.join(&table)).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(now.join(&table), bytes).unwrap();
    let index = open(&now).await.unwrap();
    let mut errors = Vec::new();
    for _ in 0..2 {
        errors.push(truth.is_told_by(&index).await.unwrap_err());
        errors.push(index.project(Vec::new(), position(99)).await.unwrap_err().into());
        errors.push(index.position().await.unwrap_err().into());
    }
    for error in errors {
        let Wrong::Error(IndexError::Failed { because }) = error else { panic!("{error:?}") };
        let IndexError::Damaged { damage: Damage::File { name, .. }, .. } = &*because else {
            panic!("{because:?}")
        };
        assert_eq!(*name, table);
        assert_eq!(because.remedy(), Some(artoo_types::Remedy::RebuildMemory));
    }
    // It releases the folder by itself.
    let rebuilt = Index::rebuild(&now, Arc::new(RealDisk), truth.entries(), position(99)).await.unwrap();
    truth.is_told_by(&rebuilt).await.unwrap();
    rebuilt.close().await;
    index.close().await;
}
