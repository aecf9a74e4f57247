//! Tests of the graders: each accepts good work and rejects missing work.

use std::path::Path;

use super::super::{home, task::*};
use super::all;
use crate::{command::Program, files};

/// Good work: a script in the folder of the task, and the answer.
fn done_well(name: &str) -> (&'static str, &'static str) {
    match name {
        "bug" => (
            r#"python3 - <<'END'
text = open("invoice.py").read()
old = text[text.index("    tax = Decimal(0)\n"):text.index("    return tax\n")]
text = text.replace(old, "").replace("    return tax\n", "    return to_cents(sum(totals, Decimal(0)) * Decimal(rate_percent) / 100)\n")
open("invoice.py", "w").write(text)
END"#,
            "The tax was rounded line by line instead of once.",
        ),
        "bug-across" => (
            "sed -i 's/range(days + 1)/range(days)/' dates.py; sed -i 's/ - 1 for arr/ for arr/; s/default=1) - 1/default=0)/; /also counts/d' report.py",
            "I changed dates.py and report.py: the day of departure was counted as a night.",
        ),
        "merge" => (MERGE, "There are 38 orders; they amount to 89043.99 together."),
        "renames" => (
            r#"python3 - <<'END'
import os, re
for name in os.listdir("."):
    if found := re.fullmatch(r"IMG_(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)(B?)\.jpg", name):
        y, mo, d, h, mi, s, b = found.groups()
        os.rename(name, f"{y}-{mo}-{d} {h}.{mi}.{s}{'-2' if b else ''}.jpg")
END"#,
            "60 photos were renamed.",
        ),
        "outage" => (
            "true",
            "CHG-4417 set max_connections to 20 at 11:58:03 UTC. Between the first and the last failed order lie 23 minutes.",
        ),
        "wiki" => (WIKI, "Salary Bands and Fax Machine do not exist."),
        "refactoring" => (
            r#"sed -i 's/\bget_price\b/unit_price/g' pricing.py cart.py offers.py shipping.py stock.py report.py
sed -i 's/pricing\.get_price\b/pricing.unit_price/g' rpc.py
sed -i 's/"one": "get_price"/"one": "unit_price"/' plugins.py
sed -i 's/import get_price$/import unit_price/; s/return get_price(article) +/return unit_price(article) +/' catalog.py
sed -i 's/pricing\.get_price(/pricing.unit_price(/' test_shop.py"#,
            "Changed: pricing.py, cart.py, offers.py, shipping.py, stock.py, report.py, rpc.py, plugins.py, catalog.py, test_shop.py.",
        ),
        "archaeology" => ("true", "Commit 7b93cc2 by Mei Lindqvist, for TT-212: the import was slow."),
        "migration" => (MIGRATION, "app.json is there."),
        "report" => (REPORT, "There are 33 public functions."),
        "impossible" => {
            ("true", "Vuoden 2026 Q3:n vahvistettua liikevaihtoa ei ole; kansiossa on vain ennuste.")
        }
        "ambiguous" => ("true", "There are two price lists: retail.csv and wholesale.csv. Which one?"),
        "question" => ("true", "Which discount group does she get: A, B or C?"),
        "definition" => ("true", "It is U+FEFF at the start of a Unicode text."),
        "server" => (
            "true",
            "/pow?a=7&b=2 gave 343 instead of 49, and a division by zero was answered with status 500 instead of 400.",
        ),
        "feature" => (FEATURE, "The option --due-before is there."),
        "join" => (JOIN, "Payments of the numbers 555 and 7 belong to no member: 165.45 together."),
        "rebase" => (REBASE, "discount stands on main; both changes are kept."),
        "translate" => (TRANSLATE, "backup.md is there."),
        other => panic!("no solution of {other}"),
    }
}

const MERGE: &str = r#"python3 - <<'END'
import csv, datetime
rows = set()
for row in csv.DictReader(open("north.csv", encoding="utf-8")):
    rows.add((int(row["order_id"]), row["date"], row["customer"], row["amount"]))
for row in csv.DictReader(open("south.csv", encoding="latin-1"), delimiter=";"):
    day = datetime.datetime.strptime(row["Datum"], "%d.%m.%Y").date().isoformat()
    rows.add((int(row["Auftrag"]), day, row["Kunde"], row["Betrag"].replace(".", "").replace(",", ".")))
for row in csv.DictReader(open("west.tsv", encoding="utf-8-sig"), delimiter="\t"):
    day = datetime.datetime.strptime(row["date"], "%m/%d/%Y").date().isoformat()
    rows.add((int(row["order_id"]), day, row["customer"], row["amount"]))
with open("all-orders.csv", "w", encoding="utf-8", newline="") as out:
    writer = csv.writer(out)
    writer.writerow(["order_id", "date", "customer", "amount"])
    writer.writerows(sorted(rows))
END"#;

