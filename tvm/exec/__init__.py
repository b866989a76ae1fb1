"""Programs of their own: each stands alone and imports the standard library and cloudpickle only."""
