#!/usr/bin/env python3
"""timeline2svg.py - a picture of a timeline that HETERO_TRACE wrote, as SVG.

usage: timeline2svg.py [--from MS] [--to MS] [--title TEXT] FILE.json >PICTURE.svg

Draws what is in the file and nothing else: a row per device and thread, time from the left to the right in
milliseconds since the first event, arrows that lead from one row to another. What takes less than two pixels is
drawn two wide. Shows the first system of the file.
"""
import argparse
import itertools
import json
import math
import sys
from xml.sax.saxutils import escape

LEFT, RIGHT, TOP, WIDTH, HEIGHT, GAP = 130, 16, 62, 1000, 34, 22
COLOURS = {  # of a category: fill, text
    "kernel": ("#3b6fb6", "#ffffff"),
    "transfer": ("#e69138", "#3a2200"),
    "fill": ("#7a9e3f", "#ffffff"),
    "wait": ("#d5d8dd", "#444444"),
    "other": ("#8e6bb0", "#ffffff"),
}
NAMES = {"kernel": "kernel", "transfer": "transfer", "fill": "fill", "wait": "the host waits",
         "other": "host function and other"}


def read(path):
    with open(path, encoding="utf-8") as file:
        events = [e for e in json.load(file) if e["pid"] == 1]
    about = [e for e in events if e["ph"] == "M"]  # the rows; a kernel may have any name
    rows = {e["tid"]: {"name": e["args"]["name"]} for e in about if e["name"] == "thread_name"}
    for e in about:
        if e["name"] == "thread_sort_index":
            rows[e["tid"]]["rank"] = e["args"]["sort_index"]
    return events, rows


def kind(event):
    return event["cat"] if event["cat"] in COLOURS else "other"


