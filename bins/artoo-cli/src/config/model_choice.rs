//! Model selection: which provider and model each role gets.

use artoo_llm_client::{Contender, weaker_judge};
use artoo_runtime::BuildError;
use artoo_types::Role;

use super::layer::{Merged, Origin};
use super::tables::{ModelTable, Provider, Sections};
use crate::error::{CommandError, Kind};
use crate::machine::Environment;
use crate::suggest::nearest;

/// Information about embedded models. Checking a file may require hashing it,
/// so that is done only where it matters.
pub(crate) struct Embedded<'a> {
    /// Names of all models of the catalogue, the default one first.
    pub(crate) catalogue: Vec<String>,
    /// Checks the file of one model.
    pub(crate) state: &'a dyn Fn(&str) -> EmbeddedState,
}

/// State of an embedded model's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EmbeddedState {
    /// Missing or incomplete.
    Absent,
    /// Complete, with the expected hash.
    Installed,
    /// A file that does not match, and why.
    Damaged(String),
}

/// A chosen model with everything needed to reach it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModelChoice {
    /// The wire format, or the embedded model.
    pub(crate) provider: Provider,
    /// The server's address; empty for the embedded model.
    pub(crate) base_url: String,
    /// The model's name.
    pub(crate) model: String,
    /// The variable that holds the key, if one is needed or set.
    pub(crate) key_env: Option<String>,
}

impl ModelChoice {
    /// As far as its strength is told.
    fn contender(&self) -> Contender<'_> {
        let server = (self.provider != Provider::Local).then_some(self.base_url.as_str());
        Contender { model: &self.model, server }
    }
}

/// The model of each role that uses one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RoleModels {
    /// In the order of [`ROLES`].
    choices: [ModelChoice; 5],
}

/// The roles that use a model, in the order of the specification.
pub(crate) const ROLES: [Role; 5] =
    [Role::Perceiver, Role::Planner, Role::Executor, Role::AgentValidator, Role::MetaValidator];

/// OpenAI's public address.
const OPENAI: &str = "https://api.openai.com/v1";
/// Anthropic's public address.
const ANTHROPIC: &str = "https://api.anthropic.com";
/// Default model if only an OpenAI key is known.
const OPENAI_MODEL: &str = "gpt-5-mini";
/// Default model if only an Anthropic key is known.
const ANTHROPIC_MODEL: &str = "claude-sonnet-4-5";

impl RoleModels {
    /// Each role with its model.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Role, &ModelChoice)> {
        ROLES.into_iter().zip(&self.choices)
    }

    /// The distinct models, in the order of the roles.
    pub(crate) fn distinct(&self) -> Vec<&ModelChoice> {
        let mut distinct: Vec<&ModelChoice> = Vec::new();
        for choice in &self.choices {
            if !distinct.contains(&choice) {
                distinct.push(choice);
            }
        }
        distinct
    }

    /// Whether any role uses the embedded model.
    pub(crate) fn embedded(&self) -> bool {
        self.choices.iter().any(|choice| choice.provider == Provider::Local)
    }
}

/// Chooses each role's model. Refuses a choice that cannot work or that gives R4b a weaker model than R2.
pub(crate) fn choose(
    merged: &mut Merged,
    sections: &Sections,
    environment: &Environment,
    embedded: &Embedded<'_>,
) -> Result<RoleModels, CommandError> {
    let brain_table = found(merged, &sections.brain, environment, embedded)?;
    let tool_table = over(&brain_table, &sections.tool);
    let named_now = merged.origins.get("brain.base_url").is_some_and(|origin| match origin {
        Origin::Variable(_) | Origin::Option(_) => true,
        Origin::Default | Origin::Found(_) | Origin::File(_) | Origin::Profile(_) => false,
    });
    let make = |tier: (&str, &ModelTable), own: (&str, &ModelTable)| {
        let (name, table) = own;
        let name = if table.is_empty() { tier.0 } else { name };
        let table = over(tier.1, table);
        // A key that was set for one server is not sent to another one that a file names.
        let usual_key = table.base_url.is_none() || (named_now && table.base_url == brain_table.base_url);
        complete(name, &table, usual_key, environment, embedded)
    };
    let roles = &sections.roles;
    let brain = ("brain", &brain_table);
    let tool = (if sections.tool.is_empty() { "brain" } else { "tool" }, &tool_table);
    let perceiver = make(brain, ("roles.perceiver", &roles.perceiver))?;
    let planner = make(brain, ("roles.planner", &roles.planner))?;
    let executor = make(tool, ("roles.executor", &roles.executor))?;
    let agent_validator = make(tool, ("roles.agent_validator", &roles.agent_validator))?;
    let meta_validator = make(brain, ("roles.meta_validator", &roles.meta_validator))?;
    if let Some(reason) = weaker_judge(meta_validator.contender(), planner.contender(), executor.contender())
    {
        // The same rule and the same error as when artoo is built, before any model is loaded.
        let (judge, planner) = (meta_validator.model, planner.model);
        return Err(CommandError::configuration(
            BuildError::WeakerJudge { judge, planner, reason }.to_string(),
        )
        .hint("remove [roles.meta_validator], or name a model that is at least as strong as the planner's"));
    }
    Ok(RoleModels { choices: [perceiver, planner, executor, agent_validator, meta_validator] })
}

/// Lays `upper` over `lower`; a different provider inherits nothing.
fn over(lower: &ModelTable, upper: &ModelTable) -> ModelTable {
    let base = match upper.provider {
        Some(provider) if lower.provider != Some(provider) => &ModelTable::default(),
        _ => lower,
    };
    ModelTable {
        provider: upper.provider.or(base.provider),
        base_url: upper.base_url.clone().or_else(|| base.base_url.clone()),
        model: upper.model.clone().or_else(|| base.model.clone()),
        key_env: upper.key_env.clone().or_else(|| base.key_env.clone()),
    }
}

