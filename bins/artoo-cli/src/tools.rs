//! Sets up the tools of this machine, as the configuration grants them.

use std::sync::Arc;

use artoo_tools::{Grants, Probed, Toolbox, WebGrant};
use artoo_web::{AddressRule, Brave, DuckDuckGo, SearchKey, SearchProvider, Web, WebError, grant};

use crate::config::{SearchEngine, ToolsTable};
use crate::error::CommandError;
use crate::machine::Environment;

/// Probes which tools are available. No request is sent.
pub(crate) fn probe(table: &ToolsTable, environment: &Environment) -> Result<Probed, CommandError> {
    let web = if table.web.unwrap_or(false) { Some(web(table, environment)?) } else { None };
    let grants = Grants { web, apps: table.apps.unwrap_or(false), mdfind: table.mdfind };
    Ok(Toolbox::probe(&environment.search_path(), &grants))
}

/// The key of the search engine, which must never reach a journal.
pub(crate) fn secret<'a>(table: &ToolsTable, environment: &'a Environment) -> Option<&'a str> {
    environment.text(table.search_key_env.as_deref()?)
}

fn web(table: &ToolsTable, environment: &Environment) -> Result<WebGrant, CommandError> {
    let private = table.private_addresses.unwrap_or(false);
    let client = |rule: AddressRule| {
        let web = Web::new(rule);
        match &table.proxy {
            Some(proxy) => web.with_proxy(proxy).map_err(|error| refused(&error)),
            None => Ok(web),
        }
    };
    let rule = if private { AddressRule::any() } else { AddressRule::public() };
    // A server that the user names may be in a private network; a built-in engine's address is public.
    let engine = client(if table.search_url.is_some() { AddressRule::any() } else { AddressRule::public() })?;
    let search: Arc<dyn SearchProvider> = match (table.search.unwrap_or_default(), &table.search_url) {
        (SearchEngine::Duckduckgo, None) => Arc::new(DuckDuckGo::default().through(engine)),
        (SearchEngine::Duckduckgo, Some(url)) => Arc::new(DuckDuckGo::default().at(url, engine)),
        (SearchEngine::Brave, None) => Arc::new(Brave::new(key(table, environment)?).through(engine)),
        (SearchEngine::Brave, Some(url)) => Arc::new(Brave::new(key(table, environment)?).at(url, engine)),
    };
    Ok(grant(client(rule)?, search))
}

fn key(table: &ToolsTable, environment: &Environment) -> Result<SearchKey, CommandError> {
    let Some(name) = table.search_key_env.as_deref() else {
        return Err(CommandError::configuration("the search engine brave needs a key")
            .hint("name the variable that holds it in `tools.search_key_env`"));
    };
    let Some(value) = environment.text(name) else {
        return Err(CommandError::configuration(format!(
            "the search engine takes its key from {name}, which is not set"
        ))
        .hint(format!("export {name}=..., or set `tools.search = \"duckduckgo\"`")));
    };
    SearchKey::new(value).map_err(|error| refused(&error).hint(format!("check the value of {name}")))
}

fn refused(error: &WebError) -> CommandError {
    CommandError::configuration(error.to_string()).hint("look at the table `tools` of the configuration")
}

#[cfg(test)]
mod tests {
    use artoo_types::ToolName;

    use super::*;

    fn names(table: &ToolsTable, variables: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let environment =
            Environment::new(variables.iter().map(|(name, value)| ((*name).into(), (*value).into())));
        let probed = probe(table, &environment);
        let probed = probed.map_err(|error| format!("{error}; {}", error.next_step().unwrap_or_default()))?;
        assert_eq!(probed.tools.len(), 14);
        Ok(probed.toolbox.tools().map(|tool| tool.name().to_string()).collect())
    }

    #[test]
    fn what_reaches_outside_is_off_until_it_is_granted() {
        let path = [("PATH", "/nowhere")];
        let usual = ["glob", "grep", "read_file", "read_evidence", "write_file", "edit_file", "shell", "job"];
        assert_eq!(names(&ToolsTable::default(), &path).unwrap(), usual);
        let private_alone = ToolsTable { private_addresses: Some(true), ..ToolsTable::default() };
        assert_eq!(names(&private_alone, &path).unwrap(), usual);
        let web = ToolsTable { web: Some(true), ..ToolsTable::default() };
        assert_eq!(names(&web, &path).unwrap(), [&usual[..], &["search", "fetch"]].concat());
        let walking = ToolsTable { mdfind: Some(true), ..ToolsTable::default() };
        assert_eq!(names(&walking, &path).unwrap(), [&["mdfind"], &usual[..]].concat());
    }

    #[test]
    fn a_key_is_taken_from_a_variable_and_is_not_printed() {
        let brave = ToolsTable {
            web: Some(true),
            search: Some(SearchEngine::Brave),
            search_key_env: Some("SEARCH".to_owned()),
            ..ToolsTable::default()
        };
        let without = names(&ToolsTable { search_key_env: None, ..brave.clone() }, &[]).unwrap_err();
        assert!(without.contains("tools.search_key_env"), "{without}");
        assert!(names(&brave, &[]).unwrap_err().contains("SEARCH, which is not set"));
        let bad = names(&brave, &[("SEARCH", "canary with blanks")]).unwrap_err();
        assert!(bad.contains("SEARCH") && !bad.contains("canary"), "{bad}");
        let environment = Environment::new([("SEARCH".into(), "canary".into())]);
        let probed = probe(&brave, &environment).unwrap();
        assert!(probed.toolbox.get(&ToolName::new("search")).is_some());
        assert!(!format!("{probed:?}").contains("canary"));
        assert_eq!(secret(&brave, &environment), Some("canary"));
        let proxy =
            ToolsTable { web: Some(true), proxy: Some("no proxy".to_owned()), ..ToolsTable::default() };
        assert!(names(&proxy, &[]).unwrap_err().contains("proxy"));
    }
}
