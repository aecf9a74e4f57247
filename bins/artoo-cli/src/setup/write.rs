//! Writes the chosen model to the configuration file and keeps the rest of it.

use std::path::Path;

use artoo_llm_client::ProfileOverrides;
use toml_edit::{DocumentMut, Item, Table, TableLike};

use crate::config::{Backup, ModelTable, edit, table_at};
use crate::error::CommandError;
use crate::machine::Environment;

/// Sets `[brain]` and removes choices for single tiers and roles, which the new choice replaces. Sets in
/// `[models."NAME"]` the capabilities `found` by the probe and keeps the user's other values there. The file
/// is replaced atomically; a key is never written.
pub(super) fn write(
    path: &Path,
    table: &ModelTable,
    found: Option<(&str, ProfileOverrides)>,
) -> Result<(), CommandError> {
    // The choice before this one is kept, for whoever wants it back.
    edit(path, Backup::Kept, |old| changed(old, table, found))
}

fn changed(
    old: &str,
    table: &ModelTable,
    found: Option<(&str, ProfileOverrides)>,
) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    let mut all: DocumentMut = old.parse()?;
    if old.is_empty() {
        all.decor_mut().set_prefix("# Written by `artoo setup`. All keys: artoo config schema\n\n");
    }
    all.remove("tool");
    all.remove("roles");
    let new = toml_edit::ser::to_document(table)?;
    let brain = table_at(all.as_table_mut(), "brain", false)?;
    let old: Vec<String> = brain.iter().map(|(key, _)| key.to_owned()).collect();
    for key in old.iter().filter(|key| !new.contains_key(key)) {
        brain.remove(key);
    }
    set(brain, new.as_table());
    if let Some((model, found)) = found.filter(|(_, found)| !found.is_empty()) {
        let models = table_at(all.as_table_mut(), "models", true)?;
        set(table_at(models, model, false)?, toml_edit::ser::to_document(&found)?.as_table());
    }
    Ok(all.to_string())
}

/// Sets these values; a comment behind one that is replaced stays.
fn set(table: &mut dyn TableLike, new: &Table) {
    for (key, value) in new {
        let mut value = value.clone();
        if let (Some(old), Some(new)) = (table.get(key).and_then(Item::as_value), value.as_value_mut()) {
            *new.decor_mut() = old.decor().clone();
        }
        table.insert(key, value);
    }
}

/// Variables that override the file, so that the choice would have no effect.
pub(super) fn shadows(environment: &Environment) -> Vec<String> {
    let names = ["ARTOO_PROVIDER", "ARTOO_BASE_URL", "ARTOO_MODEL", "OPENAI_BASE_URL", "OPENAI_MODEL"];
    let set = names.into_iter().filter(|name| environment.text(name).is_some());
    set.map(|name| format!("{name} is set and outweighs the file: unset it to use this choice")).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use toml::Table;

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

    /// Comments and order are the person's.
    #[test]
    fn what_a_person_wrote_around_it_stays() {
        let old = "# mine\nprofile = \"p\" # why\n\n# the model\n[brain]\n# where\nbase_url = \"http://a\"\nmodel = \"x\" # the small one\n\n[tool]\nmodel = \"t\"\n\n# limits\n[run]\nstrict = true # always\n";
        let table =
            ModelTable { provider: Some(Provider::Local), model: Some("m".into()), ..ModelTable::default() };
        let new = changed(old, &table, None).unwrap();
        assert_eq!(
            new,
            "# mine\nprofile = \"p\" # why\n\n# the model\n[brain]\nmodel = \"m\" # the small one\nprovider = \"local\"\n\n# limits\n[run]\nstrict = true # always\n"
        );
        let fresh = changed("", &table, None).unwrap();
        assert_eq!(
            fresh,
            "# Written by `artoo setup`. All keys: artoo config schema\n\n[brain]\nprovider = \"local\"\nmodel = \"m\"\n"
        );
        assert_eq!(changed(&fresh, &table, None).unwrap(), fresh, "the same choice changes nothing");
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
