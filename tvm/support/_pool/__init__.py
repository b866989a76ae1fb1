"""The process pool of `tvm.support.popen_pool`: its supervisor, its workers, its threads."""
