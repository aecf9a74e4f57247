//! Prices of the models that a run uses.

use std::collections::BTreeMap;

use artoo_types::{Price, Prices};

use super::choose::{ModelChoice, RoleModels};
use super::layer::quoted;
use super::sections::{PriceTable, Provider};
use crate::error::CommandError;

/// The price of each role's model, as far as configured; the embedded model is free. If the run's cost is
/// `limited`, every price has to be known.
pub(crate) fn prices(
    models: &RoleModels,
    tables: &BTreeMap<String, PriceTable>,
    limited: bool,
) -> Result<Prices, CommandError> {
    let mut prices = Prices::default();
    let mut named: Option<(&str, &str)> = None;
    for (role, choice) in models.iter() {
        if choice.provider == Provider::Local {
            prices.roles.insert(role, Price::FREE);
            continue;
        }
        let table = tables.get(&choice.model);
        let Some(price) = table.map(|table| price(choice, table)).transpose()? else {
            if limited {
                return Err(unpriced(choice));
            }
            continue;
        };
        let currency = table.and_then(|table| table.currency.as_deref()).unwrap_or_default().trim();
        match named {
            Some((other, model)) if other != currency => {
                return Err(two_currencies((model, other), (&choice.model, currency)));
            }
            Some(_) | None => named = Some((currency, &choice.model)),
        }
        currency.clone_into(&mut prices.currency);
        prices.roles.insert(role, price);
    }
    Ok(prices)
}

fn price(choice: &ModelChoice, table: &PriceTable) -> Result<Price, CommandError> {
    match (table.prompt, table.completion) {
        (Some(prompt), Some(completion)) => Ok(Price { prompt, completion }),
        (None, _) => Err(half(choice, "prompt")),
        (Some(_), None) => Err(half(choice, "completion")),
    }
}

fn half(choice: &ModelChoice, key: &str) -> CommandError {
    let table = table_name(choice);
    CommandError::configuration(format!("the price in [{table}] lacks `{key}`"))
        .hint(format!("set `{table}.{key}` to what a million such tokens cost; 0 is a price"))
}

fn unpriced(choice: &ModelChoice) -> CommandError {
    let table = table_name(choice);
    let message = format!("what a run may cost is limited, and the model {} has no price", choice.model);
    CommandError::usage(message)
        .hint(format!("set `{table}.prompt` and `{table}.completion`: what a million tokens cost"))
}

fn two_currencies(one: (&str, &str), other: (&str, &str)) -> CommandError {
    let shown = |(model, currency): (&str, &str)| format!("{model} in `{currency}`");
    CommandError::configuration(format!(
        "the prices of one run are in two currencies: {} and {}",
        shown(one),
        shown(other)
    ))
    .hint("write all prices in one currency: artoo config path")
}

fn table_name(choice: &ModelChoice) -> String {
    format!("prices.{}", quoted(&choice.model))
}
