"""report.py: one self-contained HTML page of all results: every table and figure
beside what the paper says, with commit, settings, machine, seed and date.

Studies give their tables and figures in results.json. Of other experiments the
page shows what is there: *.tsv as tables, *.svg as figures, or what `run` printed.
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
import study

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
    """The paper's word and the notes of a table or figure."""
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


def study_html(record, folder):
    parts = []
    for block in record["blocks"]:
        parts.append(table_html(block) if block["kind"] == "table" else figure_html(block, folder))
    parts += ['<p class="note">%s</p>' % text(note) for note in record["notes"]]
    settings = "; ".join(
        "%s = %s" % (key, ", ".join(map(str, value)) if isinstance(value, list) else value)
        for key, value in record["settings"].items()
    )
    parts.append(
        '<p class="made">Made %s at commit %s by <code>experiments/run %s%s</code>; seed %d; %s. %s</p>'
        % (
            text(record["date"]),
            text(record["commit"]),
            text(record["experiment"]),
            " --quick" if record["quick"] else "",
            record["seed"],
            text(record["machine"]),
            text(settings),
        )
    )
    return "\n".join(parts)


def other_html(experiment, output):
    """Of an experiment that is no study: its tables and pictures, or its output."""
    parts = []
    tables = sorted(glob.glob(os.path.join(experiment.folder, "*.tsv")))
    for path in tables:
        with open(path) as file:
            rows = [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]
        name = os.path.splitext(os.path.basename(path))[0]
        if rows and len(rows) <= 200:
            parts.append(
                table_html(
                    blocks.table(
                        "%s-%s" % (experiment.name, name), "%s: %s" % (experiment.description, name), rows[0], rows[1:]
                    )
                )
            )
    for path in sorted(glob.glob(os.path.join(experiment.folder, "*.svg"))):
        name = os.path.splitext(os.path.basename(path))[0]
        parts.append(image_html("%s-%s" % (experiment.name, name), "%s: %s" % (experiment.description, name), path))
    if not tables and os.path.exists(output):
        with open(output) as file:
            parts.append("<pre>%s</pre>" % text(file.read()))
    if parts:
        parts.append(
            '<p class="made">By <code>experiments/run %s</code>; the protocol is in its README.</p>'
            % text(experiment.name)
        )
    return "\n".join(parts)


def outcome_html(experiment):
    """What the README says of the results that are kept beside it."""
    path = os.path.join(experiment.folder, "README.md")
    if not os.path.exists(path):
        return ""
    with open(path) as file:
        return prose.outcome(file.read())


def sections(quick, folder):
    """(name, title, HTML) of every experiment that has results."""
    where = datasets.work()
    found = []
    for experiment in runner.experiments():
        place = os.environ.get("DORM_RESULTS") or (os.path.join(where, "quick") if quick else os.path.join(runner.HERE))
        result = os.path.join(place, experiment.name, "results.json")
        if experiment.is_study:
            if os.path.exists(result):
                with open(result) as file:
                    record = json.load(file)
                said = "" if record["quick"] else outcome_html(experiment)
                title = experiment.description or record["title"]
                found.append((experiment.name, title, said + study_html(record, folder)))
            continue
        body = other_html(
            experiment, os.path.join(where, "output-quick" if quick else "output", experiment.name + ".txt")
        )
        if body:
            found.append((experiment.name, experiment.description, outcome_html(experiment) + body))
    order = {
        name: k
        for k, name in enumerate(
            [
                "table1",
                "figure1",
                "figure2",
                "figure3",
                "figure4",
                "figure5",
                "figure6",
                "figure7",
                "table2",
                "table3",
                "table4",
                "references",
            ]
        )
    }
    return sorted(found, key=lambda section: (order.get(section[0], 99), section[0]))


def page(found):
    made = study.provenance()
    links = "".join('<a href="#%s">%s</a>' % (text(name), text(name)) for name, _, _ in found)
    body = "\n".join(
        '<section id="%s"><h2>%s: %s</h2>\n%s\n</section>' % (text(name), text(name), text(title), html_body)
        for name, title, html_body in found
    )
    return """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>dorm: the paper's tables and figures</title><style>%s</style></head><body>
<h1>dorm: the paper's tables and figures</h1>
<p>Le and Smola, <em>Direct Optimization of Ranking Measures</em> (2007), run again on public data. The paper's own
web-search data were never public: MQ2008 and artificial data of the paper's size stand in for them. What the paper
says stands on yellow. The protocol of each is in the README of its folder.</p>
<p class="made">Page made %s at commit %s. %s.</p>
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


def printed_by_study(experiment):
    """The tables of its last results and when they were made; None without results."""
    result = os.path.join(experiment.folder, "results.json")
    if not os.path.exists(result):
        return None
    with open(result) as file:
        record = json.load(file)
    printed = "\n\n".join(blocks.as_text(block) for block in record["blocks"] if block["kind"] == "table")
    if record["notes"]:
        printed += "\n\n" + "\n".join(record["notes"])
    made = "Made %s at commit %s on %s." % (record["date"], record["commit"], record["machine"])
    return "%s\n\n```\n%s\n```" % (made, printed)


def printed_by_script(experiment):
    """What its last run here printed; None without one."""
    output = os.path.join(datasets.work(), "output", experiment.name + ".txt")
    if not os.path.exists(output):
        return None
    with open(output) as file:
        lines = [line.rstrip() for line in file if not line.startswith("plot: ")]
    return "```\n%s\n```" % "\n".join(lines).strip("\n")


def write_readmes():
    """Puts what each experiment printed between the marks in its README."""
    for experiment in runner.experiments():
        readme = os.path.join(experiment.folder, "README.md")
        printed = printed_by_study(experiment) if experiment.is_study else printed_by_script(experiment)
        if not printed or not os.path.exists(readme):
            continue
        with open(readme) as file:
            old = file.read()
        new = re.sub(
            r"<!-- results -->.*<!-- end -->",
            lambda _: "<!-- results -->\n%s\n<!-- end -->" % printed,
            old,
            flags=re.S,
        )
        if new != old:
            with open(readme, "w") as file:
                file.write(new)


def main():
    parser = argparse.ArgumentParser(
        prog="experiments/report", description="One HTML page with every table and figure."
    )
    parser.add_argument("folder", nargs="?", help="where index.html, SVG and PNG go (build/experiments/report)")
    parser.add_argument("--quick", action="store_true", help="of the results of run --quick")
    parser.add_argument("--readmes", action="store_true", help="also write the tables into the READMEs")
    options = parser.parse_args()
    if not shutil.which("gnuplot"):
        print("experiments/report: no gnuplot: apt-get install gnuplot-nox", file=sys.stderr)
        return 2
    folder = options.folder or os.path.join(datasets.work(), "report-quick" if options.quick else "report")
    os.makedirs(folder, exist_ok=True)
    found = sections(options.quick, folder)
    if not found:
        print("experiments/report: no results yet: experiments/run all", file=sys.stderr)
        return 3
    path = os.path.join(folder, "index.html")
    with open(path, "w") as file:
        file.write(page(found))
    if options.readmes:
        write_readmes()
    print("%s: %d experiments, %d kB" % (path, len(found), os.path.getsize(path) // 1000))
    return 0


if __name__ == "__main__":
    sys.exit(main())
