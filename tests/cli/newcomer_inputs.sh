#!/bin/sh
# newcomer_inputs.sh: a hundred kinds of input with what dorm predict must make of each: the scores, or a message that
# names the place. The model adds the first value and ten times the second one, and a missing value is .5 or .25, so a
# number that is read as another one shows. Then the screens of a terminal of 80 x 24.
. "${srcdir:-.}/tests/cli/lib.sh"

printf '%s\n' 'dorm model 1' 'normalisation none' 'rank_block 0' 'missing 1 0.5' 'missing 2 0.25' 'feature 1 1' \
  'feature 2 10' 'end 2' > txt.dorm
sed 's/^normalisation/setting data.columns = a, b\n&/' txt.dorm > csv.dorm
ln -s csv.dorm tsv.dorm

# The kind of file, what must be said, and the file as a format of printf. What begins with a digit are scores, and,
# behind &, a warning; everything else is part of the message of exit code 4.
cat > inputs << 'END'
txt 12 <- 1 qid:1 1:2 2:1\n
txt 12 <- 1 qid:red-shoes 1:2 2:1\n
txt 12 <- qid:1 1:2 2:1\n
txt 12 <- 1 qid:1 1:2 2:1\r\n
txt 12 <- 1\tqid:1\t1:2\t2:1\n
txt 12 <-   1  qid:1   1:2 2:1  \n
txt 12 <- 1 qid:1 1:2 2:1 # docid = 7 1:9\n
txt 12 <- # a comment\n1 qid:1 1:2 2:1\n
txt 12 <- \n1 qid:1 1:2 2:1\n\n
txt 12 <- \357\273\2771 qid:1 1:2 2:1\n
txt 12 <- 1 qid:1 1:2e0 2:+1\n
txt 1.5000000149011612 <- 1 qid:1 1:.5 2:.1\n
txt 12 <- 1 qid:1 1:2. 2:1\n
txt 10.5 <- 1 qid:1 1:nan 2:1\n
txt 10.5 <- 1 qid:1 1:NA 2:1\n
txt 10.5 <- 1 qid:1 1:? 2:1\n
txt 10 & 1 of the 2 features of the model <- 1 qid:1 2:1\n
txt 0 & 0 of the 2 features of the model <- 1 qid:1\n
txt 12 & 2 of the 2 features of the model <- 1 qid:1 1:2 2:1 3:7\n
txt 12 & 2 of the 2 features of the model <- 1 qid:1 0:5 1:2 2:1\n
txt 12 <- 3.5 qid:1 1:2 2:1\n
txt 12 & the last line has no line end <- 1 qid:1 1:2 2:1
txt the file ends within '2:0.': it was cut short <- 1 qid:1 1:2 2:0.
txt feature 2: '' is not a finite number <- 1 qid:1 1:2 2:
txt feature 1: '0x2' is not a finite number <- 1 qid:1 1:0x2 2:1\n
txt feature 1: 'inf' is not a finite number <- 1 qid:1 1:inf 2:1\n
txt feature 1: '1e999' is not a finite number <- 1 qid:1 1:1e999 2:1\n
txt feature 1: '2,5' is not a finite number <- 1 qid:1 1:2,5 2:1\n
txt feature 1: '2:3' is not a finite number <- 1 qid:1 1:2:3 2:1\n
txt feature 1: '' is not a finite number <- 1 qid:1 1: 2:1\n
txt ':2' is not feature:value <- 1 qid:1 :2 2:1\n
txt 'a:2' is not feature:value <- 1 qid:1 a:2 2:1\n
txt feature 1: 'x' is not a finite number <- 1 qid:1 1:x 2:1\n
txt '-1:2' is not feature:value <- 1 qid:1 -1:2 2:1\n
txt '1.5:2' is not feature:value <- 1 qid:1 1.5:2 2:1\n
txt feature id in '4294967296:2' is above 4294967295 <- 1 qid:1 4294967296:2\n
txt feature id 1 does not increase after 2 <- 1 qid:1 2:1 1:2\n
txt feature id 1 does not increase after 1 <- 1 qid:1 1:2 1:2\n
txt 'x' is not feature:value <- 1 qid:1 1:2 x\n
txt 'qid:' expected after the label, not '1:2' <- 1 1:2 2:1\n
txt the query id is empty or holds a zero byte or a carriage return <- 1 qid: 1:2 2:1\n
txt 'qid:2' is not feature:value <- 1 qid:1 qid:2 1:2\n
txt 'qid:' expected after the label, not '1:2' <- 1 1:2 qid:1 2:1\n
txt label 'x' is not a finite number <- x qid:1 1:2 2:1\n
txt label 'nan' is not a finite number <- nan qid:1 1:2 2:1\n
txt label 'inf' is not a finite number <- inf qid:1 1:2 2:1\n
txt label '-1' is negative <- \0551 qid:1 1:2 2:1\n
txt feature 2: '1' is not a finite number <- 1 qid:1 1:2 2:1\000\n
txt query '1' comes back after another query <- 1 qid:1 1:2\n1 qid:2 1:2\n1 qid:1 1:2\n
txt '|' is not feature:value <- 1 qid:1 | 1:2 2:1\n
txt label '<!doctype' is not a finite number <- <!doctype html><p>404</p>\n
txt this is JSON; jq -rs  <- {"qid": 1, "a": 2}\n
txt this is JSON; jq -r ' <- [{"qid": 1, "a": 2}]\n
txt '[data]' looks like a configuration, not data <- [data]\ntrain = x\n
txt label 'exit' is not a finite number <- #!/bin/sh\nexit 0\n
txt label 'qid,label,a,b' is not a finite number <- qid,label,a,b\n1,1,2,1\n
txt label 'label' is not a finite number <- label\tqid\ta\tb\n1\t1\t2\t1\n
txt label '1,1,2,1' is not a finite number <- 1,1,2,1\n
txt 'qid:' expected after the label, not '' <- 12.5\n0.3\n
txt 'qid:' expected after the label, not 'Q0' <- 1 Q0 d1 1 0.5 run\n
txt 'qid:' expected after the label, not '0' <- 1 0 d1 1\n
txt label 'dorm' is not a finite number <- dorm model 1\nend 0\n
txt no document in it <- %s
txt no document in it <- # nothing\n\n
txt this is zip (or Excel, or .npz of numpy) <- PK\003\004xxxx
txt this is zstd, packed text <- \050\265\057\375xxxx
txt this is bzip2, packed text <- BZh91AYxxxx
txt this is xz, packed text <- \3757zXZ\000xx
txt this is Parquet, not text <- PAR1xxxx
txt this is Arrow, not text <- ARROW1\000\000xx
txt this is HDF5, not text <- \211HDF\r\n\032\nxx
txt this is a database of SQLite <- SQLite format 3\000xx
txt this is an array of numpy <- \223NUMPY\001\000xx
txt this is a pickle of Python, which may run programs when it is read <- \200\004\225xx
txt this is UTF-16 <- \377\3761\000 \000q\000
txt this is UTF-16 <- \376\377\0001\000 \000q
txt cannot read: the compressed data end too early <- \037\213\010\000xx
txt feature 2: '½' is not a finite number <- 1 qid:1 1:2 2:\302\275\n
csv 12 <- qid,label,a,b\n1,1,2,1\n
csv 12 <- query,grade,a,b\n1,1,2,1\n
csv 12 <- qid,a,b\n1,2,1\n
csv 12 <- qid;label;a;b\n1;1;2;1\n
tsv 12 <- qid\tlabel\ta\tb\n1\t1\t2\t1\n
csv 12 <- qid,label,b,a\n1,1,1,2\n
csv 12 & other columns are not used <- qid,label,a,b,c\n1,1,2,1,7\n
csv 12 <- qid,label,a,b,url\n1,1,2,1,http://x/\n
csv 12 <- qid,label,a,b\r\n1,1,2,1\r\n
csv 12 <- \357\273\277qid,label,a,b\n1,1,2,1\n
csv 12 <- qid,label,a,b\n"1","1","2","1"\n
csv 12 <- "qid","label","a","b"\n1,1,2,1\n
csv 12 <- qid,label,a,b\n1,1, 2 ,1\n
csv 12 <- qid, label, a, b\n1,1,2,1\n
csv 10.5 <- qid,label,a,b\n1,1,,1\n
csv 10.5 <- qid,label,a,b\n1,1,NA,1\n
csv 10.5 <- qid,label,a,b\n1,1,null,1\n
csv 10.5 <- qid,label,a,b\n1,1,None,1\n
csv 12 <- qid,label,a,b\n1,1,2,1\n\n
csv 12 & the last line has no line end <- qid,label,a,b\n1,1,2,1
csv there is no column "b", a feature by data.columns <- qid,label,a\n1,1,2\n
csv column "a": 'red' is not a number. If the column names documents, add --id a <- qid,label,a,b\n1,1,red,1\n
csv column "a": '2,5' is not a number (decimals need a point) <- qid;label;a;b\n1;1;2,5;1\n
csv 5 values, and the header has 4 columns <- qid,label,a,b\n1,1,2,5,1\n
csv 3 values, and the header has 4 columns <- qid,label,a,b\n1,1,2\n
csv a quoted value does not end in its line <- qid,label,a,b\n1,1,"2,1\n
csv two columns have the name "a" <- qid,label,a,a\n1,1,2,1\n
csv two columns have the name "1" <- 1,1,2,1\n1,0,3,1\n
csv there is no row behind the header <- qid,label,a,b\n
csv no column is known for the query <- label,a,b\n1,2,1\n
csv two columns have the name "label" <- qid,label,label,a,b\n1,1,1,2,1\n
csv 12 & other columns are not used <- qid,query,label,a,b\n1,1,1,2,1\n
csv query '1' comes back <- qid,label,a,b\n1,1,2,1\n2,1,2,1\n1,0,2,1\n
csv column "a": '1,234' is not a number (decimals need a point) <- qid,label,a,b\n1,1,"1,234",1\n
csv column "a": '2024-01-01' is not a number <- qid,label,a,b\n1,1,2024-01-01,1\n
csv column "a": '5%' is not a number <- qid,label,a,b\n1,1,5%%,1\n
csv column "a": 'true' is not a number <- qid,label,a,b\n1,1,true,1\n
csv column "a": '$5' is not a number <- qid,label,a,b\n1,1,$5,1\n
csv column "a": '0x2' is not a number <- qid,label,a,b\n1,1,0x2,1\n
csv column "a": 'inf' is not a number <- qid,label,a,b\n1,1,inf,1\n
csv column "label": 'x' is no label, a number from 0 up <- qid,label,a,b\n1,x,2,1\n
csv column "qid": the query is missing <- qid,label,a,b\n,1,2,1\n
csv a zero byte: this is no text <- qid,label,a,b\n1,1,2\0001,1\n
csv no column is known for the query <- 1 qid:1 1:2 2:1\n
END
count=0
while IFS= read -r row; do
  file=${row#* <- }
  answer=${row%% <- *}
  kind=${answer%% *}
  answer=${answer#* }
  # shellcheck disable=SC2059
  printf "$file" > "in.$kind"
  count=$((count + 1))
  case $answer in
    [0-9]*" values, "* | [!0-9]*)
      expect 4 "$file" "$dorm" predict $kind.dorm in.$kind
      [ ! -s out ] && tail -n 1 err | grep -qF -- "$answer"
      result $? "$file: '$answer' expected"
      ;;
    *)
      expect 0 "$file" "$dorm" predict $kind.dorm in.$kind
      [ "$(tr '\n' ' ' < out)" = "${answer%% &*} " ]
      result $? "$file: scores $(tr '\n' ' ' < out), not ${answer%% &*}"
      case $answer in
        *" & "*) grep -qF -- "${answer#* & }" err ;;
        *) ! grep -qv '^dorm: in\.[ct]sv: query ".*", label .*, 2 features$' err ;;
      esac
      result $? "$file: $answer"
      ;;
  esac
