//! Writes the table of a server into the configuration file and keeps the rest of it.

use std::path::Path;

use artoo_mcp::ServerTable;
use toml_edit::{DocumentMut, Item};

use super::edit_file::{Backup, edit, table_at};
use crate::error::CommandError;

/// Sets `[mcp.servers.NAME]`, or removes it. The file is replaced atomically; its comments stay.
///
/// # Errors
/// The file cannot be read, changed or written: it is as it was.
pub(crate) fn write(path: &Path, name: &str, server: Option<&ServerTable>) -> Result<(), CommandError> {
    edit(path, Backup::None, |old| changed(old, name, server))
}

fn changed(
    old: &str,
    name: &str,
    server: Option<&ServerTable>,
) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    let mut all: DocumentMut = old.parse()?;
    let mcp = table_at(all.as_table_mut(), "mcp", true)?;
    let servers = table_at(mcp, "servers", true)?;
    match server {
        Some(server) => {
            let table = toml_edit::ser::to_document(server)?.as_table().clone();
            servers.insert(name, Item::Table(table));
        }
        None => drop(servers.remove(name)),
    }
    Ok(all.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_comes_and_goes_and_the_rest_stays() {
        let old = "# mine\n[brain]\nmodel = \"m\" # the good one\n";
        let table = ServerTable {
            command: Some("mcp-server-time".to_owned()),
            folders: vec!["/home/ada/notes".into()],
            ..ServerTable::default()
        };
        let with = changed(old, "time", Some(&table)).unwrap();
        insta::assert_snapshot!(with, @r##"
        # mine
        [brain]
        model = "m" # the good one

        [mcp.servers.time]
        command = "mcp-server-time"
        folders = ["/home/ada/notes"]
        "##);
        let without = changed(&with, "time", None).unwrap();
        assert_eq!(without, old);
        assert!(changed("mcp = 3", "time", None).is_err());
    }
}
