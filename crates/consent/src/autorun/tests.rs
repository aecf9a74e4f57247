use std::collections::BTreeMap;

use proptest::prelude::*;

use super::table::TABLE;
use super::*;

/// A world of paths: which were there before the run, and which are when the call is done.
#[derive(Default)]
struct World {
    before: Vec<PathBuf>,
    after: Vec<PathBuf>,
}

impl World {
    fn of(before: &[&str]) -> Self {
        Self { before: before.iter().map(PathBuf::from).collect(), after: Vec::new() }
    }

    fn will_hold(after: &[&str]) -> Self {
        Self { after: after.iter().map(PathBuf::from).collect(), ..Self::default() }
    }
}

impl Neighbours for World {
    fn will_be(&self, path: &Path) -> bool {
        self.before.iter().chain(&self.after).any(|there| there.starts_with(path))
    }

    fn names_before(&self, folder: &Path) -> Vec<OsString> {
        let below = self.before.iter().filter_map(|path| path.strip_prefix(folder).ok()?.iter().next());
        below.map(OsString::from).collect()
    }
}

fn folders() -> ProgramFolders<'static> {
    static PATH: std::sync::OnceLock<[PathBuf; 2]> = std::sync::OnceLock::new();
    let search_path = PATH.get_or_init(|| ["/usr/bin".into(), "/home/ada/p/tools/bin".into()]);
    ProgramFolders { search_path, home_bin: Path::new("/home/ada/bin") }
}

fn file(path: &str, world: &World) -> Option<Autorun> {
    autorun(Path::new(path), NewEntry::File, folders(), world)
}

#[test]
fn what_runs_unasked_is_found_and_its_near_misses_are_not() {
    let world = World::of(&[
        "/w/make/Makefile",
        "/w/lower/makefile",
        "/w/rust/Cargo.toml",
        "/w/py/main.py",
        "/w/py/tests/test_a.py",
        "/w/js/package.json",
        "/w/venv/pyvenv.cfg",
        "/w/venv/lib/python3.11/site-packages/pip/x.py",
        "/w/gradle/settings.gradle",
        "/w/compose/docker-compose.yml",
        "/w/tf/main.tf",
    ]);
    let table = [
        // The path, who runs it; and a near miss, which nobody does.
        ("/w/make/GNUmakefile", "make, in place", "/w/empty/GNUmakefile"),
        ("/w/make/makefile", "make, in place", "/w/lower/Makefile"),
        ("/w/lower/BSDmakefile", "the make of BSD", "/w/rust/Makefile"),
        ("/w/rust/build.rs", "cargo, before", "/w/rust/src/build.rs"),
        ("/w/rust/crates/a/Cargo.toml", "a member of the workspace", "/w/new/Cargo.toml"),
        ("/w/anywhere/rust-toolchain.toml", "rustup", "/w/anywhere/toolchain.toml"),
        ("/w/anywhere/conftest.py", "pytest, before", "/w/anywhere/my_conftest.py"),
        ("/w/anywhere/sitecustomize.py", "whenever it starts", "/w/anywhere/customize.py"),
        ("/w/py/random.py", "in place of the standard module", "/w/new/random.py"),
        ("/w/py/random/__init__.py", "in place of the standard module", "/w/py/mine/__init__.py"),
        ("/w/py/tests/__init__.py", "when a module of its folder", "/w/py/tests/test_b.py"),
        ("/w/py/pytest.ini", "pytest, which loads", "/w/new/pytest.ini"),
        ("/w/venv/bin/ls", "this virtual environment", "/w/new/bin/ls"),
        ("/w/venv/lib/python3.11/site-packages/x.pth", "when it starts", "/w/models/weights.pth"),
        ("/w/js/binding.gyp", "npm, which builds", "/w/new/binding.gyp"),
        ("/w/js/src/vite.config.mjs", "the tool that it configures", "/w/new/vite.config.mjs"),
        ("/w/js/packages/a/package.json", "all workspaces", "/w/new/package.json"),
        ("/w/new/node_modules/left-pad/index.js", "imports the package", "/w/js/src/index.js"),
        ("/w/gradle/buildSrc/src/main/java/A.java", "loads buildSrc", "/w/new/buildSrc/A.java"),
        ("/w/compose/compose.yaml", "in place of the file", "/w/new/compose.yaml"),
        ("/w/tf/x_override.tf", "on top of the files", "/w/tf/x.tf"),
        ("/home/ada/p/tools/bin/sort", "its folder is in PATH", "/home/ada/p/tools/bin/sub/sort"),
        ("/home/ada/bin/ls", "many systems put ~/bin", "/home/eve/bin/ls"),
    ];
    for (path, by, miss) in table {
        let found = file(path, &world).unwrap_or_else(|| panic!("{path} is not found"));
        assert!(found.why.starts_with("this file will be run by ") && found.why.contains(by), "{found:?}");
        assert_eq!(file(miss, &world), None, "{miss}");
    }
}

