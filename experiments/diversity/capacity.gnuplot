# NDCG@10, relevance counted once a group, against how many documents of a group
# may stand in front.
set terminal svg size 640, 400 font "sans-serif, 13"
set output "capacity.svg"
set datafile separator "\t"
set xlabel "documents of a group in front"
set ylabel "NDCG@10, repeats irrelevant"
set key right top
set xrange [0.5:10.5]
plot "capacity.tsv" every ::1 using 2:3 with linespoints title "all queries", \
     "" every ::1 using 2:5 with linespoints title "queries with repeats"
