import csv, json, re, sqlite3, sys
path, query = sys.argv[1:]
text = open(path, encoding="utf-8-sig", newline="").read()
if text.lstrip().startswith("["):
    items = json.loads(text)
    names = list(dict.fromkeys(name for item in items for name in item))
    rows = [[item.get(name) for name in names] for item in items]
else:
    split = max(",;\t|", key=text.split("\n", 1)[0].count)
    names, *rows = csv.reader(text.splitlines(), delimiter=split)
def typed(cell):
    if not isinstance(cell, str):
        return json.dumps(cell) if isinstance(cell, (dict, list)) else cell
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            pass
    return cell
data = sqlite3.connect(":memory:")
columns = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
data.execute(f"create table data ({columns})")
places = ", ".join("?" * len(names))
data.executemany(f"insert into data values ({places})", [[typed(cell) for cell in row] for row in rows if row])
try:
    found = data.execute(query)
except sqlite3.OperationalError as error:
    if "no such table" not in str(error):
        raise
    # There is one table, whatever a model calls it.
    found = data.execute(re.sub(r"(?i)\bfrom\s+[^\s();,]+", "from data", query))
for row in found:
    print(*row)
