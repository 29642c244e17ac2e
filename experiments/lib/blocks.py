"""blocks.py: the tables, figures and data of an experiment: printed as text, kept
in one file results.tsv, and read from it again.

  table   {kind, id, title, columns, rows, notes, paper, varying}
          `varying` names the columns that hold seconds: they are printed, but
          not kept in results.tsv
  figure  {kind, id, title, columns, rows, of, at, xlabel, ylabel, logx, style,
          notes, paper}
          a row is a series: its name, then a cell for each point. `of` names the
          table that has these rows, where there is one; `at` holds x of each point
          (without it the points are equally spaced and labelled by their columns);
          style is lines, loglog, points or bars
  data    {kind, id, title, columns, rows}: kept, not printed: single observations

Cells are text: "0.5", "0.5 ± 0.1", "+0.5 ± 0.1 (p = 0.03)".

results.tsv is a sequence of sections with an empty line between them. The first has
lines `# key: value` about the whole experiment. Each of the others is one block: a
line `# KIND ID: TITLE`, lines `# key: value`, a line of column names, and the rows.
A standard error has a column of its own, `NAME ±`, and a p-value `NAME p`.
"""
import re

NUMBER = r"[+-]?[0-9.]+(?:e[+-]?[0-9]+)?"
CELL = re.compile(r"(%s)(?: ± (%s))?(?: \(p ([=<]) (%s)\))?$" % (NUMBER, NUMBER, NUMBER))


def table(id, title, columns, rows, notes=(), paper="", varying=()):
    return {
        "kind": "table",
        "id": id,
        "title": title,
        "columns": list(columns),
        "rows": [[str(cell) for cell in row] for row in rows],
        "notes": list(notes),
        "paper": paper,
        "varying": list(varying),
    }


def figure(id, title, xlabel, ylabel, columns, rows, at=None, logx=False, style="lines", notes=(), paper="", of=""):
    return {
        "kind": "figure",
        "id": id,
        "title": title,
        "columns": [str(column) for column in columns],
        "rows": [[str(cell) for cell in row] for row in rows],
        "of": of,
        "at": list(at) if at is not None else None,
        "xlabel": xlabel,
        "ylabel": ylabel,
        "logx": logx,
        "style": style,
        "notes": list(notes),
        "paper": paper,
    }


def figure_of(id, of, title, xlabel, ylabel, columns, **more):
    """A figure of some columns of the table `of`, whose rows are the series."""
    chosen = [0] + [of["columns"].index(column) for column in columns]
    rows = [[row[k] for k in chosen] for row in of["rows"]]
    return figure(id, title, xlabel, ylabel, [of["columns"][k] for k in chosen], rows, of=of["id"], **more)


def data(id, title, columns, rows):
    return {
        "kind": "data",
        "id": id,
        "title": title,
        "columns": [str(column) for column in columns],
        "rows": [[str(cell) for cell in row] for row in rows],
    }


def value(mean, error):
    """A cell of a figure that no table shows, to six and three significant digits."""
    return "%.6g ± %.3g" % (mean, error)


def series(block):
    """The rows of a figure as numbers: {name, x, y, error}."""
    at = block["at"] if block["at"] is not None else range(len(block["columns"]) - 1)
    found = []
    for name, *cells in block["rows"]:
        points = [(x, CELL.match(cell)) for x, cell in zip(at, cells)]
        points = [(x, match) for x, match in points if match]
        found.append(
            {
                "name": name,
                "x": [x for x, _ in points],
                "y": [float(match.group(1)) for _, match in points],
                "error": [float(match.group(2) or 0) for _, match in points],
            }
        )
    return found


# ---- As text ----------------------------------------------------------------------


def as_text(block):
    """A table with its columns aligned."""
    lines = [block["columns"]] + block["rows"]
    width = [max(len(line[k]) for line in lines) for k in range(len(block["columns"]))]
    text = [block["title"], ""]
    text += ["  ".join(cell.ljust(w) for cell, w in zip(line, width)).rstrip() for line in lines]
    if block["paper"]:
        text += ["", "the paper: " + block["paper"]]
    return "\n".join(text + ["# " + note for note in block["notes"]])


def printed(found, notes=()):
    """All tables as text, and what is to be said of the whole."""
    parts = [as_text(block) for block in found if block["kind"] == "table"]
    return "\n\n".join(parts + (["\n".join(notes)] if notes else []))


# ---- results.tsv ------------------------------------------------------------------


def write(path, about, found):
    """`about`: {key: text} of the whole experiment."""
    sections = [["# %s: %s" % pair for pair in about.items()]]
    for block in found:
        lines = ["# %s %s: %s" % (block["kind"], block["id"], block["title"])]
        lines += ["# %s: %s" % pair for pair in _keys(block)]
        if not block.get("of"):
            lines += ["\t".join(row) for row in split(_without_varying(block))]
        sections.append(lines)
    with open(path, "w") as file:
        file.write("\n\n".join("\n".join(lines) for lines in sections) + "\n")


