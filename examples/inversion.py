"""The example of Leusch, Ueffing & Ney 2003: a moved block costs one operation."""

import hyperbaton as hb

reference = ["we", "will", "meet", "at", "noon", "in", "the", "lobby"]
system = ["we", "will", "meet", "in", "the", "lobby", "at", "twelve", "o'clock"]

parse = hb.inversion_parse(reference, system)
print(parse)
for operation in parse.operations:
    if operation.kind != "match":
        print(f"{operation.kind:12}{operation}")
rates = [rate([system], [[reference]]) for rate in (hb.per, hb.invwer, hb.cder, hb.wer)]
print("  ".join(f"{rate.name} {rate.value:.3f}" for rate in rates))
