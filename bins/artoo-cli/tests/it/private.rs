//! Tests of file permissions: files unreadable for other users, and links that are not followed.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::model::counting;
use crate::scene::Scene;

const REQUEST: &str = "How many .txt files are in docs?";

fn set(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Everything below a folder that other users may read or write; symbolic links are not followed.
fn open(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let metadata = folder.symlink_metadata().unwrap();
    if !metadata.is_symlink() && metadata.permissions().mode() & 0o077 != 0 {
        found.push(folder.display().to_string());
    }
    if metadata.is_dir() {
        for entry in fs::read_dir(folder).unwrap() {
            found.extend(open(&entry.unwrap().path()));
        }
    }
    found
}

#[test]
fn what_was_open_is_closed_by_the_next_run_and_named_by_the_doctor() {
    let scene = Scene::new(counting());
    scene.say(&["run", REQUEST]).ended(0);
    let data = scene.home().join(".artoo");
    assert_eq!(open(&data), [""; 0], "what a run makes is closed");
    let config = scene.home().join(".config/artoo");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("policy.toml"), "").unwrap();
    set(&config.join("policy.toml"), 0o666);
    set(&config, 0o777);
    fn widen(path: &Path) {
        let is_folder = path.is_dir();
        set(path, if is_folder { 0o755 } else { 0o644 });
        if is_folder {
            fs::read_dir(path).unwrap().for_each(|entry| widen(&entry.unwrap().path()));
        }
    }
    widen(&data);
    let doctor = scene.say(&["doctor"]).ended(0).out;
    assert!(doctor.contains("others may read or write") && doctor.contains("chmod -R go="), "{doctor}");
    scene.say(&["run", REQUEST]).ended(0);
    assert_eq!((open(&data), open(&config)), (Vec::new(), Vec::new()));
    assert!(scene.say(&["doctor"]).ended(0).out.contains("data and configuration are yours alone"));
}

#[test]
fn a_planted_link_is_an_error_and_its_target_is_as_it_was() {
    for name in ["runs", "audit.jsonl", "audit.head"] {
        let scene = Scene::new(counting());
        let data = scene.home().join(".artoo");
        fs::create_dir(&data).unwrap();
        let target = scene.home().join("target");
        if name == "runs" {
            fs::create_dir(&target).unwrap();
        } else {
            fs::write(&target, "as it was").unwrap();
        }
        symlink(&target, data.join(name)).unwrap();
        let said = scene.say(&["run", REQUEST]).ended(2);
        assert!(said.err.contains(name.trim_end_matches(".head")), "{}", said.err);
        match name {
            "runs" => assert_eq!(fs::read_dir(&target).unwrap().count(), 0),
            _ => assert_eq!(fs::read_to_string(&target).unwrap(), "as it was"),
        }
    }
}

#[test]
fn a_recording_is_private_and_follows_no_link() {
    let scene = Scene::new(counting());
    let tape = scene.home().join("tape");
    let record = |folder: &Path| scene.say(&["run", "--record", folder.to_str().unwrap(), REQUEST]);
    record(&tape).ended(0);
    assert_eq!(open(&tape), [""; 0]);

    let victim = scene.home().join("victim");
    fs::write(&victim, "as it was").unwrap();
    let planted = scene.home().join("planted");
    fs::create_dir(&planted).unwrap();
    symlink(&victim, planted.join("session.toml")).unwrap();
    record(&planted).ended(0);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "as it was");
    let files = fs::read_dir(&planted).unwrap().map(|entry| entry.unwrap().path());
    assert_eq!(files.flat_map(|file| open(&file)).collect::<Vec<_>>(), [""; 0]);

    let link = scene.home().join("link");
    symlink(&planted, &link).unwrap();
    record(&link).ended(2).explains("cannot record into", "new folder");
}