#[test]
fn a_repository_is_found_by_its_parts_in_whatever_order_they_come() {
    let repository = ["/w/x/HEAD", "/w/x/objects/pack", "/w/x/refs/heads"];
    let world = World::will_hold(&repository);
    for (path, entry) in [
        ("/w/x/HEAD", NewEntry::File),
        ("/w/x/objects", NewEntry::Folder),
        ("/w/x/refs", NewEntry::Link),
        ("/w/x/config", NewEntry::File),
        ("/w/x/commondir", NewEntry::File),
        ("/w/x/hooks/post-receive", NewEntry::File),
        ("/w/x/hooks", NewEntry::Link),
    ] {
        let found = autorun(Path::new(path), entry, folders(), &world);
        assert!(found.is_some_and(|found| found.why.contains("git")), "{path}");
    }
    for path in
        ["/w/x/refs/heads/main", "/w/x/hooks/update.sample", "/w/x/description", "/w/y/HEAD", "/w/y/objects"]
    {
        assert_eq!(file(path, &world), None, "{path}");
    }
    for absent in &repository {
        let rest: Vec<&str> = repository.iter().copied().filter(|part| part != absent).collect();
        assert_eq!(file("/w/x/config", &World::will_hold(&rest)), None, "without {absent}");
    }
    // Another folder may have the rest.
    assert!(file("/w/x/HEAD", &World::will_hold(&["/w/x/HEAD", "/w/x/commondir"])).is_some());
    // A `.git` is hidden, and asked about as such.
    assert_eq!(
        file("/w/.git/HEAD", &World::will_hold(&["/w/.git/HEAD", "/w/.git/objects", "/w/.git/refs"])),
        None
    );
}

#[test]
fn a_link_puts_what_it_leads_to_into_its_place() {
    let link = |path: &str| autorun(Path::new(path), NewEntry::Link, folders(), &World::default());
    for path in
        ["/home/ada/p/tools", "/home/ada/p/tools/bin", "/home/ada/bin", "/w/node_modules", "/w/conftest.py"]
    {
        assert!(link(path).is_some(), "{path}");
    }
    for path in ["/home/ada/p/other", "/w/src"] {
        assert_eq!(link(path), None, "{path}");
    }
    assert_eq!(autorun(Path::new("/w/node_modules"), NewEntry::Folder, folders(), &World::default()), None);
}

#[test]
fn who_names_a_file_of_that_name_may_mean_another() {
    let world =
        World::of(&["/w/Makefile", "/w/package.json", "/w/Cargo.toml", "/w/dune-project", "/w/pyvenv.cfg"]);
    let asked_by = |path: &str| file(path, &world).unwrap().asked_by;
    for (path, expected) in [
        ("/w/GNUmakefile", AskedBy::Name),
        ("/w/build.rs", AskedBy::Name),
        ("/w/conftest.py", AskedBy::Name),
        ("/w/makefile", AskedBy::Path),
        ("/w/a/package.json", AskedBy::Path),
        ("/w/a/Cargo.toml", AskedBy::Path),
        ("/w/dune", AskedBy::Path),
        ("/w/bin/sort", AskedBy::Path),
        ("/home/ada/p/tools/bin/sort", AskedBy::Path),
    ] {
        assert_eq!(asked_by(path), expected, "{path}");
    }
    let repository = World::will_hold(&["/w/x/HEAD", "/w/x/objects", "/w/x/refs"]);
    assert_eq!(file("/w/x/HEAD", &repository).unwrap().asked_by, AskedBy::Nothing);
}

