"""ledger.py: checks experiments/paper/claims.tsv, the ledger of five documents, and prints it as a page.

    ledger.py [TREE] [--claims FILE] [--papers FOLDER]

The ledger has one row for each numbered item and each measurable sentence of a document:

  document   the name of its file without ending
  place      "eq. 7", "Table 1", a section, or the title of a slide
  quotation  at most 25 literal words; [...] leaves words out
  where      FILE, FILE:FUNCTION, FILE:TABLE of kept results, or a folder; several are separated by "; "
  paper      the number that the document states
  dorm       dorm's number ± error
  verdict    begins with one of KINDS
  command    how to see it; several are separated by "; "

A fault is printed as FILE:LINE: FAULT, and the exit status is 1. Every place and command must exist. Every number in
`dorm`, and every decimal in `verdict`, must be, perhaps rounded, in the results that `where` or `command` names, and a
number and its error in one line of them. A verdict needs a number, a test or a proof. Every item of ITEMS needs a row.
If the documents are at hand (--papers, DORM_PAPERS, or ../shared/papers), quotations and the paper's numbers must be
literal.

The page takes its headings and paragraphs from experiments/paper/claims.md. If the tree's own ledger has no fault, its
tables there are replaced, too.
"""
import argparse
import functools
import glob
import os
import re
import sys
import unicodedata
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Dict, Iterator, List, NamedTuple, Set, Tuple

KINDS = (
    "built",
    "equal to ",
    "holds",
    "does not hold",
    "depends on ",
    "cannot be tested because ",
    "not measured: ",
    "not built: ",
    "left out: ",
)
METHODS = (
    "AdaRank BoltzRank Cranking FRank Infinite_push LambdaMART LambdaRank ListMLE ListNET McRank MPRank p-norm_push "
    "OWPC PermuRank PRank RankBoost Ranking_SVM RankNet SmoothRank SoftRank SVM-Combo SVM-MAP SVM-MRR SVM-NDCG SVRank"
)
ITEMS: Dict[str, List[str]] = {
    "dorm": ["eq. %d" % k for k in range(1, 35)]
    + ["Algorithm 1", "Algorithm 2", "Lemma 1", "Theorem 2", "Theorem 3", "Corollary 4"]
    + ["Table %d" % k for k in range(1, 5)]
    + ["Figure %d" % k for k in range(1, 8)],
    "lambdarank": ["eq. %d" % k for k in range(1, 12)] + ["Theorem", "Figure 1"],
    "local-optimality": ["eq. %d" % k for k in range(1, 12)]
    + ["Table %d" % k for k in range(1, 5)]
    + ["Figure %d" % k for k in range(1, 7)],
    "mcrank": ["eq. %d" % k for k in range(1, 9)]
    + ["Lemma 1", "Algorithm 1", "Algorithm 2", "Table 1", "Figure 1", "Figure 2", "Figure 3"],
    "tutorial": ["list: " + name.replace("_", " ") for name in METHODS.split()],
}
NUMBER = re.compile(r"(?<![\w.^@/-])(\d[\d,]*\.?\d*|\.\d+)(e-?\d+)?(?![\w^@/]|\.\d)")


class Row(NamedTuple):
    document: str
    place: str
    quotation: str
    where: str
    paper: str
    dorm: str
    verdict: str
    command: str


def numbers(text: str) -> List[str]:
    """The numbers of a text without their signs; not those that are part of a word, a power or a fraction."""
    text = re.sub(r"(?<![\w.])[-+−](?=[.\d])", "", text)
    return [(digits.rstrip(".,") + power).replace(",", "") for digits, power in NUMBER.findall(text)]


def roundings(number: str) -> Iterator[Tuple[int, Decimal]]:
    """A number and what it is to fewer decimals, each with its decimals."""
    value = Decimal(number)
    decimals = max(0, -int(value.as_tuple().exponent))
    for d in range(decimals + 1):
        for way in (ROUND_HALF_UP, ROUND_HALF_EVEN):
            yield d, value.quantize(Decimal(1).scaleb(-d), way)


def own_lines(text: str) -> Iterator[str]:
    """The lines of a file with results, without rows, columns and tables of the paper's values, which tables show beside
    dorm's."""
    for section in text.split("\n\n"):
        if re.match(r"# table .* as the paper prints it\n", section):
            continue
        width = None
        for line in section.split("\n"):
            cells = line.split("\t")[:width]
            if width is None and any(cell.startswith("the paper") for cell in cells[1:]):
                width = next(k for k, cell in enumerate(cells) if k and cell.startswith("the paper"))
            if not line.startswith(("the paper", "# paper:")):
                yield "\t".join(cells[:width])


@functools.lru_cache(maxsize=None)
def kept_lines(path: str) -> List[Set[Tuple[int, Decimal]]]:
    """dorm's numbers in each line of a file with results."""
    with open(path, encoding="utf-8") as file:
        return [{one for number in numbers(line) for one in roundings(number)} for line in own_lines(file.read())]