class Picture:
    def __init__(self, events, rows, begin, end):
        self.begin, self.scale = begin, (WIDTH - LEFT - RIGHT) / (end - begin)
        self.slices = [e for e in events if e["ph"] == "X" and e["ts"] < end and e["ts"] + e["dur"] > begin]
        self.end = end
        used = {e["tid"] for e in self.slices}
        order = sorted((t for t in rows if t in used), key=lambda t: rows[t]["rank"])
        self.top = {tid: TOP + i * (HEIGHT + GAP) for i, tid in enumerate(order)}
        self.names = {tid: rows[tid]["name"] for tid in order}
        ends = {}  # of arrows, by their numbers
        for e in events:
            if e["ph"] == "f":
                ends.setdefault(e["id"], []).append(e)
        self.arrows = [(a, b) for a in events if a["ph"] == "s" for b in ends.get(a["id"], [])
                       if a["tid"] != b["tid"]]
        self.height = TOP + len(order) * (HEIGHT + GAP) + 34

    def x(self, ts):
        return LEFT + (min(max(ts, self.begin), self.end) - self.begin) * self.scale

    def axis(self):
        span = (self.end - self.begin) / 1000  # ms
        step = next(s for n in itertools.count(-2) for s in (10.0 ** n, 2 * 10.0 ** n, 5 * 10.0 ** n)
                    if span / s <= 12)
        bottom = self.height - 34
        for i in range(int(span / step) + 1):
            x = LEFT + i * step * 1000 * self.scale
            yield f'<path d="M{x:.1f} {TOP - 8}V{bottom}" stroke="#e4e7eb"/>'
            last = ' ms' if i == int(span / step) else ''
            yield f'<text x="{x:.1f}" y="{bottom + 16}" fill="#666" text-anchor="middle">{i * step:.12g}{last}</text>'

    def slice(self, e):
        left, right, y = self.x(e["ts"]), self.x(e["ts"] + e["dur"]), self.top[e["tid"]]
        width = max(right - left, 2)
        fill, ink = COLOURS[kind(e)]
        if "error" in e["args"]:
            fill, ink = "#c0392b", "#ffffff"
        hint = escape(e["args"].get("reason") or e["args"].get("arrays") or e["name"])
        yield (f'<rect x="{left:.1f}" y="{y}" width="{width:.1f}" height="{HEIGHT}" rx="{2 if width > 6 else 0}" '
               f'fill="{fill}" stroke="#fff" stroke-width="{0.6 if width > 3 else 0}"><title>{hint}</title></rect>')
        room = int((width - 8) / 6.6)  # letters
        name = e["name"] if len(e["name"]) <= room else e["name"].split(" ")[0]
        if 0 < len(name) <= room:
            yield (f'<text x="{left + width / 2:.1f}" y="{y + HEIGHT / 2 + 4}" fill="{ink}" '
                   f'text-anchor="middle">{escape(name)}</text>')

    def arrow(self, a, b):
        if a["ts"] < self.begin or b["ts"] > self.end or a["tid"] not in self.top or b["tid"] not in self.top:
            return
        down = self.top[b["tid"]] > self.top[a["tid"]]
        x, y = self.x(a["ts"]), self.top[a["tid"]] + (HEIGHT if down else 0)
        to, end = self.x(b["ts"]), self.top[b["tid"]] + (0 if down else HEIGHT)
        half = (end - y) / 2
        yield (f'<path d="M{x:.1f} {y}C{x:.1f} {y + half:.1f} {to:.1f} {end - half:.1f} {to:.1f} {end}" fill="none" '
               'stroke="#333" stroke-opacity=".55" marker-end="url(#tip)"/>')

    def legend(self):
        x = LEFT
        for name in COLOURS:
            if any(kind(e) == name for e in self.slices):
                yield f'<rect x="{x}" y="33" width="12" height="12" rx="2" fill="{COLOURS[name][0]}"/>'
                yield f'<text x="{x + 17}" y="43.5" fill="#444">{NAMES[name]}</text>'
                x += 40 + int(6.3 * len(NAMES[name]))

    def lines(self, title):
        yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" width="{WIDTH}" '
               f'height="{self.height}" font-family="DejaVu Sans,Helvetica,Arial,sans-serif" font-size="11">')
        yield ('<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" '
               'orient="auto"><path d="M0 0L8 4L0 8z" fill="#333"/></marker></defs>')
        yield f'<rect width="{WIDTH}" height="{self.height}" fill="#fff"/>'
        yield f'<text x="{LEFT}" y="21" font-size="13" fill="#222">{escape(title)}</text>'
        yield from self.legend()
        yield from self.axis()
        for tid, y in self.top.items():
            yield (f'<text x="{LEFT - 10}" y="{y + HEIGHT / 2 + 4}" text-anchor="end" '
                   f'fill="#222">{escape(self.names[tid])}</text>')
        for e in sorted(self.slices, key=lambda e: -e["dur"]):
            yield from self.slice(e)
        for a, b in self.arrows:
            yield from self.arrow(a, b)
        yield "</svg>"


def main():
    parser = argparse.ArgumentParser(description="A picture of a timeline that HETERO_TRACE wrote, as SVG.")
    parser.add_argument("file", metavar="FILE.json")
    parser.add_argument("--from", dest="begin", type=float, default=0, metavar="MS", help="since the first event")
    parser.add_argument("--to", type=float, metavar="MS")
    parser.add_argument("--title", default="", metavar="TEXT")
    options = parser.parse_args()
    events, rows = read(options.file)
    slices = [e for e in events if e["ph"] == "X"]
    if not slices:
        sys.exit(f"{options.file}: nothing happens in it")
    first = min(e["ts"] for e in slices)
    begin = first + options.begin * 1000
    end = first + options.to * 1000 if options.to is not None else max(e["ts"] + e["dur"] for e in slices)
    if not (begin < end and math.isfinite(end - begin)):
        parser.error("there is no time between --from and --to, or the end")
    print("\n".join(Picture(events, rows, begin, end).lines(options.title)))


main()
