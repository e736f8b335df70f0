"""Uniform numbers of a named stream: Philox4x32-10 (Salmon, Moraes, Dror and Shaw, SC 2011).

The key is the seed; the counter is the number of the block and the 64-bit FNV-1a hash of the stream's name. Two numbers
of 53 bits come from each block.
"""

MASK = 0xFFFFFFFF
MULTIPLIERS, WEYL = (0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)


def fnv1a(text):
    """FNV-1a, 64 bits."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return value


def block(counter, key):
    """Four words of 32 bits."""
    a, b, c, d = counter
    k, m = key
    for _ in range(10):
        first, second = MULTIPLIERS[0] * a, MULTIPLIERS[1] * c
        a, b, c, d = (second >> 32) ^ b ^ k, second & MASK, (first >> 32) ^ d ^ m, first & MASK
        k, m = (k + WEYL[0]) & MASK, (m + WEYL[1]) & MASK
    return a, b, c, d


def uniforms(seed, name):
    """Yields the numbers of the stream `name`."""
    key, label, number = (seed & MASK, seed >> 32), fnv1a(name), 0
    while True:
        a, b, c, d = block((number & MASK, number >> 32, label & MASK, label >> 32), key)
        yield ((a | b << 32) >> 11) / 2**53
        yield ((c | d << 32) >> 11) / 2**53
        number += 1
