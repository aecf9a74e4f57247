//! Requests to change what is there.

use serde_json::Value;

use super::{Draw, Holds, Made, name_of, pool};

/// Replace a word by another in a file.
pub(super) fn replace_word(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let folder = pool::folder(draw);
    let path = format!("{folder}/letter.txt");
    let tokens = pool::tokens(draw, 2);
    let [old, new] = [tokens.first().copied().unwrap_or("x"), tokens.last().copied().unwrap_or("y")];
    let (mut before, mut after) = (String::new(), String::new());
    for at in 0..8 {
        let line = pool::line(draw);
        let is_held = at == 0 || at == 5 || draw.below(3) == 0;
        let with =
            |word: &str| if is_held { format!("{line} {word}, {word}.\n") } else { format!("{line}\n") };
        before.push_str(&with(old));
        after.push_str(&with(new));
    }
    home.put(format!("{folder}/letter old.txt"), before.as_str());
    home.put(path.as_str(), before);
    let edited = home.text(&path).replace(old, new);
    let first = home.text(&path).replacen(old, new, 1);
    let each_line: String = home.text(&path).lines().map(|line| line.replacen(old, new, 1) + "\n").collect();
    let both = edited.clone();
    Made::new(home)
        .word("file", path.as_str())
        .word("old", old)
        .word("word", new)
        .holds(path.as_str(), Holds::Text(after))
        .right_deed("done", |home| home.put(path.as_str(), edited))
        .wrong_deed("done", |home| home.put(path.as_str(), first))
        .wrong_deed("done", |home| home.put(path.as_str(), each_line))
        .wrong_deed("done", |home| {
            home.put(format!("{folder}/letter old.txt"), both.as_str());
            home.put(path.as_str(), both);
        })
}

/// Add a line at the end of a file.
pub(super) fn append_line(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let path = format!(
        "{}/{}",
        pool::folder(draw),
        pool::pick(draw, &["shopping.txt", "Einkauf.txt", "ostokset.txt", "清单.txt"])
    );
    home.put(
        path.as_str(),
        pool::things(draw, 5).iter().map(|thing| format!("{thing}\n")).collect::<String>(),
    );
    let line =
        format!("{} {}", draw.between(2, 9), pool::pick(draw, &["lemons", "Zitronen", "sitruunaa", "柠檬"]));
    let before = home.text(&path).to_owned();
    let first = format!("{line}\n{before}");
    Made::new(home)
        .word("file", path.as_str())
        .word("text", line.as_str())
        .holds(path.as_str(), Holds::Text(format!("{before}{line}\n")))
        .right_deed("done", |home| {
            let mut lines: Vec<&str> = home.text(&path).lines().collect();
            lines.push(&line);
            let text = lines.join("\n");
            home.put(path.as_str(), text);
        })
        .wrong_deed("done", |home| home.put(path.as_str(), line.as_str()))
        .wrong_deed("done", |home| home.put(path.as_str(), first))
        .wrong_deed("done", |_| {})
}

/// Give a file another name.
pub(super) fn rename_file(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let folder = pool::folder(draw);
    let old = format!("{folder}/{}.txt", pool::pick(draw, &["draft", "Entwurf 2", "luonnos", "草稿"]));
    let name = pool::pick(draw, &["final version.txt", "Endfassung.txt", "valmis.txt", "定稿.txt"]);
    let new = format!("{folder}/{name}");
    home.put(old.as_str(), pool::text(draw, 3));
    home.put(format!("{folder}/notes.txt"), pool::text(draw, 3));
    let bytes = home.bytes(&old).to_vec();
    Made::new(home)
        .word("file", old.as_str())
        .word("new", name)
        .holds(new.as_str(), Holds::Bytes(bytes.clone()))
        .gone(old.as_str())
        .right_deed("done", |home| home.rename(&old, new.as_str()))
        .wrong_deed("done", |home| home.put(new.as_str(), bytes))
        .wrong_deed("done", |home| home.rename(&old, name))
        .wrong_deed("done", |_| {})
}

