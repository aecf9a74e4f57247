//! The files that programs run for their names, one reason each. The first entry that fits decides.

use std::path::Path;

use super::FolderRule::{Any, Below, Beside, In, InBeside, Under, UnderBeside, UnderOld, Within};
use super::{Autorun, Entry, FolderRule, Names, Neighbours, fits, python_modules};

/// The entry that is about this file.
pub(super) fn find(path: &Path, neighbours: &dyn Neighbours) -> Option<Autorun> {
    let (folder, name) = (path.parent()?, path.file_name()?.to_string_lossy());
    let is_it = |entry: &&Entry| match &entry.names {
        Names::Any(names) => {
            names.iter().any(|pattern| fits(pattern, &name)) && entry.folder.holds(folder, neighbours)
        }
        Names::PythonModule => {
            python_modules::shadowing(path).is_some_and(|folder| entry.folder.holds(folder, neighbours))
        }
    };
    TABLE.iter().find(is_it).map(|entry| entry.found(&name))
}

/// The entry that is about any file in the folder of this one.
pub(super) fn find_by_folder(path: &Path, neighbours: &dyn Neighbours) -> Option<Autorun> {
    let folder = path.parent()?;
    let is_it = |entry: &&Entry| entry.folder.is_of_a_folder() && entry.folder.holds(folder, neighbours);
    TABLE.iter().find(is_it).map(|entry| entry.found("any"))
}

const fn entry(names: &'static [&'static str], folder: FolderRule, by: &'static str) -> Entry {
    Entry { names: Names::Any(names), folder, by }
}

