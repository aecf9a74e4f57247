//! Requests of two and three parts.

use super::{Draw, Holds, Made, name_of, pool};

/// How many files are in a folder, and which is the largest?
pub(super) fn count_and_largest(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let folder = pool::folder(draw);
    let number = pool::count(draw, 7, 11);
    let stems = pool::stems(draw, number);
    let largest = pool::count(draw, 0, 6);
    let mut names = Vec::new();
    for (at, stem) in stems.into_iter().enumerate() {
        let lines = if at == largest { 9 } else { draw.between(1, 3) };
        let name = format!("{stem}.txt");
        home.put(format!("{folder}/{name}"), pool::text(draw, lines));
        names.push(name);
    }
    let chosen = names.get(largest).cloned().unwrap_or_default();
    let other = names.get((largest + 1) % names.len()).cloned().unwrap_or_default();
    let read = home.below(folder).max_by_key(|(_, bytes)| bytes.len()).map_or("", |(path, _)| path);
    let right = format!("{} files; {}", home.below(folder).count(), name_of(read));
    let wrong = [
        format!("{number}"),
        chosen.clone(),
        format!("{number}: {other}"),
        format!("{}: {chosen}", number + 1),
    ];
    Made::new(home)
        .word("folder", folder)
        .number(u32::try_from(number).unwrap_or_default())
        .right_of_names(vec![chosen], names, right)
        .wrong(wrong)
}

/// Add up what a table says of one city, write the sum into a file, and tell it.
pub(super) fn sum_to_file(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let path = format!("{}/orders.csv", pool::folder(draw));
    let cities = pool::cities(draw, 3);
    let city = cities.first().copied().unwrap_or_default();
    let (mut sum, mut all, mut text) = (0_u32, 0_u32, "order,city,pieces\n".to_owned());
    for at in 0..15_usize {
        let pieces = u32::try_from(draw.between(20, 90)).unwrap_or_default();
        let place =
            cities.get(if at < 3 { at } else { pool::count(draw, 0, 2) }).copied().unwrap_or_default();
        text.push_str(&format!("A{at:03},{place},{pieces}\n"));
        all += pieces;
        sum += if place == city { pieces } else { 0 };
    }
    home.put(path.as_str(), text);
    let new = pool::pick(draw, &["total.txt", "Summe.txt", "summa.txt", "合计.txt"]);
    let pieces = |line: &str| -> Option<u32> {
        let mut fields = line.split(',').skip(1);
        (fields.next()? == city).then(|| fields.next()?.parse().ok())?
    };
    let read: u32 = home.text(&path).lines().filter_map(pieces).sum();
    Made::new(home)
        .word("file", path)
        .word("city", city)
        .word("new", new)
        .number(sum)
        .holds(new, Holds::Number(sum.into()))
        .right_deed(read.to_string(), |home| home.put(new, format!("{read}\n")))
        .wrong_deed(sum.to_string(), |_| {})
        .wrong_deed("done", |home| home.put(new, sum.to_string()))
        .wrong_deed(all.to_string(), |home| home.put(new, all.to_string()))
        .wrong_deed(sum.to_string(), |home| home.put(new, all.to_string()))
}

/// Keep a copy of a file, and change the file.
pub(super) fn backup_then_edit(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let path = format!("{}/hosts.txt", pool::folder(draw));
    let tokens = pool::tokens(draw, 2);
    let [old, new] = [tokens.first().copied().unwrap_or("x"), tokens.last().copied().unwrap_or("y")];
    let text: String =
        (0..6).map(|at| format!("10.0.0.{at} {} {old}\n", draw.one_of(&["alpha", "beta"]))).collect();
    let copy = format!("{path}.bak");
    let edited: String =
        text.lines().map(|line| format!("{} {new}\n", line.trim_end_matches(old).trim_end())).collect();
    home.put(path.as_str(), text.as_str());
    Made::new(home)
        .word("file", path.as_str())
        .word("new", copy.as_str())
        .word("old", old)
        .word("word", new)
        .holds(copy.as_str(), Holds::Text(text.clone()))
        .holds(path.as_str(), Holds::Text(edited.clone()))
        .right_deed("done", |home| {
            let text = home.text(&path).to_owned();
            home.put(path.as_str(), text.replace(old, new));
            home.put(copy.as_str(), text);
        })
        .wrong_deed("done", |home| home.put(path.as_str(), edited.as_str()))
        .wrong_deed("done", |home| home.put(copy.as_str(), text.as_str()))
        .wrong_deed("done", |home| {
            home.put(path.as_str(), edited.as_str());
            home.put(copy.as_str(), edited.as_str());
        })
}
