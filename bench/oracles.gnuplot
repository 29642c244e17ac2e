# oracles.gnuplot: plots cold medians against documents, from times.tsv in a folder.
#   gnuplot -c oracles.gnuplot FOLDER
cd ARG1
set terminal svg size 1000,560 font "sans,13"
set output "times.svg"
set datafile separator "\t"
set logscale xy
set xlabel "documents"
set ylabel "microseconds per call (median, cold)"
set key outside right top
set grid
rows(method, loss, levels, temperature) = sprintf("< awk -F '\\t' '$1==\"time\" && $2==\"%s\" && $3==\"%s\" && $4==%d && $6==\"0.1\" && $7==\"%s\" {print $5 \"\\t\" $9}' times.tsv | sort -n", method, loss, levels, temperature)
plot rows("scipy", "ndcg@10", 5, "cold") with linespoints title "scipy, NDCG\\@10, 5 levels", \
     rows("hungarian", "ndcg@10", 5, "growth") with linespoints title "hungarian, the same", \
     rows("shortest-path", "ndcg@10", 5, "growth") with linespoints title "shortest-path, the same", \
     rows("runs", "ndcg@10", 5, "growth") with linespoints linewidth 2 title "runs, the same", \
     rows("runs", "ndcg@100", 5, "growth") with linespoints title "runs, NDCG\\@100, 5 levels", \
     rows("runs", "ndcg", 5, "growth") with linespoints title "runs, NDCG, 5 levels", \
     rows("runs", "eru", 5, "growth") with linespoints title "runs, ERU, 5 levels", \
     rows("runs", "mrr", 2, "growth") with linespoints title "runs, MRR", \
     rows("runs", "precision@10", 2, "growth") with linespoints title "runs, Precision\\@10", \
     rows("qsort", "ndcg@10", 5, "cold") with linespoints dashtype 2 title "qsort\\_r of the scores"
