//! Questions over files: their times, sizes, contents, links and archives.

use super::{Answer, Draw, Entry, Home, Made, name_of, pool};

/// A folder with files of different sizes, and a subfolder with the largest and the newest of all.
fn sized(draw: &mut Draw) -> (Home, &'static str, Vec<String>) {
    let mut home = pool::furnished(draw);
    let folder = pool::folder(draw);
    let mut paths = Vec::new();
    for (at, stem) in (1_u64..).zip(pool::stems(draw, 7)) {
        let path = format!("{folder}/{stem}.{}", draw.one_of(&["txt", "pdf", "odt"]));
        let size = at * 211 + draw.below(200);
        home.put_aged(
            &path,
            "x".repeat(usize::try_from(size).unwrap_or_default()),
            at * 5000 + draw.below(4000),
        );
        paths.push(path);
    }
    home.put_aged(&format!("{folder}/sub/bigger.bin"), "y".repeat(5000), 7);
    draw.shuffle(&mut paths);
    (home, folder, paths)
}

fn names(paths: &[String]) -> Vec<String> {
    paths.iter().map(|path| name_of(path).to_owned()).collect()
}

fn direct<'a>(home: &'a Home, folder: &str) -> Vec<(&'a str, &'a [u8])> {
    let depth = folder.matches('/').count() + 1;
    home.below(folder).filter(|(path, _)| path.matches('/').count() == depth).collect()
}

/// Which file directly in a folder was changed last?
pub(super) fn newest_file(draw: &mut Draw) -> Made {
    let (mut home, folder, paths) = sized(draw);
    let newest = paths.first().cloned().unwrap_or_default();
    let bytes = home.bytes(&newest).to_vec();
    home.put_aged(&newest, bytes, draw.between(30, 300));
    let read = direct(&home, folder).into_iter().min_by_key(|(path, _)| home.age(path));
    let read = read.map_or("", |(path, _)| path).to_owned();
    let other = paths.get(1).cloned().unwrap_or_default();
    let mut rest = names(&paths);
    rest.push("bigger.bin".to_owned());
    Made::new(home)
        .word("folder", folder)
        .right_of_names(names(std::slice::from_ref(&newest)), rest, read)
        .wrong([other, "bigger.bin".to_owned(), format!("{newest}, bigger.bin")])
}

/// Which files directly in a folder were changed within some hours?
pub(super) fn changed_since(draw: &mut Draw) -> Made {
    let (mut home, folder, paths) = sized(draw);
    let hours = draw.between(6, 40);
    let chosen: Vec<String> = paths.iter().take(3).cloned().collect();
    for path in &chosen {
        let bytes = home.bytes(path).to_vec();
        home.put_aged(path, bytes, draw.between(10, hours * 60 - 120));
    }
    // Nearly, and not so.
    if let Some(path) = paths.last() {
        let bytes = home.bytes(path).to_vec();
        home.put_aged(path, bytes, hours * 60 + 200);
    }
    let recent = direct(&home, folder).into_iter().filter(|(path, _)| home.age(path) <= hours * 60);
    let read = recent.map(|(path, _)| path).collect::<Vec<_>>().join("\n");
    let mut rest = names(&paths);
    rest.push("bigger.bin".to_owned());
    let one = chosen.first().cloned().unwrap_or_default();
    let all = paths.join(" ");
    Made::new(home)
        .word("folder", folder)
        .word("number", hours.to_string())
        .right_of_names(names(&chosen), rest, read)
        .wrong([one, all])
}

/// How many bytes do the files of a folder have, with those of its subfolders?
pub(super) fn folder_bytes(draw: &mut Draw) -> Made {
    let (home, folder, paths) = sized(draw);
    let above: usize = paths.iter().map(|path| home.bytes(path).len()).sum();
    let read: usize = home.below(folder).map(|(_, bytes)| bytes.len()).sum();
    let known = above + 5000;
    Made::new(home)
        .word("folder", folder)
        .answer(Answer::Bytes(known as f64))
        .right(format!("{read} bytes"))
        .wrong([format!("{above} bytes"), format!("{} KB", known / 1024), (known + 4096).to_string()])
}

/// Which file directly in a folder is the largest?
pub(super) fn largest_file(draw: &mut Draw) -> Made {
    let (home, folder, paths) = sized(draw);
    let largest = paths.iter().max_by_key(|path| home.bytes(path).len()).cloned().unwrap_or_default();
    let smallest = paths.iter().min_by_key(|path| home.bytes(path).len()).cloned().unwrap_or_default();
    let read = direct(&home, folder).into_iter().max_by_key(|(_, bytes)| bytes.len());
    let read = read.map_or_else(String::new, |(path, bytes)| format!("{path}: {}", bytes.len()));
    let mut rest = names(&paths);
    rest.push("bigger.bin".to_owned());
    Made::new(home).word("folder", folder).right_of_names(names(&[largest]), rest, read).wrong([
        smallest,
        "bigger.bin".to_owned(),
        String::new(),
    ])
}

