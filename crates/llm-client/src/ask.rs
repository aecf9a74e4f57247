//! Asks a model for a value of a schema, with validation and one repair.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::fitted::fitted;
use crate::prompt::{repair, with_schema_in_prompt};
use crate::{
    AnswerRule, Choice, Completion, JsonSchema, LlmClient, LlmError, Request, StopReason, Usage, Want,
    extract_json, strip_reasoning,
};

/// A value that a model answered, and how it was obtained.
#[derive(Clone, Debug, PartialEq)]
pub struct Structured<T> {
    /// The value. It satisfies the schema.
    pub value: T,
    /// How it was obtained.
    pub obtained: Obtained,
    /// The usage of all calls that it took.
    pub usage: Usage,
    /// The model that answered, as the provider names it.
    pub model: String,
    /// The model's confidence, if known: see [`Completion::choices`].
    pub choices: Vec<Choice>,
}

/// How a [`Structured`] value was obtained. Everything but `Direct` is worth counting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obtained {
    /// The whole answer was the value.
    Direct,
    /// The value was surrounded by other text.
    Extracted {
        /// Bytes before it: a preamble, a fence, reasoning.
        before: usize,
        /// Bytes after it.
        after: usize,
        /// Whether a second complete value followed. The first one was taken.
        more: bool,
    },
    /// The first answer was unusable; the answer to the one repair call was used.
    Repaired {
        /// The violation in the first answer.
        violation: String,
    },
}

/// Asks `client` for a value of the request's schema.
///
/// The schema is compiled when the first answer arrives, not before: that takes milliseconds once per
/// process, which the start need not wait for.
///
/// If the client constrains answers itself, the request is sent unchanged; otherwise the schema is added to
/// the prompt. Either way the answer is searched for its first complete JSON value, which is validated
/// against the schema. If that fails, exactly one repair call names the violation to the model. An answer that was
/// cut at the token limit has no value, even if it parses: its end is missing.
///
/// *Cancellation.* The future may be dropped at any time; see [`LlmClient`].
///
/// # Errors
///
/// [`LlmError::Configuration`] if the request has no schema or an invalid one; [`LlmError::Unusable`] if the
/// second answer is invalid as well, or the provider refused to answer (which no repair changes); otherwise
/// what the client returned.
/// ```
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
/// use artoo_llm_client::{ask, JsonSchema, Obtained, Request};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Count {
///     files: u32,
/// }
///
/// let model = ScriptedModel::new().expect(Expect::purpose("counter"), Answer::text("It is {\"files\": 3}."));
/// let schema = JsonSchema::of::<Count>("count");
/// let request = Request::new("counter", "Count the files.", "a b c").with_schema(schema);
/// let answer = ask::<Count>(&model, request).await?;
/// assert_eq!(answer.value.files, 3); assert_eq!(answer.obtained, Obtained::Extracted { before: 6, after: 1, more:
/// false });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn ask<T: DeserializeOwned>(
    client: &dyn LlmClient,
    request: Request,
) -> Result<Structured<T>, LlmError> {
    ask_with(client, request, Around::Anything).await
}

/// [`ask`] for a value that must be the whole answer, such as a verdict: a value beside other words may be a
/// quotation that they revoke. Reasoning before it, and a lone fence around it, are allowed.
///
/// It is read tolerantly: keys that the schema does not know are dropped, and missing ones that may be null are null.
///
/// # Errors
///
/// As [`ask`].
pub async fn ask_alone<T: DeserializeOwned>(
    client: &dyn LlmClient,
    request: Request,
) -> Result<Structured<T>, LlmError> {
    ask_with(client, request, Around::Nothing).await
}

async fn ask_with<T: DeserializeOwned>(
    client: &dyn LlmClient,
    request: Request,
    around: Around,
) -> Result<Structured<T>, LlmError> {
    let (request, schema) = prepared(client, request)?;
    let reading = Reading { around, rule: request.answer_rule };
    let first = client.complete(&request).await?;
    let violation = match read::<T>(&first, &schema, reading)? {
        Ok((value, obtained)) => {
            return Ok(structured(value, obtained, first));
        }
        Err(violation) => violation,
    };
    if first.stop == StopReason::Refused {
        return Err(unusable(first, schema, REFUSED.to_owned()));
    }
    tracing::debug!(purpose = %request.purpose, schema = %schema.name, %violation, "asking the model for a repair");

    let answer = strip_reasoning(&first.text);
    let second = client.complete(&repair(&request, &schema, &answer, first.stop, &violation)).await?;
    match read::<T>(&second, &schema, reading)? {
        Ok((value, _)) => Ok(Structured {
            usage: first.usage + second.usage,
            ..structured(value, Obtained::Repaired { violation }, second)
        }),
        Err(still) => Err(unusable(second, schema, still)),
    }
}

