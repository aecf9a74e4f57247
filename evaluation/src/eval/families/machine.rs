//! Questions over git and over what runs.

use super::{
    super::home::{Commit, Repository, Running},
    Draw, Home, Made, pool,
};

/// A repository with some commits by three people.
fn repository(draw: &mut Draw) -> (Home, &'static str, Vec<Commit>) {
    let mut home = pool::furnished(draw);
    let folder = pool::folder(draw);
    let (people, files) = (pool::people(draw, 3), ["README.md", "main.py", "números.txt"]);
    let messages = [
        "Fix the totals",
        "Neue Überschrift",
        "Corrige o rodapé",
        "Lisää ohjeet",
        "修正日期",
        "Tidy up",
        "Ajoute un exemple",
        "Remove old code",
        "Rename a field",
        "Añade pruebas",
        "Speed up the import",
        "説明を追加",
    ];
    let mut commits = Vec::new();
    for (at, message) in pool::some(draw, &messages, 11).into_iter().enumerate() {
        let author = people
            .get(usize::try_from(draw.below(5)).unwrap_or_default().min(2))
            .copied()
            .unwrap_or_default();
        let file = files.get(if at < 3 { at } else { pool::count(draw, 0, 2) }).copied().unwrap_or_default();
        let text = format!("{}version {at}\n", pool::text(draw, 2));
        commits.push(Commit { author: author.into(), message: message.into(), file: file.into(), text });
    }
    home.keep_in_git(Repository { folder: folder.to_owned(), commits: commits.clone() });
    (home, folder, commits)
}

/// How many commits did somebody make?
pub(super) fn commits_by(draw: &mut Draw) -> Made {
    let (home, folder, commits) = repository(draw);
    let author = commits.last().map(|commit| commit.author.clone()).unwrap_or_default();
    let is_theirs = |commit: &&Commit| commit.author == author;
    let known = u32::try_from(commits.iter().filter(is_theirs).count()).unwrap_or_default();
    let read = commits.iter().map(|commit| u32::from(commit.author == author)).sum::<u32>();
    let others = u32::try_from(commits.len()).unwrap_or_default() - known;
    let others = if others == known { known + 1 } else { others };
    Made::new(home).word("folder", folder).word("name", author).number(known).right(read.to_string()).wrong([
        others.to_string(),
        (known + others + 20).to_string(),
        String::new(),
    ])
}

/// What does the last commit say that changed a file?
pub(super) fn commit_message(draw: &mut Draw) -> Made {
    let (home, folder, commits) = repository(draw);
    // One that the very last commit did not change.
    let last = commits.last().map(|commit| commit.file.clone()).unwrap_or_default();
    let file =
        commits.iter().map(|commit| &commit.file).find(|file| **file != last).cloned().unwrap_or_default();
    let known = commits.iter().rfind(|commit| commit.file == file).map(|commit| commit.message.clone());
    let known = known.unwrap_or_default();
    let held = home.text(&format!("{folder}/{file}")).to_owned();
    let read = commits.iter().find(|commit| commit.text == held).map(|commit| commit.message.clone());
    let newest = commits.last().map(|commit| commit.message.clone()).unwrap_or_default();
    let all: Vec<String> = commits.iter().map(|commit| commit.message.clone()).collect();
    let everything = all.join("\n");
    Made::new(home)
        .word("folder", folder)
        .word("file", file)
        .right_of_names(vec![known], all, read.unwrap_or_default())
        .wrong([newest, everything])
}

/// How many processes of a program run?
pub(super) fn processes(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    // A name that nothing else on the machine has.
    let name = format!("{}-{}", pool::pick(draw, &["otterd", "majakkad", "farold"]), draw.between(100, 999));
    let count = pool::count(draw, 2, 5);
    home.run_beside(Running { program: format!("services/{name}"), count });
    home.put(format!("services/{name}.conf"), "workers = 9\n");
    let read = count;
    Made::new(home)
        .word("name", name)
        .number(u32::try_from(count).unwrap_or_default())
        .right(read.to_string())
        .wrong(["9".to_owned(), (count + 1).to_string(), "0".to_owned()])
}
