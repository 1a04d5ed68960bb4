import TestSupport
import Testing

@Suite("gatefold backends", .serialized, .servedSample())
struct BackendsCommandTests {
    @Test("`status` prints the state of the server's backends and fails when one is unavailable")
    func status() async throws {
        let sample = try Sample.current
        var ready = try await sample.gatefold(["backends", "status"])
        // A busy machine may delay the backend's health check.
        _ = try await eventually {
            if ready.status != 0 { ready = try await sample.gatefold(["backends", "status"]) }
            return ready.status == 0
        }
        #expect(ready.status == 0)
        #expect(ready.output.hasPrefix("ready\nbackend house: ok\n"), "\(ready.output)")
        try await sample.withoutTable("subscriber", in: "house") {
            let degraded = try await sample.gatefold(["backends", "status"])
            #expect(degraded.status == 1)
            #expect(degraded.output.hasPrefix("degraded\nbackend house: unavailable\n"), "\(degraded.output)")
        }
    }

    @Test("`flush` clears results on the running server; an embedded backend has none")
    func flush() async throws {
        let sample = try Sample.current
        for target in [
            ["--identifier", "Åda+x@example.com"], ["--key", "1"], ["--pseudonym", "01020304050607"], ["--all"],
        ] {
            let run = try await sample.gatefold(["backends", "flush", "house"] + target)
            #expect(run.status == 0 && run.output == "0 results flushed\n", "\(target) \(run)")
        }
        #expect(try await sample.gatefold(["backends", "flush", "nowhere", "--all"]).status == 64)
        #expect(try await sample.gatefold(["backends", "flush", "house"]).status == 64)
        #expect(try await sample.gatefold(["backends", "flush", "house", "--all", "--key", "1"]).status == 64)
        #expect(try await sample.gatefold(["backends", "flush", "house", "--pseudonym", "ada"]).status == 64)
    }

    @Test("Reports that no server responds")
    func nobody() async throws {
        try await withSample { sample in
            let run = try await sample.gatefold(["backends", "status"])
            #expect(run.status == 69)
            #expect(run.errors.contains("is `gatefold serve` running?"), "\(run.errors)")
        }
    }
}