/// Reads the value of an answer to a request that was sent without its schema, as [`ask_alone`] does.
///
/// # Errors
///
/// What is wrong with it, in words for the model.
pub fn read_alone<T: DeserializeOwned>(completion: &Completion, schema: &JsonSchema) -> Result<T, String> {
    let reading = Reading { around: Around::Nothing, rule: AnswerRule::Schema };
    match read::<T>(completion, schema, reading) {
        Ok(read) => read.map(|(value, _)| value),
        Err(error) => Err(error.to_string()),
    }
}

/// [`ask`] without the repair: one call, whose answer is valid or not. For callers that have asked once
/// already.
///
/// # Errors
///
/// As [`ask`].
pub async fn ask_once<T: DeserializeOwned>(
    client: &dyn LlmClient,
    request: Request,
) -> Result<Structured<T>, LlmError> {
    ask_once_with(client, request, Around::Anything).await
}

/// [`ask_alone`] without the repair.
///
/// # Errors
///
/// As [`ask`].
pub async fn ask_once_alone<T: DeserializeOwned>(
    client: &dyn LlmClient,
    request: Request,
) -> Result<Structured<T>, LlmError> {
    ask_once_with(client, request, Around::Nothing).await
}

async fn ask_once_with<T: DeserializeOwned>(
    client: &dyn LlmClient,
    request: Request,
    around: Around,
) -> Result<Structured<T>, LlmError> {
    let (request, schema) = prepared(client, request)?;
    let completion = client.complete(&request).await?;
    usable(completion, &schema, Reading { around, rule: request.answer_rule })
}

/// [`ask_once`] for several requests of one schema, for example [samples](Request::sample) of one question:
/// one result for each that was sent, in order, without repairs.
pub async fn ask_several<T: DeserializeOwned>(
    client: &dyn LlmClient,
    requests: Vec<Request>,
) -> Vec<Result<Structured<T>, LlmError>> {
    let (requests, schemas): (Vec<_>, Vec<_>) =
        match requests.into_iter().map(|request| prepared(client, request)).collect::<Result<Vec<_>, _>>() {
            Ok(prepared) => prepared.into_iter().unzip(),
            Err(error) => return vec![Err(error)],
        };
    let completions = client.complete_several(&requests).await;
    let rules = requests.iter().map(|request| request.answer_rule);
    let read = |((completion, schema), rule): ((Result<Completion, LlmError>, &JsonSchema), AnswerRule)| {
        usable(completion?, schema, Reading { around: Around::Anything, rule })
    };
    completions.into_iter().zip(&schemas).zip(rules).map(read).collect()
}

fn usable<T: DeserializeOwned>(
    completion: Completion,
    schema: &JsonSchema,
    reading: Reading,
) -> Result<Structured<T>, LlmError> {
    match read::<T>(&completion, schema, reading)? {
        Ok((value, obtained)) => Ok(structured(value, obtained, completion)),
        Err(violation) => Err(unusable(completion, schema.clone(), violation)),
    }
}

fn structured<T>(value: T, obtained: Obtained, completion: Completion) -> Structured<T> {
    let Completion { usage, model, choices, .. } = completion;
    Structured { value, obtained, usage, model, choices }
}

/// The request in the form that this client takes, and its schema.
fn prepared(client: &dyn LlmClient, request: Request) -> Result<(Request, JsonSchema), LlmError> {
    let Some(schema) = request.schema.clone() else {
        return Err(LlmError::Configuration {
            reason: format!("the request of {} for a value has no schema", request.purpose),
        });
    };
    let request = if client.structured() { request } else { with_schema_in_prompt(&request).into_owned() };
    Ok((request, schema))
}