class Kept:
    """The numbers of kept results."""

    def __init__(self, paths: Set[str]):
        self.lines = [line for path in sorted(paths) for line in kept_lines(path)]

    def has(self, *wanted: str) -> bool:
        """Whether one line has all of these numbers."""
        keys = {(max(0, -int(Decimal(number).as_tuple().exponent)), Decimal(number)) for number in wanted}
        return any(keys <= line for line in self.lines)


class Tree:
    """The sources that a ledger speaks of."""

    def __init__(self, root: str):
        self.root = root
        scripts = glob.glob(os.path.join(root, "experiments", "**", "*.tsv"), recursive=True)
        self.parts = {os.path.basename(path)[: -len(".tsv")]: path for path in scripts}

    def read(self, path: str) -> str:
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()

    def has_place(self, place: str) -> bool:
        path, _, name = place.partition(":")
        if not os.path.exists(os.path.join(self.root, path)):
            return False
        if not name:
            return True
        if path.endswith(".tsv"):
            return re.search(r"^# \w+ %s: " % re.escape(name), self.read(path), re.M) is not None
        if path.endswith(".py"):
            return re.search(r"^ *(def|class) %s\b" % re.escape(name), self.read(path), re.M) is not None
        return re.search(r"^[A-Za-z].*\b%s[()].*(?<!;)$" % re.escape(name), self.read(path), re.M) is not None

    def has_command(self, command: str) -> bool:
        words = command.split()
        if words[0] == "experiments/run":
            return all(name in self.parts for name in words[1:])
        if words[0] == "dorm":
            found = glob.glob(os.path.join(self.root, "cli", "**", words[1] + ".c"), recursive=True)
            return len(found) > 0
        if words[0] == "./unit":
            return os.path.exists(os.path.join(self.root, "tests", "unit", words[1] + "_test.c"))
        if words[0] == "make":
            files = glob.glob(os.path.join(self.root, "**", "*.am"), recursive=True)
            return any(re.search(r"^%s:" % re.escape(words[1]), self.read(path), re.M) for path in files)
        return os.path.exists(os.path.join(self.root, words[0]))

    def results(self, row: Row) -> Set[str]:
        """The files with kept results that a row names."""
        places = [place.partition(":")[0] for place in split(row.where)]
        found = {os.path.join(self.root, path) for path in places if path.endswith((".tsv", ".md"))}
        for command in split(row.command):
            if command.startswith("experiments/run "):
                found |= {self.parts[name] for name in command.split()[1:] if name in self.parts}
        return {path for path in found if os.path.exists(path)}


def split(text: str) -> List[str]:
    return [part for part in text.split("; ") if part]


def read_rows(path: str) -> List[Tuple[int, Row]]:
    """The rows with their line numbers; a line with another number of columns is a fault."""
    found = []
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    if lines[0].split("\t") != list(Row._fields):
        raise ValueError("%s:1: the columns are %s" % (path, ", ".join(Row._fields)))
    for k, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if line and len(cells) != len(Row._fields):
            raise ValueError("%s:%d: %d columns instead of %d" % (path, k, len(cells), len(Row._fields)))
        if line:
            found.append((k, Row(*cells)))
    return found


def faults_of_form(row: Row) -> Iterator[str]:
    if any("|" in cell for cell in row):
        yield "a cell has a bar, which a table of the page cannot show"
    if not row.place or not row.quotation:
        yield "it has no place or no quotation"
    if len(row.quotation.replace("[...]", " ").split()) > 25:
        yield "the quotation has more than 25 words"
    kind = next((kind for kind in KINDS if row.verdict.startswith(kind)), None)
    if not kind:
        yield "the verdict '%s' is none of %s" % (row.verdict, ", ".join(KINDS))
    elif kind.endswith(" ") and len(row.verdict) <= len(kind):
        yield "the verdict '%s' has no reason" % row.verdict
    elif kind in ("holds", "does not hold", "depends on ") and not numbers(row.dorm):
        is_tested = any(command.startswith(("./unit", "tests/", "make")) for command in split(row.command))
        if not is_tested and "by proof" not in row.verdict:
            yield "the verdict '%s' has no number, test or proof" % row.verdict
    elif kind == "built" and not row.where:
        yield "it is built nowhere"


def faults_of_row(row: Row, tree: Tree) -> Iterator[str]:
    yield from faults_of_form(row)
    for place in split(row.where):
        if not tree.has_place(place):
            yield "there is no %s" % place
    for command in split(row.command):
        if not tree.has_command(command):
            yield "there is no command %s" % command
    said = numbers(row.dorm) + [number for number in numbers(row.verdict) if "." in number]
    if said:
        results = Kept(tree.results(row))
        for number in said:
            if not results.has(number):
                yield "dorm's number %s is in no table that it names" % number
        for value, error in re.findall(r"([\d.]+) ± ([\d.]+)", row.dorm + " " + row.verdict):
            if not results.has(value, error):
                yield "dorm's %s ± %s is in no line of the tables that it names" % (value, error)


