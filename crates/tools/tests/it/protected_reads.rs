//! Attempts to read protected files by many routes: none of their content may appear in an output, a new
//! file, or the evidence.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use artoo_consent::Consent;
use artoo_tools::Toolbox;
use artoo_types::{CallId, ToolName};
use serde_json::{Value, json};

use crate::by_execution::rows::{Row, runnable};
use crate::by_execution::tree::{Fence, Template, Tree, Way};
use crate::by_execution::{Refuser, can_try, each, shell, skipped};
use crate::fixture::can_confine;

const ROUTES: &str = include_str!("protected_reads/routes.tsv");

/// Each protected file begins with this word, followed by one of its own.
const CANARY: &str = "plover";

/// Protected files: keys, passwords and tokens, browser and mail data, a place from the configuration,
/// artoo's own data.
const PLACES: [&str; 13] = [
    "tree/home/.ssh/id_ed25519",
    "tree/home/.ssh/config",
    "tree/home/.aws/credentials",
    "tree/home/.config/gh/hosts.yml",
    "tree/home/.gnupg/secring.gpg",
    "tree/home/.netrc",
    "tree/home/.mozilla/firefox/x.default/logins.json",
    "tree/home/.mozilla/firefox/x.default/cookies.sqlite",
    "tree/home/.config/google-chrome/Default/Login Data",
    "tree/home/.thunderbird/x.default/Mail/Inbox",
    "tree/home/Maildir/cur/1",
    "tree/home/Vault/plans.txt",
    "data/journal.jsonl",
];

/// A tree with a canary in each place.
async fn planted(template: &Template) -> Tree {
    let tree = template.copy().await;
    for (number, place) in PLACES.iter().enumerate() {
        fs::write(tree.root().join(place), format!("{CANARY} {number}\n")).unwrap();
    }
    tree
}

/// A route to one of the places.
fn command(route: Row, place: &str, tree: &Tree) -> String {
    let file = tree.root().join(place);
    let from_the_folder = PathBuf::from("../../..").join(place);
    let quoted = |path: &Path| format!("'{}'", path.display());
    let text = route.command(tree, None).replace("@F@", &quoted(&file));
    text.replace("@D@", &quoted(file.parent().unwrap())).replace("@R@", &quoted(&from_the_folder))
}

/// Where the canary occurs outside of protected places.
fn leaks(tree: &Tree, folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            leaks(tree, &path, found);
        } else if kind.is_file() && !PLACES.iter().any(|place| path == tree.root().join(place)) {
            let content = fs::read(&path).unwrap_or_default();
            if content.windows(CANARY.len()).any(|part| part == CANARY.as_bytes()) {
                found.push(path.strip_prefix(tree.root()).unwrap().to_owned());
            }
        }
    }
}

/// The leaks of a call: in its record, in the full output, or anywhere on the disk.
async fn leaked(tree: &Tree, way: Way, tool: &str, arguments: Value) -> Vec<String> {
    let cx = tree.context(way, Arc::new(Refuser::default()) as Arc<dyn Consent>);
    let call = match arguments.get("command").and_then(Value::as_str) {
        Some(command) => shell(command, &cx).await,
        None => {
            let id = CallId::new(uuid::Uuid::from_u128(7));
            let arguments = arguments.as_object().unwrap().clone();
            Toolbox::standard().call(id, &ToolName::new(tool), arguments, &cx).await
        }
    };
    let mut out = Vec::new();
    // Its arguments may contain the word: a route may search for it.
    let said = (&call.output, &call.stderr, &call.failure, &call.files);
    if format!("{said:?}").contains(CANARY) {
        out.push("what the model is shown".to_owned());
    }
    for shown in [&call.output, &call.stderr] {
        let whole = shown.evidence.as_ref().map(|id| cx.evidence.get(id).unwrap()).unwrap_or_default();
        if String::from_utf8_lossy(&whole).contains(CANARY) {
            out.push("its evidence".to_owned());
        }
    }
    let mut files = Vec::new();
    leaks(tree, tree.root(), &mut files);
    out.extend(files.iter().map(|file| file.display().to_string()));
    out
}

