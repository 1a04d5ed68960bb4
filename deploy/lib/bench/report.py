"""Creates tables, JSON and a plot."""

import dataclasses
import html
import json
import statistics
import textwrap

UNITS = {
    "per_second": "requests/s", "bytes_per_second": "MB/s", "p99": "p99", "open_p99": "p99 at half of the rate",
    "cpu_per_gigabyte": "CPU s/GB", "cpu_per_100000": "CPU s/100,000"}
DOWNLOADS = {
    "gatefold": "our own file server", "nginx, asking gatefold": "nginx that asks us, `deploy/fronts`"}


def medians(rounds):
    """Returns the median of each number over the rounds."""
    return {key: statistics.median(one[key] for one in rounds) for key in rounds[0]}


def all_medians(measured):
    return {case: {peer: medians(rounds) for peer, rounds in peers.items()} for case, peers in measured.items()}


def is_download(case):
    return case.startswith("download")


def is_handshake(case):
    return "handshakes" in case


def spread(rounds, key, divisor=1):
    """Returns the lowest and the highest round."""
    found = [one[key] / divisor for one in rounds]
    return f"{min(found):,.0f}–{max(found):,.0f}"


def table(measured):
    """Returns a table with the medians of each case and server, and the lowest and highest round of the throughput."""
    lines = []
    for case, peers in measured.items():
        result = {peer: medians(rounds) for peer, rounds in peers.items()}
        download = is_download(case)
        key, divisor = ("bytes_per_second", 1e6) if download else ("per_second", 1)
        lines.append(f"\n{case}")
        lines.append(
            f"  {'':24}{'MB/s' if download else 'req/s':>9}{'low–high':>18}{'ours/it':>9}{'p50 µs':>9}{'p99 µs':>9}"
            f"{'p99 half':>10}{'CPU s/GB' if download else 'CPU s/100k':>12}{'PSS MB':>8}{'RSS MB':>8}")
        for name, one in result.items():
            cpu = one["cpu_per_gigabyte" if download else "cpu_per_100000"]
            half = f"{one['open_p99']:,.0f}" if "open_p99" in one else "–"
            lines.append(
                f"  {name:24}{one[key] / divisor:9,.0f}{spread(peers[name], key, divisor):>18}"
                f"{result['gatefold'][key] / one[key]:9.2f}{one['p50']:9,.0f}{one['p99']:9,.0f}{half:>10}{cpu:12.2f}"
                f"{one['pss_megabytes']:8,.0f}{one['rss_megabytes']:8,.0f}")
        if "open_rate" in result["gatefold"]:
            lags = "/".join(f"{one['open_lag_p99']:,.0f}" for one in result.values() if "open_rate" in one)
            lines.append(
                f"  p99 half: at {result['gatefold']['open_rate']:,.0f} requests/s; the generator was late by {lags} µs (p99)")
    return "\n".join(lines)


@dataclasses.dataclass
class Bar:
    """A bar of the project, and the value that this run reached, or None if this run did not measure it."""
    case: str
    compared: str
    by: str
    wanted: str
    reached: float | None = None
    # None: not measured, or not enough for this bar.
    met: bool | None = None

    @property
    def shown(self):
        return "–" if self.reached is None else f"{self.reached:,.3f}" if self.reached < 100 else f"{self.reached:,.0f}"

    @property
    def word(self):
        return "not measured" if self.met is None else "yes" if self.met else "missed"


def bars(results, rules):
    """Returns the bars of the project, and whether this run meets them."""
    found = []
    for case, ours, peer, key, least in rules:
        bar = Bar(case, f"{ours} / {peer}", UNITS[key], f"{'≥' if least > 0 else '≤'} {abs(least):.2f}")
        peers = results.get(case, {})
        if key in peers.get(ours, {}) and key in peers.get(peer, {}):
            bar.reached = peers[ours][key] / peers[peer][key]
            bar.met = bar.reached >= least if least > 0 else bar.reached <= -least
        found.append(bar)
    return found


def standing_bars(standings, connections, idle, minutes, growth):
    """Returns the bars for idle plain connections (limit in megabytes of RSS) and for memory after minutes of load (permitted
    relative change). A run with fewer connections or minutes does not count for the bar."""
    waiting = Bar(f"{connections:,} idle connections", "gatefold", "RSS MB", f"≤ {idle}")
    if result := standings.get("idle"):
        waiting.case, waiting.reached = f"{result['connections']:,} idle connections", result["rss_megabytes"]
        if result["connections"] >= connections:
            waiting.met = waiting.reached <= idle
        else:
            waiting.wanted += f" with {connections:,}"
    worked = Bar(f"{minutes} minutes of load", "last / first minute", "RSS", f"1 ± {growth:.2f}")
    if result := standings.get("memory"):
        worked.case, worked.reached = f"{result['minutes']} minutes of load", result["ratio"]
        if result["minutes"] >= minutes:
            worked.met = abs(worked.reached - 1) <= growth
        else:
            worked.wanted += f" after {minutes}"
    return [waiting, worked]


