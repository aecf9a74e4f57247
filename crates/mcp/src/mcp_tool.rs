//! One tool of a server, as the executor calls it: asked about, watched, and its answer fenced as words of others.

use std::path::PathBuf;
use std::sync::Arc;

use artoo_consent::{ProposedEffects, Question};
use artoo_sandbox::SandboxMode;
use artoo_shell_effects::DecidedBy;
use artoo_tools::{Captured, ServerReach, Tool, ToolContext, ToolEffect, ToolError, ToolReport};
use artoo_types::{Arguments, CallEnding, CallFailure, Effect, EffectKind, FailureClass, ToolName, Untried};
use async_trait::async_trait;
use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest};
use serde_json::Value;

use crate::definition::short;
use crate::plain_schema::plain;
use crate::requests::CallView;
use crate::tool_answer::ToolAnswer;
use crate::{Connection, Definition, McpError, tool_names};

/// The longest description that a model is told, in bytes.
const LONGEST_DESCRIPTION: usize = 4 * 1024;

/// A tool of a server that a person has approved.
///
/// A call of a server that can change nothing is made at once. Any other is asked about with its arguments, and not made where nothing may
/// be changed. What it changed in the folders of its server is in the record of the call, and is kept for undo.
#[derive(Debug)]
pub struct McpTool {
    server: Arc<Connection>,
    name: ToolName,
    summary: String,
    description: String,
    /// As it was approved.
    approved: Definition,
    /// As a model is given it.
    schema: Value,
    is_destructive: bool,
}

impl McpTool {
    /// The tools of a server that are approved as they are now.
    pub fn of(server: &Arc<Connection>, approved: &[Definition]) -> Vec<Arc<Self>> {
        let now = server.definitions();
        let named = tool_names(server.name(), &now).into_iter().zip(&now);
        let is_approved = |definition: &Definition| {
            approved.iter().any(|one| one.name == definition.name && one.hash() == definition.hash())
        };
        named
            .filter(|(_, definition)| is_approved(definition))
            .map(|(name, definition)| Arc::new(Self::new(server, name, definition)))
            .collect()
    }

    fn new(server: &Arc<Connection>, name: String, definition: &Definition) -> Self {
        let said = definition
            .description
            .as_deref()
            .or(definition.title.as_deref())
            .unwrap_or("it does not say what it does");
        let description: String = said.chars().take(LONGEST_DESCRIPTION / 4).collect();
        let first = said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        Self {
            server: Arc::clone(server),
            name: ToolName::new(name),
            summary: format!("tool of the server {}: {}", server.name(), short(first)),
            description: format!(
                "Tool of the server {}, which describes it so: {description}",
                server.name()
            ),
            approved: definition.clone(),
            schema: plain(&definition.input),
            is_destructive: definition.is_destructive(),
        }
    }

    /// Its server.
    pub fn server(&self) -> &Arc<Connection> {
        &self.server
    }

    /// Its definition, as it was approved.
    pub fn definition(&self) -> Definition {
        self.approved.clone()
    }

    pub(crate) async fn carry_out(
        &self,
        arguments: &Arguments,
        cx: &ToolContext,
    ) -> Result<ToolReport, McpError> {
        self.refuse(cx)?;
        self.see_that_it_is_the_same().await?;
        let definition = self.definition();
        if let Some(problem) = definition.misfit(arguments) {
            let server = self.server.name().to_string();
            return Err(McpError::Arguments { server, tool: definition.name, problem });
        }
        self.ask(arguments, cx).await?;
        let untried = self.untried();
        let watched = match &untried {
            Some(untried) => Some(cx.watch_folders(&untried.folders).await?),
            None => None,
        };
        let answered = self.call(&definition.name, arguments, cx).await;
        // Also after a call that failed, or that was cancelled: it may have changed something before.
        let report = answered.unwrap_or_else(ToolReport::from);
        let report = ToolReport { untried, ..report };
        match watched {
            Some(watched) => Ok(watched.in_report(report, cx).await?),
            None => Ok(report),
        }
    }

