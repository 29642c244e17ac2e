"""picture.py: draws the bars of the README from kept results: NDCG@10 on MQ2008, with standard errors.

picture.py [FILE]   writes experiments/picture.svg, or FILE; python3 alone is needed
"""
import os
import sys

import blocks

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WIDTH, LEFT, RIGHT, ROW, TOP = 720, 190, 290, 34, 14
SCALE = (WIDTH - LEFT - RIGHT) / 0.6  # pixels for each unit of NDCG

STYLE = """text{font:15px system-ui,sans-serif;fill:#1c2024}.soft{fill:#5b6570}.bar{fill:#a9b4c0}.dorm{fill:#1668b8}
path{stroke:#1c2024;stroke-width:2}@media(prefers-color-scheme:dark){text{fill:#e4e7eb}.soft{fill:#99a3ad}
.bar{fill:#59636e}.dorm{fill:#5aa9f0}path{stroke:#e4e7eb}}"""


def rows(path, table):
    """The rows of a kept table by their first cell, as lists of [value, error]; an error is NaN if there is none."""
    _, found = blocks.read(os.path.join(ROOT, path))
    block = next(block for block in found if block["id"] == table)
    made = {}
    for row in block["rows"]:
        cells = [blocks.CELL.match(cell) for cell in row[1:]]
        made[row[0]] = [(float(c.group(1)), float(c.group(2) or "nan")) if c else None for c in cells]
    return made


def bars():
    figure = rows("paper/dorm/figure2.tsv", "figure2-mq2008")
    default, _, _, less_xgboost = rows("defaults/automatic.tsv", "automatic")["MQ2008"]
    xgboost = default[0] - less_xgboost[0]
    note = "; dorm is %.4f ± %.4f better" % less_xgboost
    return [
        ("chance", figure["chance"][-1], "", "bar"),
        ("BM25", figure["BM25"][-1], "", "bar"),
        ("best single feature", figure["best single feature"][-1], "", "bar"),
        ("XGBoost, 16 ensembles", (xgboost, float("nan")), note, "bar"),
        ("dorm, default", default, "", "dorm"),
    ]


def draw(found):
    height = TOP + ROW * len(found) + 30
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">' % (WIDTH, height),
        "<title>NDCG@10 on MQ2008</title><style>%s</style>" % STYLE,
    ]
    for number, (name, (value, error), note, kind) in enumerate(found):
        y, end = TOP + ROW * number, LEFT + SCALE * value
        text = "%.3f" % value
        lines.append('<text x="%d" y="%d" text-anchor="end">%s</text>' % (LEFT - 10, y + 17, name))
        lines.append('<rect class="%s" x="%d" y="%d" width="%.1f" height="22"/>' % (kind, LEFT, y, end - LEFT))
        if error == error:
            lines.append('<path d="M%.1f %dH%.1f"/>' % (end - SCALE * error, y + 11, end + SCALE * error))
            text += " ± %.3f" % error
            end += SCALE * error
        lines.append('<text x="%.1f" y="%d">%s%s</text>' % (end + 8, y + 17, text, note))
    lines.append(
        '<text class="soft" x="%d" y="%d">NDCG@10 on MQ2008, ten splits of 784 queries, ± standard error</text></svg>'
        % (LEFT, height - 8)
    )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "picture.svg"), "w", encoding="utf-8") as out:
        out.write(draw(bars()))
