//! Requests for something new.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Draw, Holds, Made, name_of, pool};

/// Make a file with exactly one line.
pub(super) fn make_note(draw: &mut Draw) -> Made {
    let home = pool::furnished(draw);
    let text = format!(
        "{} {} {}",
        draw.one_of(&["Hello from", "Grüße von", "Terveisin", "你好,"]),
        pool::pick(draw, &["the front desk", "der Pforte", "vastaanotto", "前台"]),
        draw.between(20, 99)
    );
    let path = format!("{}.txt", pool::pick(draw, &["greeting", "Gruß", "tervehdys", "saludo"]));
    Made::new(home)
        .word("new", path.as_str())
        .word("text", text.as_str())
        .holds(path.as_str(), Holds::Text(text.clone()))
        .right_deed("", |home| home.put(path.as_str(), format!("{text}\n")))
        .wrong_deed("done", |_| {})
        .wrong_deed("done", |home| home.put(path.as_str(), format!("\"{text}\" and more")))
        .wrong_deed("done", |home| home.put(format!("x{path}"), text.as_str()))
}

/// Write the names of some files into a file.
pub(super) fn list_to_file(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let folder = pool::folder(draw);
    let mut names = Vec::new();
    for (at, stem) in pool::stems(draw, 9).into_iter().enumerate() {
        let inner = if at % 2 == 0 { "" } else { "/inner" };
        let ending = if at % 3 == 0 { "csv" } else { "svg" };
        home.put(format!("{folder}{inner}/{stem}.{ending}"), "x");
        if at % 3 != 0 {
            names.push(format!("{stem}.{ending}"));
        }
    }
    let new = pool::pick(draw, &["drawings.txt", "Zeichnungen.txt", "lista.txt", "图.txt"]);
    let read: Vec<&str> =
        home.below(folder).map(|(path, _)| path).filter(|path| path.ends_with(".svg")).collect();
    let direct: Vec<&str> = read.iter().copied().filter(|path| !path.contains("/inner/")).collect();
    let (right, direct) = (read.join("\n"), direct.join("\n"));
    let all = home.below(folder).map(|(path, _)| path).collect::<Vec<_>>().join("\n");
    Made::new(home)
        .word("folder", folder)
        .word("ending", ".svg")
        .word("new", new)
        .holds(new, Holds::Names(names))
        .right_deed("done", |home| home.put(new, right))
        .wrong_deed("done", |home| home.put(new, direct))
        .wrong_deed("done", |home| home.put(new, all))
}

/// Make JSON of a table.
pub(super) fn csv_to_json(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let folder = pool::folder(draw);
    let (path, new) = (format!("{folder}/prices.csv"), format!("{folder}/prices.json"));
    let (mut text, mut records) = ("item,price\n".to_owned(), Vec::new());
    for thing in pool::things(draw, 5) {
        let price = draw.between(3, 400);
        text.push_str(&format!("{thing},{price}\n"));
        records.push(serde_json::json!({"item": thing, "price": price}));
    }
    home.put(path.as_str(), text);
    let field = |line: &str| -> Value {
        let fields = ["item", "price"].iter().map(|name| (*name).to_owned());
        Value::Object(fields.zip(line.split(',').map(Value::from)).collect::<Map<_, _>>())
    };
    let read: Vec<Value> = home.text(&path).lines().skip(1).map(field).collect();
    let with_heading: Vec<Value> = home.text(&path).lines().map(field).collect();
    let short: Vec<Value> = read.iter().skip(1).cloned().collect();
    let json = |values: Vec<Value>| Value::Array(values).to_string();
    Made::new(home)
        .word("file", path)
        .word("new", new.as_str())
        .holds(new.as_str(), Holds::Json(Value::Array(records)))
        .right_deed("done", |home| home.put(new.as_str(), json(read)))
        .wrong_deed("done", |home| home.put(new.as_str(), json(with_heading)))
        .wrong_deed("done", |home| home.put(new.as_str(), json(short)))
        .wrong_deed("done", |_| {})
}

/// Pack a folder into an archive.
pub(super) fn pack_folder(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let folder = pool::folder(draw);
    let names: BTreeSet<String> =
        pool::stems(draw, 6).into_iter().map(|stem| format!("{stem}.txt")).collect();
    for name in &names {
        home.put(format!("{folder}/{name}"), pool::text(draw, 2));
    }
    let new = pool::pick(draw, &["pack.tar", "Sicherung.tar", "paketti.tar"]);
    let archive = |paths: Vec<(&str, &[u8])>| {
        let mut builder = tar::Builder::new(Vec::new());
        for (path, bytes) in paths {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            // Into memory nothing can fail.
            let _ = builder.append_data(&mut header, path, bytes);
        }
        builder.into_inner().unwrap_or_default()
    };
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let files = home.below(folder).map(|(path, bytes)| (name(path), bytes.to_vec())).collect();
    let whole = archive(home.below(folder).collect());
    let empty = archive(home.below(folder).map(|(path, _)| (path, &b""[..])).collect());
    let part = archive(home.below(folder).skip(1).collect());
    Made::new(home)
        .word("folder", folder)
        .word("new", new)
        .holds(new, Holds::Archive(files))
        .right_deed("done", |home| home.put(new, whole.clone()))
        .wrong_deed("done", |home| home.put(new, part))
        .wrong_deed("done", |home| home.put(new, empty))
        .wrong_deed("done", |home| home.put(new, "no archive"))
        .wrong_deed("done", |home| {
            home.put(new, whole);
            let paths: Vec<String> = home.below(folder).map(|(path, _)| path.to_owned()).collect();
            paths.iter().for_each(|path| drop(home.take(path)));
        })
}

/// Copy a file into another folder.
pub(super) fn copy_file(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let (from, to) = pool::two_folders(draw);
    let path = format!("{from}/{}.txt", pool::pick(draw, &["contract", "Vertrag", "sopimus", "契約 書"]));
    home.put(path.as_str(), pool::text(draw, 4));
    home.put(format!("{to}/other.txt"), pool::text(draw, 2));
    let target = format!("{to}/{}", name_of(&path));
    let bytes = home.bytes(&path).to_vec();
    let made = Made::new(home).word("file", path.as_str()).word("folder", to);
    made.holds(target.as_str(), Holds::Bytes(bytes.clone()))
        .right_deed("done", |home| home.put(target.as_str(), bytes.clone()))
        .wrong_deed("done", |home| home.rename(&path, target.as_str()))
        .wrong_deed("done", |home| home.put(target.as_str(), ""))
        .wrong_deed("done", |home| home.put(format!("{to}/copy.txt"), bytes))
}
