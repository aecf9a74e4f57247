//! `cargo xtask quickstart`: from a fresh clone to the first answer.

use std::path::{Path, PathBuf};

use crate::{
    Result, cli,
    command::Program,
    files,
    terminal::{say, step},
    verify::{self, Build},
};

/// The default request.
pub const REQUEST: &str = "How many .txt files are in docs, and which is the largest?";

/// `cargo xtask quickstart`: builds, obtains the embedded model, copies the sample home, runs a request with
/// the live view. A repetition builds and downloads nothing.
///
/// # Errors
/// The first step that fails. A run that is not accepted is not an error of this task: its result has been
/// printed, and its exit code is reported.
pub fn run(options: &cli::Quickstart) -> Result<()> {
    let artoo = step("build artoo (minutes, the first time)", || verify::artoo(Build::Quickstart))?;
    if embedded(&options.artoo) {
        step("obtain the embedded model (1.1 GB, the first time)", || {
            Program::new(&artoo, ["model", "pull"]).run()
        })?;
    }
    let (home, workspace) = step("copy the sample home", sample_home)?;
    let asked = Program::new(&artoo, ["run", "--cwd"])
        .args([&home])
        .args(["--workspace".as_ref(), workspace.as_os_str()])
        .args(&options.artoo)
        .args(["--", options.request.as_str()])
        .folder(&home);
    let status = step("ask", || {
        say(format!("{}\n", asked.shown()));
        asked.status()
    })?;
    say(format!("artoo ended with {status}. The record of the run:\n"));
    Program::new(&artoo, ["runs", "list"]).run()?;
    say(next_steps(&artoo));
    Ok(())
}

/// How `artoo` comes onto the `PATH`, and what to type then.
fn next_steps(artoo: &Path) -> String {
    let artoo = artoo.display();
    format!(
        "
The binary is {artoo}. To have it as `artoo`, in a folder of your PATH:

    install -D -m 755 \"{artoo}\" ~/.local/bin/artoo

If your shell does not find it then, add ~/.local/bin to PATH: export PATH=\"$HOME/.local/bin:$PATH\"
What Tab completes, here for bash (also zsh, fish, elvish and powershell):

    mkdir -p ~/.local/share/bash-completion/completions
    artoo completions bash > ~/.local/share/bash-completion/completions/artoo

Then, in a folder of your own:

    artoo                    a conversation
    artoo run \"Which file in this folder is the newest?\"
    artoo setup              another model: a server, or a provider with your key"
    )
}

/// `cargo xtask model`: passes everything to `artoo model`.
///
/// # Errors
/// The build fails, or the command does.
pub fn model(arguments: &[String]) -> Result<()> {
    let artoo = verify::artoo(Build::Quickstart)?;
    Program::new(artoo, ["model"]).args(arguments).run()
}

fn embedded(options: &[String]) -> bool {
    !options
        .iter()
        .any(|option| ["--base-url", "--model", "--replay"].iter().any(|other| option.starts_with(other)))
}

/// A copy outside the repository, because tools that respect ignore files see nothing below `target`. It is
/// fresh every time: a run may create files in it.
fn sample_home() -> Result<(PathBuf, PathBuf)> {
    let user = std::env::var_os("USER").unwrap_or_else(|| "me".into());
    let place = std::env::temp_dir().join(format!("artoo-quickstart-{}", user.to_string_lossy()));
    copy(&files::root().join("fixtures/homes/sample"), &place)
}

fn copy(sample: &Path, place: &Path) -> Result<(PathBuf, PathBuf)> {
    let (home, workspace) = (place.join("home"), place.join("workspace"));
    files::remove_folder(&home)?;
    files::copy_folder(sample, &home)?;
    std::fs::create_dir_all(&workspace).map_err(crate::Error::file("create", &workspace))?;
    Ok((home, workspace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_copy_is_fresh_every_time() {
        let place = tempfile::tempdir().unwrap();
        let sample = place.path().join("sample");
        files::write(sample.join("a.txt"), "a").unwrap();
        let (home, workspace) = copy(&sample, place.path()).unwrap();
        files::write(home.join("left over.txt"), "x").unwrap();
        files::write(workspace.join("made.txt"), "x").unwrap();
        let (home, workspace) = copy(&sample, place.path()).unwrap();
        assert!(home.join("a.txt").is_file() && !home.join("left over.txt").exists());
        assert!(workspace.join("made.txt").is_file(), "what earlier runs made is the user's");
    }

    /// The lines are to be typed in this order.
    #[test]
    fn the_next_steps_name_the_binary_first() {
        let steps = next_steps(Path::new("/a b/artoo"));
        let at = |text: &str| steps.find(text).unwrap_or_else(|| panic!("no `{text}` in {steps}"));
        assert!(at("install -D -m 755 \"/a b/artoo\" ~/.local/bin/artoo") < at("artoo completions bash"));
        assert!(at("artoo completions bash") < at("artoo run"));
    }

    #[test]
    fn a_server_needs_no_embedded_model() {
        assert!(embedded(&["--quiet".to_owned()]));
        assert!(!embedded(&["--base-url=http://127.0.0.1:8080".to_owned()]));
    }
}
