//! The choice of a provider whose key stands in a variable. artoo keeps no keys: it keeps the variable's name.

use artoo_llm_http::ApiKey;

use super::questions::{Questions, Stop, tell};
use super::server_choice::at_address;
use super::{Chosen, is_back};
use crate::config::{ModelTable, Provider, Settings};
use crate::dispatch::Context;
use crate::machine::Environment;

/// A key with the variable that holds it.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) variable: String,
    pub(super) value: ApiKey,
}

/// The providers that are known, with the usual variable of their key.
const PROVIDERS: [(&str, Provider, &str); 2] =
    [("OpenAI", Provider::Openai, "OPENAI_API_KEY"), ("Anthropic", Provider::Anthropic, "ANTHROPIC_API_KEY")];

/// The usual variables that are set.
pub(super) fn set_variables(environment: &Environment) -> Vec<&'static str> {
    let variables = PROVIDERS.into_iter().map(|(_, _, variable)| variable);
    variables.filter(|variable| environment.text(variable).is_some()).collect()
}

/// Asks for a provider; `None` if the person goes back.
pub(super) fn choose(
    context: &mut Context<'_>,
    questions: &mut Questions<'_>,
    settings: &Settings,
) -> Result<Option<Chosen>, Stop> {
    for (number, (name, _, variable)) in (1..).zip(PROVIDERS) {
        let is_set = context.environment.text(variable).is_some();
        let state = if is_set { "set" } else { "not set" };
        tell(context.terminal, 2, &format!("{number}  {name}: {variable} is {state}"));
    }
    tell(context.terminal, 2, "3  another one: its address, and the variable with your key");
    let usual = PROVIDERS.into_iter().find(|(.., variable)| context.environment.text(variable).is_some());
    let prompt = match usual {
        Some((name, ..)) => format!("1, 2 or 3 (Enter: {name}, b: back)"),
        None => "1, 2 or 3 (b: back)".to_owned(),
    };
    loop {
        let answer = questions.ask(context.terminal, &prompt)?;
        let provider = match answer.as_str() {
            "" if usual.is_some() => usual,
            "1" => PROVIDERS.first().copied(),
            "2" => PROVIDERS.get(1).copied(),
            "3" => {
                let chosen = elsewhere(context, questions, settings)?;
                if chosen.is_some() {
                    return Ok(chosen);
                }
                continue;
            }
            back if is_back(back) => return Ok(None),
            _ => {
                tell(context.terminal, 0, "type 1, 2 or 3, or b to go back");
                continue;
            }
        };
        if let Some((_, provider, variable)) = provider
            && key(context, variable).is_some()
        {
            let key_env = Some(variable.to_owned());
            let table = ModelTable { provider: Some(provider), key_env, ..ModelTable::default() };
            return Ok(Some(Chosen { table, server: None }));
        }
    }
}

/// A provider at an address that is typed.
fn elsewhere(
    context: &mut Context<'_>,
    questions: &mut Questions<'_>,
    settings: &Settings,
) -> Result<Option<Chosen>, Stop> {
    tell(context.terminal, 0, "The provider's address, for example https://openrouter.ai/api/v1");
    let address = questions.ask(context.terminal, "Address (b: back)")?;
    if is_back(&address) || address.is_empty() {
        return Ok(None);
    }
    match variable(context, questions)? {
        Some(key) => at_address(context, questions, settings, &address, Some(key)),
        None => Ok(None),
    }
}

/// Asks for the variable with a key; `None` if the person goes back.
pub(super) fn variable(
    context: &mut Context<'_>,
    questions: &mut Questions<'_>,
) -> Result<Option<Key>, Stop> {
    loop {
        let name = questions.ask(context.terminal, "Variable with your key (b: back)")?;
        if is_back(&name) || name.is_empty() {
            return Ok(None);
        }
        if !is_name(&name) {
            // What was typed may be the key itself: it is not repeated.
            tell(
                context.terminal,
                0,
                "That is no name of a variable. artoo keeps no keys: put yours into a variable, and type the name of that.",
            );
            tell_export(context, "MODEL_KEY");
        } else if let Some(key) = key(context, &name) {
            return Ok(Some(key));
        }
    }
}

/// The key in a variable. Where there is none, it is told how to set it.
fn key(context: &mut Context<'_>, variable: &str) -> Option<Key> {
    let Some(value) = context.environment.text(variable) else {
        tell(
            context.terminal,
            0,
            &format!("{variable} is not set. artoo keeps no keys and reads them from the environment."),
        );
        tell_export(context, variable);
        return None;
    };
    match ApiKey::new(value) {
        Ok(value) => Some(Key { variable: variable.to_owned(), value }),
        Err(error) => {
            tell(context.terminal, 0, &format!("The key in {variable} cannot be used: {error}"));
            None
        }
    }
}

fn tell_export(context: &mut Context<'_>, variable: &str) {
    tell(context.terminal, 0, "Leave with q, set it in your shell, and start artoo again:");
    context.terminal.note(&format!("    export {variable}=YOUR_KEY"));
}

/// Whether a text can be the name of a variable.
fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_no_name_of_a_variable() {
        for (text, expected) in [
            ("OPENAI_API_KEY", true),
            ("_k1", true),
            ("sk-ant-1", false),
            ("1K", false),
            ("", false),
            ("A B", false),
        ] {
            assert_eq!(is_name(text), expected, "{text}");
        }
    }

    #[test]
    fn the_variables_that_are_set_are_found() {
        let environment = Environment::new([
            ("ANTHROPIC_API_KEY".into(), "k".into()),
            ("OPENAI_API_KEY".into(), "".into()),
        ]);
        assert_eq!(set_variables(&environment), ["ANTHROPIC_API_KEY"]);
    }
}