    /// Refuses what may change something where nothing may be changed.
    fn refuse(&self, cx: &ToolContext) -> Result<(), ToolError> {
        if self.server.reach() == ServerReach::Nothing {
            return Ok(());
        }
        match cx.mode {
            SandboxMode::ReadOnly => {
                Err(ToolError::Ruled { rule: DecidedBy::ReadOnlyMode.words().to_owned() })
            }
            SandboxMode::WorkspaceWrite | SandboxMode::FullAccess if cx.trial_only => {
                Err(ToolError::Unconfirmed {
                    came: format!("`{}` was not called, for it cannot be tried", self.name),
                })
            }
            SandboxMode::WorkspaceWrite | SandboxMode::FullAccess => self.refuse_places(cx),
        }
    }

    /// Refuses a server that could write where this run may not: it was started before anybody knew of the run.
    fn refuse_places(&self, cx: &ToolContext) -> Result<(), ToolError> {
        for folder in self.server.folders() {
            if let Some(scope) = cx.scope.as_ref().filter(|scope| !folder.starts_with(scope)) {
                let (path, scope) = (folder.display().to_string(), scope.display().to_string());
                return Err(ToolError::OutsideScope { path, scope });
            }
            let meets = |place: &&PathBuf| place.starts_with(folder) || folder.starts_with(place);
            let is_open = |place: &&PathBuf| !self.server.read_only.contains(place);
            if let Some(place) = cx.read_only.iter().filter(meets).find(is_open) {
                let (path, place) = (folder.display().to_string(), place.display().to_string());
                return Err(ToolError::Kept { path, place });
            }
        }
        Ok(())
    }

    /// Refuses a tool whose definition the server has changed since it was approved. The difference is asked about before the next run, where
    /// nothing that was granted for calls answers the question.
    async fn see_that_it_is_the_same(&self) -> Result<(), McpError> {
        self.server.read_changed_tools().await?;
        let listed = self.server.listed();
        let now = listed.definitions.iter().find(|definition| definition.name == self.approved.name);
        let (server, tool) = (self.server.name().to_string(), self.approved.name.clone());
        match now {
            None => Err(McpError::Unknown { server, what: "tool", name: tool }),
            Some(now) if now.hash() == self.approved.hash() => Ok(()),
            Some(_) => Err(McpError::Changed { server, tool }),
        }
    }

    /// Asks for consent, unless the server can change nothing.
    async fn ask(&self, arguments: &Arguments, cx: &ToolContext) -> Result<(), ToolError> {
        let effects = match self.why() {
            Some(why) => vec![self.effect_of(why)],
            None => Vec::new(),
        };
        let programs = [self.name.to_string()];
        let proposed =
            ProposedEffects { programs: &programs, effects: &effects, ..ProposedEffects::default() };
        let demand = cx.demanded(proposed)?;
        let effects = match (effects.is_empty(), &demand) {
            (true, None) => return Ok(()),
            // A rule asks about every use of it.
            (true, Some((_, reason))) => vec![self.effect_of(reason.clone())],
            (false, _) => effects,
        };
        let question = self.question(self.command(arguments), effects);
        let question = match demand {
            Some((rule, reason)) => Question { rule, reason, ..question },
            None => question,
        };
        let question = cx.told_beyond_undo(question, self.server.folders()).await?;
        cx.consented(question).await
    }

    /// Why a call needs consent; `None` if the kernel lets its server change nothing.
    fn why(&self) -> Option<String> {
        let (server, reach) = (self.server.name(), self.server.reach());
        let why = match reach {
            ServerReach::Nothing => return None,
            ServerReach::Folders => {
                let folders: Vec<String> =
                    self.server.folders().iter().map(|folder| folder.display().to_string()).collect();
                format!(
                    "the server {server} may change files in {}, and does so without a trial",
                    folders.join(", ")
                )
            }
            ServerReach::Elsewhere => format!(
                "the server {server} acts on another machine, or by a network: that is neither tried first nor can it be undone"
            ),
        };
        let claim =
            if self.is_destructive { "; it says of this tool that it may destroy something" } else { "" };
        Some(format!("{why}{claim}"))
    }

