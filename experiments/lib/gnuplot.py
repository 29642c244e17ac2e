"""gnuplot.py: draws the figures of results.tsv as SVG and PNG by gnuplot."""
import subprocess
import textwrap

import blocks

MOST_CURVES = 8
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#8c6bb1"]


def quoted(text):
    """In single quotes on one line, where gnuplot expands and runs nothing."""
    return "'%s'" % " ".join(str(text).splitlines()).replace("'", "''")


def _title_lines(block):
    """The title in lines that fit the width of the figure."""
    return textwrap.wrap(block["title"], 40)


def _tables(found):
    """The series as inline data, with x, y and error in each line."""
    lines = []
    for number, series in enumerate(found):
        lines.append("$s%d << EOD" % number)
        lines += ["%.10g %.10g %.10g" % row for row in zip(series["x"], series["y"], series["error"])]
        lines.append("EOD")
    return lines


def script(block, terminal, key_size, output):
    """The gnuplot commands of one figure. Where there are few lines, they have bands
    of standard errors."""
    style = block["style"]
    logx, logy = block["logx"], style == "loglog"
    found = blocks.series(block)
    ticks = block["columns"][1:] if block["at"] is None else None
    lines = _tables(found) + [
        "set terminal " + terminal,
        "set output " + quoted(output),
        "set encoding utf8",
        "set title %s noenhanced" % ' . "\\n" . '.join(quoted(line) for line in _title_lines(block)),
        "set xlabel %s noenhanced" % quoted(block["xlabel"]),
        "set ylabel %s noenhanced" % quoted(block["ylabel"]),
        "set border 3",
        "set tics nomirror out",
        "set grid ytics lc rgb '#dddddd' lt 1",
        "set key below left maxcols 1 noenhanced samplen 3 Left reverse font ',%d'" % key_size,
    ]
    if logx:
        values = sorted({x for series in found for x in series["x"]})
        lines += [
            "set logscale x",
            "set xtics (%s)" % ", ".join("'%g' %g" % (x, x) for x in values),
            "set xrange [%g:%g]" % (min(values) * 0.85, max(values) * 1.15),
        ]
    if logy:
        lines.append("set logscale y")
    if "range" in block:
        lines.append("set yrange [%.10g:%.10g]" % block["range"])
    if style == "bars":
        lines += [
            "set style fill solid 0.8 noborder",
            "set boxwidth 0.8",
            "set yrange [0:*]",
            "unset key",
            "set xrange [-0.7:%g]" % (len(ticks) - 0.3),
        ]
    if ticks:
        lines.append(
            "set xtics rotate by -35 noenhanced (%s)"
            % ", ".join("%s %d" % (quoted(t), k) for k, t in enumerate(ticks))
        )
        if style != "bars":
            lines.append("set xrange [-0.5:%g]" % (len(ticks) - 0.5))
    plots = []
    for number, series in enumerate(found):
        colour = COLOURS[number % len(COLOURS)]
        name = "title %s noenhanced" % quoted(series["name"])
        if style == "bars":
            plots.append("$s%d using 0:2 with boxes lc rgb '%s' %s" % (number, colour, name))
            continue
        join = "points" if style == "points" else "linespoints"
        look = "lc rgb '%s' lw 1.6 pt %d ps 0.7" % (colour, 4 + number % 12)
        if style == "points":  # shifted, so that they do not cover each other
            shift = 0.5 * ((number + 0.5) / len(found) - 0.5)
            plots.append("$s%d using ($1+%g):2:3 with yerrorbars %s %s" % (number, shift, look, name))
            continue
        if any(series["error"]) and len(found) <= 4:
            plots.append(
                "$s%d using 1:($2-$3):($2+$3) with filledcurves fs transparent solid 0.08 noborder fc rgb '%s' notitle"
                % (number, colour)
            )
        plots.append("$s%d using 1:2 with %s %s %s" % (number, join, look, name))
    return "\n".join(lines + ["plot " + ", \\\n  ".join(plots), ""])


def pieces(block):
    """The figure as figures of at most MOST_CURVES series with the same range. Each has the first series, with which
    the others are compared."""
    first, *others = block["rows"] if block["style"] != "bars" else [None]
    if len(others) < MOST_CURVES:
        return [block]
    count = -(-len(others) // (MOST_CURVES - 1))
    values = [y for series in blocks.series(block) for y in series["y"]]
    share = -(-len(others) // count)
    found = []
    for k in range(count):
        piece = dict(block, rows=[first] + others[k * share : (k + 1) * share], range=(min(values), max(values)))
        piece["title"] += ", %d of %d" % (k + 1, count)
        piece["id"] += "-%d" % (k + 1) if k else ""
        found.append(piece)
    return found


def draw(block, path):
    """Writes PATH.svg and PATH.png."""
    keys = 0 if block["style"] == "bars" else len(block["rows"])
    height = 302 + 18 * (keys + len(_title_lines(block))) + (60 if block["at"] is None else 0)
    terminals = (
        ("svg size 400,%d font 'sans-serif,12' background '#ffffff'" % height, 12, ".svg"),
        ("pngcairo size 800,%d font 'sans-serif,22' background '#ffffff'" % (2 * height), 22, ".png"),
    )
    for terminal, key_size, ending in terminals:
        subprocess.run(["gnuplot"], input=script(block, terminal, key_size, path + ending), text=True, check=True)
