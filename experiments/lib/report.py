"""report.py: all results as pages of HTML that need nothing else: one page for each document, with its tables and
figures in its own order and numbering, what it states, what dorm finds, the verdict of the ledger and how the result
was made; and index.html, which leads to them and shows the other experiments.

The pages are made from the results that are kept beside each script, or from the results of quick or partial runs. They have
no seconds, which are not kept.
"""
import argparse
import base64
import glob
import html
import json
import os
import re
import shutil
import sys

import blocks
import datasets
import gnuplot
import ledger
import prose
import runner

OF_FOLDER = {"lambdarank": "local-optimality", "survey": "tutorial"}  # the document that a folder repeats

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 62rem; padding: 0 1rem 3rem;
  color: #1a1a1a; background: #fff }
h1 { line-height: 1.2 } h2 { border-top: 1px solid #ccc; padding-top: 1.5rem; margin-top: 2.5rem }
nav a { display: inline-block; margin: 0 .8rem .3rem 0 }
.table { overflow-x: auto; margin: 1rem 0 }
table { border-collapse: separate; border-spacing: 0; font-size: .85rem; font-variant-numeric: tabular-nums }
.caption { font-weight: 600; font-size: .9rem; margin: 1.2rem 0 -.7rem }
th, td { border-bottom: 1px solid #ddd; padding: .2rem .6rem .2rem 0; text-align: left; white-space: nowrap }
th:first-child, td:first-child { position: sticky; left: 0; background: #fff; white-space: normal; min-width: 7rem;
  max-width: 11rem }
tr.paper td, tr.paper td:first-child { background: #fdf3d7 }
figure { margin: 1.5rem 0 } figure img { width: 100%; max-width: 34rem; height: auto; display: block }
.note, .made { font-size: .85rem; color: #444 } .note { margin: .3rem 0 }
ul { padding-left: 1.2rem } li { margin: .3rem 0 } code { overflow-wrap: anywhere }
.ledger td { white-space: normal; min-width: 6rem; vertical-align: top }
.paper-says { font-size: .9rem; background: #fdf3d7; padding: .2rem .5rem }
pre { overflow-x: auto; font-size: .8rem; background: #f6f6f6; padding: .6rem }
"""


def text(value):
    return html.escape(str(value))


def table_html(block):
    head = "".join("<th>%s</th>" % text(cell) for cell in block["columns"])
    rows = "".join(
        "<tr%s>%s</tr>"
        % (
            ' class="paper"' if row and str(row[0]).startswith("the paper") else "",
            "".join("<td>%s</td>" % text(cell) for cell in row),
        )
        for row in block["rows"]
    )
    whole = '<p class="caption">%s</p><div class="table"><table id="%s"><thead><tr>%s</tr></thead><tbody>%s</tbody>'
    whole %= (text(block["title"]), text(block["id"]), head, rows)
    return whole + "</table></div>" + beside(block)


def beside(block):
    """What the paper says of a table or figure, and its notes."""
    said = '<p class="paper-says">The paper: %s.</p>' % text(block["paper"]) if block.get("paper") else ""
    return said + "".join('<p class="note">%s</p>' % text(note) for note in block["notes"])


def image_html(id, title, path):
    with open(path, "rb") as file:
        data = base64.b64encode(file.read()).decode()
    return '<figure id="%s"><img alt="%s" src="data:image/svg+xml;base64,%s"></figure>' % (text(id), text(title), data)


def figure_html(block, folder):
    """The curves of a figure, at most eight in one picture."""
    parts = []
    for piece in gnuplot.pieces(block):
        path = os.path.join(folder, piece["id"])
        gnuplot.draw(piece, path)
        parts.append(image_html(piece["id"], piece["title"], path + ".svg"))
    return "".join(parts) + beside(block)


def made_html(name, about, run):
    """How the results were made: the settings, and the run where it is known."""
    said = ["%s: %s" % pair for pair in about.items() if pair[0] not in ("experiment", "left out")]
    if run:
        said.insert(0, "%(date)s, commit %(commit)s, %(machine)s" % run)
    left_out = '<p class="note">left out: %s</p>' % text(about["left out"]) if "left out" in about else ""
    made = '<p class="made">Made by <code>experiments/run %s</code>%s.</p>'
    return left_out + made % (text(name), text("".join("; " + one for one in said)))


class Shown:
    """The results of a part as HTML: `of_item` by table or figure of its document, as "Table 1", and `others`."""

    def __init__(self, part, path, run, folder):
        """Reads the results in the file `path`, found by the run in the folder `run`, or None, and draws figures into
        `folder`."""
        about, found = blocks.read(path)
        named = re.match(r"(table|figure)(\d+)$", part.name)
        self.part = part
        self.item = named.expand(r"\1 \2").capitalize() if named else ""
        self.of_item, self.others = {}, []
        for block in blocks.resolve(found):
            if block["kind"] == "data":
                continue
            titled = re.match(r"(Table|Figure) \d+", block["title"])
            item = self.item or (titled.group() if titled else "")
            shown = table_html(block) if block["kind"] == "table" else figure_html(block, folder)
            (self.of_item.setdefault(item, []) if item else self.others).append(shown)
        for picture in sorted(glob.glob(os.path.join(run, "*.svg"))) if run else []:
            id = "%s-%s" % (part.name, os.path.splitext(os.path.basename(picture))[0])
            self.others.append(image_html(id, about["experiment"], picture))
        record = None
        if run and os.path.exists(os.path.join(run, "run.json")):
            with open(os.path.join(run, "run.json")) as file:
                record = json.load(file)
        self.made = made_html(part.name, about, record)

    def section(self):
        """A part that is no item of a document: its prose, and what is of no item."""
        name = text(self.part.name)
        heading = '<section id="%s"><h2>%s: %s</h2>' % (name, name, text(self.part.description))
        return "\n".join([heading, prose.whole(self.part.section)] + self.others + [self.made, "</section>"])


def all_shown(of_runs, folder):
    """Every part that has results: kept ones, or, with `of_runs`, results of the runs."""
    found = []
    for part in runner.parts():
        run = os.path.join(runner.RESULTS, part.name)
        path = new = os.path.join(run, "results.tsv")
        if not of_runs:
            path = part.kept
            if not os.path.exists(new) or open(new).read() != open(path).read():
                run = None  # another run's
        if os.path.exists(path):
            found.append(Shown(part, path, run, folder))
    return found


# ---- Pages ---------------------------------------------------------------------------------


def document_of(part):
    """The document that a part repeats, or "" if none."""
    base, _, name = part.experiment.partition("/")
    return OF_FOLDER.get(name, name) if base == "paper" else ""


def verdicts_html(rows):
    """Rows of the ledger as a table."""
    words = ("place", "the document", "it states", "dorm", "verdict", "command")
    head = "".join("<th>%s</th>" % word for word in words)
    cells = [(row.place, row.quotation, row.paper, row.dorm, row.verdict, row.command) for row in rows]
    body = "".join("<tr>%s</tr>" % "".join("<td>%s</td>" % text(cell) for cell in row) for row in cells)
    return '<div class="table ledger"><table><thead><tr>%s</tr></thead><tbody>%s</tbody></table></div>' % (head, body)


def items_of(rows):
    """{"Table 1": its rows, ...} in the order of the document."""
    found = {}
    for row in rows:
        item = re.match(r"(Table|Figure) \d+", row.place)
        if item:
            found.setdefault(item.group(), []).append(row)
    return found


def introduction(shown):
    """What the READMEs of the parts say before their first section."""
    found = []
    for folder in dict.fromkeys(one.part.folder for one in shown):
        with open(os.path.join(folder, "README.md")) as file:
            found.append(prose.whole(re.split(r"^## ", file.read(), flags=re.M)[0]))
    return "\n".join(found)


def document_html(said, rows, shown):
    """The body of a document's page. `said` is its section of claims.md, `shown` has its parts."""
    parts = [prose.whole("\n".join(line for line in said.split("\n")[1:] if not line.startswith("|")))]
    parts.append(introduction(shown))
    for item, its_rows in items_of(rows).items():
        found = [html_body for one in shown for html_body in one.of_item.get(item, [])]
        of_parts = [one for one in shown if one.item == item]
        quoted = its_rows[0].quotation
        title = quoted if quoted.startswith(item) else "%s: %s" % (item, quoted)
        parts.append('<section id="of-%s"><h2>%s</h2>' % (text(item.lower().replace(" ", "-")), text(title)))
        parts.append(verdicts_html(its_rows))
        parts += [prose.whole(one.part.section) for one in of_parts] + found
        parts += [html_body for one in of_parts for html_body in one.others] + [one.made for one in of_parts]
        parts.append("</section>")
    parts += [one.section() for one in shown if not one.item]
    parts += ['<section id="claims"><h2>Every row of the ledger</h2>', verdicts_html(rows), "</section>"]
    return "\n".join(parts)


def counts_html(titles, rows):
    """How many verdicts of each kind each document has."""
    kinds = [kind.strip(": ") for kind in ledger.KINDS]
    lines = []
    for name, title in titles.items():
        of_kind = [sum(row.document == name and row.verdict.startswith(kind) for row in rows) for kind in kinds]
        cells = ['<a href="%s.html">%s</a>' % (text(name), text(title))] + ["%d" % count for count in of_kind]
        lines.append("<tr>%s</tr>" % "".join("<td>%s</td>" % cell for cell in cells))
    head = "".join("<th>%s</th>" % text(word) for word in ["document"] + kinds)
    whole = '<div class="table"><table><thead><tr>%s</tr></thead><tbody>%s</tbody></table></div>'
    return whole % (head, "".join(lines))


def whole_page(title, body, links):
    made = runner.provenance()
    return """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>dorm: %s</title><style>%s</style></head><body>
<h1>%s</h1>
<p class="made">This page was made on %s at commit %s. %s.</p>
<nav>%s</nav>
%s
</body></html>
""" % (
        text(title),
        STYLE,
        text(title),
        text(made["date"]),
        text(made["commit"]),
        text(made["machine"]),
        "".join('<a href="%s">%s</a>' % tuple(map(text, link)) for link in links),
        body,
    )


def pages(shown):
    """{name of a file: page}."""
    with open(os.path.join(runner.HERE, "paper", "claims.md")) as file:
        lead, *sections = re.split(r"^## ", file.read(), flags=re.M)
    rows = [row for _, row in ledger.read_rows(os.path.join(runner.HERE, "paper", "claims.tsv"))]
    titles = dict(section.split("\n")[0].split(": ", 1) for section in sections)
    links = [("index.html", "all experiments")] + [(name + ".html", name) for name in titles]
    made = {}
    for section in sections:
        name = section.partition(": ")[0]
        own = [one for one in shown if document_of(one.part) == name]
        body = document_html(section, [row for row in rows if row.document == name], own)
        made[name + ".html"] = whole_page(titles[name], body, links)
    others = [one for one in shown if not document_of(one.part)]
    links += [("#" + one.part.name, one.part.name) for one in others]
    body = [prose.whole(lead), counts_html(titles, rows)] + [one.section() for one in others]
    made["index.html"] = whole_page("The experiments of dorm", "\n".join(body), links)
    return made


def main():
    parser = argparse.ArgumentParser(
        prog="experiments/report", description="HTML pages with every table and figure, one for each document."
    )
    parser.add_argument("folder", nargs="?", help="where the pages, SVG and PNG go (build/experiments/report)")
    parser.add_argument("--quick", action="store_true", help="show the results of quick runs")
    parser.add_argument("--partial", action="store_true", help="show the results of runs on a part of the data")
    options = parser.parse_args()
    if not shutil.which("gnuplot"):
        print("experiments/report: there is no gnuplot: apt-get install gnuplot-nox", file=sys.stderr)
        return 2
    kind = "-quick" if options.quick else "-partial" if options.partial else ""
    folder = options.folder or os.path.join(datasets.work(), "report" + kind)
    os.makedirs(folder, exist_ok=True)
    shown = all_shown(bool(kind), folder)
    if not shown:
        print("experiments/report: there are no results yet: experiments/run all", file=sys.stderr)
        return 3
    made = pages(shown)
    for name, page in made.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(page)
    print("%s: %d pages of %d experiments" % (os.path.join(folder, "index.html"), len(made), len(shown)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
