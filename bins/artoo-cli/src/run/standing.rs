//! The artoo of a conversation: kept open between requests, so that its memory can dream while nothing else happens,
//! and built anew only where something that it is built from has changed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use artoo_llm_client::LlmClient;
use artoo_mcp::Connection;
use artoo_policy::Policy;
use artoo_runtime::Artoo;
use artoo_runtime::events::Cumulative;
use artoo_sandbox::SandboxMode;
use artoo_types::{Prices, Role, ToolName};

use super::prepare::Prepared;
use crate::args::RunArgs;
use crate::config::Settings;
use crate::dispatch::Context;
use crate::error::CommandError;
use crate::memory_location::{Place, place};

/// How long the end of an artoo may take: the audit log is written, the memory closed.
const CLOSING: Duration = Duration::from_secs(3);

/// The artoo of a conversation, once a request has needed one.
#[derive(Default)]
pub(crate) struct Standing {
    open: Option<(Basis, Artoo)>,
    /// What the Dreamers of closed ones spent.
    dreamt: Vec<Cumulative>,
}

/// Everything that an artoo is built from and that may change between two requests.
#[derive(PartialEq)]
pub(super) struct Basis {
    settings: Settings,
    prices: Prices,
    embedded: bool,
    policy: Policy,
    configuration: PathBuf,
    secrets: Vec<String>,
    tools: Vec<ToolName>,
    programs: Vec<String>,
    environment: BTreeMap<OsString, OsString>,
    memory: Place,
    asks_before_plans: bool,
    clients: Vec<Client>,
    servers: Vec<Server>,
}

/// A running server. Two are the same if they are one connection: the tools of another one are others.
struct Server(Arc<Connection>);

impl PartialEq for Server {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The client of a role. Two are the same if they are one: clients are kept as long as their models stay.
struct Client(Role, Arc<dyn LlmClient>);

impl PartialEq for Client {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 && Arc::ptr_eq(&self.1, &other.1)
    }
}

impl Basis {
    pub(super) fn of(context: &Context<'_>, args: &RunArgs, prepared: &Prepared) -> Self {
        let clients = prepared.clients.iter().map(|(role, client)| Client(*role, Arc::clone(client)));
        Self {
            // The sandbox mode belongs to each request.
            settings: Settings { sandbox: SandboxMode::default(), ..prepared.settings.clone() },
            prices: prepared.prices.clone(),
            embedded: prepared.embedded,
            policy: prepared.policy.clone(),
            configuration: prepared.configuration.clone(),
            secrets: prepared.secrets.clone(),
            tools: prepared.toolbox.tools().map(|tool| tool.name()).collect(),
            programs: artoo_tools::installed_programs(&context.environment.search_path()),
            environment: context.environment.all(),
            memory: place(&prepared.settings, &prepared.request.surroundings.working_folder),
            asks_before_plans: args.plan,
            clients: clients.collect(),
            servers: prepared.servers.iter().map(|server| Server(Arc::clone(server))).collect(),
        }
    }
}

impl Standing {
    /// Whether no request has needed it yet.
    pub(super) fn is_unused(&self) -> bool {
        self.open.is_none() && self.dreamt.is_empty()
    }

    /// The open artoo if it was built from the same, and otherwise a new one; the old one is closed first, as two
    /// would share one memory.
    pub(super) async fn on(
        &mut self,
        basis: Basis,
        build: impl FnOnce() -> Result<Artoo, CommandError>,
    ) -> Result<Artoo, CommandError> {
        if let Some((known, artoo)) = &self.open
            && *known == basis
        {
            return Ok(artoo.clone());
        }
        self.close().await;
        let artoo = build()?;
        self.open = Some((basis, artoo.clone()));
        Ok(artoo)
    }

    /// Closes it: everything is on disk then, and its memory is free for others. The next request opens another.
    pub(crate) async fn close(&mut self) {
        if let Some((_, artoo)) = self.open.take() {
            closed(artoo.clone()).await;
            self.dreamt.push(artoo.dreamt());
        }
    }

    /// The model calls of its Dreamer, the ones of closed artoos included.
    pub(crate) fn dreamt(&self) -> Vec<Cumulative> {
        let open = self.open.as_ref().map(|(_, artoo)| artoo.dreamt());
        self.dreamt.iter().cloned().chain(open).filter(|dreamt| dreamt.calls > 0).collect()
    }
}

/// The artoos of a host: several runs may be active at once, in different folders. One is reused as long as it is built from the same, and
/// closed once nothing runs in it and something has changed.
#[derive(Default)]
pub(crate) struct Several(Vec<Hosting>);

struct Hosting {
    basis: Basis,
    artoo: Artoo,
    /// Each run in it has a clone.
    in_use: Arc<()>,
}

/// Keeps the artoo of a run from being closed.
#[derive(Clone)]
pub(super) struct InUse(#[expect(dead_code, reason = "it only counts")] Arc<()>);

impl Several {
    /// Whether no run has needed one yet.
    pub(super) fn is_unused(&self) -> bool {
        self.0.is_empty()
    }

    /// The artoo that was built from the same, or a new one.
    pub(super) async fn on(
        &mut self,
        basis: Basis,
        build: impl FnOnce() -> Result<Artoo, CommandError>,
    ) -> Result<(Artoo, InUse), CommandError> {
        if let Some(known) = self.0.iter().find(|known| known.basis == basis) {
            return Ok((known.artoo.clone(), InUse(Arc::clone(&known.in_use))));
        }
        // Closed first: its memory may be the one that the new artoo opens.
        let idle = |known: &mut Hosting| Arc::strong_count(&known.in_use) == 1;
        for outdated in self.0.extract_if(.., idle) {
            closed(outdated.artoo).await;
        }
        let (artoo, in_use) = (build()?, Arc::new(()));
        self.0.push(Hosting { basis, artoo: artoo.clone(), in_use: Arc::clone(&in_use) });
        Ok((artoo, InUse(in_use)))
    }

    /// Closes all of them: active runs are cancelled, and everything is on disk.
    pub(crate) async fn close(&mut self) {
        for hosting in self.0.drain(..) {
            closed(hosting.artoo).await;
        }
    }
}

/// Closes an artoo. A timeout loses nothing silently: the audit log then ends before the lines that are not on disk
/// yet, and says so.
pub(super) async fn closed(artoo: Artoo) {
    let _ = tokio::time::timeout(CLOSING, artoo.close()).await;
}

/// Waits, as long, until what an artoo that stays open recorded is on disk.
pub(super) async fn settled(artoo: &Artoo) {
    let _ = tokio::time::timeout(CLOSING, artoo.settle()).await;
}
