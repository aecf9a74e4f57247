//! The client that the conformance suite of the Model Context Protocol drives:
//! `conformance client --command target/debug/examples/conformance_client --suite core`.
//!
//! The address of a server is its last argument, and the scenario a variable. It has a person who agrees to everything: what it shows is how
//! the connection and the login of this crate talk.

#![expect(clippy::print_stderr, reason = "the suite shows it where a scenario fails")]
#![expect(clippy::disallowed_methods, reason = "the suite says in variables what it wants")]

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use artoo_consent::{Answer, Consent, Question};
use artoo_mcp::{
    Connection, KnownClient, McpError, McpTool, OpenPage, ServerConfig, ServerTable, StartContext, login,
};
use artoo_redaction::Redactor;
use artoo_tools::{EvidenceStore, ProtectedPlaces, RunFolders, Tool, ToolContext};
use artoo_types::Arguments;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Where a description of the client lies that some scenarios expect.
const DESCRIPTION: &str = "https://conformance-test.local/client-metadata.json";
/// How often a scenario may ask for a login.
const LOGINS: usize = 2;

/// A person who agrees to everything.
struct Agreeable;

#[async_trait::async_trait]
impl Consent for Agreeable {
    async fn ask(&self, _: Question) -> Answer {
        Answer::Yes
    }

    async fn ask_words(&self, _: String) -> Option<String> {
        Some("default".to_owned())
    }
}

/// A browser that agrees at once: it follows the page to where it sends it.
struct Browser;

impl OpenPage for Browser {
    fn open(&self, page: &str) -> io::Result<()> {
        let page = page.to_owned();
        tokio::spawn(async move {
            if let Err(error) = agree(page).await {
                eprintln!("the browser failed: {error}");
            }
        });
        Ok(())
    }
}

async fn agree(page: String) -> Result<(), reqwest::Error> {
    let client = artoo_tls::client().redirect(reqwest::redirect::Policy::none()).build()?;
    let answer = client.get(page).send().await?;
    let back = answer.headers().get("location").and_then(|to| to.to_str().ok()).map(str::to_owned);
    if let Some(back) = back {
        client.get(back).send().await?;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let url = std::env::args().next_back().ok_or("the address of a server is missing")?;
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let context: Value = std::env::var("MCP_CONFORMANCE_CONTEXT")
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let place = tempfile::tempdir()?;
    let root = place.path().canonicalize()?;
    let start = StartContext {
        home: root.join("home"),
        folder: root.clone(),
        private_tmp: root.join("tmp"),
        protected: ProtectedPlaces::default(),
        read_only: Vec::new(),
        environment: BTreeMap::new(),
        redactor: Redactor::new(),
        logins: Some(root.join("logins")),
        cancel: CancellationToken::new(),
    };
    let folders = RunFolders {
        working_folder: root.clone(),
        workspace: root.join("workspace"),
        home: root.join("home"),
        private_tmp: root.join("tmp"),
    };
    let cx = ToolContext {
        consent: Arc::new(Agreeable),
        ..ToolContext::new(folders, EvidenceStore::open(root.join("evidence"))?)
    };
    let table = ServerTable { url: Some(url), start_timeout: Some(20), ..ServerTable::default() };
    let config = table.into_config("suite".parse()?, &start.home)?;
    let server = connected(&config, &context, &start).await?;
    for tool in McpTool::of(&server, &server.definitions()) {
        call(&tool, &scenario, &context, (&config, &start), &cx).await?;
    }
    for prompt in server.prompts().await? {
        let arguments = prompt.arguments.into_iter().map(|(name, _)| (name, "a".to_owned())).collect();
        server.prompt(&prompt.name, &arguments, Arc::new(Agreeable)).await?;
    }
    for resource in server.resources().await? {
        server.read_resource(&resource.uri).await?;
    }
    server.close().await;
    Ok(())
}

/// A running server, after the logins that it wants.
async fn connected(config: &ServerConfig, context: &Value, start: &StartContext) -> Outcome<Arc<Connection>> {
    let mut last = None;
    for _ in 0..LOGINS {
        match Connection::start(config.clone(), start).await {
            Ok(server) => return Ok(server),
            Err(McpError::Login { challenge, .. }) => {
                login(config, challenge.as_deref(), known(context), &Browser, start).await?;
                last = challenge;
            }
            Err(error) => return Err(told(&error).into()),
        }
    }
    Err(format!("it wants a login again and again: {last:?}").into())
}

fn known(context: &Value) -> KnownClient {
    let text = |name: &str| context.get(name).and_then(Value::as_str).map(str::to_owned);
    KnownClient {
        id: text("client_id"),
        secret: text("client_secret"),
        description_url: Some(DESCRIPTION.to_owned()),
        scopes: Vec::new(),
    }
}

/// Calls a tool with arguments that fit, and logs in once more where it wants more rights.
async fn call(
    tool: &Arc<McpTool>,
    scenario: &str,
    context: &Value,
    (config, start): (&ServerConfig, &StartContext),
    cx: &ToolContext,
) -> Outcome<()> {
    let named = context.get("toolCalls").and_then(Value::as_array).into_iter().flatten();
    let mut named =
        named.filter(|call| call.get("name").and_then(Value::as_str) == Some(&tool.definition().name));
    let mut arguments = named
        .next()
        .and_then(|call| call.get("arguments")?.as_object().cloned())
        .unwrap_or_else(|| fitting(&tool.arguments()));
    // The toolbox does that in a run.
    arguments.retain(|_, value| !value.is_null());
    eprintln!("{scenario}: {} {}", tool.name(), Value::Object(arguments.clone()));
    let report = Tool::call(tool.as_ref(), &arguments, cx).await;
    let Some(failure) = report.failure else { return Ok(()) };
    eprintln!("{failure:?}");
    if let Some(challenge) = tool.server().wanted_login() {
        login(config, Some(&challenge), known(context), &Browser, start).await?;
        let server = connected(config, context, start).await?;
        let name = tool.definition().name;
        let again = McpTool::of(&server, &server.definitions());
        let again = again.into_iter().find(|one| one.definition().name == name).ok_or("the tool is gone")?;
        if let Some(failure) = Tool::call(again.as_ref(), &arguments, cx).await.failure {
            eprintln!("{failure:?}");
        }
    }
    Ok(())
}

/// Arguments of a schema: the required ones, and those with a type that is known.
fn fitting(schema: &Value) -> Arguments {
    let properties = schema.get("properties").and_then(Value::as_object);
    let value = |property: &Value| match property.get("type").and_then(Value::as_str) {
        Some("integer" | "number") => json!(5),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => property.get("enum").and_then(|all| all.get(0)).cloned().unwrap_or_else(|| json!("a")),
    };
    properties.into_iter().flatten().map(|(name, property)| (name.clone(), value(property))).collect()
}

fn told(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(found) = cause {
        text = format!("{text}: {found}");
        cause = found.source();
    }
    text
}
