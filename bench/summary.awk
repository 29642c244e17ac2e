# summary.awk: turns the lines of oracle_bench into tables: medians of cold calls in
# microseconds, for scores of scale 0.1, and how many times faster than scipy they are.
$1 == "time" && $7 == "cold" && $6 == "0.1" {
  key = $3 SUBSEP $4 SUBSEP $5
  time[key, $2] = $9
  spread[key, $2] = sprintf("%s-%s", $10, $11)
  if (!(key in seen)) {
    seen[key] = 1
    keys[++count] = key
  }
}
$1 == "reference" && $7 == "cold" && $6 == "0.1" { reference[$3, $4, $5] = $9 }
$1 == "growth" { growth[++num_growth] = $0 }
$1 == "memory" { memory[++num_memory] = $0 }
$1 == "difference" { difference = $3 }

function ratio(x, y) {
  return x != "" && y > 0 ? sprintf("%.1f", x / y) : "-"
}

function shown(x) {
  return x == "" ? "-" : x
}

END {
  print "cold medians, microseconds (quartiles of auto)"
  format = "%-13s %6s %6s %10s %21s %10s %10s %13s %10s %12s %10s\n"
  printf format, "loss", "levels", "docs", "auto", "quartiles", "t = -0.3", "qsort", "shortest-path", "hungarian", "scipy", "scipy/auto"
  for (i = 1; i <= count; i++) {
    split(keys[i], part, SUBSEP)
    k = keys[i]
    printf format, part[1], part[2], part[3], time[k, "auto"], spread[k, "auto"], shown(reference[k]), time[k, "qsort"], shown(time[k, "shortest-path"]), shown(time[k, "hungarian"]), shown(time[k, "scipy"]), ratio(time[k, "scipy"], time[k, "auto"])
  }
  if (difference != "")
    print "\nlargest difference from scipy's value, relative to max |c g| + max |a b|: " difference
  print "\ngrowth exponents: slope of log median against log documents"
  for (i = 1; i <= num_growth; i++) {
    split(growth[i], part, "\t")
    printf "%-13s %-13s %2s levels, %6s to %6s documents: %s\n", part[2], part[3], part[4], part[5], part[6], part[7]
  }
  print "\npeak memory of a process that solves one query, KiB"
  for (i = 1; i <= num_memory; i++) {
    split(memory[i], part, "\t")
    printf "%-13s %7s documents: %7s\n", part[2], part[3], part[4]
  }
}
