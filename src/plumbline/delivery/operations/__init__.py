"""Operations: when one begins by itself, how it is tried again, and what is remembered of it. Pure."""