/// The places that a route is tried on: routes that start from above lead to each.
fn places_of(number: usize, route: Row) -> Vec<&'static str> {
    let is_above = route.kind == "above";
    let is_tried = |place: usize| if is_above { place == 0 } else { (place + number).is_multiple_of(3) };
    PLACES.into_iter().enumerate().filter(|(place, _)| is_tried(*place)).map(|(_, place)| place).collect()
}

async fn nothing_is_read(way: Way) {
    if !can_confine() || !can_try(way) {
        return;
    }
    let (routes, missing) = runnable(Row::all(ROUTES));
    let template = Template::new().await;
    let numbered: Vec<(usize, Row)> = routes.into_iter().enumerate().collect();
    let tried = each(numbered, |(number, route)| {
        let template = Arc::clone(&template);
        async move {
            let mut out = Vec::new();
            for place in places_of(number, route) {
                let tree = planted(&template).await;
                let command = command(route, place, &tree);
                let leaked = leaked(&tree, way, "shell", json!({ "command": command })).await;
                if !leaked.is_empty() {
                    out.push(format!("{} of {place}: {}", route.id, leaked.join(", ")));
                }
            }
            (places_of(number, route).len(), out)
        }
    })
    .await;
    let calls: usize = tried.iter().map(|(calls, _)| calls).sum();
    let mut lines: Vec<String> = tried.into_iter().flat_map(|(_, out)| out).collect();
    lines.sort();
    eprintln!(
        "{way:?}: {calls} calls by {} routes into protected places: {} read something",
        ROUTES.lines().count() - 2,
        lines.len()
    );
    skipped("protected read", &missing);
    assert!(
        lines.is_empty(),
        "{} of {calls} calls read a protected place:\n{}",
        lines.len(),
        lines.join("\n")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_route_reads_a_protected_place() {
    nothing_is_read(Way::Trial).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_route_reads_a_protected_place_where_nothing_can_be_tried() {
    nothing_is_read(Way::WithoutTrials).await;
}

/// The other tools are routes too, and so are the links that a command may create for them.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_tool_reads_a_protected_place() {
    if !can_confine() || !can_try(Way::Trial) {
        return;
    }
    let template = Template::new().await;
    let mut lines = Vec::new();
    for place in PLACES {
        let tree = planted(&template).await;
        let (file, link) = (tree.root().join(place), tree.workspace().join("made-link.txt"));
        std::os::unix::fs::symlink(&file, &link).unwrap();
        std::os::unix::fs::symlink(file.parent().unwrap(), tree.workspace().join("made-folder")).unwrap();
        let below = tree.workspace().join("made-folder").join(file.file_name().unwrap());
        let from_the_folder = Path::new("../../..").join(place);
        for path in [&file, &link, &below, &from_the_folder] {
            let leaked = leaked(&tree, Way::Trial, "read_file", json!({ "path": path })).await;
            if !leaked.is_empty() {
                lines.push(format!(
                    "read_file of {}: {}",
                    tree.neutral(path.as_os_str().as_encoded_bytes()),
                    leaked.join(", ")
                ));
            }
        }
        let pattern = format!("{}/**", tree.root().display());
        let leaked = leaked(&tree, Way::Trial, "glob", json!({ "pattern": pattern, "hidden": true })).await;
        assert_eq!(leaked, Vec::<String>::new());
    }
    assert!(lines.is_empty(), "{} calls read a protected place:\n{}", lines.len(), lines.join("\n"));
}

/// Counter-check: without artoo, each route reads a canary.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_route_leads_there_without_artoo() {
    if !can_confine() {
        return;
    }
    let (routes, missing) = runnable(Row::all(ROUTES));
    skipped("protected read", &missing);
    let template = Template::new().await;
    let proven: Vec<Row> = routes.into_iter().filter(|route| !route.is_attempt()).collect();
    assert!(proven.len() >= 100, "{}", proven.len());
    let read = each(proven, |route| {
        let template = Arc::clone(&template);
        async move {
            let tree = planted(&template).await;
            let command = command(route, PLACES[0], &tree);
            let (_, out, err) = tree.without_artoo(&command, Fence::Tree).await;
            let said = String::from_utf8_lossy(&[out, err].concat()).contains(CANARY);
            (route.id, said)
        }
    })
    .await;
    let idle: Vec<&str> = read.iter().filter(|(_, said)| !said).map(|(id, _)| *id).collect();
    assert!(idle.is_empty(), "{} routes lead nowhere: {idle:?}", idle.len());
}
