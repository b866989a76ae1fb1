"""What a program has printed, kept in bounds: its beginning and its end, whatever it prints in between."""

# Bytes that are kept of the beginning and of the end. A log of this size can still be opened and searched.
HEAD, TAIL = 1 << 20, 15 << 20


class Printed:
    """Output as it comes, piece by piece."""

    def __init__(self, *, head: int = HEAD, tail: int = TAIL) -> None:
        """Keep the first `head` and the last `tail` bytes."""
        self._limits = (head, tail)
        self._head = bytearray()
        self._tail = bytearray()
        self._size = 0

    def add(self, piece: bytes) -> None:
        """Take one more piece."""
        head, tail = self._limits
        self._size += len(piece)
        room = head - len(self._head)
        self._head += piece[:room]
        self._tail += piece[room:]
        # Cut now and then, not at each piece: a cut moves all that stays.
        if len(self._tail) > 2 * tail:
            del self._tail[:-tail]

    def kept(self) -> bytes:
        """Return all of it, or beginning and end with a line between them that says how much is left out."""
        head, tail = self._limits
        cut = self._size - head - tail
        if cut <= 0:
            return bytes(self._head + self._tail)
        return b"%s\n... %d bytes of output are left out here ...\n%s" % (self._head, cut, self._tail[-tail:])


def cut(output: bytes) -> bytes:
    """Return output that is there as a whole, kept in bounds."""
    if len(output) <= HEAD + TAIL:
        return output
    printed = Printed()
    printed.add(output)
    return printed.kept()


def last_lines(output: str, count: int) -> str:
    """Return the last lines of an output: what a tool says of its failure stands there."""
    return "\n".join(output.splitlines()[-count:])
