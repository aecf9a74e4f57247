//! Checks: the first line of the input is one in JSON, the rest an output. None panics, each decides the same twice, and two answers
//! agree whichever comes first.

#![no_main]

use artoo_checks::{Filesystem, Record, Subject, evaluate, lint, same_answer, unsupported_claim};
use artoo_types::Check;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    let (first, output) = text.split_once('\n').unwrap_or((&text, ""));
    let _ = unsupported_claim(output, false, Record::default(), first);
    assert_eq!(same_answer(first, output), same_answer(output, first), "{first:?} and {output:?}");
    assert!(same_answer(output, output) || !output.chars().any(char::is_alphanumeric), "{output:?}");
    let Ok(check) = serde_json::from_str::<Check>(first) else { return };
    let _ = lint(&check);
    // A folder that nobody has, so that what a path finds does not depend on the machine. Absolute paths are looked at, never written.
    let nowhere = "/nowhere-that-a-fuzzer-knows";
    let world = Filesystem::new(nowhere, nowhere, chrono::DateTime::UNIX_EPOCH.fixed_offset());
    let subject = Subject { output, tool_calls: &[] };
    assert_eq!(evaluate(&check, &subject, &world), evaluate(&check, &subject, &world), "{check:?}");
});
