//! Builds wrong memory: the pairs and weights of one sequence with the words of others.

use serde_json::{Map, Value};

use crate::{Error, Result, rng::Draw};

/// An export of a memory: its header line, and the entries.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Export {
    header: String,
    entries: Vec<Value>,
}

impl Export {
    /// Parses an export.
    ///
    /// # Errors
    /// It is not JSON Lines, or an entry has no words.
    pub(super) fn read(text: &str) -> Result<Self> {
        let wrong =
            |line: usize, why: &str| Error::Other(format!("line {line} of an export of memory {why}"));
        let mut lines = text.lines();
        let header = lines.next().ok_or_else(|| wrong(1, "is missing"))?.to_owned();
        let entries = (2..).zip(lines).map(|(number, line)| {
            let mut entry = serde_json::from_str(line).map_err(|_| wrong(number, "is not JSON"))?;
            megram(&mut entry).is_some().then_some(entry).ok_or_else(|| wrong(number, "holds no Megram"))
        });
        Ok(Self { header, entries: entries.collect::<Result<_>>()? })
    }

    /// The number of entries.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// In the format of an import.
    pub(super) fn text(&self) -> String {
        let lines = self.entries.iter().map(|entry| format!("{entry}\n"));
        std::iter::once(format!("{}\n", self.header)).chain(lines).collect()
    }

    /// The same number of entries, with their pairs, weights and times, but with the contents of other
    /// memories, and the targets of their calls. The assignment is random with this `seed`.
    pub(super) fn with_words_of(&self, others: &[&Self], seed: u64) -> Self {
        let mut entries = self.entries.clone();
        let drawn = |of: &dyn Fn(&Map<String, Value>) -> Option<Value>| {
            let mut all: Vec<Value> = others.iter().flat_map(|other| other.entries.clone()).collect();
            let mut words: Vec<Value> = all.iter_mut().filter_map(megram).filter_map(|one| of(one)).collect();
            Draw::new(seed).shuffle(&mut words);
            words
        };
        let mut contents = drawn(&|one| one.get("content").cloned()).into_iter().cycle();
        let mut targets = drawn(&|one| is_call(one).then(|| one.get("entity").cloned())?).into_iter().cycle();
        // Entries consolidated into a rule would not be imported beside the rule, so there would be fewer.
        let parts = entries.iter_mut().filter_map(|entry| entry.pointer_mut("/provenance/consolidated_into"));
        parts.for_each(|into| *into = Value::Null);
        for entry in entries.iter_mut().filter_map(megram) {
            if let Some(content) = contents.next() {
                entry.insert("content".to_owned(), content);
            }
            if is_call(entry)
                && let Some(target) = targets.next()
            {
                entry.insert("entity".to_owned(), target);
            }
        }
        Self { header: self.header.clone(), entries }
    }
}

/// The Megram of an entry, if it has words.
fn megram(entry: &mut Value) -> Option<&mut Map<String, Value>> {
    entry.get_mut("megram")?.as_object_mut().filter(|fields| fields.contains_key("content"))
}

fn is_call(megram: &Map<String, Value>) -> bool {
    megram.get("space").and_then(Value::as_str).is_some_and(|space| space.starts_with("tool:"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use serde_json::json;

    fn export(name: &str, entries: usize) -> Export {
        let line = |number: usize| {
            let space = if number.is_multiple_of(3) { "tool:shell" } else { "intent:count_the_lines" };
            let megram = json!({"id": format!("{name}{number}"), "space": space, "entity": format!("path:{name}/{number}"),
                "content": format!("{name} says {number}"), "f": 0.9, "sigma": 1.0});
            format!("{}\n", json!({"megram": megram, "provenance": {"consolidated_into": "a rule"}}))
        };
        let lines: String = (0..entries).map(line).collect();
        Export::read(&format!("{{\"version\":1}}\n{lines}")).unwrap()
    }

    fn field(export: &Export, name: &str) -> Vec<String> {
        let of = |entry: &Value| entry["megram"][name].as_str().unwrap().to_owned();
        export.entries.iter().map(of).collect()
    }

    #[test]
    fn amounts_pairs_and_weights_stay_and_words_are_another_s() {
        for (own, other) in [(7, 20), (20, 7), (5, 5), (1, 1), (0, 3)] {
            let (own, other) = (export("own", own), export("other", other));
            let shuffled = own.with_words_of(&[&other], 14);
            assert_eq!(shuffled.len(), own.len());
            for name in ["id", "space"] {
                assert_eq!(field(&shuffled, name), field(&own, name));
            }
            let contents: BTreeSet<String> = field(&shuffled, "content").into_iter().collect();
            assert!(contents.iter().all(|content| content.starts_with("other says ")), "{contents:?}");
            assert_eq!(contents.len(), own.len().min(other.len()), "each is used before one is used again");
            for ((space, entity), before) in
                field(&shuffled, "space").iter().zip(field(&shuffled, "entity")).zip(field(&own, "entity"))
            {
                assert_eq!(entity == before, !space.starts_with("tool:"), "{entity}");
            }
            for (after, before) in shuffled.entries.iter().zip(&own.entries) {
                assert_eq!(after["megram"]["f"], before["megram"]["f"]);
                assert_eq!(after["provenance"]["consolidated_into"], Value::Null);
            }
        }
    }

    #[test]
    fn the_same_seed_draws_the_same_lots() {
        let (own, other) = (export("own", 20), export("other", 20));
        assert_eq!(own.with_words_of(&[&other], 1), own.with_words_of(&[&other], 1));
        assert_ne!(own.with_words_of(&[&other], 1), own.with_words_of(&[&other], 2));
        assert_ne!(field(&own.with_words_of(&[&other], 1), "content"), field(&other, "content"));
    }

    #[test]
    fn every_other_memory_has_its_share() {
        let (own, a, b) = (export("own", 20), export("a", 10), export("b", 10));
        let shuffled = own.with_words_of(&[&a, &b], 3);
        let from = |name: &str| {
            field(&shuffled, "content").iter().filter(|content| content.starts_with(name)).count()
        };
        assert_eq!((from("a says"), from("b says")), (10, 10));
        let of_nobody = own.with_words_of(&[], 3);
        assert_eq!(field(&of_nobody, "content"), field(&own, "content"), "of nobody there are no words");
    }

    #[test]
    fn an_export_is_written_as_it_was_read() {
        let text = "{\"version\":1}\n{\"megram\":{\"content\":\"a\",\"space\":\"tool:shell\"}}\n";
        let export = Export::read(text).unwrap();
        assert_eq!((export.text().as_str(), export.len()), (text, 1));
        for wrong in ["", "{}\nnot JSON\n", "{}\n{\"id\":1}\n", "{}\n[]\n"] {
            assert!(Export::read(wrong).is_err(), "{wrong:?}");
        }
    }
}
