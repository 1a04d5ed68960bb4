import Foundation
import TestSupport
import Testing

@testable import Server

@Suite("gatefold drill")
struct DrillTests {
    private struct Report: Decodable {
        struct Answer: Decodable {
            let question: String
            let answer: String
            let count: Int
            let isWrong: Bool
        }
        struct Phase: Decodable {
            let name: String
            let answers: [Answer]
            let asked: Int
        }
        let phases: [Phase]
    }

    private func drill(
        _ fault: String, _ more: [String] = [], configuration: (String) -> String = { $0 },
        before: (Sample) async throws -> Void = { _ in }, after: (Sample) async throws -> Void = { _ in }
    ) async throws -> CommandRun {
        try await withTemporaryFolder { folder in
            let sample = try await Sample(in: folder, configuration: configuration)
            try await before(sample)
            try sample.write(
                "readers.csv",
                """
                email,password
                ada@example.com,analytical engine
                reader-1@example.com,pass word 1
                grace@example.com,nanosecond

                """)
            let run = try await sample.gatefold(
                [
                    "drill", "--readers", "readers.csv", "--fault", fault, "--edition", Sample.second, "--seconds", "1",
                    "--rate", "40", "--publication", "daily",
                ] + more)
            try await after(sample)
            return run
        }
    }

    /// The sample's configuration with a source of the same editions in their place.
    private static func withSource(_ configuration: String) -> String {
        configuration.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("      - {id: ") }
            .map { $0 == "    catalogue:" ? "    catalogue: {kind: baker, path: shelf.json, first_wait: 60s}" : $0 }
            .joined(separator: "\n")
    }

    private static let shelf = """
        [{"name": "\(Sample.second)", "date": "2020-02-01 00:00:00", "product_id": "store.2"},
         {"name": "\(Sample.third)", "date": "2020-03-01 00:00:00", "product_id": "store.3"}]
        """

    /// What readers were told of the edition before the bad day.
    private func credentialsBefore(_ run: CommandRun) throws -> [String] {
        #expect(run.status == 0, "\(run.errors)")
        let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
        return report.phases[0].answers.filter { $0.question == "edition credentials" }.map(\.answer)
    }

    @Test("asks a catalogue's source once where nothing is remembered of it, and remembers nothing itself")
    func fetchesCatalogue() async throws {
        let run = try await drill("outage", ["--json"], configuration: Self.withSource) { sample in
            try sample.write("shelf.json", Self.shelf)
        } after: { sample in
            #expect(!FileManager.default.fileExists(atPath: sample.path("state/catalogues")))
        }
        #expect(try credentialsBefore(run) == ["given"])
    }

    @Test("takes the catalogue that a server remembered, and leaves it as it is")
    func remembersCatalogue() async throws {
        let remembered = Kept<Data?>(nil)
        let run = try await drill("outage", ["--json"], configuration: Self.withSource) { sample in
            try sample.write("shelf.json", Self.shelf)
            try await withServer(sample.launch) { _ in }
            try FileManager.default.removeItem(atPath: sample.path("shelf.json"))
            let data = FileManager.default.contents(atPath: sample.path("state/catalogues/daily.json"))
            #expect(data != nil)
            remembered.withLock { $0 = data }
        } after: { sample in
            let data = FileManager.default.contents(atPath: sample.path("state/catalogues/daily.json"))
            #expect(data == remembered.withLock { $0 })
        }
        #expect(try credentialsBefore(run) == ["given"])
    }

    @Test("does not begin while the catalogue is awaited, and says why")
    func awaitsCatalogue() async throws {
        let run = try await drill("outage", configuration: Self.withSource)
        #expect(run.status == 69)
        #expect(run.errorLines.last?.contains("the catalogue of daily is still awaited") == true, "\(run.errors)")
        #expect(run.errorLines.last?.contains("the source's file can not be read") == true, "\(run.errors)")
    }

    @Test("an outage of a backend that nothing protects asks readers to come back, and tells nobody anything wrong")
    func outage() async throws {
        let run = try await drill("outage", ["--json"])
        #expect(run.status == 0, "\(run.errors)")
        let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
        #expect(report.phases.map(\.name) == ["before", "during", "after"])
        for phase in report.phases {
            let isDown = phase.name == "during"
            #expect(phase.answers.reduce(0) { $0 + $1.count } == 40)
            for answer in phase.answers {
                #expect(!answer.isWrong)
                #expect(answer.answer.contains("come back later") == isDown, "\(phase.name): \(answer)")
            }
        }
        #expect(report.phases[1].answers.contains { $0.question == "sign in, new" })
    }

    @Test(
        "delays, errors and flapping are played and reported",
        arguments: ["delay=200ms", "errors=50%", "flapping=300ms/300ms"])
    func otherFaults(fault: String) async throws {
        let run = try await drill(fault)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("no reader was told anything that is not so"), "\(run.output)")
        #expect(run.output.contains("during: "), "\(run.output)")
    }

    @Test("what it can not play is said in one line")
    func mistakes() async throws {
        for (arguments, status, words) in [
            (["--fault", "rain"], 64, "expected --fault as delay=2s"),
            (["--backend", "nowhere"], 64, "there is no backend nowhere; expected one of"),
            (["--backend", "other"], 64, "the publication daily does not ask the backend other"),
            (["--readers", "gone.csv"], 66, "can not read gone.csv"),
        ] as [([String], Int32, String)] {
            let run = try await drill("outage", arguments)
            #expect(run.status == status, "\(arguments): \(run.errors)")
            #expect(run.errorLines.last?.contains(words) == true, "\(run.errors)")
        }
    }

    @Test(
        "faults are read as they are written",
        arguments: ["delay=2s", "delay=150ms", "errors=30%", "flapping=2s/3s", "outage"])
    func faults(text: String) {
        #expect(DrillFault(text) != nil)
        for wrong in [text + "x", "x" + text, text.replacing("s", with: ""), ""] where wrong != text {
            #expect(DrillFault(wrong) == nil, "\(wrong)")
        }
    }
}
