#!/usr/bin/env python3
# plot.py - a picture (SVG) of what rstd-bench or peers.py has written with --json
#
# SPDX-License-Identifier: Apache-2.0
"""Draws results as an SVG file.

Of jobs: bars, rstd and plain C as fractions of the read limit. Of a sweep: a heat map of one ratio, a panel for each
inner length, outer lengths upwards, reduced lengths to the right. Needs nothing but Python.
"""

import argparse
import json
import sys
from xml.sax.saxutils import escape

DTYPES = ("f32", "f16", "bf16")
INK, PAPER, FAINT = "#222222", "#ffffff", "#dddddd"
BLUE, ORANGE = "#0072b2", "#e69f00"  # of Okabe and Ito: told apart by every eye
# (upper end, colour): cividis, dark is slow; and a scale with its middle at 1, from red to blue.
LIMIT_SCALE = [(0.01, "#00224e"), (0.03, "#1f3a6f"), (0.1, "#434e6c"), (0.2, "#61656f"), (0.4, "#7d7c78"),
               (0.6, "#9f9a75"), (0.8, "#c9b866"), (9e9, "#fee838")]
RIVAL_SCALE = [(0.5, "#b2182b"), (0.67, "#ef8a62"), (1, "#fddbc7"), (1.5, "#d1e5f0"), (3, "#92c5de"), (10, "#4393c3"),
               (9e9, "#2166ac")]
RATIOS = {"limit": ("rstd / read limit", LIMIT_SCALE), "plain": ("rstd / plain C", RIVAL_SCALE),
          "peer": ("rstd / the better of numpy and PyTorch", RIVAL_SCALE)}


class Picture:
    """Collects SVG elements; every coordinate is in pixels from the top left corner."""

    def __init__(self):
        self.parts = []

    def rect(self, x, y, width, height, colour):
        self.parts.append('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>' % (x, y, width, height, colour))

    def line(self, x1, y1, x2, y2, colour=INK):
        self.parts.append('<path d="M%.1f %.1fL%.1f %.1f" stroke="%s"/>' % (x1, y1, x2, y2, colour))

    def squares(self, corners, size, colour):
        """Many of one size and colour in one element, which keeps the file small."""
        path = "".join("M%d %dh%dv%dh-%dz" % (x, y, size, size, size) for x, y in corners)
        self.parts.append('<path d="%s" fill="%s"/>' % (path, colour))

    def text(self, x, y, text, size=11, anchor="start", turn=0):
        self.parts.append('<text x="%.1f" y="%.1f" font-size="%g" text-anchor="%s"%s>%s</text>' % (
            x, y, size, anchor, ' transform="rotate(%d %.1f %.1f)"' % (turn, x, y) if turn else "", escape(text)))

    def write(self, path, width, height):
        with open(path, "w", encoding="utf-8") as file:
            file.write('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" '
                       'fill="%s">\n<rect width="100%%" height="100%%" fill="%s"/>\n' % (width, height, INK, PAPER))
            file.write("\n".join(self.parts) + "\n</svg>\n")


def median(row, key):
    return row[key]["median"] if key in row else None


def by_dtype(rows):
    return [(dtype, [row for row in rows if row["dtype"] == dtype]) for dtype in DTYPES
            if any(row["dtype"] == dtype for row in rows)]


def draw_bars(rows, title, path):
    names = list(dict.fromkeys(row["job"] for row in rows))
    left, top, panel, step = 190, 64, 300, 19
    bottom = top + step * len(names)
    unit = (panel - 110) / 1.1  # pixels of a fraction of 1; numbers stand to the right
    picture = Picture()
    picture.text(10, 20, title, 14)
    for column, (colour, label) in enumerate(((BLUE, "rstd"), (ORANGE, "plain C, two passes"))):
        picture.rect(10 + 70 * column, 29, 10, 10, colour)
        picture.text(24 + 70 * column, 38, label)
    picture.text(230, 38, "as fractions of the read limit (the line at 1); numbers: rstd / limit, GB/s of input")
    for index, name in enumerate(names):
        picture.text(left - 8, top + step * index + 12, name, anchor="end")
    for column, (dtype, group) in enumerate(by_dtype(rows)):
        x = left + panel * column
        picture.text(x, top - 6, dtype, 12)
        for row in group:
            y = top + step * names.index(row["job"])
            ours, limit = median(row, "rstd_gbs"), median(row, "limit_gbs")
            ratio = median(row, "rstd_over_limit")
            picture.rect(x, y + 2, unit * min(ratio, 1.1), 8, BLUE)
            if "plain_gbs" in row:
                picture.rect(x, y + 10, unit * min(median(row, "plain_gbs") / limit, 1.1), 5, ORANGE)
            picture.text(x + unit * 1.1 + 4, y + 12, "%.1f / %.1f" % (ours, limit), 10)
        for tenth in (0, 5, 10):
            picture.line(x + unit * tenth / 10, top, x + unit * tenth / 10, bottom, INK if tenth != 5 else FAINT)
            picture.text(x + unit * tenth / 10, bottom + 14, "%g" % (tenth / 10), 10, "middle")
    picture.write(path, left + panel * len(by_dtype(rows)), bottom + 24)


