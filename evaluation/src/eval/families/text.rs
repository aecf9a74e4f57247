//! Questions over texts.

use super::{Answer, Draw, Made, name_of, pool};

/// How many files with an ending are in a folder and its subfolders?
pub(super) fn count_ending(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let folder = pool::folder(draw);
    let [ending, other] = [pool::pick(draw, &[".md", ".py", ".html"]), pool::pick(draw, &[".css", ".dat"])];
    let (mut all, mut direct) = (0_u32, 0_u32);
    for (inner, most) in [("", 6), ("/sub", 4), ("/sub/inner", 4)] {
        let number = pool::count(draw, 2, most);
        for stem in pool::stems(draw, number) {
            home.put(format!("{folder}{inner}/{stem}{ending}"), pool::text(draw, 2));
            all += 1;
            direct += u32::from(inner.is_empty());
        }
        home.put(format!("{folder}{inner}/page{other}"), "x");
        // A name that only holds the ending.
        home.put(format!("{folder}{inner}/copy{ending}.bak"), "x");
    }
    let read = home.below(folder).filter(|(path, _)| path.ends_with(ending)).count();
    let everything = home.below(folder).count();
    Made::new(home).word("folder", folder).word("ending", ending).number(all).right(read.to_string()).wrong([
        direct.to_string(),
        everything.to_string(),
        (all + 1).to_string(),
    ])
}

/// How many words does a file have?
pub(super) fn words_in_file(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let folder = pool::folder(draw);
    let stem = pool::pick(draw, &["travel policy", "Hausordnung", "ohje", "说明", "carta"]);
    let (mut text, mut words, lines) = (String::new(), 0_u32, draw.between(4, 9));
    for _ in 0..lines {
        let line = pool::line(draw);
        words += u32::try_from(line.split(' ').count()).unwrap_or_default();
        text.push_str(&line);
        text.push('\n');
    }
    let path = format!("{folder}/{stem}.txt");
    home.put(path.as_str(), text);
    let read = home.text(&path).split_whitespace().count();
    let characters = home.text(&path).chars().count();
    Made::new(home).word("file", path).number(words).right(read.to_string()).wrong([
        lines.to_string(),
        characters.to_string(),
        format!("{words} or {}", words + 2),
    ])
}

/// How many lines of a file hold a word?
pub(super) fn lines_holding(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let path = format!("{}/diary.txt", pool::folder(draw));
    let token = pool::pick(draw, &["kingfisher", "Leuchtturm", "girasol", "gingembre", "琥珀"]);
    let (mut text, mut lines, mut times) = (String::new(), 0_u32, 0_u32);
    for at in 0..draw.between(20, 30) {
        text.push_str(&pool::line(draw));
        // Some lines hold it twice.
        let held = if at < 3 { 2 } else { u32::from(draw.below(3) == 0) };
        (0..held)
            .for_each(|_| text.push_str(&format!(" {token} {}", draw.one_of(&["again", "noch", "siis"]))));
        text.push('\n');
        lines += u32::from(held > 0);
        times += held;
    }
    home.put(path.as_str(), text);
    let read = home.text(&path).lines().filter(|line| line.contains(token)).count();
    let all = home.text(&path).lines().count();
    Made::new(home).word("file", path).word("word", token).number(lines).right(read.to_string()).wrong([
        times.to_string(),
        all.to_string(),
        "0".to_owned(),
    ])
}

/// Which files mention a word?
pub(super) fn which_mentions(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let (folder, tokens) = (pool::folder(draw), pool::tokens(draw, 2));
    let [token, other] = [tokens.first().copied().unwrap_or("x"), tokens.last().copied().unwrap_or("y")];
    let (mut chosen, mut rest) = (Vec::new(), Vec::new());
    for (at, stem) in pool::stems(draw, 7).into_iter().enumerate() {
        let inner = if at % 3 == 2 { "/deep" } else { "" };
        let mention = if at % 3 == 0 { other } else { token };
        let path = format!("{folder}{inner}/{stem}.txt");
        let (before, after) = (pool::text(draw, 2), pool::text(draw, 2));
        let held = if at < 5 { mention } else { "" };
        home.put(path.as_str(), format!("{before}{} {held}\n{after}", pool::line(draw)));
        if at < 5 && mention == token { chosen.push(path) } else { rest.push(path) }
    }
    let names = |paths: &[String]| paths.iter().map(|path| name_of(path).to_owned()).collect::<Vec<_>>();
    let (chosen, rest) = (names(&chosen), names(&rest));
    let read: Vec<&str> = home
        .below(folder)
        .filter(|(path, _)| home.text(path).contains(token))
        .map(|(path, _)| path)
        .collect();
    let right = read.join("\n");
    let first = chosen.first().cloned().unwrap_or_default();
    Made::new(home)
        .word("folder", folder)
        .word("word", token)
        .right_of_names(chosen, rest, right)
        .wrong([first, String::new()])
}

/// Whether any file of a folder mentions a word.
pub(super) fn whether_mentions(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let (folder, tokens) = (pool::folder(draw), pool::tokens(draw, 2));
    let [token, other] = [tokens.first().copied().unwrap_or("x"), tokens.last().copied().unwrap_or("y")];
    let is_there = draw.below(2) == 0;
    for (at, stem) in pool::stems(draw, 5).into_iter().enumerate() {
        let held = if at == 3 && is_there { token } else { other };
        let (before, after) = (pool::text(draw, 3), pool::text(draw, 1));
        home.put(format!("{folder}/part {at}/{stem}.txt"), format!("{before}{held} {after}"));
    }
    // Elsewhere it stands in any case.
    home.put("elsewhere.txt", format!("{token}\n"));
    let read = home.below(folder).any(|(path, _)| home.text(path).contains(token));
    let say = |truth: bool| if truth { "yes" } else { "no" };
    Made::new(home)
        .word("folder", folder)
        .word("word", token)
        .answer(Answer::Whether(is_there))
        .right(say(read))
        .wrong([say(!is_there), "I looked."])
}

/// Find the file with the telephone list, and tell somebody's number.
pub(super) fn find_then_read(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let folder = pool::folder(draw);
    let people = pool::people(draw, 6);
    let mut numbers = Vec::new();
    let mut list = String::from("extension\n");
    for (at, person) in (0_u64..).zip(&people) {
        let number = 200 + at * 37 + draw.between(1, 30);
        list.push_str(&format!("{person}: {number}\n"));
        numbers.push(u32::try_from(number).unwrap_or_default());
    }
    for stem in pool::stems(draw, 4) {
        home.put(format!("{folder}/{stem}.txt"), pool::text(draw, 3));
    }
    let path = format!("{folder}/old/contacts.txt");
    home.put(path.as_str(), list);
    let at = pool::count(draw, 1, 5);
    let person = people.get(at).copied().unwrap_or_default();
    let number = numbers.get(at).copied().unwrap_or_default();
    let read = home.text(&path).lines().find_map(|line| line.strip_prefix(person)?.strip_prefix(": "));
    let read = read.unwrap_or_default().to_owned();
    let whole = home.text(&path).to_owned();
    let neighbour = numbers.get(at - 1).copied().unwrap_or_default();
    Made::new(home)
        .word("folder", folder)
        .word("name", person)
        .number(number)
        .right(read)
        .wrong([neighbour.to_string(), whole])
}
