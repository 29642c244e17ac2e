"""prose.py: turns the section `What came out` of a README into HTML for the page. Of
Markdown the section may use paragraphs, lists, **bold**, `code` and links, of which
the text remains."""
import html
import re


def _inline(text):
    text = html.escape(" ".join(text.split()))
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`([^`]*)`", r"<code>\1</code>", text)
    return re.sub(r"\*\*([^*]*)\*\*", r"<strong>\1</strong>", text)


def outcome(readme):
    """The section in the text of a README as HTML; empty where there is none."""
    section = re.search(r"^## What came out\n(.*?)(?=^## |^As printed|^<!-- |\Z)", readme, re.M | re.S)
    parts = []
    for block in re.split(r"\n\s*\n", section.group(1).strip() if section else ""):
        lead, *items = re.split(r"^- ", block, flags=re.M)
        if lead.strip():
            parts.append("<p>%s</p>" % _inline(lead))
        if items:
            parts.append("<ul>%s</ul>" % "".join("<li>%s</li>" % _inline(item) for item in items))
    return "\n".join(parts)
