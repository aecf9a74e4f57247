//! Questions over logs and dates.

use std::collections::BTreeMap;

use super::{Draw, Made, pool};

/// How many errors were there between two full hours?
pub(super) fn errors_in_hour(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let path = format!("{}/app.log", pool::folder(draw));
    let hour = draw.between(9, 16);
    let (mut wanted, mut all, mut lines) = (0_u32, 0_u32, 0_u32);
    let mut text = String::new();
    for minute in 0..80_u64 {
        let now = hour * 60 - 180 + minute * 5 + draw.below(5);
        let level = draw.one_of(&["ERROR", "ERROR", "INFO", "WARN"]);
        let is_inside = now / 60 == hour;
        wanted += u32::from(is_inside && level == "ERROR");
        lines += u32::from(is_inside);
        all += u32::from(level == "ERROR");
        let message = if level == "INFO" {
            "recovered from ERROR state"
        } else {
            draw.one_of(&["timeout", "no answer"])
        };
        text.push_str(&format!("2026-03-14T{:02}:{:02}:07Z {level} {message}\n", now / 60, now % 60));
    }
    home.put(path.as_str(), text);
    let inside = |line: &&str| line.get(11..13).and_then(|text| text.parse::<u64>().ok()) == Some(hour);
    let read =
        home.text(&path).lines().filter(inside).filter(|line| line.get(21..27) == Some("ERROR ")).count();
    let mentioned = home.text(&path).lines().filter(inside).filter(|line| line.contains("ERROR")).count();
    // Where no line only mentions an error, all the lines of the hour are the mistake.
    let mistaken = if mentioned == read { u32::MAX } else { u32::try_from(mentioned).unwrap_or_default() };
    let lines = if lines == wanted { lines + 1 } else { lines };
    Made::new(home)
        .word("file", path)
        .word("from", format!("{hour:02}:00"))
        .word("to", format!("{:02}:00", hour + 1))
        .number(wanted)
        .right(read.to_string())
        .wrong([all.to_string(), lines.to_string(), mistaken.to_string()])
}

/// Which address comes most often?
pub(super) fn busiest_address(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let path = format!("{}/access.log", pool::folder(draw));
    let mut addresses: Vec<String> =
        (1..=6).map(|net| format!("10.{net}.{}.{}", draw.below(90), 100 + draw.below(90))).collect();
    draw.shuffle(&mut addresses);
    let mut visits = Vec::new();
    for (at, address) in (0_u64..).zip(&addresses) {
        let times = if at == 0 { 14 } else { draw.between(3, 12) };
        (0..times).for_each(|_| visits.push(address.clone()));
    }
    draw.shuffle(&mut visits);
    let mut text = String::new();
    for visit in &visits {
        let page = draw.one_of(&["/", "/faq", "/images/logo.png", "/hinta"]);
        text.push_str(&format!("{visit} - - \"GET {page} HTTP/1.1\" 200 {}\n", draw.between(200, 9000)));
    }
    home.put(path.as_str(), text);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for address in home.text(&path).lines().filter_map(|line| line.split(' ').next()) {
        *counts.entry(address).or_default() += 1;
    }
    let read = counts.iter().max_by_key(|(_, count)| **count).map_or("", |(address, _)| *address).to_owned();
    let busiest = addresses.first().cloned().unwrap_or_default();
    let other = addresses.get(1).cloned().unwrap_or_default();
    let both = format!("{busiest} or {other}");
    Made::new(home).word("file", path).names(vec![busiest], addresses).right(read).wrong([
        other,
        both,
        "14".to_owned(),
    ])
}

/// How many days lie between two events of a list?
pub(super) fn days_between(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let path = format!("{}/calendar.txt", pool::folder(draw));
    let events = pool::some(draw, &["inspection", "Umzug", "fiesta", "muutto", "研修", "vernissage"], 4);
    let first = chrono::NaiveDate::from_ymd_opt(2026, 1, 20).unwrap_or_default();
    let mut day = draw.below(20);
    let mut days = Vec::new();
    let mut text = String::new();
    for event in &events {
        let date = first.checked_add_days(chrono::Days::new(day)).unwrap_or_default();
        text.push_str(&format!("{date} {event}\n"));
        days.push(u32::try_from(day).unwrap_or_default());
        day += draw.between(17, 60);
    }
    home.put(path.as_str(), text);
    let at = pool::count(draw, 0, 2);
    let name = |at: usize| events.get(at).copied().unwrap_or_default();
    let between = days.get(at + 1).copied().unwrap_or_default() - days.get(at).copied().unwrap_or_default();
    let date = |event: &str| {
        let line = home.text(&path).lines().find(|line| line.ends_with(event))?;
        line.split(' ').next()?.parse::<chrono::NaiveDate>().ok()
    };
    let read = date(name(at)).zip(date(name(at + 1))).map_or(0, |(from, to)| (to - from).num_days());
    let (from, to) = (name(at), name(at + 1));
    Made::new(home)
        .word("file", path)
        .word("first", from)
        .word("second", to)
        .number(between)
        .right(read.to_string())
        .wrong([(between + 1).to_string(), (between - 1).to_string(), (between + 30).to_string()])
}
