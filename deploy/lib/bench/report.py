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
    memory = int(pathlib.Path("/proc/meminfo").read_text().split()[1]) * 1024 / 1e9
    return f"{os.cpu_count()} × {model}, {memory:.0f} GB, {platform.system()} {platform.release()}"


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
                 "CPU s/GB" if download else "CPU s/100k", "PSS MB")
        lines.append(f"  {'':28}" + "".join(f"{head:>12}" for head in heads))
        for name, told in peers.items():
            key = "bytes_per_second" if download else "per_second"
            shown = told[key] / 1e6 if download else told[key]
            cpu = told["cpu_per_gigabyte" if download else "cpu_per_100000"]
            lines.append(
                f"  {name:28}{shown:12,.0f}{reference[key] / told[key]:12.2f}{told['p50']:12,.0f}{told['p99']:12,.0f}"
                f"{cpu:12.2f}{told['pss_megabytes']:12.0f}")
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


def standing_bars(standings, connections, idle, minutes, growth):
    """The bars for so many idle connections (megabytes of RSS) and for memory after so many minutes of load (share that
    may differ). Fewer of either say nothing of the bar."""
    lines = []
    if told := standings.get("idle"):
        met = told["rss_megabytes"] < idle if told["connections"] >= connections else None
        lines.append(
            f"  {standing_word(met)}  {told['connections']:,} idle connections: {told['rss_megabytes']:.0f} MB"
            f" RSS, bar < {idle} with {connections:,}")
    if told := standings.get("memory"):
        met = abs(told["ratio"] - 1) <= growth if told["minutes"] >= minutes else None
        lines.append(
            f"  {standing_word(met)}  memory after {told['minutes']} minutes of load / after one ="
            f" {told['ratio']:.3f}, bar ± {growth:.0%} after {minutes}")
    return "".join("\n" + line for line in lines)


def standing_word(met):
    return "not measured" if met is None else "met   " if met else "MISSED"


class Report:
    """Everything that one run found out."""

    def __init__(self, results, standings, micro, verdict, settings):
        self.results, self.standings, self.micro = results, standings, micro
        self.verdict, self.settings = verdict.strip("\n"), settings

    @property
    def how(self):
        return (f"medians of {self.settings['rounds']} rounds of {self.settings['seconds']} s, in turns, wrk on the same"
                " machine")

    # What stands above the tables, so that nobody takes one row for another.
    FRAME = ("Where the same request comes again within a second, Gatefold sends the bytes of its answer once more, nginx always"
             " does, and the Go program works it out each time. In the rows \"never the same twice\" each request has a number"
             " of its own, and Gatefold decides and words each answer anew. It does not do all that the Go program does even then:"
             " the Go program opens each token and computes the reader's pseudonym each time, and the password and the salt of each"
             " auth-request, while Gatefold remembers what the latest tokens and good salts say, and the pseudonyms of readers, up"
             " to 20,000, 10,000 and 20,000; expiry, revocation and entitlement are looked at each time by both. With 25,000 sessions in turn"
             " there are more tokens than it remembers, and it opens each one too. Edition credentials are computed and sealed"
             " each time by both. PSS is the servers' proportional share of resident memory in the middle"
             " of the measurement, RSS all that is resident; MB are 10^6 bytes.")

    def text(self):
        parts = [machine() + "\n" + self.how + "\n" + self.FRAME, table(self.results).strip("\n")]
        if told := self.standings.get("idle"):
            parts.append(
                f"{told['connections']:,} idle connections, {told['of_admin_listener']} of them to the admin listener:"
                f" {told['rss_megabytes']:.0f} MB RSS, before {told['rss_megabytes_before']:.0f} MB,"
                f" {told['bytes_per_connection']:,.0f} bytes a connection")
        if told := self.standings.get("memory"):
            parts.append("RSS after each minute of load: "
                         + ", ".join(f"{one:.0f}" for one in told["rss_megabytes"]) + " MB")
        if self.micro:
            width = max(len(piece["name"]) for piece in self.micro)
            parts.append("nanoseconds a call, one core\n" + "\n".join(
                f"  {piece['name']:{width}}{piece['median']:12,.0f}" for piece in self.micro))
        return "\n\n".join(part for part in parts if part) + "\n\nbars\n  " + self.verdict.strip()

    def markdown(self):
        """Tables of ratios for the README."""
        lines = [f"Measured on {machine()}: {self.how}.", "", self.FRAME, ""]
        for case, peers in self.results.items():
            download = case.startswith("download")
            key, cpu = (("bytes_per_second", "cpu_per_gigabyte") if download else ("per_second", "cpu_per_100000"))
            ours = peers["gatefold"]
            unit, of = ("MB/s", "CPU s/GB") if download else ("requests/s", "CPU s/100,000")
            lines += [f"| {case} | {unit} | ours / it | p50 µs | p99 µs | {of} | PSS MB |",
                      "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
            for name, told in peers.items():
                shown = told[key] / 1e6 if download else told[key]
                lines.append(
                    f"| {name} | {shown:,.0f} | {ours[key] / told[key]:.2f} | {told['p50']:,.0f} | {told['p99']:,.0f} |"
                    f" {told[cpu]:.2f} | {told['pss_megabytes']:.0f} |")
            lines.append("")
        if self.micro:
            lines += ["| piece of the work, one core | ns a call |", "| --- | ---: |"]
            lines += [f"| {piece['name']} | {piece['median']:,.0f} |" for piece in self.micro] + [""]
        lines += ["| bar | |", "| --- | --- |"]
        for line in self.verdict.splitlines():
            met, _, bar = line.strip().partition("  ")
            lines.append(f"| {bar.strip()} | {met.strip().lower()} |")
        return "\n".join(lines)

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "bench.json").write_text(json.dumps(
            {"machine": machine(), "settings": self.settings, "medians": self.results, "standing": self.standings,
             "micro": self.micro}, indent=1) + "\n")
        (folder / "bench.svg").write_text(plot(self.results))
        (folder / "bench.txt").write_text(self.text() + "\n")
        (folder / "bench.md").write_text(self.markdown() + "\n")