/// [`ask`] with the schema of `T`, unless the request brings its own.
///
/// The schema is generated on each call (tens of microseconds); a role that asks often keeps a
/// [`JsonSchema::of`] instead.
///
/// # Errors
///
/// As [`ask`].
pub async fn ask_typed<T>(client: &dyn LlmClient, mut request: Request) -> Result<Structured<T>, LlmError>
where
    T: DeserializeOwned + schemars::JsonSchema,
{
    if request.schema.is_none() {
        request.schema = Some(JsonSchema::of::<T>(T::schema_name()));
    }
    ask(client, request).await
}

/// The violation of an answer that a provider did not let come to its end.
const REFUSED: &str = "the provider refused to answer";

/// How an answer is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reading {
    around: Around,
    rule: AnswerRule,
}

/// What may surround a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Around {
    Anything,
    Nothing,
}

/// Parses one answer: the value and how it was obtained, or the violation in words for the model.
fn read<T: DeserializeOwned>(
    completion: &Completion,
    schema: &JsonSchema,
    reading: Reading,
) -> Result<Result<(T, Obtained), String>, LlmError> {
    // The value of an answer that did not come to its end may lack its end, whether or not it parses.
    match completion.stop {
        StopReason::End => {}
        StopReason::Length => {
            return Ok(Err("it was cut off because it is too long; be much briefer".to_owned()));
        }
        StopReason::Refused => return Ok(Err(REFUSED.to_owned())),
    }
    // A constrained answer is the value; it needs no search and no copy.
    let (value, obtained) = match serde_json::from_str::<Value>(&completion.text) {
        Ok(value) => (value, Obtained::Direct),
        Err(_) => match search(completion, schema) {
            Ok(found) if reading.around == Around::Anything || is_alone(completion) => found,
            Ok(_) => {
                return Ok(Err(
                    "it has other words beside the JSON value; answer with that value alone".to_owned()
                ));
            }
            Err(violation) => return Ok(Err(violation)),
        },
    };
    let value = match reading.around {
        Around::Anything => value,
        Around::Nothing => fitted(value, &schema.schema),
    };
    if reading.rule.is_schema()
        && let Some(violation) = schema.violation(&value)?
    {
        return Ok(Err(violation));
    }
    // The schema may be looser than the type: a number too large, a map with two equal keys.
    Ok(serde_json::from_value(value).map(|value| (value, obtained)).map_err(|error| error.to_string()))
}

/// Whether an answer contains a value of the request's schema; `None` without a valid schema.
///
/// [`ask`] is stricter if the type that it reads is: such an answer counts as usable here.
pub(crate) fn is_usable(completion: &Completion, request: &Request) -> Option<bool> {
    let schema = request.schema.as_ref()?;
    let reads = |around| {
        let reading = Reading { around, rule: request.answer_rule };
        read::<Value>(completion, schema, reading).ok().map(|read| read.is_ok())
    };
    Some(reads(Around::Anything)? || reads(Around::Nothing)?)
}

/// Whether an answer is one JSON value and nothing else, except for reasoning before it and a lone fence
/// around it.
fn is_alone(completion: &Completion) -> bool {
    let text = strip_reasoning(&completion.text);
    let text = text.trim();
    let fenced = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
    let within = fenced.map_or(text, |text| text.trim_start_matches(|c: char| c.is_ascii_alphabetic()));
    serde_json::from_str::<Value>(within).is_ok()
}

fn search(completion: &Completion, schema: &JsonSchema) -> Result<(Value, Obtained), String> {
    let text = strip_reasoning(&completion.text);
    match extract_json(&text, Want::of_schema(&schema.schema)) {
        Ok(found) => {
            let stripped = completion.text.len() - text.len();
            let obtained = if found.alone && stripped == 0 {
                Obtained::Direct
            } else {
                Obtained::Extracted {
                    before: stripped + found.start,
                    after: text.len() - found.end,
                    more: found.more,
                }
            };
            Ok((found.value, obtained))
        }
        Err(error) => Err(error.to_string()),
    }
}

fn unusable(completion: Completion, schema: JsonSchema, reason: String) -> LlmError {
    LlmError::Unusable { model: completion.model, schema: schema.name, reason }
}

#[cfg(test)]
#[path = "structured_tests.rs"]
mod tests;
