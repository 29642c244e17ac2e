#!/bin/sh
# mpi.sh: dorm-mpi makes the model of dorm to the last bit, whatever the number of processes and threads.
exit 77