def read(path):
    """(about, blocks) of a file that `write` wrote."""
    with open(path) as file:
        first, *sections = file.read().rstrip("\n").split("\n\n")
    about = dict(re.match(r"# ([^:]*): (.*)", line).groups() for line in first.split("\n"))
    found = []
    for section in sections:
        lines = section.split("\n")
        kind, id, title = re.match(r"# (\w+) (\S+): (.*)", lines[0]).groups()
        heads = [re.match(r"# (\w+): (.*)", line).groups() for line in lines[1:] if line.startswith("# ")]
        rows = join([line.split("\t") for line in lines[1 + len(heads) :]])
        found.append(_block(kind, id, title, heads, rows, found))
    return about, found


def _keys(block):
    """What a section says in lines `# key: value`."""
    if block["kind"] == "data":
        return []
    keys = []
    if block["kind"] == "figure":
        keys += [("x", block["xlabel"])] * bool(block["xlabel"]) + [("y", block["ylabel"])]
        keys += [("style", block["style"])] * (block["style"] != "lines")
        keys += [("logarithmic", "x")] * block["logx"]
        if block["of"]:
            keys += [("of", block["of"]), ("columns", "\t".join(block["columns"][1:]))]
        if block["at"] is not None:
            keys += [("at", "\t".join("%g" % x for x in block["at"]))]
    elif block["varying"]:
        keys.append(("varying", "\t".join(block["varying"])))
    return keys + [("paper", block["paper"])] * bool(block["paper"]) + [("note", note) for note in block["notes"]]


def _block(kind, id, title, heads, rows, before):
    keys = dict(heads)
    columns, rows = (rows[0], rows[1:]) if rows else ([], [])
    if kind == "data":
        return data(id, title, columns, rows)
    said = {"notes": [text for key, text in heads if key == "note"], "paper": keys.get("paper", "")}
    if kind == "table":
        return table(id, title, columns, rows, varying=keys["varying"].split("\t") if "varying" in keys else (), **said)
    if "of" in keys:
        columns = [""] + keys["columns"].split("\t")  # the report fills in the rows by `resolve`
    at = [float(x) for x in keys["at"].split("\t")] if "at" in keys else None
    style = keys.get("style", "lines")
    logx = "logarithmic" in keys
    of = keys.get("of", "")
    return figure(id, title, keys.get("x", ""), keys["y"], columns, rows, at, logx, style, of=of, **said)


def resolve(found):
    """The blocks, figures of tables with the rows of those; a figure of columns
    that its table lacks is left out."""
    tables = {block["id"]: block for block in found if block["kind"] == "table"}
    resolved = []
    for block in found:
        if block.get("of"):
            source = tables[block["of"]]
            if not set(block["columns"][1:]) <= set(source["columns"]):
                continue
            chosen = [0] + [source["columns"].index(column) for column in block["columns"][1:]]
            block = {**block, "rows": [[row[k] for k in chosen] for row in source["rows"]]}
        resolved.append(block)
    return resolved


def _without_varying(block):
    kept = [k for k, column in enumerate(block["columns"]) if column not in block.get("varying", ())]
    return [[row[k] for k in kept] for row in [block["columns"]] + block["rows"]]


def split(rows):
    """Standard errors and p-values in columns of their own."""
    columns = []
    for name, *cells in zip(*rows):
        matches = [CELL.match(cell) for cell in cells]
        has_error = any(match and match.group(2) for match in matches)
        has_p = any(match and match.group(4) for match in matches)
        if not (has_error or has_p) or not all(match or not cell for match, cell in zip(matches, cells)):
            columns.append([name] + cells)
            continue
        columns.append([name] + [match.group(1) if match else "" for match in matches])
        if has_error:
            columns.append([name + " ±"] + [(match.group(2) or "") if match else "" for match in matches])
        if has_p:
            p = [(match.group(3) + match.group(4)).lstrip("=") if match and match.group(4) else "" for match in matches]
            columns.append([name + " p"] + p)
    return [list(row) for row in zip(*columns)]


def join(rows):
    """The inverse of `split`."""
    if not rows:
        return rows
    columns = []
    for name, *cells in zip(*rows):
        if columns and name == columns[-1][0] + " ±":
            columns[-1][1:] = [cell + " ± " + error if error else cell for cell, error in zip(columns[-1][1:], cells)]
        elif columns and name == columns[-1][0] + " p":
            signs = ["< " + p[1:] if p.startswith("<") else "= " + p for p in cells]
            columns[-1][1:] = [
                "%s (p %s)" % (cell, sign) if p else cell for cell, sign, p in zip(columns[-1][1:], signs, cells)
            ]
        else:
            columns.append([name] + cells)
    return [list(row) for row in zip(*columns)]
