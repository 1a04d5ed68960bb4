import Foundation

extension CheckReport {
    /// The report as one page: no script, nothing from elsewhere, and no byte from outside that is not escaped.
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
            <p>\(Self.escape("\(date.formatted(.iso8601)), \(requests) requests in \(Int(seconds.rounded(.up))) s. \(sum)."))</p>

            """
        for remark in remarks { page += "<p>\(Self.escape(remark))</p>\n" }
        for (name, entries) in families {
            page += "<h2>\(Self.escape(name))</h2>\n<table>\n"
            for entry in entries { page += Self.row(entry) }
            page += "</table>\n"
        }
        return page + legend + "</body>\n</html>\n"
    }

    /// What the sources of the broken rules say, where not everybody can look them up.
    private var legend: String {
        let cited = entries.filter { !$0.verdict.findings.isEmpty }.flatMap { CitedSource.names(in: $0.rule.source) }
        let told = CitedSource.all.filter { cited.contains($0.name) }
        guard !told.isEmpty else { return "" }
        let items = told.map { "<dt>\(Self.escape($0.name))</dt>\n<dd>\(Self.escape($0.words))</dd>\n" }
        return "<h2>what the sources say</h2>\n<dl>\n\(items.joined())</dl>\n"
    }

    private static let style = """
        body{font:15px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222;background:#fff}\
        table{border-collapse:collapse;width:100%}td{border-top:1px solid #ddd;padding:.4em .6em;vertical-align:top}\
        td:first-child{width:5em;font-weight:600}td:nth-child(2){width:15em;font-family:ui-monospace,monospace}\
        .passed td:first-child{color:#176c2e}.failed td:first-child{color:#b00020}.warning td:first-child{color:#8a5a00}\
        .skipped{color:#666}dt{font-weight:600}dd{margin:0 0 .6em 1.2em}ul{margin:.4em 0;padding-left:1.2em}code{overflow-wrap:anywhere}
        """

    private static func row(_ entry: Entry) -> String {
        let verdict = entry.verdict
        var text = escape(entry.rule.title)
        if case .skipped(let reason) = verdict { text += "<br>\(escape(reason))" }
        if !verdict.findings.isEmpty {
            let items = verdict.findings.map { finding in
                let place = finding.request.map { "<br><code>\(escape("\($0): \(finding.answer ?? "")"))</code>" } ?? ""
                return "<li>\(escape(finding.text))\(place)</li>"
            }
            text += "<ul>\(items.joined())</ul><b>Why</b> \(escape(entry.rule.source))<br>"
            text += "<b>Fix</b> \(escape(entry.rule.fix))"
        }
        let word = verdict.word.rawValue
        return "<tr class=\"\(word)\"><td>\(word)</td><td>\(escape(entry.rule.id))</td><td>\(text)</td></tr>\n"
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
