//! `ModelDistiller`: the text of a rule, written by a model. Source: specification v0.8, R5 "Dreamer";
//! `docs/deviations.md`, "Distillation".

use std::sync::Arc;
use std::time::Duration;

use artoo_llm_client::{JsonSchema, LlmClient, Origin, Request, ask_once, fenced, inline};
use artoo_mkct_memory::Distiller;
use artoo_text::is_unspaced;
use artoo_types::{Megram, Polarity};
use async_trait::async_trait;
use serde::Deserialize;
use tokio::time::timeout;

/// The constant part of the prompt.
pub const DISTIL_PROMPT: &str = include_str!("../prompts/distil.md");

/// Maximum number of lessons that the model sees, and of characters of each.
const LESSONS: usize = 12;
const LESSON_CHARS: usize = 300;
/// Maximum characters of a rule.
const RULE_CHARS: usize = 300;
/// Maximum tokens of the answer.
const ANSWER_TOKENS: u32 = 200;
/// Timeout for the text of one rule in a cycle of the Dreamer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Lets a model write the text of a rule: one call, outside the path of any request.
///
/// Code checks the answer against its sources: it is rejected if it contains a name, a path, a command with a
/// special character or a number that no source has, more than one line or more than 300 characters. A
/// rejected rule gets the text of [`artoo_mkct_memory::compose`].
///
/// Not detected: advice in plain words that no source gives, and a name of letters alone.
pub struct ModelDistiller {
    model: Arc<dyn LlmClient>,
    schema: JsonSchema,
}

impl ModelDistiller {
    /// A distiller that uses this model.
    pub fn new(model: Arc<dyn LlmClient>) -> Self {
        Self { model, schema: JsonSchema::of::<Distilled>("distilled").terse() }
    }
}

// No documentation: it would go to the model with the schema.
#[derive(Deserialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Distilled {
    #[schemars(length(min = 1, max = 300))]
    rule: String,
}

#[async_trait]
impl Distiller for ModelDistiller {
    async fn distil(&self, polarity: Polarity, sources: &[Megram]) -> Option<String> {
        let lessons = lessons(polarity, sources);
        if lessons.is_empty() {
            return None;
        }
        let request = Request::new("distiller", DISTIL_PROMPT, asking(polarity, &lessons))
            .with_schema(self.schema.clone())
            .with_max_tokens(self.model.profile().room(ANSWER_TOKENS));
        let answer = match timeout(PATIENCE, ask_once::<Distilled>(self.model.as_ref(), request)).await {
            Ok(Ok(answer)) => answer.value.rule,
            Ok(Err(error)) => {
                tracing::debug!(%error, "a rule is put into words by code");
                return None;
            }
            Err(_elapsed) => return None,
        };
        let rule = answer.trim();
        is_borne_out(rule, sources).then(|| rule.to_owned())
    }
}

/// The lessons of the sources of this polarity, each once, newest first.
fn lessons(polarity: Polarity, sources: &[Megram]) -> Vec<String> {
    let mut speaking: Vec<&Megram> = sources
        .iter()
        .filter(|source| match polarity {
            Polarity::Practice => source.sigma > 0.0,
            Polarity::Constraint => source.sigma < 0.0,
        })
        .collect();
    speaking.sort_by_key(|source| std::cmp::Reverse((source.created_at, source.id)));
    let mut lessons: Vec<String> = Vec::new();
    for source in speaking {
        let lesson: String = inline(source.content.trim()).chars().take(LESSON_CHARS).collect();
        if !lesson.is_empty() && !lessons.contains(&lesson) {
            lessons.push(lesson);
        }
    }
    lessons.truncate(LESSONS);
    lessons
}

fn asking(polarity: Polarity, lessons: &[String]) -> String {
    let what = match polarity {
        Polarity::Practice => "The rule is to recommend. What went well:",
        Polarity::Constraint => "The rule is to forbid. What failed:",
    };
    format!("{what}\n{}", fenced(Origin::Memory, &lessons.join("\n")))
}

/// Whether a rule is one short line and every name in it occurs in a source.
fn is_borne_out(rule: &str, sources: &[Megram]) -> bool {
    let is_line =
        !rule.is_empty() && !rule.contains(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'));
    let stands = |name: &str| {
        let mut texts =
            sources.iter().flat_map(|s| [s.content.as_str(), s.space.as_str(), s.entity.as_str()]);
        texts.any(|text| text.contains(name))
    };
    is_line && rule.chars().count() <= RULE_CHARS && names(rule).all(stands)
}

/// The names in a text: words that contain a digit or a special character.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let separates = |c: char| {
        c.is_whitespace()
            || is_unspaced(c)
            || matches!(c, '`' | '"' | '“' | '”' | '„' | '«' | '»' | '(' | ')' | ',' | ';')
    };
    // Sentence punctuation; a dot or a quote at the beginning belongs to the name.
    let ends = |c: char| {
        matches!(c, '.' | ':' | '!' | '?' | '\'' | '’' | '…' | '。' | '、' | '！' | '？' | '：' | '，')
    };
    let words = text.split(separates).map(move |word| word.trim_end_matches(ends));
    words.filter(|word| {
        let signs = word.chars().filter(|c| !c.is_alphabetic());
        let is_joined = |c: char| matches!(c, '\'' | '’' | '-' | '–' | '—');
        signs.clone().any(|sign| !is_joined(sign)) || word.starts_with('-')
    })
}