const GRADLE: &[&str] = &["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];
const COMPOSE: &[&str] = &["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"];
const PYTHON: &[&str] = &["*.py", "pyproject.toml", "setup.cfg", "tests"];

#[rustfmt::skip] // One entry a line, as in a table.
pub(super) const TABLE: &[Entry] = &[
    // Python.
    entry(&["conftest.py"], Any, "pytest, before the tests of its folder and of those below"),
    entry(&["sitecustomize.py", "usercustomize.py"], Any, "Python, whenever it starts with this folder in its path"),
    entry(&["*"], UnderOld("site-packages"), "Python, when it starts or where a program imports what has its name"),
    entry(&["*"], UnderOld("dist-packages"), "Python, when it starts or where a program imports what has its name"),
    Entry { names: Names::PythonModule, folder: Beside(&["*.py"]), by: "the Python programs beside it, in place of the standard module of its name" },
    entry(&["__init__.py"], Beside(&["*.py"]), "Python, when a module of its folder is imported"),
    entry(&["setup.py"], Beside(&["pyproject.toml", "setup.cfg"]), "pip, when the project around it is built or installed"),
    entry(&["pyproject.toml", "setup.cfg"], Beside(&["*.py", "setup.cfg"]), "pip, pytest and other tools, which take what builds the project and their plugins from it"),
    entry(&["pytest.ini", "tox.ini"], Beside(PYTHON), "pytest, which loads the plugins that it names"),
    entry(&["mypy.ini"], Beside(PYTHON), "mypy, which loads the plugins that it names"),
    entry(&["pylintrc", "pylintrc.toml"], Beside(PYTHON), "pylint, which runs the code that it holds"),
    entry(&["gunicorn.conf.py"], Beside(&["*.py"]), "gunicorn, when it starts here"),
    // make and its like.
    entry(&["GNUmakefile"], Beside(&["Makefile", "makefile"]), "make, in place of the Makefile beside it"),
    entry(&["makefile"], Beside(&["Makefile"]), "make, in place of the Makefile beside it"),
    entry(&["BSDmakefile"], Beside(&["Makefile", "makefile"]), "the make of BSD, in place of the Makefile beside it"),
    entry(&["rakefile", "Rakefile"], Beside(&["Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"]), "rake, in place of the one beside it"),
    entry(&["rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb"], Below(&["rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb"]), "rake, which takes the nearest one above where it starts"),
    entry(&["*.rake"], Within(&["Rakefile", "rakefile"]), "rake, where the Rakefile loads the tasks of its folders"),
    entry(&["justfile", "Justfile"], Below(&["justfile", "Justfile"]), "just, which takes the nearest one above where it starts"),
    entry(&["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"], Below(&["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"]), "task, which takes the nearest one above where it starts"),
    entry(&["site_init.py"], InBeside("site_scons", &["SConstruct", "Sconstruct", "sconstruct"]), "scons, before the SConstruct"),
    // C and C++.
    entry(&["PreLoad.cmake"], Beside(&["CMakeLists.txt"]), "cmake, before the CMakeLists.txt beside it"),
    entry(&["CMakePresets.json", "CMakeUserPresets.json"], Beside(&["CMakeLists.txt"]), "cmake and editors, which start the compilers and programs that it names"),
    // Rust.
    entry(&["build.rs"], Beside(&["Cargo.toml"]), "cargo, before it builds the package beside it"),
    entry(&["Cargo.toml"], Below(&["Cargo.toml"]), "cargo, which builds a member of the workspace around it, its build script first"),
    entry(&["rust-toolchain", "rust-toolchain.toml"], Any, "rustup, which starts the compiler that it names for whoever works in its folder or below"),
    // JavaScript.
    entry(&["*"], Under("node_modules"), "node, where a program imports the package that it belongs to"),
    entry(&["package.json"], Below(&["package.json"]), "npm, which runs the scripts of all workspaces when the project around them is installed"),
    entry(&["binding.gyp"], Beside(&["package.json"]), "npm, which builds it when the package beside it is installed"),
    entry(&["*.config.js", "*.config.cjs", "*.config.mjs", "*.config.ts", "*.config.cts", "*.config.mts", "*.conf.js", "*.conf.cjs", "*.conf.mjs", "*.conf.ts"], Within(&["package.json"]), "the tool that it configures, whenever that starts in this project"),
    entry(&["bunfig.toml"], Beside(&["package.json"]), "bun, which loads what it names first"),
    // Java, Kotlin, Scala, Clojure.
    entry(&["*"], UnderBeside("buildSrc", GRADLE), "gradle, which builds and loads buildSrc before the project"),
    entry(&["settings.gradle", "settings.gradle.kts", "gradle.properties"], Beside(GRADLE), "gradle, before the build script beside it"),
    entry(&["build.gradle"], Beside(&["build.gradle.kts", "settings.gradle", "settings.gradle.kts"]), "gradle, in the project beside it"),
    entry(&["*.sbt"], Beside(&["*.sbt"]), "sbt, with all others of its folder"),
    entry(&["*.sbt", "*.scala"], InBeside("project", &["*.sbt"]), "sbt, before the build beside it"),
    entry(&["profiles.clj"], Beside(&["project.clj"]), "leiningen, with the project.clj beside it"),
    // .NET.
    entry(&["Directory.Build.props", "Directory.Build.targets", "Directory.Build.rsp", "Directory.Packages.props", "Directory.Solution.props", "Directory.Solution.targets"], Any, "dotnet and MSBuild, with each project in and below its folder"),
    entry(&["*proj.user"], Beside(&["*proj"]), "dotnet and MSBuild, with the project beside it"),
    // Go.
    entry(&["go.work"], Any, "go, which takes modules from the folders that it names, in and below its own"),
    // Ruby and PHP.
    entry(&["*.rb"], InBeside("initializers", &["application.rb", "environment.rb"]), "Rails, whenever it starts"),
    entry(&["Gemfile"], Below(&["Gemfile"]), "bundler, which takes the nearest one above where it starts"),
    entry(&["Vagrantfile"], Below(&["Vagrantfile"]), "vagrant, which takes the nearest one above where it starts"),
    entry(&["phpunit.xml"], Beside(&["phpunit.xml.dist", "phpunit.dist.xml"]), "phpunit, in place of the one beside it"),
    entry(&["phpstan.neon"], Beside(&["phpstan.neon.dist", "phpstan.dist.neon"]), "phpstan, in place of the one beside it"),
    // Containers and machines.
    entry(&["compose.override.yaml", "compose.override.yml", "docker-compose.override.yaml", "docker-compose.override.yml"], Beside(COMPOSE), "docker compose, on top of the file beside it"),
    entry(&["compose.yaml", "compose.yml"], Beside(COMPOSE), "docker compose, in place of the file beside it"),
    entry(&["Containerfile"], Beside(&["Dockerfile"]), "podman and buildah, in place of the Dockerfile beside it"),
    entry(&["override.tf", "override.tf.json", "*_override.tf", "*_override.tf.json"], Beside(&["*.tf"]), "terraform, on top of the files beside it"),
    entry(&["ansible.cfg"], Any, "ansible, which loads the plugins that it names when it starts here"),
    // Other languages.
    entry(&["config.exs", "runtime.exs"], InBeside("config", &["mix.exs"]), "mix, whenever it starts in this project"),
    entry(&["rebar.config.script"], Beside(&["rebar.config"]), "rebar3, with the rebar.config beside it"),
    entry(&["cabal.project.local"], Beside(&["cabal.project", "*.cabal"]), "cabal, which starts the programs that it names"),
    entry(&["dune", "dune-workspace"], Within(&["dune-project"]), "dune, whenever it builds the project around it"),
    entry(&["config.nims", "nim.cfg"], Beside(&["*.nim"]), "nim, before it compiles a file beside it"),
    entry(&["shell.nix"], Beside(&["default.nix"]), "nix-shell, in place of the default.nix beside it"),
    entry(&["BUILD.bazel"], Beside(&["BUILD"]), "bazel, in place of the BUILD beside it"),
    entry(&["bazel"], InBeside("tools", &["WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel"]), "bazel itself, which starts this in its place"),
    entry(&["latexmkrc", "LatexMk"], Beside(&["*.tex"]), "latexmk, before it sets the document beside it"),
    // What looks at a whole folder.
    entry(&["*"], InBeside("bin", &["pyvenv.cfg"]), "whoever types its name and works in this virtual environment"),
    entry(&["lefthook-local.yml", "lefthook-local.yaml"], Beside(&["lefthook.yml", "lefthook.yaml"]), "lefthook, on top of the file beside it, when git commits"),
    entry(&["*"], In("LaunchAgents"), "launchd, when somebody logs in"),
];