/// Move the files with an ending into another folder.
pub(super) fn move_by_ending(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let (from, to) = pool::two_folders(draw);
    for (at, stem) in pool::stems(draw, 8).into_iter().enumerate() {
        let ending = if at % 2 == 0 { "png" } else { "txt" };
        home.put(format!("{from}/{stem}.{ending}"), pool::text(draw, 1));
    }
    home.put(format!("{to}/there.txt"), "there\n");
    let pictures: Vec<(String, Vec<u8>)> = home
        .below(from)
        .filter(|(path, _)| path.ends_with(".png"))
        .map(|(path, bytes)| (path.to_owned(), bytes.to_vec()))
        .collect();
    let all: Vec<String> = home.below(from).map(|(path, _)| path.to_owned()).collect();
    let target = |path: &str| format!("{to}/{}", name_of(path));
    let made = Made::new(home).word("from", from).word("folder", to).word("ending", ".png");
    pictures
        .iter()
        .fold(made, |made, (path, bytes)| {
            made.holds(target(path), Holds::Bytes(bytes.clone())).gone(path.as_str())
        })
        .right_deed("done", |home| {
            let ends = |path: &&String| path.ends_with(".png") && path.starts_with(&format!("{from}/"));
            let paths: Vec<String> = home.entries().keys().filter(ends).cloned().collect();
            paths.iter().for_each(|path| home.rename(path, target(path)));
        })
        .wrong_deed("done", |home| all.iter().for_each(|path| home.rename(path, target(path))))
        .wrong_deed("done", |home| {
            pictures.iter().for_each(|(path, bytes)| home.put(target(path), bytes.clone()))
        })
        .wrong_deed("done", |home| {
            pictures.iter().skip(1).for_each(|(path, _)| home.rename(path, target(path)))
        })
}

/// Delete the files of a folder that are empty, or those with an ending.
pub(super) fn delete_by_rule(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let folder = pool::folder(draw);
    let ending = pool::pick(draw, &[".tmp", ".bak", ".old"]);
    let mut doomed = Vec::new();
    for (at, stem) in pool::stems(draw, 8).into_iter().enumerate() {
        let inner = if at % 3 == 0 { "/deeper" } else { "" };
        let path = format!("{folder}{inner}/{stem}{}", if at % 2 == 0 { ending } else { ".txt" });
        home.put(path.as_str(), pool::text(draw, 1));
        if at % 2 == 0 {
            doomed.push(path);
        }
    }
    // A name that only holds the ending, and one elsewhere.
    home.put(format!("{folder}/about{ending}.txt"), "keep\n");
    home.put(format!("keep{ending}"), "keep\n");
    let all: Vec<String> = home.below(folder).map(|(path, _)| path.to_owned()).collect();
    let made = Made::new(home).word("folder", folder).word("ending", ending);
    doomed
        .iter()
        .fold(made, |made, path| made.gone(path.as_str()))
        .right_deed("done", |home| {
            let matching = |path: &&str| path.ends_with(ending);
            let paths: Vec<String> =
                home.below(folder).map(|(path, _)| path).filter(matching).map(str::to_owned).collect();
            paths.iter().for_each(|path| drop(home.take(path)));
        })
        .wrong_deed("done", |home| all.iter().for_each(|path| drop(home.take(path))))
        .wrong_deed("done", |home| doomed.iter().skip(1).for_each(|path| drop(home.take(path))))
        .wrong_deed("done", |home| {
            doomed.iter().for_each(|path| drop(home.take(path)));
            home.take(&format!("keep{ending}"));
        })
}

/// Give a setting of a JSON file another value.
pub(super) fn set_setting(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let path = format!("{}/settings.json", pool::folder(draw));
    let (old, new) = (draw.between(10, 40), draw.between(50, 90));
    let before = serde_json::json!({"title": pool::line(draw), "timeout": old, "network": {"timeout": old, "retries": 3}});
    home.put(path.as_str(), format!("{before:#}\n"));
    let set = |pointer: &str| {
        let mut value: Value = before.clone();
        if let Some(found) = value.pointer_mut(pointer) {
            *found = new.into();
        }
        value
    };
    let text = home.text(&path).replacen(
        &format!("\"network\": {{\n    \"timeout\": {old}"),
        &format!("\"network\": {{\n    \"timeout\": {new}"),
        1,
    );
    let everywhere = home.text(&path).replace(&format!("\"timeout\": {old}"), &format!("\"timeout\": {new}"));
    Made::new(home)
        .word("file", path.as_str())
        .word("number", new.to_string())
        .holds(path.as_str(), Holds::Json(set("/network/timeout")))
        .right_deed("done", |home| home.put(path.as_str(), text))
        .wrong_deed("done", |home| home.put(path.as_str(), set("/timeout").to_string()))
        .wrong_deed("done", |home| home.put(path.as_str(), everywhere))
        .wrong_deed("done", |_| {})
}
