import csv, sqlite3, sys
_, path, between, query = sys.argv
with open(path, newline="") as file:
    table = csv.DictReader(file, delimiter=between)
    rows, names = list(table), table.fieldnames
def values(name): return [(row[name] or "").strip() or None for row in rows]
def kind(name):
    try: return [float(value) for value in values(name) if value] and "NUMERIC" or "TEXT"
    except ValueError: return "TEXT"
def column(name): return "\"%s\" %s" % (name.strip("\ufeff ").replace("\"", "\"\""), kind(name))
data = sqlite3.connect(":memory:")
data.execute("CREATE TABLE data (%s)" % ", ".join(map(column, names)))
data.executemany("INSERT INTO data VALUES (%s)" % ", ".join("?" for name in names), zip(*map(values, names)))
for row in data.execute(query): print(*("" if value is None else value for value in row))