/// The brain's table with a provider: the chosen one, or the first that is available.
fn found(
    merged: &mut Merged,
    table: &ModelTable,
    environment: &Environment,
    embedded: &Embedded<'_>,
) -> Result<ModelTable, CommandError> {
    if table.provider.is_some() {
        return Ok(table.clone());
    }
    let is_embedded = |name: &String| embedded.catalogue.contains(name);
    let (provider, why) = if table.base_url.is_some() {
        (Provider::Openai, "an address is set")
    } else if table.model.as_ref().is_some_and(is_embedded) {
        (Provider::Local, "it is the name of an embedded model")
    } else if environment.text("OPENAI_API_KEY").is_some() {
        (Provider::Openai, "OPENAI_API_KEY is set")
    } else if environment.text("ANTHROPIC_API_KEY").is_some() {
        (Provider::Anthropic, "ANTHROPIC_API_KEY is set")
    } else if table.model.is_none() && embedded.default_is_there() {
        (Provider::Local, "the embedded model is installed")
    } else {
        return Err(nothing(table, embedded));
    };
    let word = match provider {
        Provider::Openai => "openai",
        Provider::Anthropic => "anthropic",
        Provider::Local => "local",
    };
    super::layer::put(&mut merged.table, "brain.provider", word.into());
    merged.origins.insert("brain.provider".to_owned(), Origin::Found(why));
    Ok(ModelTable { provider: Some(provider), ..table.clone() })
}

fn nothing(table: &ModelTable, embedded: &Embedded<'_>) -> CommandError {
    let Some(model) = &table.model else {
        return CommandError::new(Kind::NoModel, "no model is set up")
            .hint("run `artoo setup` to choose one: a local server, a key, or the embedded model");
    };
    let meant = nearest(model, embedded.catalogue.iter().map(String::as_str));
    CommandError::configuration(format!(
        "there is no server for the model `{model}`, and it is no embedded model"
    ))
    .hint(match meant {
        Some(meant) => format!("did you mean `{meant}`? for a server's model, add --base-url URL"),
        None => "add --base-url URL, or run `artoo setup`".to_owned(),
    })
}

/// Fills missing values with the provider's defaults.
fn complete(
    name: &str,
    table: &ModelTable,
    usual_key: bool,
    environment: &Environment,
    embedded: &Embedded<'_>,
) -> Result<ModelChoice, CommandError> {
    let key_env = |usual: &str| {
        let found = usual_key && environment.text(usual).is_some();
        table.key_env.clone().or_else(|| found.then(|| usual.to_owned()))
    };
    if let Some(named) = &table.key_env
        && environment.text(named).is_none()
    {
        return Err(CommandError::configuration(format!(
            "[{name}] takes its key from {named}, which is not set"
        ))
        .hint(format!("export {named}=..., or choose another model: artoo setup")));
    }
    match table.provider.unwrap_or(Provider::Openai) {
        provider @ Provider::Openai => {
            let base_url = table.base_url.clone().unwrap_or_else(|| OPENAI.to_owned());
            let model = match &table.model {
                Some(model) => model.clone(),
                None if table.base_url.is_none() => OPENAI_MODEL.to_owned(),
                None => {
                    return Err(CommandError::configuration(format!(
                        "no model is named for the server {base_url}"
                    ))
                    .hint(
                        "set OPENAI_MODEL, pass --model NAME, or run `artoo setup` to see what it serves",
                    ));
                }
            };
            Ok(ModelChoice { provider, base_url, model, key_env: key_env("OPENAI_API_KEY") })
        }
        provider @ Provider::Anthropic => {
            let base_url = table.base_url.clone().unwrap_or_else(|| ANTHROPIC.to_owned());
            let model = table.model.clone().unwrap_or_else(|| ANTHROPIC_MODEL.to_owned());
            Ok(ModelChoice { provider, base_url, model, key_env: key_env("ANTHROPIC_API_KEY") })
        }
        provider @ Provider::Local => {
            let model =
                table.model.clone().or_else(|| embedded.catalogue.first().cloned()).unwrap_or_default();
            usable(&model, embedded)?;
            Ok(ModelChoice { provider, base_url: String::new(), model, key_env: None })
        }
    }
}

/// Checks that the embedded model is known, installed and undamaged.
fn usable(model: &str, embedded: &Embedded<'_>) -> Result<(), CommandError> {
    if !embedded.catalogue.iter().any(|name| name == model) {
        let meant = nearest(model, embedded.catalogue.iter().map(String::as_str));
        return Err(CommandError::configuration(format!("there is no embedded model `{model}`")).hint(
            match meant {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "see: artoo model list".to_owned(),
            },
        ));
    }
    match (embedded.state)(model) {
        EmbeddedState::Installed => Ok(()),
        EmbeddedState::Absent => {
            Err(CommandError::configuration(format!("the embedded model {model} is not installed"))
                .hint("fetch it with `artoo model pull`, or choose another model: artoo setup"))
        }
        EmbeddedState::Damaged(problem) => Err(CommandError::configuration(format!(
            "the file of the embedded model {model} is damaged: {problem}"
        ))
        .hint("fetch it again: artoo model pull")),
    }
}

impl Embedded<'_> {
    /// A damaged file counts as installed: "nothing is set up" would hide the actual problem.
    fn default_is_there(&self) -> bool {
        self.catalogue.first().is_some_and(|name| match (self.state)(name) {
            EmbeddedState::Installed | EmbeddedState::Damaged(_) => true,
            EmbeddedState::Absent => false,
        })
    }
}
