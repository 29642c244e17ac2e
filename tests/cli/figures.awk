# figures.awk: the figures of a document that its kept results lack. A paragraph that names a file of results, as in
# `experiments/beyond/clicks.tsv`, takes its figures of two decimals or more from it, rounded, with or without a sign.
#   awk -v top=FOLDER -f figures.awk DOCUMENT
BEGIN { RS = "" }
{
  paragraph = $0
  rest = paragraph
  split("", known)
  num_files = 0
  while (match(rest, /experiments\/[a-z_\/]+\.tsv/)) {
    file = top "/" substr(rest, RSTART, RLENGTH)
    rest = substr(rest, RSTART + RLENGTH)
    num_files++
    found = ""
    old = RS
    RS = "\n"
    while ((getline line < file) > 0) found = found " " line
    close(file)
    RS = old
    gsub(/[^0-9.]+/, " ", found)
    count = split(found, numbers, " ")
    for (i = 1; i <= count; i++)
      for (digits = 2; digits <= 4; digits++) known[sprintf("%.*f", digits, numbers[i])] = 1
  }
  rest = num_files ? paragraph : ""
  while (match(rest, /[0-9]*\.[0-9][0-9]+/)) {
    figure = substr(rest, RSTART, RLENGTH)
    rest = substr(rest, RSTART + RLENGTH)
    digits = length(figure) - index(figure, ".")
    if (!(sprintf("%.*f", digits, figure) in known)) print FILENAME ": no result is " figure
    num++
  }
}
END { print num + 0 > "/dev/stderr" }