    fn effect_of(&self, why: String) -> Effect {
        let name = self.name.to_string();
        Effect { kind: EffectKind::Unknown, what: name.clone(), word: name, why }
    }

    fn question(&self, command: String, effects: Vec<Effect>) -> Question {
        let by = DecidedBy::ConsentToTheUnknown;
        Question {
            tool: self.name.clone(),
            command,
            programs: vec![self.name.to_string()],
            effects,
            free: Vec::new(),
            changes: Vec::new(),
            commit: None,
            moves: None,
            rule: by.name().to_owned(),
            reason: by.words().to_owned(),
            beyond_undo: None,
            always: None,
        }
    }

    /// The call as a command: the form in which the user's rules are about it.
    fn command(&self, arguments: &Arguments) -> String {
        let json = Value::Object(arguments.clone()).to_string();
        format!("{} '{}'", self.name, json.replace('\'', r"'\''"))
    }

    fn untried(&self) -> Option<Untried> {
        let folders = self.server.folders().to_vec();
        match self.server.reach() {
            ServerReach::Nothing => None,
            ServerReach::Folders => Some(Untried { folders, elsewhere: false }),
            ServerReach::Elsewhere => Some(Untried { folders, elsewhere: true }),
        }
    }

    async fn call(
        &self,
        tool: &str,
        arguments: &Arguments,
        cx: &ToolContext,
    ) -> Result<ToolReport, McpError> {
        const DOING: &str = "call a tool";
        let view = CallView::of(cx, self.server.config.limits.call);
        let answer = self.server.ask(DOING, &view, |round| {
            let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments.clone());
            params.input_responses = round.input_responses;
            params.request_state = round.request_state;
            ClientRequest::CallToolRequest(CallToolRequest::new(params))
        });
        let answer = ToolAnswer::read(&answer.await?).ok_or_else(|| self.server.no_answer(DOING))?;
        Ok(self.report(answer, cx))
    }

    fn report(&self, answer: ToolAnswer, cx: &ToolContext) -> ToolReport {
        let server = self.server.name();
        let failure = answer.is_error.then(|| CallFailure {
            class: FailureClass::Logical,
            reason: format!("the server {server} says that the call failed"),
            hint: Some("what it says is in the output".to_owned()),
        });
        let origin = format!("the server {server}");
        let output = match answer.picture {
            Some((media_type, bytes)) if cx.images => Captured::Picture { media_type, bytes },
            Some((media_type, bytes)) => {
                let text =
                    format!("[a picture: {media_type}, {} bytes, which this model cannot see]", bytes.len());
                Captured::Foreign { origin, bytes: text.into_bytes() }
            }
            None if answer.text.is_empty() => Captured::Nothing,
            None => Captured::Foreign { origin, bytes: kept(answer.text, cx.limits.kept) },
        };
        ToolReport { ending: CallEnding::Returned, failure, output, ..ToolReport::text("") }
    }
}

/// The text, or as much of it as is kept of an output.
fn kept(text: String, most: u64) -> Vec<u8> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    if text.len() <= most {
        return text.into_bytes();
    }
    let end = text.floor_char_boundary(most);
    let more = text.len().saturating_sub(end);
    format!("{}\n[... {more} more bytes, which are not kept ...]", text.get(..end).unwrap_or_default())
        .into_bytes()
}

#[async_trait]
impl Tool for McpTool {
    fn name(&self) -> ToolName {
        self.name.clone()
    }

    fn summary(&self) -> &str {
        &self.summary
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Server(self.server.reach())
    }

    /// Words of a stranger do not become the answer as they are.
    fn output_is_answer(&self) -> bool {
        false
    }

    fn arguments(&self) -> Value {
        self.schema.clone()
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        self.carry_out(arguments, cx).await.unwrap_or_else(ToolReport::from)
    }
}