def bar_lines(verdict):
    """Returns one line for each bar."""
    rows = [("", "reached", "wanted", "by", "compared", "case")]
    rows += [
        (bar.word.upper() if bar.met is False else bar.word, bar.shown, bar.wanted, bar.by, bar.compared, bar.case)
        for bar in verdict]
    wide = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        f"  {word:{wide[0]}}  {reached:>{wide[1]}}  {wanted:{wide[2]}}  {by:{wide[3]}}  {compared:{wide[4]}}  {case}"
        for word, reached, wanted, by, compared, case in rows)


def plot(results, machine):
    """Returns a self-contained SVG with horizontal bars: the throughput relative to the fastest server of each case."""
    rows, y = [], 40
    for case, peers in results.items():
        key = "bytes_per_second" if is_download(case) else "per_second"
        most = max(result[key] for result in peers.values())
        rows.append(f'<text x="10" y="{y}" font-weight="bold">{html.escape(case)}</text>')
        y += 8
        for name, result in peers.items():
            width = 420 * result[key] / most
            colour = "#2b6cb0" if name == "gatefold" else "#a0aec0"
            shown = f"{result[key] / 1e6:,.0f} MB/s" if key == "bytes_per_second" else f"{result[key]:,.0f}/s"
            rows.append(f'<rect x="190" y="{y}" width="{width:.1f}" height="14" fill="{colour}"/>')
            rows.append(f'<text x="182" y="{y + 11}" text-anchor="end">{html.escape(name)}</text>')
            rows.append(f'<text x="{196 + width:.1f}" y="{y + 11}">{shown}</text>')
            y += 18
        y += 24
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="760" height="{y}" font-family="sans-serif" font-size="12">'
        f'<rect width="760" height="{y}" fill="white"/><text x="10" y="18">{html.escape(machine)}</text>'
        + "".join(rows) + "</svg>\n")


def markdown_table(heads, rows):
    """Returns a Markdown table with right-aligned numbers."""
    return "\n".join(
        "| " + " | ".join(row) + " |" for row in [heads, ["---"] + ["---:"] * (len(heads) - 1), *rows])


def ratio(peers, ours, peer, key):
    return f"{peers[ours][key] / peers[peer][key]:.2f}" if key in peers[ours] and key in peers.get(peer, {}) else "–"


def calls_table(results):
    """Returns Gatefold's results for the cases with requests, relative to the peers. Empty if there are none."""
    rows = []
    for case, peers in results.items():
        if is_download(case) or is_handshake(case):
            continue
        ours = peers["gatefold"]
        half = f"{ours['open_p99'] / 1000:.3f}" if "open_p99" in ours else "–"
        rows.append([
            case, f"{ours['per_second']:,.0f}",
            *(ratio(peers, "gatefold", peer, "per_second") for peer in ("nginx return", "go", "php-fpm")),
            f"{ours['p50'] / 1000:.3f}", f"{ours['p99'] / 1000:.3f}", ratio(peers, "gatefold", "go", "p99"), half,
            ratio(peers, "gatefold", "go", "open_p99"), f"{ours['cpu_per_100000']:.1f}", f"{ours['rss_megabytes']:,.0f}"])
    return rows and markdown_table(
        ["64 connections", "requests/s", "of nginx", "of Go", "of PHP-FPM", "p50 ms", "p99 ms", "p99, of Go's",
         "p99 ms at half of the rate", "of Go's", "CPU s/100,000", "RSS MB"], rows)


def handshakes_table(results):
    rows = [
        [case, f"{peers['gatefold']['per_second']:,.0f}",
         *(ratio(peers, "gatefold", peer, key) for key in ("per_second", "cpu_per_100000") for peer in ("nginx return", "go"))]
        for case, peers in results.items() if is_handshake(case)]
    return rows and markdown_table(
        ["16 at a time", "handshakes/s", "of nginx", "of Go", "CPU, of nginx's", "CPU, of Go's"], rows)


def downloads_table(results):
    rows = [
        [f"{case.removeprefix('download ')}, {words}", f"{peers[name]['bytes_per_second'] / 1e6:,.0f}",
         ratio(peers, name, "nginx", "bytes_per_second"), ratio(peers, name, "nginx", "cpu_per_gigabyte")]
        for case, peers in results.items() if is_download(case) for name, words in DOWNLOADS.items() if name in peers]
    return rows and markdown_table(["downloads", "MB/s", "of nginx alone", "CPU s/GB, of nginx's"], rows)


