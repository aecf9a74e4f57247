//! Tells the redactor of the records which private keys a call may print parts of.
//!
//! A line from the middle of a key looks like any data, so no reader of an output can tell what it is. The
//! call names the file, and the file tells.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use artoo_types::Arguments;
use serde_json::Value;

use crate::{ToolContext, paths};

/// The most words of a text that are looked at in each way, and the longest one, in bytes.
const WORDS: usize = 256;
const WORD: usize = 4096;
/// The most folders in which a word may name a file: a command may change into them.
const FOLDERS: usize = 8;
/// The largest file with a key in it, in bytes.
const LARGEST: u64 = 64 * 1024;

/// Has the redactor learn the private keys in the files that the call names. What cannot be read teaches
/// nothing. Nothing of a file is kept but by the redactor, and nothing is shown.
pub(crate) async fn learn(arguments: &Arguments, cx: &ToolContext) {
    let mut words = Vec::new();
    arguments.values().for_each(|value| collect(value, &mut words));
    words.truncate(2 * WORDS);
    learn_from(words, cx).await;
}

/// The same for a command.
pub(crate) async fn learn_from_command(command: &str, cx: &ToolContext) {
    learn_from(words(command), cx).await;
}

async fn learn_from(words: Vec<String>, cx: &ToolContext) {
    let context = cx.clone();
    let learned = tokio::task::spawn_blocking(move || {
        for path in files(&words, &context) {
            if let Some(content) = content(&path) {
                context.evidence.redactor().learn_private_keys(&content);
            }
        }
    });
    // A file on a dead network mount must not hold up a call that ends.
    tokio::select! {
        _ = learned => {}
        () = cx.cancel.cancelled() => {}
        () = tokio::time::sleep(cx.limits.call_time) => {}
    }
}

/// The words of all texts in a value.
fn collect(value: &Value, to: &mut Vec<String>) {
    match value {
        Value::String(text) => to.extend(words(text)),
        Value::Array(values) => values.iter().for_each(|value| collect(value, to)),
        Value::Object(fields) => fields.values().for_each(|value| collect(value, to)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What may name a file: a whole text, what is in quotation marks, and what stands between blanks and the signs
/// of shells and languages.
fn words(text: &str) -> Vec<String> {
    let quoted = text.split('\'').chain(text.split('"'));
    let parts = text.split(|c: char| c.is_whitespace() || "\"'`;|&<>()[]{},=:".contains(c));
    let all = [text].into_iter().chain(parts.take(WORDS)).chain(quoted.take(WORDS));
    all.filter(|word| (1..=WORD).contains(&word.len())).map(str::to_owned).collect()
}

/// The small files that the words name, in the working folder or in a folder that another word names.
fn files(words: &[String], cx: &ToolContext) -> BTreeSet<PathBuf> {
    let named: Vec<PathBuf> = words.iter().map(|word| paths::resolve(word, cx)).collect();
    let folders = named.iter().filter(|path| path.is_dir()).take(FOLDERS);
    let within = folders.flat_map(|folder| words.iter().map(|word| folder.join(word)));
    let is_small =
        |path: &PathBuf| path.metadata().is_ok_and(|found| found.is_file() && found.len() <= LARGEST);
    named.iter().cloned().chain(within).filter(is_small).collect()
}

fn content(path: &Path) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    let file = File::open(path).ok()?;
    // It may be another file by now.
    file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    file.take(LARGEST).read_to_end(&mut content).ok()?;
    Some(content)
}
