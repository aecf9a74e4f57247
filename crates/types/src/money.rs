//! Money: what models cost, and what a run may cost.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{ModelCall, Role};

/// An amount of money, from 0 to a million units of its currency. On the wire it is a number of units, inside a whole number
/// of their million-millionths: a token costs so little, and sums of budgets must not drift.
///
/// ```
/// use artoo_types::Amount;
/// let half = Amount::new(0.5).unwrap();
/// assert_eq!(half.saturating_add(half).to_string(), "1");
/// assert_eq!(Amount::new(-0.5), None);
/// assert_eq!(Amount::new(f64::NAN), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount(u64);

/// Parts of a unit.
const PARTS: f64 = 1e12;
/// The same as a whole number.
const PARTS_OF_ONE: u64 = 1_000_000_000_000;
/// The greatest amount that can be written, in units.
const MOST: f64 = 1e6;

impl Amount {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// Takes a number of units from 0 to a million; `None` for any other.
    pub fn new(units: f64) -> Option<Self> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1e18 fits")]
        let parts = |units: f64| (units * PARTS).round() as u64;
        (0.0..=MOST).contains(&units).then(|| Self(parts(units)))
    }

    /// The number of units.
    pub fn units(self) -> f64 {
        self.0 as f64 / PARTS
    }

    /// The sum, at most what fits: some 18 million units.
    #[must_use]
    pub fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// Exactly, without zeros at the end: `0.0125`.
impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, parts) = (self.0 / PARTS_OF_ONE, self.0 % PARTS_OF_ONE);
        let parts = format!("{parts:012}");
        match parts.trim_end_matches('0') {
            "" => write!(f, "{whole}"),
            parts => write!(f, "{whole}.{parts}"),
        }
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.units())
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let units = f64::deserialize(deserializer)?;
        let refused = || serde::de::Error::custom(format!("{units} is no amount from 0 to {MOST}"));
        Self::new(units).ok_or_else(refused)
    }
}

impl JsonSchema for Amount {
    fn schema_name() -> Cow<'static, str> {
        "Amount".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number", "minimum": 0, "maximum": MOST, "description": "Units of a currency."})
    }
}

/// What a million tokens cost. Tokens that a cache spared are counted as read: a bill may be lower, never higher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Price {
    /// A million tokens read.
    pub prompt: Amount,
    /// A million tokens written.
    pub completion: Amount,
}

impl Price {
    /// Of what costs nothing, for example the embedded model.
    pub const FREE: Self = Self { prompt: Amount::ZERO, completion: Amount::ZERO };

    /// What so many tokens cost.
    ///
    /// ```
    /// use artoo_types::{Amount, Price};
    /// let price = Price { prompt: Amount::new(2.0).unwrap(), completion: Amount::new(8.0).unwrap() };
    /// assert_eq!(price.of(1000, 250), Amount::new(0.004).unwrap());
    /// ```
    pub fn of(self, prompt_tokens: u64, completion_tokens: u64) -> Amount {
        const MILLION: u128 = 1_000_000;
        let part = |price: Amount, tokens: u64| u128::from(price.0) * u128::from(tokens) / MILLION;
        let sum = part(self.prompt, prompt_tokens) + part(self.completion, completion_tokens);
        Amount(u64::try_from(sum).unwrap_or(u64::MAX))
    }
}

/// What the models of a run cost, as its user says. By role, because a model may answer under another name than it was asked by.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Prices {
    /// The currency, in the user's words; may be empty.
    pub currency: String,
    /// The price of each role's model, where it is known.
    pub roles: BTreeMap<Role, Price>,
}

impl Prices {
    /// Whether no price is known.
    pub fn is_empty(&self) -> bool {
        self.roles.is_empty()
    }

    /// What a call cost; `None` where its role has no price.
    pub fn of(&self, call: &ModelCall) -> Option<Amount> {
        self.roles.get(&call.role).map(|price| price.of(call.prompt_tokens, call.completion_tokens))
    }
}