class Report:
    """The results of one run: the numbers of each round for each case and peer."""

    def __init__(self, measured, standings, micro, verdict, settings, made):
        self.measured, self.results = measured, all_medians(measured)
        self.standings, self.micro, self.verdict, self.settings, self.made = standings, micro, verdict, settings, made

    @property
    def machine(self):
        made = self.made
        return f"{made['cores']} × {made['cpu']}, {made['memory_gigabytes']:.0f} GB, {made['kernel']}"

    @property
    def head(self):
        """The origin of the figures, without unknown parts."""
        made = self.made
        parts = [
            made.get("commit") and f"commit {made['commit']}{', changed since' if made['changed'] else ''}",
            made.get("swift") and f"Swift {made['swift']}", made.get("build") and f"swift build {made['build']}",
            *(f"{name} {made[key]}" for name, key in (
                ("nginx", "nginx"), ("Go", "go"), ("PHP-FPM", "php-fpm"), ("wrk", "wrk")) if made.get(key))]
        how = (f"medians of {self.settings['rounds']} rounds of {self.settings['seconds']} s, in turns, load on the same machine;"
               f" {made['at']}")
        return [line for line in (self.machine, "; ".join(part for part in parts if part), how) if line]

    # The text above the tables, which explains the differences between the rows.
    FRAME = ("No request is repeated: each contains another number, and tokens, credentials or readers in turn. The Go program"
             " does the same work and writes the same responses. It opens each token and computes the reader's pseudonym each"
             " time, as well as the password and the salt of each auth-request. Gatefold caches the contents of the latest tokens"
             " and valid salts and the pseudonyms of readers, up to 20,000, 10,000 and 20,000; with 25,000 sessions in turn there"
             " are more tokens than the cache holds. Both check expiry, revocation and entitlement each time. For sign_in both"
             " query the SQLite file that Gatefold made from a feed of readers, compare a salted SHA-256 and count the attempts"
             " of each reader and address. The Go program has no metrics, no reload of the configuration, no queries to a"
             " subscriber system and no devices. PHP opens and seals no tokens, as in the historic formula. nginx returns fixed"
             " bytes. The cache for results of the subscriber system is configured so that no result is revalidated during the"
             " run (ttl 24h, revalidate_after 20h; the defaults are 60 s and 30 s). Rates and the other latencies are from a"
             " closed loop: each connection sends the next request when it has its response. The p99 at half of the rate is"
             " from requests that arrive at a constant rate, half of what the slower of Gatefold and Go reached, and is measured"
             " from the intended time of each. PSS is the servers' proportional share of resident memory in the middle of the"
             " measurement, RSS all resident memory. Both are sums over all processes of a server, so that RSS counts shared"
             " memory once per process. MB are 10^6 bytes.")

    def standing_lines(self):
        for key, protocol in (("idle", ""), ("idle_tls", " over TLS")):
            if result := self.standings.get(key):
                yield (f"{result['connections']:,} idle connections{protocol}, {result['of_admin_listener']} of them to the admin"
                       f" listener: {result['rss_megabytes']:.0f} MB RSS, before {result['rss_megabytes_before']:.0f} MB,"
                       f" {result['bytes_per_connection']:,.0f} bytes a connection")
        if result := self.standings.get("memory"):
            yield ("RSS after each minute of load: " + ", ".join(f"{one:.0f}" for one in result["rss_megabytes"]) + " MB")

    def text(self):
        parts = ["\n".join([*self.head, textwrap.fill(self.FRAME, 120)]), table(self.measured).strip("\n"),
                 *self.standing_lines()]
        if self.micro:
            width = max(len(piece["name"]) for piece in self.micro)
            parts.append("nanoseconds a call, one core\n" + "\n".join(
                f"  {piece['name']:{width}}{piece['median']:12,.0f}" for piece in self.micro))
        parts.append("bars\n" + bar_lines(self.verdict))
        return "\n\n".join(part for part in parts if part)

    def markdown(self):
        """The tables for the article Performance."""
        parts = [f"Measured on {'; '.join(self.head)}.", self.FRAME,
                 calls_table(self.results), handshakes_table(self.results), downloads_table(self.results)]
        parts += [line + "." for line in self.standing_lines()]
        parts.append(markdown_table(["bar", "wanted", "reached", ""], [
            [f"{bar.case}: {bar.by}, {bar.compared}", bar.wanted, bar.shown, bar.word] for bar in self.verdict]))
        return "\n\n".join(part for part in parts if part)

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "bench.json").write_text(json.dumps(
            {"made": self.made, "settings": self.settings, "medians": self.results, "rounds": self.measured,
             "standing": self.standings, "micro": self.micro,
             "bars": [dataclasses.asdict(bar) for bar in self.verdict]}, indent=1) + "\n")
        (folder / "bench.svg").write_text(plot(self.results, self.machine))
        (folder / "bench.txt").write_text(self.text() + "\n")
        (folder / "bench.md").write_text(self.markdown() + "\n")
