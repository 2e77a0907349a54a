"""A layered drawing of a graph without cycles, as SVG: a small version of the method of Sugiyama, Tagawa and Toda (1981).

Each node is in the layer below the lowest node that points to it. An edge over several layers goes through an empty place in
each. Sweeps over the layers order the nodes by the mean of their neighbours. Everything starts in the order given: the same
graph yields the same text.
"""

import html
import re

WIDTH, HEIGHT, ACROSS, DOWN = 142, 62, 14, 42  # a box, and the space between two boxes
LANE = 26  # the width of an edge that crosses a layer
MARGIN, BAR = 16, 46
LINE = 22  # characters per line in a box

STYLE = """
  svg { --back: #ffffff; --ink: #1f2328; --soft: #59636e; --box: #f6f8fa; --rim: #8c959f; --bar: #ddf4ff; }
  @media (prefers-color-scheme: dark) {
    svg { --back: #0d1117; --ink: #e6edf3; --soft: #9da7b1; --box: #161b22; --rim: #6e7681; --bar: #12304f; }
  }
  text { font-family: system-ui, sans-serif; text-anchor: middle; fill: var(--ink); }
  .name { font-size: 14px; font-weight: 600; }
  .does { font-size: 11px; fill: var(--soft); }
  .back { fill: var(--back); }
  .box { fill: var(--box); stroke: var(--rim); }
  .bar { fill: var(--bar); stroke: var(--rim); }
  .edge { fill: none; stroke: var(--rim); stroke-width: 1.4; }
  .head { fill: var(--rim); }
"""


def reduced(edges):
    """Transitive reduction: drops the edges that a longer path implies."""
    below = {}

    def reach(node):
        if node not in below:
            below[node] = set().union(*({target} | reach(target) for target in edges.get(node, ())))
        return below[node]

    return {node: [target for target in sorted(targets) if not any(target in reach(other) for other in targets)] for node, targets in edges.items()}


def ranks(nodes, edges):
    """{node: layer}, 0 on top."""
    rank = {node: 0 for node in nodes}
    for _ in nodes:
        for node in nodes:
            for target in edges[node]:
                if target in rank:
                    rank[target] = max(rank[target], rank[node] + 1)
    return rank


class Band:
    """Nodes in layers, with dummy nodes for the edges that cross a layer."""

    def __init__(self, nodes, edges):
        rank = ranks(nodes, edges)
        self.rows = [[node for node in nodes if rank[node] == layer] for layer in range(max(rank.values()) + 1)]
        self.paths = []
        for node in nodes:
            for target in (target for target in edges[node] if target in rank):
                passed = [(node, target, layer) for layer in range(rank[node] + 1, rank[target])]
                for place in passed:
                    self.rows[place[2]].append(place)
                self.paths.append([node, *passed, target])
        self.x = {}
        self.place()

    def place(self):
        """Sweeps determine the order (barycentre heuristic), with the nodes of a row side by side; then every row moves below the
        mean of the nodes that point to it."""
        above, both = {}, {}
        for path in self.paths:
            for one, other in zip(path, path[1:]):
                above.setdefault(other, []).append(one)
                both.setdefault(other, []).append(one)
                both.setdefault(one, []).append(other)
        for row in self.rows:
            self.spread(row, {node: 0 for node in row})
        for sweep in range(24):
            for row in self.rows[::1 if sweep % 2 else -1]:
                wanted = {node: mean([self.x[other] for other in both.get(node, [node])]) for node in row}
                row.sort(key=lambda node: wanted[node])
                self.spread(row, {node: 0 for node in row})
        for row in self.rows[1:]:
            self.spread(row, {node: mean([self.x[other] for other in above[node]]) for node in row})

    def spread(self, row, wanted):
        """As close to the wanted positions as the sizes allow: pushes apart from the left, then shifts back by the mean
        displacement."""
        at = float("-inf")
        for node, former in zip(row, [None, *row]):
            at = max(wanted[node], at + (size(former) + size(node)) / 2 + ACROSS if former else at)
            self.x[node] = at
        shift = mean([wanted[node] - self.x[node] for node in row])
        for node in row:
            self.x[node] += shift


def mean(values):
    return sum(values) / len(values)


def size(node):
    return LANE if isinstance(node, tuple) else WIDTH


def wrapped(text):
    """The beginning of a description in at most two lines: up to a colon, then as many comma-separated parts as fit."""
    parts, lines = re.split(r"[:;]", text)[0].split(", "), [""]
    for number, part in enumerate(parts):
        trial = list(lines)
        for word in (part + ("," if number + 1 < len(parts) else "")).split():
            if trial[-1] and len(trial[-1]) + 1 + len(word) > LINE:
                trial.append(word)
            else:
                trial[-1] = (trial[-1] + " " + word).strip()
        if len(trial) > 2:
            break
        lines = trial
    lines[-1] = lines[-1].rstrip(",")
    return lines


