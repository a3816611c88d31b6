#!/usr/bin/env python3
"""Looks at drawings of hetero-info and hetero-calibrate: python3 tests/drawing.py FILE.svg...

Each must be well-formed; its texts lie on the page and on no other text; nothing is drawn outside the page.
"""
import re
import sys
import xml.etree.ElementTree as tree

SIZES = {"head": 18, "name": 13, "small": 11, "band": 10}
SVG = "{http://www.w3.org/2000/svg}"


def box_of(text):
    """Left, top, right, bottom, of letters as wide as those of usual fonts are on average."""
    classes = text.get("class").split()
    px = next(SIZES[c] for c in classes if c in SIZES)
    width = 0.56 * px * len(text.text or "")
    x, y = float(text.get("x")), float(text.get("y"))
    if "middle" in classes or "band" in classes:
        x -= width / 2
    elif "end" in classes:
        x -= width
    return x, y - 0.75 * px, x + width, y + 0.1 * px


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def faults(path):
    root = tree.parse(path).getroot()
    width, height = float(root.get("width")), float(root.get("height"))
    texts = [(t.text or "", box_of(t)) for t in root.iter(SVG + "text")]
    if not texts:
        yield "no text"
    for i, (text, box) in enumerate(texts):
        if box[0] < 0 or box[1] < 0 or box[2] > width or box[3] > height:
            yield "'%s' is not on the page" % text
        for other, its in texts[:i]:
            if overlap(box, its):
                yield "'%s' lies on '%s'" % (text, other)
    for shape in root.iter(SVG + "rect"):
        x, y = float(shape.get("x")), float(shape.get("y"))
        if x < 0 or y < 0 or x + float(shape.get("width")) > width or y + float(shape.get("height")) > height:
            yield "a box is not on the page"
        if float(shape.get("width")) < 0 or float(shape.get("height")) < 0:
            yield "a box is turned inside out"
    for shape in root.iter(SVG + "path"):
        if re.search("nan|inf", shape.get("d") + (shape.get("transform") or "")):
            yield "a path goes nowhere"
    for line in root.iter(SVG + "polyline"):
        if re.search("nan|inf", line.get("points")):
            yield "a line goes nowhere"


def main():
    bad = 0
    for path in sys.argv[1:]:
        for fault in faults(path):
            print("%s: %s" % (path, fault))
            bad = 1
    return bad


sys.exit(main())
