"""prose.py: turns a section of a README, and claims.md, into HTML for the page. Of Markdown they
may use headings of the second level, paragraphs, lists, tables, **bold**,
*emphasis*, `code` and links, of which the text remains."""
import html
import re


def _inline(text):
    text = html.escape(" ".join(text.split()))
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`([^`]*)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*([^*]*)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"\*([^* ][^*]*)\*", r"<em>\1</em>", text)


def _table(lines):
    """A table of Markdown; its second line only separates the head from the rows."""
    rows = [[_inline(cell) for cell in line.strip().strip("|").split("|")] for line in lines]
    head = "".join("<th>%s</th>" % cell for cell in rows[0])
    body = "".join("<tr>%s</tr>" % "".join("<td>%s</td>" % cell for cell in row) for row in rows[2:])
    return '<div class="table"><table><thead><tr>%s</tr></thead><tbody>%s</tbody></table></div>' % (head, body)


def whole(markdown):
    """All of a text but its title."""
    parts = []
    for block in re.split(r"\n\s*\n", markdown.strip()):
        if not block.startswith("# "):
            parts += _block(block)
    return "\n".join(parts)


def _block(block):
    """A heading, a table, a paragraph, a list, or a paragraph before a list."""
    if block.startswith("## "):
        return ["<h3>%s</h3>" % _inline(block[3:])]
    if block.lstrip().startswith("|"):
        return [_table(block.strip().split("\n"))]
    lead, *items = re.split(r"^- ", block, flags=re.M)
    parts = ["<p>%s</p>" % _inline(lead)] if lead.strip() else []
    return parts + ["<ul>%s</ul>" % "".join("<li>%s</li>" % _inline(item) for item in items)] * bool(items)
