//! A working folder as developers have it.

use std::{path::Path, time::Duration};

use tokio::process::Command;

use crate::Failure;

/// How many files the repository has, and how many there are in its ignored folder.
pub(crate) const FILES: usize = 3_000;
/// Files in one folder.
const IN_ONE_FOLDER: usize = 20;

/// Makes a git repository whose files are committed, with build output that it ignores.
pub(crate) async fn make(project: &Path) -> Result<(), Failure> {
    for part in ["src", "target"] {
        for n in 0..FILES {
            let folder = project.join(part).join(format!("part{:03}", n / IN_ONE_FOLDER));
            if n % IN_ONE_FOLDER == 0 {
                std::fs::create_dir_all(&folder)?;
            }
            std::fs::write(folder.join(format!("file{n:04}.rs")), format!("// {n}\n"))?;
        }
    }
    std::fs::write(project.join(".gitignore"), "target/\n")?;
    // git reads each file again that is as old as its index, by whole seconds.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    for arguments in [
        &["init", "-q"][..],
        &["add", "--all"],
        &["-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "-q", "-m", "all"],
    ] {
        let mut git = Command::new("git");
        git.args(arguments).current_dir(project);
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let ended = git.status().await?;
        if !ended.success() {
            return Err(format!("git {} ended with {ended}", arguments.join(" ")).into());
        }
    }
    Ok(())
}