def box(name, does, x, y):
    lines = wrapped(does)
    top = y + 25 if len(lines) > 1 else y + 30
    return [f'<rect class="box" x="{x - WIDTH / 2:.0f}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>',
            f'<text class="name" x="{x:.0f}" y="{top - 4}">{html.escape(name)}</text>',
            *(f'<text class="does" x="{x:.0f}" y="{top + 12 + 13 * k}">{html.escape(line)}</text>' for k, line in enumerate(lines))]


def curve(points):
    """A path through points of (x, top, bottom): straight inside a layer, curved between two."""
    text = f"M{points[0][0]:.0f} {points[0][2]}"
    for (x, _, bottom), (to, top, after) in zip(points, points[1:]):
        middle = (bottom + top) / 2
        text += f" C{x:.0f} {middle:.0f} {to:.0f} {middle:.0f} {to:.0f} {top}" + (f" V{after}" if after != top else "")
    return f'<path class="edge" marker-end="url(#head)" d="{text}"/>'


def ends(paths, x, index):
    """{path: x}: the edges of one box begin (index 0) or end (-1) side by side, in the order of their other ends."""
    found = {}
    for node in {path[index] for path in paths}:
        mine = sorted((path for path in paths if path[index] == node), key=lambda path: x[path[1 if index == 0 else -2]])
        step = min(18, (WIDTH - 30) / len(mine))
        found.update({tuple(path): x[node] + step * (k - (len(mine) - 1) / 2) for k, path in enumerate(mine)})
    return found


def shapes_of(band, y, does):
    """Boxes and edges of a band whose top is at y, and the position of each row."""
    tops = [y + layer * (HEIGHT + DOWN) for layer in range(len(band.rows))]
    row_of = {node: layer for layer, row in enumerate(band.rows) for node in row}
    starts, stops = ends(band.paths, band.x, 0), ends(band.paths, band.x, -1)
    shapes = []
    for path in band.paths:
        x = [starts[tuple(path)], *(band.x[node] for node in path[1:-1]), stops[tuple(path)]]
        points = [(x[k], tops[row_of[node]], tops[row_of[node]] + HEIGHT) for k, node in enumerate(path)]
        points[-1] = (x[-1], points[-1][1] - 5, points[-1][1] - 5)
        shapes.append(curve(points))
    for row, top in zip(band.rows, tops):
        for node in row:
            shapes += box(node.rstrip("/"), does[node], band.x[node], top) if isinstance(node, str) else []
    return shapes, {node: tops[row_of[node]] for node in row_of}


def svg(bar, groups, edges, does):
    """Two bands, the users above the bar and the library below it. A user that includes no other user points to the bar."""
    edges = reduced(edges)
    bands = [Band(group, edges) for group in groups]
    reach = [(min(band.x[node] - size(node) / 2 for node in band.x), max(band.x[node] + size(node) / 2 for node in band.x)) for band in bands]
    width = max(right - left for left, right in reach) + 2 * MARGIN
    for band, (left, right) in zip(bands, reach):
        for node in band.x:
            band.x[node] += width / 2 - (left + right) / 2
    bar_y = MARGIN + len(bands[0].rows) * (HEIGHT + DOWN)
    below = bar_y + BAR + DOWN
    above_shapes, above = shapes_of(bands[0], MARGIN, does)
    below_shapes, lower = shapes_of(bands[1], below, does)
    height = below + len(bands[1].rows) * (HEIGHT + DOWN) - DOWN + MARGIN
    crossing = []
    for node in groups[0]:
        x, bottom = bands[0].x[node], above[node] + HEIGHT
        if not any(target in above for target in edges[node]):
            crossing.append(f'<path class="edge" marker-end="url(#head)" d="M{x:.0f} {bottom} V{bar_y - 5}"/>')
    label = f"{bar.rstrip('/')}: the public interface, which every folder may include"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
        "<title>The folders of wavec: an arrow points to what a folder includes</title>",
        "<!-- Made by scripts/includes.py from the includes of the sources. -->", f"<style>{STYLE}</style>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="3" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
        '<path class="head" d="M0 0 L8 4 L0 8 z"/></marker></defs>',
        f'<rect class="back" width="{width:.0f}" height="{height:.0f}"/>', *above_shapes, *crossing,
        f'<rect class="bar" x="{MARGIN}" y="{bar_y}" width="{width - 2 * MARGIN:.0f}" height="{BAR}" rx="6"/>',
        f'<text class="name" x="{width / 2:.0f}" y="{bar_y + BAR / 2 + 5:.0f}">{html.escape(label)}</text>', *below_shapes, "</svg>", ""])
