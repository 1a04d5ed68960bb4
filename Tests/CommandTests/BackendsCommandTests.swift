import TestSupport
import Testing

@Suite("gatefold backends", .serialized, .servedSample())
struct BackendsCommandTests {
    @Test("status prints what the running server says of its backends, and is no when one can not be asked")
    func status() async throws {
        let sample = try Sample.current
        var ready = try await sample.gatefold(["backends", "status"])
        // A busy machine may keep the backend from saying so in time.
        _ = try await eventually {
            if ready.status != 0 { ready = try await sample.gatefold(["backends", "status"]) }
            return ready.status == 0
        }
        #expect(ready.status == 0)
        #expect(ready.output.hasPrefix("ready\nbackend house: ok\n"), "\(ready.output)")
        try await sample.withoutTable("subscriber", in: "house") {
            let degraded = try await sample.gatefold(["backends", "status"])
            #expect(degraded.status == 1)
            #expect(degraded.output.hasPrefix("degraded\nbackend house: can not be asked\n"), "\(degraded.output)")
        }
    }

    @Test("flush asks the running server to forget; of a backend inside it there is nothing to forget")
    func flush() async throws {
        let sample = try Sample.current
        for target in [
            ["--identifier", "Åda+x@example.com"], ["--key", "1"], ["--reference", "01020304050607"], ["--all"],
        ] {
            let run = try await sample.gatefold(["backends", "flush", "house"] + target)
            #expect(run.status == 0 && run.output == "0 answers forgotten\n", "\(target) \(run)")
        }
        #expect(try await sample.gatefold(["backends", "flush", "nowhere", "--all"]).status == 64)
        #expect(try await sample.gatefold(["backends", "flush", "house"]).status == 64)
        #expect(try await sample.gatefold(["backends", "flush", "house", "--all", "--key", "1"]).status == 64)
        #expect(try await sample.gatefold(["backends", "flush", "house", "--reference", "ada"]).status == 64)
    }

    @Test("says so when no server answers")
    func nobody() async throws {
        try await withSample { sample in
            let run = try await sample.gatefold(["backends", "status"])
            #expect(run.status == 69)
            #expect(run.errors.contains("is `gatefold serve` running?"), "\(run.errors)")
        }
    }
}