def short(length):
    for unit, name in ((10**6, "M"), (10**3, "k")):
        if length >= unit:
            return "%.3g%s" % (length / unit, name)
    return str(length)


def colour_of(value, scale):
    return next(colour for end, colour in scale if value < end)


def draw_scale(picture, x, y, scale):
    start = 0
    for end, colour in scale:
        picture.rect(x, y - 10, 12, 12, colour)
        label = "from %g" % start if end > 1e9 else "%g to %g" % (start, end)
        picture.text(x + 16, y, label, 10)
        x, start = x + 84, end


def draw_panel(picture, x, bottom, cells, outers, reduceds, size, scale):
    """cells: (outer, reduced) to value. Outer lengths upwards from bottom, reduced lengths to the right from x."""
    for _, colour in scale:
        corners = [(x + size * reduceds.index(reduced), bottom - size * (outers.index(outer) + 1))
                   for (outer, reduced), value in cells.items() if colour_of(value, scale) == colour]
        if corners:
            picture.squares(corners, size - 1, colour)
    for index, reduced in enumerate(reduceds):
        if any(key[1] == reduced for key in cells):
            picture.text(x + size * index + size - 2, bottom + 4, short(reduced), 8, "end", -90)


def draw_sweep(rows, ratio, title, path):
    label, scale = RATIOS[ratio]
    key = "rstd_over_" + ratio
    outers, reduceds, inners = (sorted({row["shape"][axis] for row in rows}) for axis in range(3))
    left, top, size = 60, 84, 11
    width, y = 0, top
    picture = Picture()
    picture.text(10, 20, "%s: std over the middle axis of outer x reduced x inner" % label, 14)
    picture.text(10, 38, title, 11)
    draw_scale(picture, 10, 58, scale)
    for dtype, group in by_dtype(rows):
        x, bottom = left, y + size * len(outers)
        picture.text(10, y - 8, dtype, 13)
        for index, outer in enumerate(outers):
            picture.text(left - 4, bottom - size * index - 2, short(outer), 8, "end")
        for inner in inners:
            cells = {tuple(row["shape"][:2]): row[key]["median"] for row in group if row["shape"][2] == inner}
            if not cells:
                continue
            picture.text(x, y - 8, "inner " + short(inner), 10)
            draw_panel(picture, x, bottom, cells, outers, reduceds, size, scale)
            x += max(size * sum(any(k[1] == reduced for k in cells) for reduced in reduceds), 52) + 12
        width, y = max(width, x), bottom + 60
    picture.write(path, max(width, 700), y - 20)


def machine(results):
    about = results.get("versions", results)
    return "%s, %s, rstd %s (%s), threads: %d" % (
        about["cpu"], about["date"], about.get("rstd") or about["version"], about["isa"], results.get("threads", 1))


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            results = json.load(file)
        return results, results["jobs"] if "jobs" in results else results["rows"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit("plot.py: %s: not readable as results of rstd-bench or peers.py: %s" % (path, error))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="JSON of `rstd-bench --json` or `peers.py --sweep --json`")
    parser.add_argument("picture", help="the SVG file to write")
    parser.add_argument("--ratio", choices=RATIOS, help="of a sweep: what to draw (default: peer if it is there, else limit)")
    options = parser.parse_args()
    results, rows = load(options.results)
    is_sweep = rows and all(row["job"] == "x".join(map(str, row["shape"])) for row in rows)
    ratio = options.ratio or ("peer" if rows and "rstd_over_peer" in rows[0] else "limit")
    if not rows or (not is_sweep and "rstd_over_limit" not in rows[0]) or "rstd_over_" + ratio not in rows[0]:
        sys.exit("plot.py: %s: no results that can be drawn" % options.results)
    try:
        if is_sweep:
            draw_sweep(rows, ratio, machine(results), options.picture)
        else:
            draw_bars(rows, machine(results), options.picture)
    except OSError as error:
        sys.exit("plot.py: %s" % error)


if __name__ == "__main__":
    main()
