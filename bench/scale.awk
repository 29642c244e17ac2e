# scale.awk: shows scale.tsv, which scale.sh writes: the table, the exponents of growth, the largest sizes, and what
# 10^9 documents would cost.
#   awk [-v markdown=1] [-v threads=2] -f scale.awk scale.tsv
# With markdown = 1 the tables are in Markdown. `threads` is that of dorm in scale.tsv.
BEGIN {
  FS = "\t"
  if (!threads)
    threads = 2
  disk_speed = 2e9 # bytes per second, for 10^9 documents
}
NR > 1 {
  key = $1 SUBSEP $2
  if (!(key in runs))
    keys[++num_keys] = key
  if (!known[$2]++)
    kinds[++num_kinds] = $2
  line[key, ++runs[key]] = $0
}

function ceiling(x) {
  return x == int(x) ? x : int(x) + 1
}

function power_of_ten(x) {
  return sprintf("10^%.3g", log(x) / log(10))
}

function short(x) {
  return sprintf(x < 10 ? "%.1f" : "%.0f", x)
}

function seconds_of(text,   parts) {
  split(text, parts, FS)
  return parts[4] + 0
}

# Takes the run of the median of seconds: `cell` has its columns, `solve` its seconds in the solver. Where a training
# had less than one processor, because of other programs, the latter are those that it would have taken with one.
function take(key,   i, j, swap, order) {
  for (i = 1; i <= runs[key]; i++) {
    order[i] = line[key, i]
    for (j = i; j > 1 && seconds_of(order[j - 1]) > seconds_of(order[j]); j--) {
      swap = order[j]; order[j] = order[j - 1]; order[j - 1] = swap
    }
  }
  split(order[int((runs[key] + 1) / 2)], cell, FS)
  is_good = cell[4] != "-" && (cell[13] == "" || cell[13] ~ /gap/)
  solve = is_good && cell[4] > cell[5] + 0 ? cell[10] * cell[5] / cell[4] : cell[10]
}

function show(   seconds, processor, in_products, format) {
  in_products = is_good && cell[12] > 0 ? sprintf("%.1f", solve / cell[12]) : "-"
  seconds = is_good ? sprintf("%.4g", cell[4]) : "-"
  processor = is_good ? sprintf("%.4g", cell[5]) : "-"
  format = "%11s  %-26s %-7s %9s %9s %8s %10s %6s %8s %9s  %s\n"
  if (markdown)
    format = "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n"
  printf format, cell[1], cell[2], cell[3], seconds, processor, cell[6], cell[7], cell[8], cell[9], in_products,
    cell[13]
}

function head() {
  if (markdown) {
    print "| documents | what | values | seconds | processor | peak, MB | candidates | passes | products |" \
      " solver / product | |"
    print "|---|---|---|---|---|---|---|---|---|---|---|"
  } else
    printf "%11s  %-26s %-7s %9s %9s %8s %10s %6s %8s %9s\n", "documents", "what", "values", "seconds", "processor",
      "peak, MB", "candidates", "passes", "products", "solver/p"
}

# The slope of log y by log documents.
function slope(y, y_before, x, x_before) {
  return sprintf("%.2f", log(y / y_before) / log(x / x_before))
}

# A line of the growth of one kind, from the size in `before` to that in `cell`; its heading goes before the first.
function show_growth(kind, before,   format) {
  if (!num_growths++ && markdown)
    print "\n| exponents of | from | to | seconds | processor | peak |\n|---|---|---|---|---|---|"
  else if (num_growths == 1)
    printf "\n%-26s %8s %8s %9s %9s %9s\n", "exponents of", "from", "to", "seconds", "processor", "peak"
  format = markdown ? "| %s | %s | %s | %s | %s | %s |\n" : "%-26s %8s %8s %9s %9s %9s\n"
  printf format, kind, power_of_ten(before[1]), power_of_ten(cell[1]), slope(cell[4], before[4], cell[1], before[1]),
    slope(cell[5], before[5], cell[1], before[1]), slope(cell[6], before[6], cell[1], before[1])
}

# Exponents between neighbouring sizes of each kind whose values are stored alike, and its largest size.
function exponents(   k, i, before, largest) {
  for (k = 1; k <= num_kinds; k++) {
    split("", before)
    for (i = 1; i <= num_keys; i++) {
      take(keys[i])
      if (cell[2] != kinds[k] || !is_good)
        continue
      if (1 in before && before[3] == cell[3])
        show_growth(kinds[k], before)
      before[1] = cell[1]; before[3] = cell[3]; before[4] = cell[4]; before[5] = cell[5]; before[6] = cell[6]
    }
    if (1 in before)
      largest = largest sprintf("%s%s: %s documents, %.3g s, %d MB", largest ? ";\n" : "", kinds[k], before[1],
        before[4], before[6])
  }
  printf "\nThe largest that ran:\n%s.\n", largest
}

