"""Tx.ptx: the families of PTX instructions, by their mnemonics. Source: PTX ISA, Instruction Set."""

from dataclasses import dataclass

from tvm.script.table import unknown_member

# Mnemonics; in names the dots are underscores.
_MNEMONICS = (
    "abs", "activemask", "add", "and", "applypriority", "atom", "bar", "barrier", "bfe", "bfi", "bfind", "bmsk", "brev", "clmad",
    "clusterlaunchcontrol", "clz", "cnot", "copysign", "cos", "cp", "createpolicy", "cvt", "cvt.pack", "cvta", "discard", "div",
    "dp2a", "dp4a", "elect.sync", "ex2", "fabric", "fence", "fma", "fns", "getctarank", "griddepcontrol", "isspacep", "ld",
    "ldmatrix", "ldu", "lg2", "lop3", "mad", "mad24", "mapa", "match", "max", "mbarrier", "min", "mma", "mov", "movmatrix", "mul",
    "mul24", "multimem.cp", "multimem.ld_reduce", "multimem.red", "multimem.red.async", "multimem.st", "multimem.st.async", "neg",
    "not", "or", "popc", "prefetch", "prefetchu", "prmt", "rcp", "red", "red.async", "redux.sync", "rem", "rsqrt", "sad", "selp",
    "set", "setmaxnreg", "setp", "shf", "shfl.sync", "shl", "shr", "sin", "slct", "spcompress", "spdecompress", "sqrt", "st",
    "st.async", "st.bulk", "stmatrix", "sub", "szext", "tanh", "tcgen05", "tensormap.cp_fenceproxy", "tensormap.replace", "testp",
    "vote.sync", "wgmma", "xor",
)  # fmt: skip
# Beside families apache-tvm has wrappers of values there, which only the forms of instructions take.
_LATER = frozenset({"SINK", "addr", "pred"})


@dataclass(frozen=True)
class Family:
    """All instructions of one mnemonic."""

    mnemonic: str

    @property
    def name(self) -> str:
        """The name in Tx.ptx, without the underscore that Python keywords may have there."""
        return self.mnemonic.replace(".", "_")

    def __getattr__(self, name: str) -> object:
        """Say that there are no modifiers yet."""
        # A copy that is being made has no mnemonic yet.
        label = vars(self).get("mnemonic", type(self).__name__)
        msg = f"Tx.ptx.{label} has no {name!r}: the forms of PTX instructions are not part of this version"
        raise AttributeError(msg, name=name, obj=self)


FAMILIES = {family.name: family for family in map(Family, _MNEMONICS)}


class PtxNamespace:
    """The families as attributes: `Tx.ptx.cvt_pack`. A trailing underscore is dropped, for those that are Python keywords."""

    def __getattr__(self, name: str) -> Family:
        """Return the family of this name."""
        family = FAMILIES.get(name) or FAMILIES.get(name.removesuffix("_"))
        if family is not None:
            return family
        later = ": the forms of PTX instructions are not part of this version" if name in _LATER else ""
        raise AttributeError(unknown_member("Tx.ptx", name, FAMILIES) + later, name=name, obj=self)

    def __getitem__(self, text: str) -> Family:
        """Return the family by its mnemonic: `Tx.ptx["cvt.pack"]`."""
        family = FAMILIES.get(text.replace(".", "_"))
        if family is None:
            raise KeyError(unknown_member("Tx.ptx", text, [family.mnemonic for family in FAMILIES.values()]))
        return family

    def __dir__(self) -> list[str]:
        return sorted(FAMILIES)
