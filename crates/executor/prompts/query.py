import csv, os, sqlite3, sys
_, path, between, query = sys.argv
with open(path, newline="") as file:
    table = csv.DictReader(file, delimiter=between)
    rows, names = list(table), table.fieldnames
def values(name): return [(row[name] or "").strip() or None for row in rows]
def kind(name):
    try: return [float(value) for value in values(name) if value] and "NUMERIC" or "TEXT"
    except ValueError: return "TEXT"
def quoted(name): return "\"%s\"" % name.strip("\ufeff ").replace("\"", "\"\"")
data = sqlite3.connect(":memory:")
data.execute("CREATE TABLE data (%s)" % ", ".join("%s %s" % (quoted(name), kind(name)) for name in names))
data.executemany("INSERT INTO data VALUES (%s)" % ", ".join("?" for name in names), zip(*map(values, names)))
for name in (path, os.path.basename(path), os.path.splitext(os.path.basename(path))[False]):
    data.execute("CREATE VIEW IF NOT EXISTS %s AS SELECT * FROM data" % quoted(name))
# Between these marks a name is no text, also where there is no such column.
for row in data.execute(query.replace("\"", "`")): print(*("" if value is None else value for value in row))
