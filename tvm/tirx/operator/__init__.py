"""Operations of the kernel language."""
