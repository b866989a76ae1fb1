"""A g++ that stands in for gcc: it includes files, makes a product of all it has read, and writes the lists that gcc writes."""

from tests.unit.stand_in import MakeStandIn, StandIn

# The product is every file that was read, in order: two products are the same if what they were made from is.
_BODY = """
import re
folders = [arg[2:] for arg in args if arg.startswith("-I")]
system = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[0]))), "system")
libraries = [arg[2:] for arg in args if arg.startswith("-L")] + [os.path.join(system, "lib")]
def value(flag):
    return args[args.index(flag) + 1] if flag in args else ""
def write(path, text):
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
if "-###" in args:
    where = os.path.dirname(os.path.abspath(sys.argv[0]))
    print("COMPILER_PATH=" + where)
    print("LIBRARY_PATH=" + ":".join(libraries))
    print(" cc1plus " + " ".join(args[:-1]))
    print(" ld " + " ".join("-L" + folder for folder in libraries) + " " + " ".join(a for a in args if a.startswith("-l")))
    sys.exit(0)
if "-E" in args:
    print('#include "..." search starts here:')
    print("#include <...> search starts here:")
    for folder in folders + [os.path.join(system, "include")]:
        print(" " + folder)
    print("End of search list.")
    sys.exit(0)
inputs = [arg for before, arg in zip([""] + args, args) if not arg.startswith("-") and before not in ("-o", "-MF", "-x")]
listed, linked, product = [], [], []
def find(name, places):
    for place in places:
        path = os.path.join(place, name)
        if os.path.isfile(path):
            return path
    return ""
def read(path):
    listed.append(path)
    with open(path) as file:
        text = file.read()
    product.append(text)
    for name in re.findall(r'#include [<"](.+)[>"]', text):
        found = find(name, [os.path.dirname(path) or ".", *folders, os.path.join(system, "include")])
        if not found:
            sys.exit(name + ": no such file")
        read(found)
for path in inputs:
    if path.endswith((".cc", ".c")):
        read(path)
    else:
        linked.append(path)
        with open(path, "rb") as file:
            product.append(file.read().decode("latin-1"))
for arg in args:
    if arg.startswith("-l"):
        found = find("lib" + arg[2:] + ".so", libraries)
        if not found:
            sys.exit(arg + ": no such library")
        linked.append(found)
        with open(found) as file:
            product.append(file.read())
    if arg.startswith("-Wl,--dependency-file="):
        write(arg.partition("=")[2], "out: " + " ".join(linked) + "\\n")
options = [arg for arg in args if arg.startswith(("-O", "-D"))]
write(value("-o"), "\\n".join([*options, *product]))
if "-MF" in args:
    write(value("-MF"), "out: " + " ".join(name.replace("$", "$$").replace("#", "\\\\#").replace(" ", "\\\\ ") for name in listed) + "\\n")
"""


def put(stand_in: MakeStandIn) -> StandIn:
    """Put g++ and the two programs that it starts on PATH."""
    stand_in("cc1plus")
    stand_in("ld", output="--dependency-file FILE")
    return stand_in("g++", body=_BODY, makes=False)
