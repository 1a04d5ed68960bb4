import Foundation
import TestSupport
import Testing

@testable import Server

@Suite("gatefold drill")
struct DrillTests {
    private struct Report: Decodable {
        struct ResultCount: Decodable {
            let query: String
            let result: String
            let count: Int
            let isWrong: Bool
        }
        struct Phase: Decodable {
            let name: String
            let results: [ResultCount]
            let queries: Int
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

    /// Returns the sample's configuration with a catalogue source in place of the editions.
    private static func withSource(_ configuration: String) -> String {
        configuration.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("      - {id: ") }
            .map {
                $0 == "    catalogue:" ? "    catalogue: {kind: baker, path: shelf.json, startup_timeout: 60s}" : $0
            }
            .joined(separator: "\n")
    }

    private static let shelf = """
        [{"name": "\(Sample.second)", "date": "2020-02-01 00:00:00", "product_id": "store.2"},
         {"name": "\(Sample.third)", "date": "2020-03-01 00:00:00", "product_id": "store.3"}]
        """

    /// Returns the results for the edition before the simulated fault.
    private func credentialsBefore(_ run: CommandRun) throws -> [String] {
        #expect(run.status == 0, "\(run.errors)")
        let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
        return report.phases[0].results.filter { $0.query == "edition credentials" }.map(\.result)
    }

    @Test("Fetches a catalogue without a cached copy once, and stores no copy")
    func fetchesCatalogue() async throws {
        let run = try await drill("outage", ["--json"], configuration: Self.withSource) { sample in
            try sample.write("shelf.json", Self.shelf)
        } after: { sample in
            #expect(!FileManager.default.fileExists(atPath: sample.path("state/catalogues")))
        }
        #expect(try credentialsBefore(run) == ["issued"])
    }

    @Test("Uses the catalogue that a server cached, and leaves it unchanged")
    func cachesCatalogue() async throws {
        let cached = Locked<Data?>(nil)
        let run = try await drill("outage", ["--json"], configuration: Self.withSource) { sample in
            try sample.write("shelf.json", Self.shelf)
            try await withServer(sample.launch) { _ in }
            try FileManager.default.removeItem(atPath: sample.path("shelf.json"))
            let data = FileManager.default.contents(atPath: sample.path("state/catalogues/daily.json"))
            #expect(data != nil)
            cached.withLock { $0 = data }
        } after: { sample in
            let data = FileManager.default.contents(atPath: sample.path("state/catalogues/daily.json"))
            #expect(data == cached.withLock { $0 })
        }
        #expect(try credentialsBefore(run) == ["issued"])
    }

    @Test("Does not start while the catalogue is pending, and reports why")
    func awaitsCatalogue() async throws {
        let run = try await drill("outage", configuration: Self.withSource)
        #expect(run.status == 69)
        #expect(run.errorLines.last?.contains("the catalogue of daily is not available") == true, "\(run.errors)")
        #expect(run.errorLines.last?.contains("the source's file cannot be read") == true, "\(run.errors)")
    }

    @Test("In an outage without protection, readers get a temporary error and no wrong result")
    func outage() async throws {
        let run = try await drill(
            "outage", ["--json"],
            after: { sample in
                let audited = try await sample.succeed(["audit", "list", "--action", "drill.run"])
                #expect(audited.contains("backend:house") && audited.contains("readers=3"), "\(audited)")
            })
        #expect(run.status == 0, "\(run.errors)")
        let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
        #expect(report.phases.map(\.name) == ["before", "during", "after"])
        for phase in report.phases {
            let isDown = phase.name == "during"
            #expect(phase.results.reduce(0) { $0 + $1.count } == 40)
            for result in phase.results {
                #expect(!result.isWrong)
                #expect(result.result.contains("retry later") == isDown, "\(phase.name): \(result)")
            }
        }
        #expect(report.phases[1].results.contains { $0.query == "sign in, new" })
    }

    @Test(
        "Simulates and reports delays, errors and flapping",
        arguments: ["delay=200ms", "errors=50%", "flapping=300ms/300ms"])
    func otherFaults(fault: String) async throws {
        let run = try await drill(fault)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("no reader got a wrong result"), "\(run.output)")
        #expect(run.output.contains("during: "), "\(run.output)")
    }

    @Test("Reports an impossible drill in one line")
    func mistakes() async throws {
        for (arguments, status, message) in [
            (["--fault", "rain"], 64, "expected --fault as delay=2s"),
            (["--backend", "nowhere"], 64, "no backend nowhere; expected one of"),
            (["--backend", "other"], 64, "the publication daily does not use the backend other"),
            (["--readers", "gone.csv"], 66, "cannot read gone.csv"),
        ] as [([String], Int32, String)] {
            let run = try await drill("outage", arguments)
            #expect(run.status == status, "\(arguments): \(run.errors)")
            #expect(run.errorLines.last?.contains(message) == true, "\(run.errors)")
        }
    }

    @Test(
        "Parses each fault and rejects variations",
        arguments: ["delay=2s", "delay=150ms", "errors=30%", "flapping=2s/3s", "outage"])
    func faults(text: String) {
        #expect(DrillFault(text) != nil)
        for wrong in [text + "x", "x" + text, text.replacing("s", with: ""), ""] where wrong != text {
            #expect(DrillFault(wrong) == nil, "\(wrong)")
        }
    }
}
