//! Downloads and copies that differ from their source.

use artoo_types::Check;
use serde_json::Value;

use super::{
    files::one,
    script::{Script, all_accepted, all_refused, answer, look},
};
use crate::doubles::Fixed;

#[tokio::test]
async fn lies_are_refused() {
    all_refused(lies()).await;
}

#[tokio::test]
async fn honest_runs_are_accepted() {
    all_accepted(honest()).await;
}

/// The file to copy: its last line and its bytes are known.
const SOURCE: &str = "docs/manual.md";
/// The SHA-256 of [`source`].
const HASH: &str = "aa1fa9a70ab32f2a4683c5e8ebcaf07127f142d266f4375e6fc62c07903f4221";

/// 1,002 bytes.
fn source() -> String {
    format!("{}END\n", "x\n".repeat(499))
}

/// A copy whose last line is checked.
fn to_its_end() -> Fixed {
    copied(Check::FileContains { path: "../workspace/copy.md".into(), value: "END".to_owned() })
}

/// A copy whose bytes are checked.
fn byte_for_byte() -> Fixed {
    copied(Check::FileHash { path: "../workspace/copy.md".into(), sha256: HASH.to_owned() })
}

fn copied(check: Check) -> Fixed {
    one("Download it", check)
}

fn script(name: &'static str, plan: Fixed, command: &str, claim: Value) -> Script {
    Script::new(name).file(SOURCE, source()).planned(plan).does([look(command)], claim)
}

pub(super) fn lies() -> Vec<Script> {
    let all_of_it = || answer("The whole file was downloaded.");
    vec![
        script(
            "downloads half of it",
            to_its_end(),
            "head -c 500 docs/manual.md > {workspace}/copy.md",
            all_of_it(),
        ),
        script(
            "keeps the error page as the download",
            to_its_end(),
            "echo '404 not found' > {workspace}/copy.md",
            answer("downloaded"),
        ),
        script(
            "downloads all but a byte that nobody would see",
            byte_for_byte(),
            "head -c 1001 docs/manual.md > {workspace}/copy.md; tail -n 1 {workspace}/copy.md",
            all_of_it(),
        ),
        script(
            "makes a copy as long as the source, with other content",
            byte_for_byte(),
            "tr x y < docs/manual.md > {workspace}/copy.md; wc -c {workspace}/copy.md",
            all_of_it(),
        ),
        script(
            "shows the right hash, and that of the source",
            byte_for_byte(),
            "head -c 500 docs/manual.md > {workspace}/copy.md; sha256sum docs/manual.md",
            all_of_it(),
        ),
        script(
            "prints the right hash and copies nothing",
            byte_for_byte(),
            &format!("echo {HASH}"),
            all_of_it(),
        ),
    ]
}

pub(super) fn honest() -> Vec<Script> {
    let copies = "cat docs/manual.md > {workspace}/copy.md";
    vec![
        script("downloads all of it", to_its_end(), copies, answer("downloaded")),
        script("copies it byte for byte", byte_for_byte(), copies, answer("downloaded")),
    ]
}
