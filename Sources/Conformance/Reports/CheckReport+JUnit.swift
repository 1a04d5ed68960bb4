import Foundation
import XML

extension CheckReport {
    /// The report as continuous integration reads it: a suite for each family, a case for each rule.
    ///
    /// - Parameter isStrict: whether a warning counts as a failure; else it is what the case printed.
    package func junit(isStrict: Bool = false) -> [UInt8] {
        var xml = XMLWriter()
        xml.element("testsuites", ["name": "gatefold check \(endpoint)", "tests": "\(entries.count)"]) { xml in
            // What is said of the whole stands in the first suite: there is no place above.
            var remarks = remarks
            for (name, entries) in families {
                let failures = entries.count { isFailure($0.verdict, isStrict) }
                let skipped = entries.count { $0.verdict.word == .skipped }
                xml.element(
                    "testsuite",
                    [
                        "name": name, "tests": "\(entries.count)", "failures": "\(failures)", "errors": "0",
                        "skipped": "\(skipped)", "timestamp": date.formatted(.iso8601),
                    ]
                ) { xml in
                    for entry in entries { write(entry, isStrict, to: &xml) }
                    if !remarks.isEmpty { xml.element("system-out") { $0.text(remarks.joined(separator: "\n")) } }
                }
                remarks = []
            }
        }
        return xml.bytes
    }

    private func isFailure(_ verdict: Verdict, _ isStrict: Bool) -> Bool {
        verdict.word == .failed || (isStrict && verdict.word == .warning)
    }

    private func write(_ entry: Entry, _ isStrict: Bool, to xml: inout XMLWriter) {
        xml.element("testcase", ["classname": entry.rule.family, "name": entry.rule.id]) { xml in
            let text =
                entry.verdict.findings.map { finding in
                    finding.text + (finding.request.map { "\n  \($0): \(finding.answer ?? "")" } ?? "")
                }.joined(separator: "\n") + "\nwhy: \(entry.rule.why)\nfix: \(entry.rule.fix)"
            if isFailure(entry.verdict, isStrict) {
                xml.element("failure", ["message": entry.rule.title]) { $0.text(text) }
            } else if case .skipped(let reason) = entry.verdict {
                xml.element("skipped", ["message": reason])
            } else if entry.verdict.word == .warning {
                xml.element("system-out") { $0.text(text) }
            }
        }
    }
}
