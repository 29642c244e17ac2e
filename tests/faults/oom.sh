#!/bin/sh
# oom.sh: lets every 37th allocation fail; make check-oom lets all of them fail in turn.
exec "${FAULT_OOM:?FAULT_OOM names the program}" 37
