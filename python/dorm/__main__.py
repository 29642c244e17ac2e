"""`python -m dorm`, and `dorm` in the scripts of an environment with the wheel, run the command."""

import os
import sys

from ._library import command


def main():
    path = command()
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
