//! Writes the table of a server into the configuration file and keeps the rest of it.

use std::io;
use std::path::Path;

use artoo_anchored_files::open_regular;
use artoo_mcp::ServerTable;
use toml_edit::{DocumentMut, Item, Table, TableLike};

use crate::error::CommandError;
use crate::machine::make_private;

/// Sets `[mcp.servers.NAME]`, or removes it. The file is replaced atomically; its comments stay.
///
/// # Errors
/// The file cannot be read, changed or written: it is as it was.
pub(crate) fn write(path: &Path, name: &str, server: Option<&ServerTable>) -> Result<(), CommandError> {
    let failed = |error: io::Error| {
        CommandError::failed(format!("cannot write {}", path.display()))
            .because(error)
            .hint("check the folder's owner and permissions, or name another file with ARTOO_CONFIG")
    };
    let old = match open_regular(path).and_then(io::read_to_string) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failed(error)),
    };
    let text = changed(&old, name, server).map_err(|error| {
        CommandError::configuration(format!("cannot change {}", path.display())).because(error)
    })?;
    make_private(path.parent().unwrap_or(Path::new("."))).map_err(failed)?;
    artoo_anchored_files::replace(path, text.as_bytes()).map_err(failed)
}

fn changed(
    old: &str,
    name: &str,
    server: Option<&ServerTable>,
) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    let mut all: DocumentMut = old.parse()?;
    let mcp = table_in(all.as_table_mut(), "mcp")?;
    let servers = table_in(mcp, "servers")?;
    match server {
        Some(server) => {
            let table = toml_edit::ser::to_document(server)?.as_table().clone();
            servers.insert(name, Item::Table(table));
        }
        None => drop(servers.remove(name)),
    }
    Ok(all.to_string())
}

/// The table of this name, which comes to be where there is none.
fn table_in<'a>(all: &'a mut dyn TableLike, name: &str) -> Result<&'a mut dyn TableLike, String> {
    let fresh = || {
        let mut table = Table::new();
        // It says nothing by itself above the tables of servers.
        table.set_implicit(true);
        Item::Table(table)
    };
    let item = all.entry(name).or_insert_with(fresh);
    item.as_table_like_mut().ok_or_else(|| format!("`{name}` is no table"))
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
