"""Tags of AWS Trainium instances. Source: AWS Neuron, Trainium/Inferentia2 architecture: sizes are bytes in one partition."""

from collections.abc import Mapping


def _trn1(cores: int) -> Mapping[str, object]:
    return {
        "kind": "trn",
        "num-cores": cores,
        "partition_size": 128,
        "max_sbuf_size_per_partition": 192 << 10,
        "max_psum_size_per_partition": 16 << 10,
    }


TAGS: Mapping[str, Mapping[str, object]] = {
    "aws/trn1/trn1.2xlarge": _trn1(2),
    "aws/trn1/trn1.32xlarge": _trn1(32),
}
