"""Operations on whole tiles, which a backend implements in several variants."""