def missing_items(rows: List[Tuple[int, Row]]) -> Iterator[str]:
    places: Dict[str, List[str]] = {}
    for _, row in rows:
        places.setdefault(row.document, []).append(row.place)
    for document, items in ITEMS.items():
        for item in items:
            if not any(re.match(re.escape(item) + r"(?!\w)", place) for place in places.get(document, [])):
                yield "%s: %s has no row" % (document, item)


# ---- The documents ------------------------------------------------------------------------


def plain(text: str) -> str:
    """A text without ligatures, breaks of lines and of words, and blanks before punctuation."""
    text = re.sub(r"-\n(?=[a-z])", "", unicodedata.normalize("NFKC", text))
    return re.sub(r" ([,.;:)])", r"\1", " ".join(text.split()))


def is_quoted(quotation: str, document: str) -> bool:
    """Whether the document has the parts of a quotation one after the other."""
    parts = [re.escape(plain(part)) for part in quotation.split("[...]") if part.strip()]
    return re.search(".*?".join(parts), document) is not None


def faults_of_documents(rows: List[Tuple[int, Row]], folder: str) -> Iterator[Tuple[int, str]]:
    texts: Dict[str, str] = {}
    for line, row in rows:
        if row.document not in texts:
            with open(os.path.join(folder, row.document + ".md"), encoding="utf-8") as file:
                texts[row.document] = plain(file.read())
        text = texts[row.document]
        if not is_quoted(row.quotation, text):
            yield line, "not literal: %s" % row.quotation
        for number in re.findall(r"\d+(?:\.\d+)?|\.\d+", row.paper):
            if number not in text.replace(",", "") and number not in text:
                yield line, "the document has no number %s" % number


# ---- The page -----------------------------------------------------------------------------


def shown(row: Row) -> str:
    """A row of the page's table."""
    is_formula = "\\" in row.quotation or "$" in row.quotation or "_" in row.quotation
    quotation = "`%s`" % row.quotation if is_formula else '"%s"' % row.quotation
    codes = ["; ".join("`%s`" % part for part in split(cell)) for cell in (row.where, row.command)]
    cells = [row.place, quotation, codes[0], row.paper, row.dorm, row.verdict, codes[1]]
    return "| %s |" % " | ".join(cells)


def page(text: str, rows: List[Tuple[int, Row]]) -> str:
    """The text of claims.md with its tables made again from the rows."""
    title, *sections = re.split(r"^(?=## )", text, flags=re.M)
    made = [title]
    for section in sections:
        document = section[len("## ") :].partition(":")[0]
        kept = [line for line in section.rstrip().split("\n") if not line.startswith("|")]
        table = ["| place | quotation | in dorm | the paper | dorm | verdict | command |", "|---" * 7 + "|"]
        table += [shown(row) for _, row in rows if row.document == document]
        made.append("\n".join(kept).rstrip() + "\n\n" + "\n".join(table) + "\n\n")
    return "".join(made).rstrip() + "\n"


def find_faults(tree: Tree, path: str, papers: str) -> List[str]:
    rows = read_rows(path)
    found = [(line, fault) for line, row in rows for fault in faults_of_row(row, tree)]
    if os.path.isdir(papers):
        found += faults_of_documents(rows, papers)
    else:
        print("ledger.py: quotations are not checked, since there is no folder %s" % papers, file=sys.stderr)
    named = ["%s:%d: %s" % (path, line, fault) for line, fault in sorted(found)]
    return named + ["%s: %s" % (path, fault) for fault in missing_items(rows)]


def run(root: str, claims: str, papers: str) -> int:
    """Prints the page and the faults, and keeps the page if there is none; the exit status."""
    own = os.path.join(root, "experiments", "paper", "claims.tsv")
    try:
        faults = find_faults(Tree(root), claims or own, papers)
    except ValueError as error:
        faults = [str(error)]
    if faults:
        print("\n".join(faults), file=sys.stderr)
        return 1
    kept = own[: -len("tsv")] + "md"
    with open(kept, encoding="utf-8") as file:
        before = file.read()
    now = page(before, read_rows(claims or own))
    if now != before and not claims:
        with open(kept, "w", encoding="utf-8") as file:
            file.write(now)
    print(now, end="")
    return 0


def papers_beside(root: str) -> str:
    return os.environ.get("DORM_PAPERS", os.path.join(root, "..", "shared", "papers"))


def main() -> int:
    parser = argparse.ArgumentParser(prog="ledger.py", description="Checks the ledger and prints it as a page.")
    parser.add_argument("tree", nargs="?", default=os.environ.get("DORM_PROJECT", "."))
    parser.add_argument("--claims", default="", help="another ledger than experiments/paper/claims.tsv")
    parser.add_argument("--papers", help="the folder of the documents (DORM_PAPERS, or ../shared/papers)")
    options = parser.parse_args()
    return run(options.tree, options.claims, options.papers or papers_beside(options.tree))


if __name__ == "__main__":
    sys.exit(main())
