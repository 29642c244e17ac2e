#!/bin/sh
# oom.sh: lets the first allocation of each place in the code fail; make check-oom lets all of them fail in turn.
exec "${FAULT_OOM:?FAULT_OOM names the program}" places
