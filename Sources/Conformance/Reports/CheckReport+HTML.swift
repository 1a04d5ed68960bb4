import Foundation

extension CheckReport {
    /// The report as one HTML page. It contains no script and loads nothing. All text from servers is escaped.
    package var html: String {
        let title = "Check of \(endpoint)"
        var page = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(Self.escape(title))</title>
            <style>\(Self.style)</style>
            </head>
            <body>
            <h1>\(Self.escape(title))</h1>
            <p>\(Self.escape(introduction))</p>

            """
        for remark in remarks { page += "<p>\(Self.escape(remark))</p>\n" }
        for (name, entries) in families {
            page += "<h2>\(Self.escape(name))</h2>\n<table>\n"
            for entry in entries { page += Self.row(entry) }
            page += "</table>\n"
        }
        return page + legend + "</body>\n</html>\n"
    }

    private var introduction: String {
        "\(date.formatted(.iso8601)), \(requests) requests in \(Int(seconds.rounded(.up))) s. \(summaryLine)."
    }

    /// The texts of the cited sections of the broken rules.
    private var legend: String {
        let citation = entries.filter { !$0.verdict.findings.isEmpty }.flatMap {
            SourceCitation.names(in: $0.rule.source)
        }
        let reported = SourceCitation.all.filter { citation.contains($0.name) }
        guard !reported.isEmpty else { return "" }
        let items = reported.map { "<dt>\(Self.escape($0.name))</dt>\n<dd>\(Self.escape($0.text))</dd>\n" }
        return "<h2>Sources</h2>\n<dl>\n\(items.joined())</dl>\n"
    }

    private static let style = """
        body{font:15px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em;\
        color:#222;background:#fff}\
        table{border-collapse:collapse;width:100%}td{border-top:1px solid #ddd;padding:.4em .6em;vertical-align:top}\
        td:first-child{width:5em;font-weight:600}td:nth-child(2){width:15em;font-family:ui-monospace,monospace}\
        .passed td:first-child{color:#176c2e}.failed td:first-child{color:#b00020}\
        .warning td:first-child{color:#8a5a00}\
        .skipped{color:#666}dt{font-weight:600}dd{margin:0 0 .6em 1.2em}ul{margin:.4em 0;padding-left:1.2em}\
        code{overflow-wrap:anywhere}
        """

    private static func row(_ entry: Entry) -> String {
        let verdict = entry.verdict
        var text = escape(entry.rule.title)
        if case .skipped(let reason) = verdict { text += "<br>\(escape(reason))" }
        if !verdict.findings.isEmpty {
            let items = verdict.findings.map { finding in
                let place =
                    finding.request.map { "<br><code>\(escape("\($0): \(finding.response ?? "")"))</code>" } ?? ""
                return "<li>\(escape(finding.text))\(place)</li>"
            }
            text += "<ul>\(items.joined())</ul><b>Why</b> \(escape(entry.rule.source))<br>"
            text += "<b>Fix</b> \(escape(entry.rule.fix))"
        }
        let kind = verdict.kind.rawValue
        return "<tr class=\"\(kind)\"><td>\(kind)</td><td>\(escape(entry.rule.id))</td><td>\(text)</td></tr>\n"
    }

    static func escape(_ text: String) -> String {
        var result = ""
        for character in Printable.clean(text).unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
