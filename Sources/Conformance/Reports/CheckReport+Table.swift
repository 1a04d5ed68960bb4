extension CheckReport {
    /// Returns the report as a text table.
    ///
    /// - Parameters:
    ///   - hasColour: Whether the output is a terminal with colours.
    ///   - width: The maximum width of a line, in characters.
    package func table(hasColour: Bool = false, width: Int = 100) -> String {
        var lines = ["\(Printable.clean(endpoint)), \(requests) requests in \(Int(seconds.rounded(.up))) s"]
        for remark in remarks { lines += [""] + Self.wrapped(Printable.clean(remark), indent: "", width) }
        let column = entries.map(\.rule.id.count).max() ?? 0
        for (name, entries) in families {
            lines += ["", Self.paint(name, .heading, hasColour)]
            for entry in entries {
                let id = entry.rule.id.padding(to: column)
                lines.append(
                    "  \(Self.symbol(entry.verdict, hasColour))  \(id)  \(entry.rule.title)\(Self.remark(entry.verdict))"
                )
                let indent = String(repeating: " ", count: 12)
                for finding in entry.verdict.findings.prefix(Self.maxFindings) {
                    lines += Self.wrapped(finding.text, indent: indent + "• ", width)
                    if let request = finding.request {
                        lines += Self.wrapped(
                            Printable.clean("\(request): \(finding.response ?? "")"), indent: indent + "    ", width)
                    }
                }
                let more = entry.verdict.findings.count - Self.maxFindings
                if more > 0 { lines.append("\(indent)• and \(more) more") }
                if !entry.verdict.findings.isEmpty {
                    lines += Self.wrapped(entry.rule.why, indent: indent + "why  ", width)
                    lines += Self.wrapped(entry.rule.fix, indent: indent + "fix  ", width)
                }
            }
        }
        lines.append("")
        let broken = entries.filter { $0.verdict.kind == .failed }.map(\.rule.id)
        if !broken.isEmpty { lines += Self.wrapped(broken.joined(separator: ", "), indent: "failed: ", width) }
        return (lines + [summaryLine]).joined(separator: "\n")
    }

    private static let maxFindings = 3

    private enum Colour: String {
        case good = "32", bad = "1;31", warning = "33", faint = "2", heading = "1"
    }

    private static func symbol(_ verdict: Verdict, _ hasColour: Bool) -> String {
        switch verdict {
        case .passed: paint("ok    ", .good, hasColour)
        case .failed: paint("FAILED", .bad, hasColour)
        case .warned: paint("warned", .warning, hasColour)
        case .skipped: paint("–     ", .faint, hasColour)
        }
    }

    private static func remark(_ verdict: Verdict) -> String {
        switch verdict {
        case .passed(let count): count > 1 ? " (\(count) times)" : ""
        case .skipped(let reason): " (skipped: \(reason))"
        case .failed, .warned: ""
        }
    }

    private static func paint(_ text: String, _ colour: Colour, _ hasColour: Bool) -> String {
        hasColour ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Breaks a text between words. Continuation lines are indented to the text of the first line.
    private static func wrapped(_ text: String, indent: String, _ width: Int) -> [String] {
        var lines: [String] = []
        var line = indent
        let further = String(repeating: " ", count: indent.count)
        var isEmpty = true
        for kind in text.split(separator: " ") {
            if !isEmpty, line.count + 1 + kind.count > width {
                lines.append(line)
                (line, isEmpty) = (further, true)
            }
            line += isEmpty ? String(kind) : " \(kind)"
            isEmpty = false
        }
        return lines + [line]
    }
}

extension String {
    func padding(to length: Int) -> String { self + String(repeating: " ", count: max(0, length - count)) }
}
