"""Whether a file or a folder is there, whatever its name is."""

import os


def is_file(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file is there. Of a name that no file can have, too long for one, it says no."""
    return os.path.isfile(path)  # noqa: PTH113 - that of Path raises for such a name


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Tell whether a folder is there. Of a name that no folder can have it says no."""
    return os.path.isdir(path)  # noqa: PTH112 - that of Path raises for such a name
