"""picture.py: NDCG@10 against the seconds of training, a point for each method, by gnuplot."""
import shutil
import subprocess

import gnuplot


def draw(path, title, points):
    """Writes PATH.svg and PATH.png; points are (name, seconds, value, error of its difference to the best). Nothing
    where there is no gnuplot."""
    if not shutil.which("gnuplot"):
        return
    for terminal, ending in (
        ("svg size 760,640 font 'sans-serif,12' background '#ffffff'", ".svg"),
        ("pngcairo size 1520,1280 font 'sans-serif,22' background '#ffffff'", ".png"),
    ):
        lines = [
            "set terminal " + terminal,
            "set output " + gnuplot.quoted(path + ending),
            "set encoding utf8",
            "set title %s noenhanced" % gnuplot.quoted("NDCG@10 and seconds of training: " + title),
            "set xlabel 'processor seconds of one training, all candidates'",
            "set ylabel 'NDCG@10' noenhanced",
            "set logscale x",
            "set border 3",
            "set tics nomirror out",
            "set grid lc rgb '#dddddd' lt 1",
            "set key below left maxcols 2 noenhanced samplen 1 width -6 Left reverse",
        ]
        plots = []
        for number, (name, seconds, value, error) in enumerate(points):
            lines += ["$p%d << EOD" % number, "%.6g %.6g %.3g" % (max(seconds, 1e-3), value, error), "EOD"]
            plots.append(
                "$p%d using 1:2:3 with yerrorbars lc rgb '%s' lw 1.2 pt %d ps 0.9 title %s noenhanced"
                % (number, gnuplot.COLOURS[number % len(gnuplot.COLOURS)], 4 + number % 12, gnuplot.quoted(name))
            )
        script = "\n".join(lines + ["plot " + ", \\\n  ".join(plots), ""])
        subprocess.run(["gnuplot"], input=script, text=True, check=True)
