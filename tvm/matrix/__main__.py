"""`python -m tvm.matrix`: run, list, explain and look after the cells of matrix.yaml."""

import sys

from tvm.matrix.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