/// A folder in which an entry counts, and what must be there for it.
fn place(rule: &FolderRule) -> (String, Vec<String>) {
    let first = |patterns: &[&str]| patterns.first().unwrap().replace('*', "x");
    match rule {
        FolderRule::Any => ("/w/p".to_owned(), Vec::new()),
        FolderRule::Beside(patterns) => ("/w/p".to_owned(), vec![format!("/w/p/{}", first(patterns))]),
        FolderRule::Within(patterns) | FolderRule::Below(patterns) => {
            ("/w/p/a/b".to_owned(), vec![format!("/w/p/{}", first(patterns))])
        }
        FolderRule::In(name) | FolderRule::Under(name) => (format!("/w/p/{name}"), Vec::new()),
        FolderRule::InBeside(name, patterns) | FolderRule::UnderBeside(name, patterns) => {
            (format!("/w/p/{name}"), vec![format!("/w/p/{}", first(patterns))])
        }
        FolderRule::UnderOld(name) => (format!("/w/p/{name}/sub"), vec![format!("/w/p/{name}")]),
    }
}

/// Each entry decides about something, and one that needs something beside it about nothing without that.
#[test]
fn each_entry_of_the_table_counts() {
    let mut decided: BTreeMap<&str, usize> = TABLE.iter().map(|entry| (entry.by, 0)).collect();
    for entry in TABLE {
        let names = match &entry.names {
            Names::Any(names) => names.to_vec(),
            Names::PythonModule => vec!["calendar.py"],
        };
        let (folder, there) = place(&entry.folder);
        let there: Vec<&str> = there.iter().map(String::as_str).collect();
        for name in names {
            let path = format!("{folder}/{}", name.replace('*', "some"));
            let found = file(&path, &World::of(&there)).unwrap_or_else(|| panic!("{path} is not found"));
            let by = found.why.strip_prefix("this file will be run by ").unwrap();
            *decided.entry(TABLE.iter().find(|entry| entry.by == by).unwrap().by).or_default() += 1;
            if !there.is_empty() {
                assert_eq!(file(&path, &World::default()), None, "{path} alone");
            }
        }
    }
    let idle: Vec<_> = decided.iter().filter(|(_, count)| **count == 0).collect();
    assert!(idle.is_empty(), "{idle:?}");
}

proptest! {
    /// Ordinary names in an ordinary folder are nobody's, whatever lies around them.
    #[test]
    fn an_ordinary_file_is_free(
        name in "[a-z]{1,8}_report(\\.(txt|md|csv|py|sh|json|html))?",
        before in prop::collection::vec("/w/p/[a-zA-Z.]{1,12}", 0..6),
    ) {
        let before: Vec<&str> = before.iter().map(String::as_str).collect();
        prop_assert_eq!(file(&format!("/w/p/{name}"), &World::of(&before)), None);
    }

    #[test]
    fn any_path_is_judged(path in "/(\\PC{0,9}/?){0,6}", link in any::<bool>()) {
        let entry = if link { NewEntry::Link } else { NewEntry::File };
        let _ = autorun(Path::new(&path), entry, folders(), &World::of(&["/w/Makefile"]));
    }
}

#[test]
fn each_name_of_the_table_is_documented() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/design/consent.md");
    let page = std::fs::read_to_string(page).unwrap();
    let named = |entry: &'static Entry| match &entry.names {
        Names::Any(names) => names.iter().copied().filter(|name| *name != "*").collect::<Vec<_>>(),
        Names::PythonModule => vec!["random.py"],
    };
    let unsaid = |name: &&str| !page.contains(&format!("`{name}`"));
    let missing: Vec<&str> = TABLE.iter().flat_map(named).filter(unsaid).collect();
    assert!(missing.is_empty(), "not in the document: {missing:?}");
}
