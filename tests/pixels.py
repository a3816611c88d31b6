#!/usr/bin/env python3
"""pixels.py - whether a picture has what it is to show: pixels.py FILE.png EXPRESSION

The expression is of Python and must be true. It may use width and height, at(x, y) - red, green, blue and opacity
of a pixel - and runs(like, pixels), how many stretches of a row of pixels are like something. Pictures have 8 bits
for each of four channels, as the benchmarks write them.
"""
import struct
import sys
import zlib


def chunks(data):
    at = 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        yield kind, data[at + 8:at + 8 + length]
        at += length + 12


def predicted(left, up, corner):
    """What PNG's filter 4 calls the Paeth predictor."""
    guess = left + up - corner
    return min((left, up, corner), key=lambda value: abs(guess - value))


def unfiltered(kind, row, above):
    for i, byte in enumerate(row):
        left = row[i - 4] if i >= 4 else 0
        corner = above[i - 4] if i >= 4 else 0
        row[i] = (byte + (0, left, above[i], (left + above[i]) // 2, predicted(left, above[i], corner))[kind]) & 255
    return row


def rows_of(path):
    with open(path, "rb") as file:
        data = file.read()
    parts = list(chunks(data))
    width, height, *form = struct.unpack(">IIBBBBB", parts[0][1])
    if data[:8] != b"\x89PNG\r\n\x1a\n" or form != [8, 6, 0, 0, 0]:
        sys.exit(f"{path}: no picture as it should be: {form}")
    packed = zlib.decompress(b"".join(part for kind, part in parts if kind == b"IDAT"))
    rows, stride = [bytearray(4 * width)], 4 * width + 1
    for y in range(height):
        line = packed[y * stride:(y + 1) * stride]
        rows.append(unfiltered(line[0], bytearray(line[1:]), rows[-1]))
    return width, height, rows[1:]


def main():
    width, height, rows = rows_of(sys.argv[1])

    def at(x, y):
        return tuple(rows[y][4 * x:4 * x + 4])

    def runs(like, pixels):
        seen = [bool(like(*pixel)) for pixel in pixels]
        return sum(now and not before for before, now in zip([False] + seen, seen))

    known = {"at": at, "runs": runs, "width": width, "height": height}
    if not eval(sys.argv[2], known):
        sys.exit(f"{sys.argv[1]}: not so: {sys.argv[2]}")


main()
