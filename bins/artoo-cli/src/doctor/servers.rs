//! `artoo doctor`: whether each configured server of tools starts, and what of it is offered.

use std::collections::BTreeMap;

use artoo_mcp::{Connection, Identity, Pins, ServerConfig, approved_of};
use tokio_util::sync::CancellationToken;

use super::Check;
use crate::config::{self, Settings};
use crate::dispatch::Context;
use crate::error::CommandError;
use crate::machine::threads;
use crate::servers::{RunningServers, hint, in_words, may_do, own_folder, start_context};
use crate::view::counted;

pub(super) fn checks(context: &Context<'_>, settings: &Settings) -> Vec<Check> {
    if settings.servers.is_empty() {
        return Vec::new();
    }
    looked_at(context, settings).unwrap_or_else(|error| vec![Check::of_error("servers of tools", &error)])
}

fn looked_at(context: &Context<'_>, settings: &Settings) -> Result<Vec<Check>, CommandError> {
    let policy = config::own_policy(context.environment, &context.folders.home)?;
    let folder = context.folders.current()?.to_owned();
    let place = (folder.as_path(), BTreeMap::new());
    let cx = start_context(context, settings, &policy, place, CancellationToken::new());
    let pins = Pins::new(own_folder(settings));
    let threads = threads::for_waiting()?;
    let mut running = RunningServers::default();
    let connections = threads.block_on(running.connect(&settings.servers, &cx));
    let checks = settings.servers.iter().zip(&connections).map(|(server, connection)| match connection {
        Ok(connection) => check(server, connection, &pins),
        Err(error) => {
            let check = Check::note(&name(server), in_words(error));
            match hint(error) {
                Some(hint) => check.remedy(hint),
                None => check,
            }
        }
    });
    let checks = checks.collect();
    threads.block_on(running.close());
    Ok(checks)
}

fn name(server: &ServerConfig) -> String {
    format!("server {}", server.name)
}

fn check(server: &ServerConfig, connection: &Connection, pins: &Pins) -> Check {
    let now = connection.definitions();
    let approved = match pins.approved(&Identity::of(server)) {
        Ok(approved) => approved_of(&approved.unwrap_or_default(), &now).len(),
        Err(error) => return Check::note(&name(server), error.to_string()),
    };
    let all = counted(now.len() as u64, "tool", "tools");
    if approved == now.len() {
        return Check::good(&name(server), format!("{all}; it may {}", may_do(server)));
    }
    let test = format!("artoo mcp test {}", server.name);
    Check::note(&name(server), format!("{approved} of {all} approved")).remedy(test)
}
