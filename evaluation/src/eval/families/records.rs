//! Questions over JSON, XML and settings.

use serde_json::{Value, json};

use super::{Draw, Made, pool};

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Who is the oldest?
pub(super) fn json_oldest(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let path = format!("{}/members.json", pool::folder(draw));
    let people = pool::people(draw, 8);
    let mut years: Vec<u64> = (0..8).map(|step| 1950 + step * 6 + draw.below(6)).collect();
    draw.shuffle(&mut years);
    let record =
        |(person, year): (&&str, &u64)| json!({"name": person, "born": year, "joined": 2040 - year / 100});
    home.put(path.as_str(), pretty(&people.iter().zip(&years).map(record).collect()));
    let by_age = |wanted: Option<&u64>| people.iter().zip(&years).find(|(_, year)| Some(*year) == wanted);
    let name = |found: Option<(&&'static str, &u64)>| found.map_or("", |(name, _)| *name);
    let (oldest, youngest) = (name(by_age(years.iter().min())), name(by_age(years.iter().max())));
    let records: Vec<Value> = serde_json::from_str(home.text(&path)).unwrap_or_default();
    let read = records.iter().min_by_key(|record| record.get("born").and_then(Value::as_u64));
    let read = read.and_then(|record| record.get("name")?.as_str()).unwrap_or_default().to_owned();
    Made::new(home).word("file", path).names([oldest], people).right(read).wrong([
        youngest.to_owned(),
        format!("{oldest}, {youngest}"),
        String::new(),
    ])
}

/// How many things in a nested list are done?
pub(super) fn json_nested(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let path = format!("{}/projects.json", pool::folder(draw));
    let (mut open, mut closed) = (0_u32, 0_u32);
    let mut groups = Vec::new();
    for stem in pool::stems(draw, 4) {
        let mut tasks = Vec::new();
        for thing in pool::things(draw, 5) {
            // More open ones than others, so that the two counts differ.
            let is_open = draw.below(3) > 0;
            if is_open {
                open += 1
            } else {
                closed += 1
            }
            tasks.push(json!({"title": thing, "status": if is_open { "open" } else { "closed" }}));
        }
        groups.push(json!({"name": stem, "status": "open", "tasks": tasks}));
    }
    home.put(path.as_str(), pretty(&json!({"projects": groups})));
    let projects: Value = serde_json::from_str(home.text(&path)).unwrap_or_default();
    let lists = projects.get("projects").and_then(Value::as_array).into_iter().flatten();
    let tasks = lists.filter_map(|group| group.get("tasks")?.as_array()).flatten();
    let read = tasks.filter(|task| task.get("status").and_then(Value::as_str) == Some("open")).count();
    let mistaken = if closed == open { open + 1 } else { closed };
    Made::new(home)
        .word("file", path)
        .number(open)
        .right(read.to_string())
        // Four projects are open as well.
        .wrong([(open + 4).to_string(), mistaken.to_string(), (open + closed + 24).to_string()])
}

/// How many pieces of the items of one kind are there?
pub(super) fn xml_sum(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let path = format!("{}/stock.xml", pool::folder(draw));
    let (mut wanted, mut others, mut items) = (0_u32, 0_u32, 0_u32);
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<stock>\n".to_owned();
    for (at, thing) in pool::things(draw, 12).into_iter().enumerate() {
        let number = u32::try_from(draw.between(12, 60)).unwrap_or_default();
        let shelf = if at % 2 == 0 { "garden" } else { "house" };
        if at % 2 == 0 {
            (wanted, items) = (wanted + number, items + 1)
        } else {
            others += number
        }
        text.push_str(&format!(
            "  <item shelf=\"{shelf}\" quantity=\"{number}\">\n    <name>{thing}</name>\n  </item>\n"
        ));
    }
    home.put(path.as_str(), text + "</stock>\n");
    let quantity = |line: &str| line.split("quantity=\"").nth(1)?.split('"').next()?.parse::<u32>().ok();
    let garden = home.text(&path).lines().filter(|line| line.contains("\"garden\""));
    let read: u32 = garden.filter_map(quantity).sum();
    Made::new(home).word("file", path).word("word", "garden").number(wanted).right(read.to_string()).wrong([
        items.to_string(),
        (wanted + others).to_string(),
        (wanted + 1).to_string(),
    ])
}

/// What is a setting of one section, where others have one of the same name?
pub(super) fn setting_in_section(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let path = format!("{}/server.ini", pool::folder(draw));
    let sections = pool::some(draw, &["database", "mail", "search", "backup", "cache"], 4);
    let chosen = pool::count(draw, 1, 3);
    let (mut ports, mut text) = (Vec::new(), String::new());
    for (at, section) in (0_u64..).zip(&sections) {
        let port = 3000 + at * 1111 + draw.below(900);
        text.push_str(&format!("[{section}]\nhost = {section}.example.org\nport = {port}\n; port = 80\n\n"));
        ports.push(u32::try_from(port).unwrap_or_default());
    }
    home.put(path.as_str(), text);
    let section = sections.get(chosen).copied().unwrap_or_default();
    let port = ports.get(chosen).copied().unwrap_or_default();
    let after = home.text(&path).split(&format!("[{section}]")).nth(1).unwrap_or_default();
    let read =
        after.split("port = ").nth(1).and_then(|rest| rest.lines().next()).unwrap_or_default().to_owned();
    let first = ports.first().copied().unwrap_or_default().to_string();
    let all = ports.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    Made::new(home).word("file", path).word("section", section).number(port).right(read).wrong([
        first,
        all,
        "80".to_owned(),
    ])
}
