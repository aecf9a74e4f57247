//! What a server is started with.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use artoo_mcp::StartContext;
use artoo_policy::{Block, Policy};
use artoo_redaction::{Redactor, secrets_of};
use tokio_util::sync::CancellationToken;

use crate::config::{self, Settings};
use crate::dispatch::Context;
use crate::instructions;

/// The folder of everything about servers, in the data folder.
pub(crate) fn own_folder(settings: &Settings) -> PathBuf {
    settings.data_dir.join("mcp")
}

/// What servers are started with in this folder, with `more` variables of a front end.
pub(crate) fn start_context(
    context: &Context<'_>,
    settings: &Settings,
    policy: &Policy,
    (folder, more): (&Path, BTreeMap<OsString, OsString>),
    cancel: CancellationToken,
) -> StartContext {
    let (environment, home) = (context.environment, &context.folders.home);
    let variables = environment.names().filter_map(|name| Some((name, environment.text(name)?)));
    let redactor = secrets_of(variables).fold(Redactor::new(), Redactor::secret);
    let redactor = more.values().filter_map(|value| value.to_str()).fold(redactor, Redactor::secret);
    let own = own_folder(settings);
    StartContext {
        home: home.clone(),
        folder: folder.to_owned(),
        private_tmp: own.join("tmp"),
        protected: protected(context, settings, policy).into(),
        read_only: policy.blocked(Block::Changes).map(Path::to_owned).collect(),
        environment: environment.all().into_iter().chain(more).collect(),
        redactor,
        logins: Some(own.join("logins")),
        cancel,
    }
}

/// The places that no run and no server may read or change.
fn protected(context: &Context<'_>, settings: &Settings, policy: &Policy) -> Vec<PathBuf> {
    let (environment, home) = (context.environment, &context.folders.home);
    // A relative one in a folder that is gone was refused when it was read.
    let configuration = context.folders.whole(&config::path(environment, home)).ok();
    let own =
        [config::policy_path(environment, home), settings.data_dir.clone(), settings.memory_folder.clone()];
    let own = own.into_iter().chain(configuration).chain(instructions::own(environment, home));
    own.chain(settings.protected.iter().cloned())
        .chain(policy.blocked(Block::Access).map(Path::to_owned))
        .collect()
}
