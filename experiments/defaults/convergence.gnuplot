# plot.gnuplot: draws primal value, dual value and gap against seconds at C = 10.
#   gnuplot -c plot.gnuplot FOLDER OUTPUT
# `run` writes the files of passes into FOLDER.
folder = ARG1
set terminal svg size 900,700 dynamic background "white" font "sans,12"
set output ARG2
set multiplot layout 2,2 title "Cutting planes at C = 10, from the ridge start"
set logscale x
set format x "%g"
set xlabel "seconds"
set key left bottom
do for [data in "mq2008 artificial"] {
  set title data
  unset logscale y
  set format y "%g"
  set ylabel "objective"
  set yrange [0:*]
  plot folder."/passes-".data."-10.tsv" using 1:2 with linespoints pt 7 ps 0.4 title "primal", \
       folder."/passes-".data."-10.tsv" using 1:3 with lines dt 2 title "dual"
  set logscale y
  set format y "%g"
  set ylabel "relative gap"
  set yrange [1e-5:1]
  plot folder."/passes-".data."-10.tsv" using 1:4 with linespoints pt 7 ps 0.4 notitle
}
unset multiplot
