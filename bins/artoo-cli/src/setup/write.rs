//! Writing the choice into the configuration file: everything else that is there stays.

use std::fs;
use std::io;
use std::path::Path;

use artoo_llm_client::ProfileOverrides;
use toml::{Table, Value};

use crate::config::ModelTable;
use crate::error::CommandError;
use crate::machine::{Environment, make_private, private_file};

/// Sets `[brain]` and removes choices for single tiers and roles, which the new choice replaces; sets in `[models."NAME"]` what was
/// `found` of a model, and leaves there what else a person wrote. The file appears whole or not at all; a key is never written.
pub(super) fn write(
    path: &Path,
    table: &ModelTable,
    found: Option<(&str, ProfileOverrides)>,
) -> Result<(), CommandError> {
    let failed = |error: io::Error| {
        CommandError::failed(format!("cannot write {}", path.display()))
            .because(error)
            .hint("check the folder's owner and permissions, or name another file with ARTOO_CONFIG")
    };
    let old = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failed(error)),
    };
    let text = changed(&old, table, found).map_err(|error| {
        CommandError::configuration(format!("cannot change {}", path.display())).because(error)
    })?;
    let folder = path.parent().unwrap_or(Path::new("."));
    make_private(folder).map_err(failed)?;
    if !old.is_empty() {
        // The comments of the old file are lost in the new one.
        private_file(&path.with_extension("toml.bak"), old.as_bytes()).map_err(failed)?;
    }
    artoo_anchored_files::replace(path, text.as_bytes()).map_err(failed)
}

fn changed(
    old: &str,
    table: &ModelTable,
    found: Option<(&str, ProfileOverrides)>,
) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    let mut all: Table = old.parse()?;
    all.remove("tool");
    all.remove("roles");
    all.insert("brain".to_owned(), Value::try_from(table)?);
    if let Some((model, found)) = found.filter(|(_, found)| !found.is_empty()) {
        let models = all.entry("models").or_insert_with(|| Value::Table(Table::new()));
        let known =
            models.as_table_mut().map(|models| models.entry(model).or_insert(Value::Table(Table::new())));
        if let (Some(Value::Table(known)), Value::Table(found)) = (known, Value::try_from(found)?) {
            known.extend(found);
        }
    }
    Ok(format!("# Written by `artoo setup`. All keys: artoo config schema\n\n{}", toml::to_string(&all)?))
}

/// Variables that outweigh the file: the choice would seem to have no effect.
pub(super) fn shadows(environment: &Environment) -> Vec<String> {
    let names = ["ARTOO_PROVIDER", "ARTOO_BASE_URL", "ARTOO_MODEL", "OPENAI_BASE_URL", "OPENAI_MODEL"];
    let set = names.into_iter().filter(|name| environment.text(name).is_some());
    set.map(|name| format!("{name} is set and outweighs the file: unset it to use this choice")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Provider;

    #[test]
    fn the_rest_of_the_file_stays() {
        let old = "profile = \"p\"\n[brain]\nmodel = \"x\"\nbase_url = \"http://a\"\n[tool]\nmodel = \"t\"\n[run]\nstrict = true\n[profiles.p.run]\nmax_replans = 1\n";
        let table =
            ModelTable { provider: Some(Provider::Local), model: Some("m".into()), ..ModelTable::default() };
        let new: Table = changed(old, &table, None).unwrap().parse().unwrap();
        let expected = "profile = \"p\"\n[brain]\nprovider = \"local\"\nmodel = \"m\"\n[run]\nstrict = true\n[profiles.p.run]\nmax_replans = 1\n";
        assert_eq!(new, expected.parse().unwrap());
    }

    #[test]
    fn what_was_found_of_a_model_joins_what_a_person_wrote() {
        let old = "[models.\"a.b\"]\ncontext_tokens = 9000\nstructured = true\n";
        let found = ProfileOverrides { structured: Some(false), ..ProfileOverrides::default() };
        let new: Table = changed(old, &ModelTable::default(), Some(("a.b", found))).unwrap().parse().unwrap();
        let expected = "[brain]\n[models.\"a.b\"]\ncontext_tokens = 9000\nstructured = false\n";
        assert_eq!(new, expected.parse().unwrap());
        let same = changed("", &ModelTable::default(), Some(("c", ProfileOverrides::default()))).unwrap();
        assert!(!same.contains("models"), "{same}");
    }

    #[test]
    fn a_file_appears_whole_and_the_old_one_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/config.toml");
        let table = |model: &str| ModelTable { model: Some(model.into()), ..ModelTable::default() };
        write(&path, &table("one"), None).unwrap();
        write(&path, &table("two"), None).unwrap();
        assert!(fs::read_to_string(&path).unwrap().contains("\"two\""));
        assert!(fs::read_to_string(path.with_extension("toml.bak")).unwrap().contains("\"one\""));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 2);
    }
}
