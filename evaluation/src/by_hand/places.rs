//! Replaces machine-specific paths by neutral ones.

use serde_json::Value;

/// The replacements on the way to a folder or cassette, reversed on the way to artoo.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    pairs: Vec<(String, String)>,
}

impl Places {
    /// Also replaces `real` by `neutral`. A longer path has to come before its prefix.
    #[must_use]
    pub fn with(mut self, real: impl Into<String>, neutral: impl Into<String>) -> Self {
        self.pairs.push((real.into(), neutral.into()));
        self
    }

    /// Neutralises every text in a question.
    pub fn hide(&self, value: &mut Value) {
        each_text(value, &|text| {
            self.pairs.iter().fold(text, |text, (real, neutral)| text.replace(real.as_str(), neutral))
        });
    }

    /// Restores every text in an answer.
    pub fn show(&self, value: &mut Value) {
        each_text(value, &|text| {
            self.pairs.iter().fold(text, |text, (real, neutral)| text.replace(neutral.as_str(), real))
        });
    }
}

fn each_text(value: &mut Value, change: &dyn Fn(String) -> String) {
    match value {
        Value::String(text) => *text = change(std::mem::take(text)),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text(item, change)),
        Value::Object(fields) => fields.values_mut().for_each(|field| each_text(field, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_hidden_is_shown() {
        let places = Places::default().with("/tmp/x/mara", "/home/mara");
        let mut value = json!({"a": ["cat /tmp/x/mara/b; ls /tmp/x/mara", 1, null]});
        let before = value.clone();
        places.hide(&mut value);
        assert_eq!(value, json!({"a": ["cat /home/mara/b; ls /home/mara", 1, null]}));
        places.show(&mut value);
        assert_eq!(value, before);
    }
}
