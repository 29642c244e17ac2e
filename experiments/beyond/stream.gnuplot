# plot.gnuplot: draws test quality and regret against the queries seen.
#   gnuplot -c plot.gnuplot QUALITY PROGRESS OUTPUT
quality = ARG1
progress = ARG2
set terminal svg size 700,380 dynamic background "white" font "sans,12"
set output ARG3
set datafile separator "\t"
set multiplot layout 1,2
set logscale x
set xlabel "queries seen"
set key right bottom
set title "NDCG\\@10 on test queries"
plot for [column=2:6] quality using 1:column with linespoints pt 7 ps 0.4 title columnheader(column)
set key right top
set title "regret of the progressive NDCG\\@10"
plot progress using 1:4 with linespoints pt 7 ps 0.4 notitle
unset multiplot
