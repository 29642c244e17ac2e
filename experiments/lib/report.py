"""report.py: one self-contained HTML page of all results: every table and figure
beside what the paper says, and how it was made.

The page is made from the results that are kept beside each script, or from those of
quick or partial runs. It has no seconds, which are not kept.
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
import prose
import runner

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
#claims td { white-space: normal; min-width: 6rem; vertical-align: top }
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
    path = os.path.join(folder, block["id"])
    gnuplot.draw(block, path)
    return image_html(block["id"], block["title"], path + ".svg") + beside(block)


def made_html(name, about, run):
    """How the results were made: the settings, and the run where it is known."""
    said = ["%s: %s" % pair for pair in about.items() if pair[0] not in ("experiment", "left out")]
    if run:
        said.insert(0, "%(date)s, commit %(commit)s, %(machine)s" % run)
    left_out = '<p class="note">left out: %s</p>' % text(about["left out"]) if "left out" in about else ""
    made = '<p class="made">Made by <code>experiments/run %s</code>%s.</p>'
    return left_out + made % (text(name), text("".join("; " + one for one in said)))


def results_html(path, run, name, folder):
    """Every table and figure of the results in the file `path`, found by the run in the folder `run`, or None; figures are
    drawn into `folder`."""
    about, found = blocks.read(path)
    parts = []
    for block in blocks.resolve(found):
        if block["kind"] != "data":
            parts.append(table_html(block) if block["kind"] == "table" else figure_html(block, folder))
    for picture in sorted(glob.glob(os.path.join(run, "*.svg"))) if run else []:
        id = "%s-%s" % (name, os.path.splitext(os.path.basename(picture))[0])
        parts.append(image_html(id, about["experiment"], picture))
    record = None
    if run and os.path.exists(os.path.join(run, "run.json")):
        with open(os.path.join(run, "run.json")) as file:
            record = json.load(file)
    return "\n".join(parts + [made_html(name, about, record)])


def sections(of_runs, folder):
    """(name, title, HTML) of every part that has results: kept ones, or, with `of_runs`, those of the runs."""
    found = []
    for part in runner.parts():
        run = os.path.join(runner.RESULTS, part.name)
        new = os.path.join(run, "results.tsv")
        if of_runs:
            path = new
        else:
            path = part.kept
            if not os.path.exists(new) or open(new).read() != open(path).read():
                run = None  # another run's
        if os.path.exists(path):
            said = "" if of_runs else prose.whole(part.section)
            found.append((part.name, part.description, said + results_html(path, run, part.name, folder)))
    return found


def claims():
    """claims.md: its title and the rest as HTML."""
    with open(os.path.join(runner.HERE, "paper", "claims.md")) as file:
        text = file.read()
    return re.match(r"# (.*)", text).group(1), prose.whole(text)


def page(found):
    made = runner.provenance()
    links = '<a href="#claims">claims</a>'
    links += "".join('<a href="#%s">%s</a>' % (text(name), text(name)) for name, _, _ in found)
    body = '<section id="claims"><h2>%s</h2>\n%s\n</section>\n' % claims()
    body += "\n".join(
        '<section id="%s"><h2>%s: %s</h2>\n%s\n</section>' % (text(name), text(name), text(title), html_body)
        for name, title, html_body in found
    )
    return """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>dorm: the paper's tables and figures</title><style>%s</style></head><body>
<h1>dorm: the paper's tables and figures</h1>
<p>The experiments of Le and Smola, <em>Direct Optimization of Ranking Measures</em> (2007), repeated on public data.
The paper's own web-search data were never public: MQ2008 and artificial data of the paper's size stand in for them. What
the paper says is shown on yellow.</p>
<p class="made">This page was made on %s at commit %s. %s.</p>
<nav>%s</nav>
%s
</body></html>
""" % (
        STYLE,
        text(made["date"]),
        text(made["commit"]),
        text(made["machine"]),
        links,
        body,
    )


def main():
    parser = argparse.ArgumentParser(
        prog="experiments/report", description="One HTML page with every table and figure."
    )
    parser.add_argument("folder", nargs="?", help="where index.html, SVG and PNG go (build/experiments/report)")
    parser.add_argument("--quick", action="store_true", help="show the results of quick runs")
    parser.add_argument("--partial", action="store_true", help="show the results of runs on a part of the data")
    options = parser.parse_args()
    if not shutil.which("gnuplot"):
        print("experiments/report: there is no gnuplot: apt-get install gnuplot-nox", file=sys.stderr)
        return 2
    kind = "-quick" if options.quick else "-partial" if options.partial else ""
    folder = options.folder or os.path.join(datasets.work(), "report" + kind)
    os.makedirs(folder, exist_ok=True)
    found = sections(bool(kind), folder)
    if not found:
        print("experiments/report: there are no results yet: experiments/run all", file=sys.stderr)
        return 3
    path = os.path.join(folder, "index.html")
    with open(path, "w") as file:
        file.write(page(found))
    print("%s: %d experiments, %d kB" % (path, len(found), os.path.getsize(path) // 1000))
    return 0


if __name__ == "__main__":
    sys.exit(main())
