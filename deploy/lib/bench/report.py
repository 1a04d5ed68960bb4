"""Tables for people, JSON for programs, and a plot."""

import html
import json
import os
import pathlib
import platform
import statistics


def machine():
    model = next(
        (line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
         if line.startswith("model name")), platform.machine())
    memory = int(pathlib.Path("/proc/meminfo").read_text().split()[1]) / 1048576
    return f"{os.cpu_count()} × {model}, {memory:.0f} GiB, {platform.system()} {platform.release()}"


def medians(rounds):
    """Of each number over the rounds."""
    return {key: statistics.median(one[key] for one in rounds) for key in rounds[0]}


def table(results):
    lines = []
    for case, peers in results.items():
        reference = peers["gatefold"]
        download = case.startswith("download")
        lines.append(f"\n{case}")
        heads = ("MB/s" if download else "req/s", "ours/it", "p50 µs", "p99 µs",
                 "CPU s/GB" if download else "CPU s/100k", "MiB")
        lines.append(f"  {'':28}" + "".join(f"{head:>12}" for head in heads))
        for name, told in peers.items():
            key = "bytes_per_second" if download else "per_second"
            shown = told[key] / 1e6 if download else told[key]
            cpu = told["cpu_per_gigabyte" if download else "cpu_per_100000"]
            lines.append(
                f"  {name:28}{shown:12,.0f}{reference[key] / told[key]:12.2f}{told['p50']:12,.0f}{told['p99']:12,.0f}"
                f"{cpu:12.2f}{told['resident']:12.0f}")
    return "\n".join(lines)


def bars(results, rules):
    """The project's own bars, and whether this run clears them."""
    lines = []
    for case, ours, peer, key, least in rules:
        peers = results.get(case, {})
        if ours not in peers or peer not in peers:
            continue
        ratio = peers[ours][key] / peers[peer][key]
        met = ratio >= least if least > 0 else ratio <= -least
        sign = "≥" if least > 0 else "≤"
        lines.append(
            f"  {'met   ' if met else 'MISSED'}  {case}: {ours} / {peer} ({key}) = {ratio:.2f}, bar {sign} {abs(least):.2f}")
    return "\n".join(lines)


def plot(results):
    """Horizontal bars: throughput as a share of the fastest of each case. Self-contained SVG."""
    rows, y = [], 40
    for case, peers in results.items():
        key = "bytes_per_second" if case.startswith("download") else "per_second"
        most = max(told[key] for told in peers.values())
        rows.append(f'<text x="10" y="{y}" font-weight="bold">{html.escape(case)}</text>')
        y += 8
        for name, told in peers.items():
            width = 420 * told[key] / most
            colour = "#2b6cb0" if name == "gatefold" else "#a0aec0"
            shown = f"{told[key] / 1e6:,.0f} MB/s" if key == "bytes_per_second" else f"{told[key]:,.0f}/s"
            rows.append(f'<rect x="190" y="{y}" width="{width:.1f}" height="14" fill="{colour}"/>')
            rows.append(f'<text x="182" y="{y + 11}" text-anchor="end">{html.escape(name)}</text>')
            rows.append(f'<text x="{196 + width:.1f}" y="{y + 11}">{shown}</text>')
            y += 18
        y += 24
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="760" height="{y}" font-family="sans-serif" font-size="12">'
        f'<rect width="760" height="{y}" fill="white"/><text x="10" y="18">{html.escape(machine())}</text>'
        + "".join(rows) + "</svg>\n")


def write(results, folder, settings, verdict):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bench.json").write_text(
        json.dumps({"machine": machine(), "settings": settings, "medians": results}, indent=1) + "\n")
    (folder / "bench.svg").write_text(plot(results))
    (folder / "bench.txt").write_text(machine() + "\n" + table(results) + "\n\n" + verdict + "\n")