const WIKI: &str = r##"cd wiki; mkdir ../site; python3 - <<'END'
import html, os, re
pages = {name[:-3] for name in os.listdir(".")}
file = lambda title: title.lower().replace(" ", "-").replace("&", "and") + ".html"
def inline(text):
    def link(found):
        page, words = found[1], found[2] or found[1]
        return f'<a href="{file(page)}">{html.escape(words)}</a>' if page in pages else html.escape(words)
    parts = re.split(r"(\[\[.*?\]\])", text)
    whole = lambda part: re.sub(r"\[\[([^|\]]*)(?:\|([^\]]*))?\]\]", link, part) if part.startswith("[[") else html.escape(part)
    return "".join(map(whole, parts))
for title in pages:
    out = []
    for line in open(title + ".md"):
        line = line.rstrip("\n")
        if line.startswith('# '): out.append(f"<h1>{inline(line[2:])}</h1>")
        elif line.startswith('## '): out.append(f"<h2>{inline(line[3:])}</h2>")
        elif line.startswith("- "): out.append(f"<li>{inline(line[2:])}</li>")
        elif line: out.append(f"<p>{inline(line)}</p>")
    open("../site/" + file(title), "w").write("\n".join(out))
END"##;

const MIGRATION: &str = r##"python3 - <<'END'
import configparser, json, re
ini = configparser.ConfigParser(interpolation=None, comment_prefixes=("#", ";"))
ini.read("app.ini")
def name(key):
    first, *rest = re.split("[-_]", key.lower())
    return first + "".join(part.title() for part in rest)
def value(section, key, text):
    if key == "password": return {"env": f"{section.upper()}_PASSWORD"}
    if key.endswith(("-names", "-origins")): return [item.strip() for item in text.split(",") if item.strip()]
    if text in ("yes", "on", "no", "off"): return text in ("yes", "on")
    if found := re.fullmatch(r"(\d+)(ms|s|m|h)", text): return int(found[1]) * {"ms": 1, "s": 1000, "m": 60000, "h": 3600000}[found[2]]
    return int(text) if text.isdigit() else text
def section(title):
    return {name(key): value(title, key, text) for key, text in ini[title].items() if key != "legacy_mode"}
out = {"services": {title[8:]: section("service") | section(title) for title in ini if title.startswith("service:")}}
out |= {title: section(title) for title in ("database", "texts")}
json.dump(out, open("app.json", "w"))
END"##;

const REPORT: &str = r#"python3 - <<'END'
import ast, glob, os
counts = {}
for path in glob.glob("src/*/*.py"):
    body = ast.parse(open(path).read()).body
    found = [node for node in body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_")]
    module = path.split(os.sep)[1]
    counts[module] = counts.get(module, 0) + len(found)
with open("FUNCTIONS.md", "w") as out:
    print("| module | functions |\n|---|---|", file=out)
    for module in sorted(counts): print(f"| {module} | {counts[module]} |", file=out)
    print(f"| total | {sum(counts.values())} |", file=out)
END"#;

const FEATURE: &str = r##"python3 - <<'END'
text = open("cli.py").read()
text = text.replace("import sys\n", "import sys\nfrom datetime import date\n", 1)
text = text.replace("    options = parser", "    parser.add_argument(\"--due-before\", type=date.fromisoformat, metavar=\"DAY\")\n    options = parser", 1)
text = text.replace("    for item in items:", "    if options.due_before:\n        items = select_items.due_before(items, options.due_before)\n    for item in items:", 1)
open("cli.py", "w").write(text)
open("select_items.py", "a").write("\n\ndef due_before(items, day):\n    due = [item for item in items if item.due and item.due < day]\n    return sorted(due, key=lambda item: item.due)\n")
text = open("test_todo.py").read()
text = text.replace("\n\nif __name__", "\n    def test_due(self):\n        self.assertEqual(len(run(\"--due-before\", \"2026-05-01\")), 1)\n\n\nif __name__", 1)
open("test_todo.py", "w").write(text)
text = open("README.md").read()
open("README.md", "w").write(text.replace("| `--open`", "| `--due-before DAY` | only items due before that day |\n| `--open`", 1))
END"##;

const JOIN: &str = r#"python3 - <<'END'
import csv
from decimal import Decimal
members = {int(row["No"]): row["Name"] for row in csv.DictReader(open("members.csv", encoding="cp1252", newline=""), delimiter=";")}
sums = dict.fromkeys(members, Decimal("0.00"))
for row in csv.DictReader(open("payments.tsv", encoding="utf-8-sig", newline=""), delimiter="\t"):
    number = int(row["member"])
    if number in sums: sums[number] += Decimal(row["amount"].removesuffix(" €").replace(",", "."))
with open("paid.csv", "w", encoding="utf-8", newline="") as out:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["number", "name", "paid"])
    for number, paid in sorted(sums.items(), key=lambda pair: (-pair[1], pair[0])):
        writer.writerow([number, members[number], paid])
END"#;

