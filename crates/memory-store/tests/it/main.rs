//! The laws of the memory on disk.

#![cfg(test)] // so that clippy.toml's allowances for tests hold for what the tests share, too

mod faulty_disk;
mod import_export;
mod index;
mod index_damage;
mod index_disk;
mod index_fixtures;
mod index_kill;
mod index_lessons;
mod index_tools;
mod journal;
mod journal_damage;
mod journal_faults;
mod journal_fixtures;
mod journal_log;
mod kill_many;
mod kill_one;
mod slow_disk;
mod state;
mod state_fixtures;
mod state_model;
mod store;
mod store_fixtures;
mod table;

#[test]
fn no_file_of_the_folder_is_forgotten() {
    for entry in std::fs::read_dir(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it")).unwrap()
    {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "main") else { continue };
        let declared = format!("mod {module};");
        assert!(include_str!("main.rs").contains(&declared), "main.rs lacks `{declared}`");
    }
}