# ---- 10^9 documents --------------------------------------------------------------------------------------------------

# Passes, and sweeps with sequential passes, for G shards, and the seconds of a document in each: the figures of
# mpi_model.py in README.md ("What training by many processes costs").
function passes_of(G) {
  return 4.7 * G ^ 0.18
}

function moves_of(G) {
  return 21 * G ^ 0.33
}

function solver_growth(G) {
  return (34 * passes_of(G) + 6.7 * moves_of(G)) / (34 * passes_of(threads) + 6.7 * moves_of(threads))
}

# Seconds of the network (Ethernet of 10 Gb/s) and of joining the moves, for one convex problem by P processes and
# shards.
function network(P,   latency, joining) {
  latency = 30e-6 * ceiling(log(P) / log(2))
  joining = P ^ 2 * 136 / 2 / 4e9 + P * 136 / 1e9
  return 20 * passes_of(P) * latency + moves_of(P) * (2 * latency + 8 * P * (136 + 3) / 1.1e9 + joining)
}

# Seconds in which a process of P reads its share: once and, with values in a file, again in each product.
function reading(P, share, storage, num_products) {
  num_products *= passes_of(P) / passes_of(threads)
  return (1 + (storage == "file" ? num_products : 0)) * share * 4 * 136 / disk_speed
}

# Minutes of training on `share` documents for each of P processes, with a thread and a shard each: `times` as long as
# one C takes, by as many convex problems and products as are given.
function minutes_of(P, share, storage, times, problems, num_products,   computing) {
  computing = times * share * (outside[storage] + solver[storage] * solver_growth(P))
  return (computing + problems * network(P) + reading(P, share, storage, num_products)) / 60
}

# Figures of the largest size of each storage: seconds of a processor per document outside and inside of the solver,
# products, bytes of memory per document; and how many times the default grid costs one C, its convex problems and its products.
function find_figures(   i, one_C) {
  for (i = 1; i <= num_keys; i++) {
    take(keys[i])
    if (!is_good)
      continue
    if (cell[2] == "one C") {
      documents[cell[3]] = cell[1]
      products[cell[3]] = cell[9]
      solver[cell[3]] = (threads * solve < cell[5] ? threads * solve : cell[5]) / cell[1]
      outside[cell[3]] = cell[5] / cell[1] - solver[cell[3]]
      bytes[cell[3]] = 1e6 * cell[6] / cell[1]
      one_C[cell[1]] = cell[5]
    }
    if (cell[2] == "default grid" && cell[1] in one_C) {
      grid = cell[5] / one_C[cell[1]]
      grid_problems = cell[7]
      grid_products = cell[9]
    }
  }
}

function extrapolate(   i, s, P, processes, storages, storage, share, disk) {
  split("dense file", storages, " ")
  print ""
  for (s = 1; s <= 2; s++)
    if (storages[s] in bytes) {
      storage = storages[s]
      printf "By %s documents with values in %s, a document takes %.2f us of a processor outside of the solver, o, and %.2f us\n",
        documents[storage], s == 1 ? "memory" : "a file", 1e6 * outside[storage], 1e6 * solver[storage]
      printf "in it, s, at one C, with %s products; and %.0f bytes of memory.\n", products[storage], bytes[storage]
    }
  if (grid)
    printf "The default grid takes %.1f times one C, with %s products.\n", grid, grid_products
  print ""
  print "| processes | values | memory of each, GB | disk of each, GB | network and joining, s | reading, s |" \
    " one C, min | default grid, min |"
  print "|---|---|---|---|---|---|---|---|"
  split("8 64 512", processes, " ")
  for (s = 1; s <= 2; s++)
    for (i = 1; i <= 3; i++) {
      storage = storages[s]
      P = processes[i]
      share = 1e9 / P
      if (!(storage in bytes))
        continue
      disk = (storage == "file" ? 2 : 1) * share * 4 * 136 / 1e9 # the cache, and the file of the rows
      printf "| %d | %s | %.1f | %.0f | %.2f | %.0f | %s | %s |\n", P, storage, share * bytes[storage] / 1e9, disk,
        network(P), reading(P, share, storage, products[storage]), short(minutes_of(P, share, storage, 1, 1, products[storage])),
        grid ? short(minutes_of(P, share, storage, grid, grid_problems, grid_products)) : "-"
    }
}

END {
  head()
  for (i = 1; i <= num_keys; i++) {
    take(keys[i])
    show()
  }
  exponents()
  find_figures()
  for (i in documents)
    is_known = 1
  if (is_known)
    extrapolate()
}