done < inputs
[ $count -ge 100 ]
result $? "$count kinds of input"

# ---- Screens

"$dorm" generate artificial -o train.txt --queries 20 -d 12 -f 5
"$dorm" generate artificial -o test.txt --queries 20 -d 12 -f 5 --part 3
"$dorm" train -q train.txt --trainer ridge --for-serving -o linear.dorm > out
awk '{ print $0, "# docid = D" NR }' test.txt > named.txt
awk '{ q = $2; sub(/qid:/, "", q); print q, "D" NR, NR % 12 + 1, NR % 2 }' test.txt > log
# screen COMMAND...: no line of what the command shows on a terminal of 80 columns is longer.
screen() {
  if command -v script > /dev/null; then
    TERM=xterm script -qec "stty cols 80 rows 24; '$dorm' $*" typescript > /dev/null 2>&1 < /dev/null
    grep -av '^Script ' typescript | tr '\r' '\n' | sed "s/$(printf '\033')\[K//g" > shown
  else
    sh -c "'$dorm' $*" > shown 2>&1
  fi
  [ -s shown ] && [ "$(LC_ALL=C.UTF-8 wc -L < shown)" -le 80 ]
  result $? "dorm $*: $(LC_ALL=C.UTF-8 awk 'length($0) > 80' shown | head -n 1)"
}
screen train train.txt -s trees.trees=20 -o model.dorm
[ -s model.dorm ]
result $? "the model of the first screen"
screen train -v train.txt test.txt --trainer svm -s solver.C=1,10 -o svm.dorm
screen train train.txt --trainer svm -s solver.C=1 -s data.test=test.txt -s trees.leaves=8 -o svm.dorm
screen train --stream train.txt -s data.test=test.txt -o stream.dorm
screen train train.txt --verbos
screen train train.txt -s data.query=x -s solver.C=3
screen train inputs -o none.dorm
screen eval model.dorm linear.dorm test.txt --chance -m ndcg@10 -m map -m ndcg@10:gain=linear,discount=letor,empty=skip
screen eval model.dorm test.txt -m nonsense@10
screen eval linear.dorm named.txt --clicks log
screen certify linear.dorm test.txt --against svm.dorm -m ndcg@10 --confidence 0.6 --keep 0.5
screen allocate --labels named.txt --groups "'docid:(D[0-9])'" --require "'share(*) >= 0.01'" --test named.txt
screen show model.dorm
screen show model.dorm test.txt --settings
screen show svm.dorm test.txt
screen data train.txt
screen data train.txt test.txt
screen probe linear.dorm test.txt --directions 20
screen report model.dorm test.txt --against linear.dorm -o page.html
screen predict model.dorm inputs
screen export --to solr model.dorm
screen split train.txt a.txt=50 b.txt=50
screen --version
screen help
screen help config
screen help formats
for command in $("$dorm" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | grep -v '^dorm$') "generate ratings" "generate clicks"; do
  screen help $command
done
finish
