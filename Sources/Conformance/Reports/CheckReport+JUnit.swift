import Foundation
import XML

extension CheckReport {
    /// Returns the report as JUnit XML for continuous integration, with a suite for each family and a case for each
    /// rule.
    ///
    /// - Parameter isStrict: Whether a warning counts as a failure. Otherwise it becomes the output of the case.
    ///   Default: false.
    package func junit(isStrict: Bool = false) -> [UInt8] {
        var xml = XMLWriter()
        xml.element("testsuites", ["name": "gatefold check \(endpoint)", "tests": "\(entries.count)"]) { xml in
            // Remarks about the whole report are in the first suite, because the format has no place above the
            // suites.
            var remarks = remarks
            for (name, entries) in families {
                let failures = entries.count { isFailure($0.verdict, isStrict) }
                let skipped = entries.count { $0.verdict.kind == .skipped }
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
        verdict.kind == .failed || (isStrict && verdict.kind == .warning)
    }

    private func write(_ entry: Entry, _ isStrict: Bool, to xml: inout XMLWriter) {
        xml.element("testcase", ["classname": entry.rule.family, "name": entry.rule.id]) { xml in
            let text =
                entry.verdict.findings.map { finding in
                    finding.text + (finding.request.map { "\n  \($0): \(finding.response ?? "")" } ?? "")
                }.joined(separator: "\n") + "\nwhy: \(entry.rule.why)\nfix: \(entry.rule.fix)"
            if isFailure(entry.verdict, isStrict) {
                xml.element("failure", ["message": entry.rule.title]) { $0.text(text) }
            } else if case .skipped(let reason) = entry.verdict {
                xml.element("skipped", ["message": reason])
            } else if entry.verdict.kind == .warning {
                xml.element("system-out") { $0.text(text) }
            }
        }
    }
}
