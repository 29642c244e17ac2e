# plot.gnuplot: draws test quality, regret and gap against the queries seen. Its variables are the tables `quality` and
# `progress`, and `output`.
set terminal svg size 1000,380 dynamic background "white" font "sans,12"
set output output
set datafile separator "\t"
set multiplot layout 1,3
set logscale x
set xlabel "queries seen"
set key right bottom
set title "NDCG\\@10 on test queries"
plot for [column=2:8] quality using 1:column with linespoints pt 7 ps 0.4 title columnheader(column)
set key right top
set title "regret of the progressive NDCG\\@10"
plot for [name in "sequential subgradient"] progress using 2:(strcol(1) eq name ? $5 : NaN) with linespoints pt 7 ps 0.4 title name
set title "relative gap of the window"
set logscale y
set format y "10^{%T}"
plot for [name in "sequential subgradient"] progress using 2:(strcol(1) eq name ? column(6) : NaN) with linespoints pt 7 ps 0.4 title name
unset multiplot
