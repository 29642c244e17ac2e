"""blocks.py: tables and figures as plain data: printed as text, kept in
results.json, drawn by report.py.

  table   {kind, id, title, columns, rows, notes, paper}
  figure  {kind, id, title, xlabel, ylabel, logx, style, series, paper, notes};
          a series is {name, x, y, error}; style is lines or bars
"""


def table(id, title, columns, rows, notes=(), paper=None):
    return {
        "kind": "table",
        "id": id,
        "title": title,
        "columns": list(columns),
        "rows": [[str(cell) for cell in row] for row in rows],
        "notes": list(notes),
        "paper": paper,
    }


def figure(id, title, xlabel, ylabel, series, logx=False, style="lines", ticks=None, notes=(), paper=None):
    return {
        "kind": "figure",
        "id": id,
        "title": title,
        "xlabel": xlabel,
        "ylabel": ylabel,
        "series": series,
        "logx": logx,
        "style": style,
        "ticks": ticks,
        "notes": list(notes),
        "paper": paper,
    }


def series(name, x, y, error=None):
    return {
        "name": name,
        "x": list(x),
        "y": [float(v) for v in y],
        "error": [float(v) for v in error] if error else None,
    }


def as_text(block):
    """A table with its columns aligned."""
    lines = [block["columns"]] + block["rows"]
    width = [max(len(line[k]) for line in lines) for k in range(len(block["columns"]))]
    text = [block["title"], ""]
    text += ["  ".join(cell.ljust(w) for cell, w in zip(line, width)).rstrip() for line in lines]
    if block.get("paper"):
        text += ["", "the paper: " + block["paper"]]
    return "\n".join(text + ["# " + note for note in block["notes"]])
