"""The kernel language's core: pipelines, code generators, dispatch. A loaded backend NAME is here as tvm.tirx.NAME too."""
