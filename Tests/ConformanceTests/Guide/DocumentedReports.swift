import Foundation
import Synchronization
import Testing

/// The reports that the documentation shows.
///
/// With `GATEFOLD_WRITE_REPORTS=1` in the environment, the page is rewritten from the program's output instead of
/// compared.
enum DocumentedReports {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/Conformance/Conformance.docc/Reports.md").standardizedFileURL
    private static let isWritten = ProcessInfo.processInfo.environment["GATEFOLD_WRITE_REPORTS"] == "1"
    /// Serialises writes of parallel tests.
    private static let turn = Mutex(())

    /// Expects the report under the heading, after the command that produced it.
    ///
    /// - Parameter isShortened: A Boolean value that indicates whether only the broken rules and the sum are shown.
    static func expect(
        _ printed: String, from port: Int, under heading: String, isShortened: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let plain = normalised(printed, port: port)
        let report = isShortened ? shortened(plain) : plain
        try turn.withLock { _ in
            let text = try String(contentsOf: page, encoding: .utf8)
            let found = range(under: heading, in: text)
            let shown = try #require(found, "no block under \(heading)", sourceLocation: sourceLocation)
            if isWritten {
                try Data(text.replacingCharacters(in: shown, with: report).utf8).write(to: page)
            } else {
                #expect(String(text[shown]) == report, "\(report)", sourceLocation: sourceLocation)
            }
        }
    }

    /// Returns the range after the command in the first block under the heading.
    private static func range(under heading: String, in text: String) -> Range<String.Index>? {
        guard let title = text.range(of: "\n## \(heading)\n"),
            let fence = text.range(of: "\n```\n", range: title.upperBound..<text.endIndex),
            let end = text.range(of: "\n```\n", range: fence.upperBound..<text.endIndex),
            let start = text.range(of: "\nhttp://", range: fence.upperBound..<end.lowerBound)
        else { return nil }
        // Includes the line feed before the fence, and excludes the one before the report.
        return text.index(after: start.lowerBound)..<text.index(after: end.lowerBound)
    }

    /// Replaces the values that differ between runs: the port, the duration and the random path of the unknown call.
    static func normalised(_ printed: String, port: Int) -> String {
        let plain = printed.replacing(":\(port)/", with: ":8080/")
            .replacing(/in [0-9]+ s\n/, maxReplacements: 1) { _ in "in 1 s\n" }
        return plain.replacing(/no-such-call-[0-9a-f]{12}/) { _ in "no-such-call-38fc15ca3e0a" }
    }

    /// Returns the first line, the broken rules under their families, and the sum.
    static func shortened(_ report: String) -> String {
        let families = report.components(separatedBy: "\n\n").map { $0.split(separator: "\n") }
        guard families.count > 2, let first = families.first, let last = families.last else { return report }
        let broken = families.dropFirst().dropLast().compactMap { family -> [Substring]? in
            var isBroken = false
            let lines = family.dropFirst().filter { line in
                // The details of a rule are indented further.
                if !line.hasPrefix("      ") { isBroken = line.hasPrefix("  FAILED") || line.hasPrefix("  warned") }
                return isBroken
            }
            return lines.isEmpty ? nil : Array(family.prefix(1)) + lines
        }
        return ([first] + broken + [last]).map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }
}
