//! Tests of the memory's laws: decay, potentials, promotion, forgetting and similarity.

#![cfg(test)] // so that clippy.toml's allowances for tests hold for what the tests share, too

mod decay;
mod dreamer;
mod due;
mod fixtures;
mod fold;
mod forecast;
mod guard;
mod in_memory;
mod key;
mod matrix;
mod potentials;
mod requests;
mod revocation;
mod similar;
mod sums;

#[test]
fn no_file_of_the_folder_is_forgotten() {
    for entry in std::fs::read_dir(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it")).unwrap()
    {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = format!("mod {};", name.trim_end_matches(".rs"));
        assert!(name == "main.rs" || include_str!("main.rs").contains(&module), "main.rs lacks `{module}`");
    }
}