/// Which other files hold the same as one does?
pub(super) fn duplicates(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let folder = pool::folder(draw);
    let original = pool::text(draw, 6);
    // As long, and another.
    let near: String = original.chars().rev().collect();
    let (mut chosen, mut rest) = (Vec::new(), Vec::new());
    for (at, stem) in pool::stems(draw, 7).into_iter().enumerate() {
        let inner = if at % 2 == 0 { "" } else { "/copies" };
        let path = format!("{folder}{inner}/{stem}.txt");
        home.put(
            path.as_str(),
            if at < 3 {
                original.clone()
            } else if at == 3 {
                near.clone()
            } else {
                pool::text(draw, 6)
            },
        );
        if at < 3 { chosen.push(path) } else { rest.push(path) }
    }
    let subject = format!("{folder}/master.txt");
    home.put(subject.as_str(), original);
    let same = |(path, bytes): &(&str, &[u8])| *path != subject && *bytes == home.bytes(&subject);
    let read = home.below(folder).filter(same).map(|(path, _)| path).collect::<Vec<_>>().join("\n");
    let (one, near) =
        (chosen.first().cloned().unwrap_or_default(), format!("{}, {}", chosen.join(", "), rest.join(", ")));
    Made::new(home)
        .word("folder", folder)
        .word("file", subject)
        .right_of_names(names(&chosen), names(&rest), read)
        .wrong([one, near])
}

/// Which links of a folder lead nowhere?
pub(super) fn broken_links(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let folder = pool::folder(draw);
    let mut stems = pool::stems(draw, 9);
    let links = stems.split_off(4);
    for stem in &stems {
        home.put(format!("{folder}/{stem}.txt"), pool::text(draw, 1));
    }
    let (mut chosen, mut rest) = (Vec::new(), Vec::new());
    for (at, link) in links.into_iter().enumerate() {
        let is_broken = at < 2;
        let target = if is_broken { "moved away" } else { stems.get(at % 4).copied().unwrap_or_default() };
        home.place(format!("{folder}/{link}.lnk"), Entry::Link(format!("{target}.txt")));
        if is_broken { chosen.push(format!("{link}.lnk")) } else { rest.push(format!("{link}.lnk")) }
    }
    let leads_nowhere = |(path, entry): (&String, &Entry)| match entry {
        Entry::Link(target) if !home.entries().contains_key(&format!("{folder}/{target}")) => {
            Some(path.clone())
        }
        Entry::Link(_) | Entry::File(_) | Entry::Empty => None,
    };
    let read = home.entries().iter().filter_map(leads_nowhere).collect::<Vec<_>>().join("\n");
    let (one, all) =
        (chosen.first().cloned().unwrap_or_default(), format!("{} {}", chosen.join(" "), rest.join(" ")));
    Made::new(home).word("folder", folder).right_of_names(chosen, rest, read).wrong([one, all])
}

/// How many files with an ending are in an archive?
pub(super) fn archive_members(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let path = format!("{}/backup.tar", pool::folder(draw));
    let mut builder = tar::Builder::new(Vec::new());
    let wanted = pool::count(draw, 4, 9);
    let others = wanted + pool::count(draw, 2, 5);
    let stems = pool::stems(draw, 20);
    for at in 0..wanted + others {
        let ending = if at < wanted { "jpg" } else { "txt" };
        let stem = stems.get(at % 20).copied().unwrap_or_default();
        let text = pool::text(draw, 1);
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        // Into memory nothing can fail.
        let _ = builder.append_data(&mut header, format!("trip/{at} {stem}.{ending}"), text.as_bytes());
    }
    home.put(path.as_str(), builder.into_inner().unwrap_or_default());
    let mut archive = tar::Archive::new(home.bytes(&path));
    let is_picture = |entry: std::io::Result<tar::Entry<'_, &[u8]>>| {
        entry.is_ok_and(|entry| {
            entry.path().is_ok_and(|path| path.extension().is_some_and(|end| end == "jpg"))
        })
    };
    let read = archive
        .entries()
        .map_or(0, |entries| entries.filter_map(|entry| is_picture(entry).then_some(())).count());
    Made::new(home)
        .word("file", path)
        .word("ending", ".jpg")
        .number(u32::try_from(wanted).unwrap_or_default())
        .right(read.to_string())
        .wrong([others.to_string(), (wanted + others).to_string(), "0".to_owned()])
}
