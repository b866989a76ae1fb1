import pytest

from tvm.support._cache import environment
from tvm.support._cache.flow import NotCachedError


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "LANG",
        "LC_ALL",
        "CPATH",
        "C_INCLUDE_PATH",
        "CPLUS_INCLUDE_PATH",
        "LIBRARY_PATH",
        "LD_LIBRARY_PATH",
        "LD_RUN_PATH",
        "COMPILER_PATH",
        "SOURCE_DATE_EPOCH",
        "GCC_COLORS",
        "SDKROOT",
        "MACOSX_DEPLOYMENT_TARGET",
        "CFLAGS",
        "TZ",
    ],
)
def test_what_changes_a_product_belongs_to_the_key(name: str) -> None:
    assert environment.relevant({name: "x", "HOME": "/home/me", "SECRET": "s"}, debug=False) == {name: "x"}


@pytest.mark.parametrize(
    "name",
    [
        "CCC_OVERRIDE_OPTIONS",
        "QA_OVERRIDE_GCC3_OPTIONS",
        "DEPENDENCIES_OUTPUT",
        "SUNPRO_DEPENDENCIES",
        "GCC_COMPARE_DEBUG",
        "GCC_EXEC_PREFIX",
        "LD_PRELOAD",
        "LD_AUDIT",
        "CC_PRINT_OPTIONS",
        "CLANG_CONFIG_FILE_USER_DIR",
        "MALLOC_CHECK_",
        "MALLOC_PERTURB_",
    ],
)
def test_what_makes_a_compiler_do_other_things_is_refused(name: str) -> None:
    with pytest.raises(NotCachedError, match=name):
        environment.relevant({name: "x"}, debug=False)
    assert environment.relevant({name: ""}, debug=False) in ({}, {name: ""})


@pytest.mark.parametrize("name", ["MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_MAX_", "MALLOC_ARENA_MAX"])
def test_how_much_memory_is_kept_changes_nothing(name: str) -> None:
    """A worker of dask finds what a process without dask has put into the cache."""
    assert environment.relevant({name: "65536", "PATH": "/bin"}, debug=False) == {"PATH": "/bin"}


def test_the_folder_as_the_shell_names_it_stands_in_debug_information() -> None:
    assert environment.relevant({"PWD": "/here"}, debug=True) == {"PWD": "/here"}
    assert environment.relevant({"PWD": "/here"}, debug=False) == {}
