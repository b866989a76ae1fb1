"""The environment variables that a compiler's product may depend on."""

import re
from collections.abc import Mapping

from tvm.support._cache.flow import NotCachedError

_RELEVANT = re.compile(
    r"PATH|LANG|LC_\w+|TZ|SOURCE_DATE_EPOCH|CPATH|\w*_INCLUDE_PATH|LIBRARY_PATH|COMPILER_PATH|\w*LD_\w+|LDEMULATION|GNUTARGET"
    r"|GCC_\w+|COLLECT_\w+|CLANG_\w+|LLVM_\w+|CC_\w+|SDKROOT|\w+_DEPLOYMENT_TARGET|DEVELOPER_DIR|ZERO_AR_DATE|DISTCC_\w+"
    r"|AS|LD|CFLAGS|CXXFLAGS|CPPFLAGS|LDFLAGS|ASFLAGS|XDG_CONFIG_HOME|GLIBC_TUNABLES|GOMP_\w+|FORCE_\w+"
)
# How much memory the allocator keeps (mallopt(3)): no product depends on it, and dask sets the first in each of its workers.
_MEMORY = re.compile(r"MALLOC_(TRIM_THRESHOLD_|MMAP_THRESHOLD_|MMAP_MAX_|TOP_PAD_|ARENA_MAX|ARENA_TEST)")
# With one of these a compiler does what its command line does not say, or writes what nobody here expects.
_UNCERTAIN = re.compile(
    r"CCC_\w+|QA_OVERRIDE_\w+|DEPENDENCIES_OUTPUT|SUNPRO_DEPENDENCIES|GCC_COMPARE_DEBUG|GCC_EXEC_PREFIX|LD_PRELOAD|LD_AUDIT"
    r"|LD_DEBUG\w*|LD_PROFILE\w*|CC_(PRINT|LOG)_\w+|CLANG_CONFIG\w*|MALLOC_\w+|CL|_CL_|DYLD_INSERT_LIBRARIES"
)


def relevant(environment: Mapping[str, str], *, debug: bool) -> dict[str, str]:
    """Return the variables that belong to a key; with `debug` information PWD is one. NotCachedError where one is uncertain."""
    uncertain = (name for name, value in environment.items() if value and _UNCERTAIN.fullmatch(name))
    if found := [name for name in uncertain if not _MEMORY.fullmatch(name)]:
        msg = f"{min(found)} is set"
        raise NotCachedError(msg)
    kept = {name: value for name, value in sorted(environment.items()) if _RELEVANT.fullmatch(name)}
    return kept | ({"PWD": environment.get("PWD", "")} if debug else {})
