"""The tables and the plot of deploy/bench --growth."""

import dataclasses
import html
import json
import math

import law


@dataclasses.dataclass
class Series:
    """One measure of one thing that grows."""
    name: str
    # What grows, and the unit of the measure.
    x: str
    y: str
    points: list = dataclasses.field(default_factory=list)
    note: str = ""

    @property
    def law(self):
        return law.law(self.points) if len(self.points) > 1 else None

    @property
    def verdict(self):
        if not self.law:
            return "one point only"
        return f"{self.law}, exponent {law.exponent(self.points):.2f}, {law.last_exponent(self.points):.2f} at the end"

    def text(self):
        lines = [f"{self.name}: {self.verdict}", f"  {self.x:>14}  {self.y}"]
        lines += [f"  {x:14,.0f}  {y:,.3f}" if y < 100 else f"  {x:14,.0f}  {y:,.0f}" for x, y in self.points]
        return "\n".join(lines + [f"  {self.note}"] * bool(self.note))


def plot(series, machine):
    """Returns an SVG with one panel for each series, on logarithmic scales, so that each law has its own slope."""
    wide, high, columns = 320, 210, 2
    rows = math.ceil(len(series) / columns)
    parts = []
    for number, one in enumerate(series):
        left, top = number % columns * (wide + 60) + 60, number // columns * (high + 80) + 60
        parts.append(f'<text x="{left}" y="{top - 8}" font-weight="bold">{html.escape(one.name)}</text>')
        parts.append(f'<rect x="{left}" y="{top}" width="{wide}" height="{high}" fill="none" stroke="#a0aec0"/>')
        xs, ys = ([math.log10(each[axis]) for each in one.points] for axis in (0, 1))
        # Both axes have the same number of decades, so that a linear law has the slope 1 in each panel.
        span = max(max(xs) - min(xs), max(ys) - min(ys), 1)
        y_low = (max(ys) + min(ys) - span) / 2
        place = [(left + 10 + (x - min(xs)) / span * (wide - 20), top + high - 10 - (y - y_low) / span * (high - 20))
                 for x, y in zip(xs, ys)]
        parts.append('<polyline fill="none" stroke="#2b6cb0" points="' + " ".join(f"{x:.1f},{y:.1f}" for x, y in place) + '"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#2b6cb0"/>' for x, y in place]
        for index in {0, len(place) - 1}:
            value = one.points[index][1]
            shown = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
            anchor = "start" if index == 0 else "end"
            parts.append(f'<text x="{place[index][0]:.1f}" y="{place[index][1] - 8:.1f}" text-anchor="{anchor}">{shown}</text>')
        parts.append(
            f'<text x="{left}" y="{top + high + 16}">{one.points[0][0]:,.0f} to {one.points[-1][0]:,.0f} {html.escape(one.x)}:'
            f' {html.escape(one.verdict)}</text><text x="{left}" y="{top + high + 31}">{html.escape(one.y)}</text>')
    width, height = columns * (wide + 60) + 40, rows * (high + 80) + 50
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">'
        f'<rect width="{width}" height="{height}" fill="white"/><text x="10" y="20">{html.escape(machine)}</text>'
        + "".join(parts) + "</svg>\n")


def write(folder, series, head, made):
    folder.mkdir(parents=True, exist_ok=True)
    text = "\n\n".join(["\n".join(head), *(one.text() for one in series)])
    (folder / "growth.txt").write_text(text + "\n")
    (folder / "growth.svg").write_text(plot(series, head[0]))
    (folder / "growth.json").write_text(json.dumps(
        {"made": made, "series": [{**dataclasses.asdict(one), "verdict": one.verdict} for one in series]}, indent=1) + "\n")
    return text
