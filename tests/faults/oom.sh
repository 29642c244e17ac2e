#!/bin/sh
# oom.sh: every 37th allocation fails; make check-oom fails all of them.
exec "${FAULT_OOM:?FAULT_OOM names the program}" 37
