//! Questions over tables.

use super::{Draw, Home, Made, pool};

/// A table of sales: what was sold where, and for how much.
struct Sales {
    home: Home,
    path: String,
    rows: Vec<Row>,
}

struct Row {
    thing: &'static str,
    city: &'static str,
    cents: u64,
}

impl Sales {
    /// Makes the table. Every third name stands between quotes and holds a comma.
    fn new(draw: &mut Draw) -> Self {
        let mut home = pool::furnished(draw);
        let path = format!(
            "{}/{}.csv",
            pool::folder(draw),
            pool::pick(draw, &["sales", "Umsatz", "ventas", "myynti", "销售"])
        );
        let cities = pool::cities(draw, 3);
        let (mut rows, mut text) = (Vec::new(), "item,city,amount\n".to_owned());
        for (at, thing) in pool::things(draw, 12).into_iter().enumerate() {
            let city = draw.one_of(&cities);
            let city = cities.iter().copied().find(|other| *other == city).unwrap_or_default();
            let cents = draw.between(500, 90_000) * 10 + u64::try_from(at).unwrap_or_default();
            let shown = if at % 3 == 0 { format!("\"{thing}, large\"") } else { thing.to_owned() };
            text.push_str(&format!("{shown},{city},{}\n", pool::money(cents)));
            rows.push(Row { thing, city, cents });
        }
        home.put(path.as_str(), text);
        Self { home, path, rows }
    }

    /// The fields as they stand in the file: item, city, cents.
    fn read(&self) -> Vec<(String, String, u64)> {
        let records = super::super::csv::records(self.home.text(&self.path), ',');
        let row = |record: &Vec<String>| {
            let [thing, city, amount] = record.as_slice() else { return None };
            Some((thing.clone(), city.clone(), amount.replace('.', "").parse().ok()?))
        };
        records.iter().skip(1).filter_map(row).collect()
    }
}

fn euros(cents: u64) -> f64 {
    cents as f64 / 100.0
}

/// What is the sum of a column?
pub(super) fn column_sum(draw: &mut Draw) -> Made {
    let sales = Sales::new(draw);
    let sum: u64 = sales.rows.iter().map(|row| row.cents).sum();
    let read: u64 = sales.read().iter().map(|(.., cents)| cents).sum();
    // Whoever cuts at each comma loses the rows with quotes.
    let cut: u64 =
        sales.rows.iter().enumerate().filter(|(at, _)| at % 3 != 0).map(|(_, row)| row.cents).sum();
    Made::new(sales.home)
        .word("file", sales.path)
        .word("column", "amount")
        .number(euros(sum))
        .right(pool::money(read))
        .wrong([pool::money(cut), pool::money(sum + 1), format!("{}.9", sum / 100)])
}

/// What is the average of a column over the rows with a value in another one?
pub(super) fn filtered_average(draw: &mut Draw) -> Made {
    let sales = Sales::new(draw);
    let city = sales.rows.first().map_or("", |row| row.city);
    let of = |cents: Vec<u64>| cents.iter().sum::<u64>() as f64 / 100.0 / cents.len() as f64;
    let known = of(sales.rows.iter().filter(|row| row.city == city).map(|row| row.cents).collect());
    let read = of(sales.read().iter().filter(|row| row.1 == city).map(|row| row.2).collect());
    let all = of(sales.rows.iter().map(|row| row.cents).collect());
    let sum: u64 = sales.rows.iter().filter(|row| row.city == city).map(|row| row.cents).sum();
    let count = sales.rows.iter().filter(|row| row.city == city).count();
    let wrong = [all, if count > 1 { euros(sum) } else { all + 1.0 }, known + 0.5];
    Made::new(sales.home)
        .word("file", sales.path)
        .word("column", "amount")
        .word("city", city)
        .number(known)
        .right(format!("{read:.2}"))
        .wrong(wrong.map(|number| format!("{number:.2}")))
}

/// Which row has the highest value?
pub(super) fn highest_row(draw: &mut Draw) -> Made {
    let sales = Sales::new(draw);
    let highest = sales.rows.iter().max_by_key(|row| row.cents).map_or("", |row| row.thing);
    let read = sales.read().into_iter().max_by_key(|row| row.2).unwrap_or_default();
    let lowest = sales.rows.iter().min_by_key(|row| row.cents).map_or("", |row| row.thing);
    let rest: Vec<&str> = sales.rows.iter().map(|row| row.thing).collect();
    Made::new(sales.home)
        .word("file", sales.path)
        .names([highest], rest)
        .right(format!("{} ({})", read.0, pool::money(read.2)))
        .wrong([lowest.to_owned(), format!("{highest} / {lowest}"), pool::money(read.2)])
}

/// Which people live in a city?
pub(super) fn rows_matching(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let path = format!("{}/people.csv", pool::folder(draw));
    let cities = pool::cities(draw, 3);
    let (mut chosen, mut rest, mut text) = (Vec::new(), Vec::new(), "name;born in;lives in\n".to_owned());
    for (at, person) in pool::people(draw, 9).into_iter().enumerate() {
        let at_of = |shift: usize| cities.get((at + shift) % 3).copied().unwrap_or_default();
        text.push_str(&format!("{person};{};{}\n", at_of(1), at_of(0)));
        if at % 3 == 0 { chosen.push(person) } else { rest.push(person) }
    }
    home.put(path.as_str(), text);
    let city = cities.first().copied().unwrap_or_default();
    let lives = |line: &&str| line.rsplit(';').next() == Some(city);
    let read: Vec<&str> =
        home.text(&path).lines().filter(lives).filter_map(|line| line.split(';').next()).collect();
    let right = read.join(", ");
    let mentioned: Vec<&str> = home.text(&path).lines().filter(|line| line.contains(city)).collect();
    let mentioned = mentioned.join("\n");
    let one = chosen.first().copied().unwrap_or_default().to_owned();
    Made::new(home)
        .word("file", path)
        .word("city", city)
        .names(chosen, rest)
        .right(right)
        .wrong([mentioned, one])
}

/// What is the sum of a column whose numbers have decimal commas?
pub(super) fn decimal_commas(draw: &mut Draw) -> Made {
    let mut home = pool::furnished(draw);
    let path = format!(
        "{}/{}.csv",
        pool::folder(draw),
        pool::pick(draw, &["Ausgaben", "dépenses", "kulut", "gastos"])
    );
    let (mut sum, mut text) = (0, "Datum;Zweck;Betrag\n".to_owned());
    for thing in pool::things(draw, 11) {
        let cents = draw.between(150, 9_999);
        sum += cents;
        text.push_str(&format!(
            "{:02}.03.2026;{thing};{},{:02}\n",
            draw.between(1, 28),
            cents / 100,
            cents % 100
        ));
    }
    home.put(path.as_str(), text);
    let last = |line: &str| line.rsplit(';').next()?.replace(',', "").parse::<u64>().ok();
    let read: u64 = home.text(&path).lines().filter_map(last).sum();
    let whole: u64 = home.text(&path).lines().filter_map(last).map(|cents| cents / 100).sum();
    Made::new(home)
        .word("file", path)
        .word("column", "Betrag")
        .number(euros(sum))
        .right(pool::money(read).replace('.', ","))
        .wrong([whole.to_string(), sum.to_string(), pool::money(sum + 100)])
}
