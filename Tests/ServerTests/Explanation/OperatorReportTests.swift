import Foundation
import TestSupport
import Testing

@testable import Gatefold
@testable import Server

/// The texts of the commands that examine one reader, for a terminal.
@Suite("Reports about one reader") struct OperatorReportTests {
    /// An escape sequence, a line break, C1 controls and characters that change the writing direction.
    private static let hostile = "a\u{1B}]0;x\u{7}\nb\u{9B}2J\u{202E}c\u{2066}\u{61C}\u{2028}d"

    private static func isSafe(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar == "\n"
                || (scalar.properties.generalCategory != .control && !scalar.properties.isBidiControl
                    && scalar != "\u{2028}")
        }
    }

    @Test("No value of another system controls the terminal, or begins a line")
    func explanation() throws {
        var step = ExplanationStep(
            .subscription, .passes, [ExplanationStep.Value("raw \(Self.hostile)", Self.hostile)])
        step.backend = Self.hostile
        let explanation = Explanation(
            publication: try #require(PublicationID("daily")), edition: try #require(EditionID("e1")), reader: nil,
            backend: Self.hostile, timestamp: Date(timeIntervalSince1970: 0), isOtherTime: false, verdict: .granted,
            subscription: nil, steps: [step])
        let report = ExplanationReport(explanation)
        #expect(Self.isSafe(report.text), "\(report.text.debugDescription)")
        #expect(report.text.split(separator: "\n").count == 6)
        #expect(report.steps[0].values.allSatisfy { Self.isSafe($0.name + $0.value) && !$0.value.contains("\n") })
    }

    @Test("A backend test shows no control characters either")
    func backendTest() {
        var part = BackendTestReport.Part(backend: Self.hostile)
        part.steps = [.failed("connect", [Self.hostile], Self.hostile), .skipped("lookup", Self.hostile)]
        part.raw = [[BackendTestReport.RawField(.init(Self.hostile, [Self.hostile], isPersonal: false))]]
        // The JSON has the same values.
        for text in part.steps.flatMap({ $0.details + [$0.cause].compactMap(\.self) }) {
            #expect(Self.isSafe(text) && !text.contains("\n"), "\(text.debugDescription)")
        }
        var report = BackendTestReport()
        report.backends = [part]
        #expect(Self.isSafe(report.text), "\(report.text.debugDescription)")
        #expect(report.text.split(separator: "\n").count == 5)
    }

    @Test(
        "A personal value shows its first character only if it has more than three",
        arguments: [("", ""), ("F", "… (1 characters)"), ("Ada", "… (3 characters)"), ("Adam", "A… (4 characters)")])
    func masks(value: String, masked: String) {
        #expect(BackendTestReport.RawField.masked(value) == masked)
    }

    @Test("A chain is negative if a member says so and none has the reader")
    func negative() {
        func part(_ name: String, _ outcome: BackendTestReport.Outcome, found: Bool) -> BackendTestReport.Part {
            var part = BackendTestReport.Part(backend: name)
            part.steps = [BackendTestReport.Step(step: "lookup", outcome: outcome)]
            if found { part.subscribers = ["6f1c"] }
            return part
        }
        func isNegative(_ parts: BackendTestReport.Part...) -> Bool {
            var report = BackendTestReport()
            report.backends = parts
            return report.isNegative
        }
        #expect(isNegative(part("a", .negative, found: false), part("b", .skipped, found: false)))
        #expect(isNegative(part("a", .negative, found: true)), "the password is wrong")
        #expect(!isNegative(part("a", .negative, found: false), part("b", .succeeded, found: true)))
        #expect(!isNegative(part("a", .succeeded, found: false)))
        #expect(!isNegative(part("a", .skipped, found: false)))
    }
}