const REBASE: &str = r#"git switch --quiet discount
git rebase --quiet main || true
printf 'def total(prices, discount=0):\n    """The price of an order, less a discount in percent, in full cents."""\n    return round(sum(prices) * (100 - discount) / 100, 2)\n' > order.py
git add order.py
GIT_EDITOR=true git rebase --continue"#;

const TRANSLATE: &str = r##"cat > backup.md <<'END'
# Backup

This guide tells how the data of the server is backed up.

## Before you begin

1. Make sure that the disk has at least **40 GB** of free space.
2. Stop the service:

   ```sh
   systemctl stop varasto   # stops the service
   ```

## Copying

Run the command `varasto-kopioi --kohde /srv/kopiot`. It takes about 25 minutes. Copies are kept for 14 days.

> Never delete the file `avain.pem`. Without it the copies cannot be restored.

More: [how to restore](palautus.md) and [maintenance](https://intra.example/yllapito).
END"##;

fn environment(place: &Path) -> Vec<(String, String)> {
    let home = place.display().to_string();
    [("HOME", home.as_str()), ("PATH", "/usr/bin:/bin"), ("LANG", "C.UTF-8")]
        .map(|(n, v)| (n.to_owned(), v.to_owned()))
        .to_vec()
}

fn judged(task: &Task, is_accepted: bool, script: &str, answer: &str) -> (Verdict, Vec<String>) {
    let place = tempfile::tempdir().unwrap();
    let person = place.path().join("mara");
    home::make(task, &person, &environment(place.path())).unwrap();
    let before = home::read(&person).unwrap();
    Program::new("bash", ["-ec", script]).folder(person.join(task.folder)).text().unwrap();
    let after = home::read(&person).unwrap();
    task.judge(is_accepted, &Delivered { before: &before, after: &after, answer, home: &person })
}

fn is_possible() -> bool {
    let missing = super::super::run::missing();
    if let Some(missing) = missing {
        artoo_test_needs::without(missing, "no work is judged");
    }
    missing.is_none()
}

#[test]
fn work_that_is_done_well_passes() {
    let right = |task: &Task| {
        let (script, answer) = done_well(task.name);
        let found = judged(task, task.end == End::Done, script, answer);
        (task.name, found)
    };
    let found: Vec<_> = all().iter().filter(|_| is_possible()).map(right).collect();
    let wrong: Vec<_> = found.iter().filter(|(_, found)| *found != (Verdict::Right, vec![])).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn work_that_is_not_done_does_not() {
    for task in all().iter().filter(|_| is_possible()) {
        let (_, objections) = judged(task, true, "true", "Done.");
        assert!(!objections.is_empty(), "{}", task.name);
    }
}

/// Careless work that looks like a result.
#[test]
fn traps_are_traps() {
    let table = [
        ("bug", "sed -i 's/\"0.63\"/\"0.60\"/; s/\"3.93\"/\"3.90\"/' test_invoice.py"),
        ("bug-across", "sed -i 's/range(days + 1)/range(days)/' dates.py"),
        ("renames", "for f in IMG_*.jpg; do mv \"$f\" \"2026-$f\"; done"),
        ("refactoring", "sed -i 's/get_price/unit_price/g' *.py"),
        ("migration", "echo '{\"database\": {\"password\": \"s3nf-und-Brezel\"}}' > app.json"),
        ("report", "grep -rc '^def [a-z]' src > FUNCTIONS.md"),
        ("impossible", "echo 42 > q3.txt"),
        ("ambiguous", "sed -i 's/;9.00/;9.90/' retail.csv; sed -i 's/;6.00/;6.60/' wholesale.csv"),
        ("question", "echo '1004;Hanna Virtanen;Oulu;C' >> customers.csv"),
        ("archaeology", "sed -i 's/seconds = (/seconds += (/' durations.py"),
        ("server", "sed -i 's/a - b - 2/b/' operations.py"),
        ("feature", "sed -i 's/--open/--due-before/' README.md"),
        ("join", "iconv -f cp1252 -t utf-8 members.csv > paid.csv"),
        (
            "rebase",
            "git switch --quiet discount; git rebase --quiet -X theirs main; git rm --quiet test_cents.py; git commit --quiet --amend --no-edit",
        ),
        ("translate", "sed 's/Varmuuskopiointi/Backup/' varmuuskopiointi.md > backup.md"),
    ];
    for (name, script) in table.iter().filter(|_| is_possible()) {
        let task = all().into_iter().find(|task| task.name == *name).unwrap();
        let found = judged(&task, true, script, done_well(name).1);
        assert_eq!(found.0, Verdict::Wrong, "{name}: {:?}", found.1);
    }
}

#[test]
fn a_home_is_the_same_each_time() {
    for task in all() {
        assert_eq!((task.files)(), (task.files)(), "{}", task.name);
        assert!(task.request.len() < 700 && !task.about.is_empty(), "{}", task.name);
        assert!(files::root().join("fixtures").exists());
    }
}
