import BackendFixtures
import Foundation
import TestSupport
import Testing

@Suite("gatefold timeline", .serialized, .servedSample(), .timeLimit(.minutes(5))) struct TimelineCommandTests {
    private struct Report: Decodable {
        struct Reader: Decodable {
            let backend, key, pseudonym: String
        }

        struct Item: Decodable {
            let kind: String
            let count: Int
            let publication, call, reason, edition, backend, device, action: String?
        }

        let readers: [Reader]
        let items: [Item]
        let next: String?
    }

    private func report(_ sample: Sample, _ arguments: String...) async throws -> Report {
        let text = try await sample.succeed(["timeline", "--json"] + arguments)
        return try JSONDecoder().decode(Report.self, from: Data(text.utf8))
    }

    private func reports(_ sample: Sample, _ reader: String, have kind: String) async throws -> Report {
        var last: Report?
        try await eventually("the event \(kind) is written") {
            let run = try await sample.gatefold(["timeline", "--json", reader])
            guard run.status == 0 else { return false }
            let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
            last = report
            return report.items.contains { $0.kind == kind }
        }
        return try #require(last)
    }

    @Test("Shows a reader's calls, refusals and the staff's actions, by identifier, pseudonym and key")
    func reader() async throws {
        let sample = try Sample.current
        let reader = sample.newReader()
        _ = try await sample.call("sign_in", ["email": reader.email, "password": "wrong"])
        let token = try await sample.signIn(reader, device: "phone")
        _ = try await sample.credentials(token, Sample.third)
        try await sample.succeed(["subscribers", "set-state", reader.email, "suspended", "-b", "house"])
        try await eventually("the server knows of the suspension") {
            try await sample.state(of: token) == "suspended"
        }
        let byIdentifier = try await reports(sample, reader.email.uppercased(), have: "refused")
        let kinds = byIdentifier.items.map(\.kind)
        #expect(kinds.filter { $0 == "sign_in" }.count == 1 && kinds.contains("sign_in_refused"), "\(kinds)")
        #expect(kinds.contains("credentials_issued") && kinds.contains("staff"), "\(kinds)")
        #expect(byIdentifier.items.first { $0.kind == "sign_in_refused" }?.reason == "wrong_credentials")
        #expect(byIdentifier.items.first { $0.kind == "refused" }?.reason == "reader_suspended")
        #expect(byIdentifier.items.contains { $0.action == "subscriber.set-state" })
        let named = try #require(byIdentifier.readers.first)
        #expect(named.backend == "house")

        for arguments in [[named.pseudonym], ["--backend", "house", "--key", named.key]] {
            let text = try await sample.succeed(["timeline", "--json"] + arguments)
            let same = try JSONDecoder().decode(Report.self, from: Data(text.utf8))
            #expect(same.items.filter { $0.kind != "staff" }.count >= 3, "\(arguments)")
            #expect(same.readers.map(\.key) == [named.key], "\(arguments)")
        }
        let first = try await report(sample, "--limit", "2", reader.email)
        let cursor = try #require(first.next)
        let page = try await sample.gatefold(["timeline", "--limit", "2", "--before", cursor, reader.email])
        #expect(page.status == 0 && page.lines.count == 2 && page.errors.contains("--before"), "\(page)")

        #expect(!byIdentifier.items.contains { $0.action == "timeline.show" })
        let reads = try await report(sample, "--reads", reader.email)
        #expect(reads.items.first?.action == "timeline.show", "\(reads.items)")

        let shown = try await sample.succeed(["audit", "list", "--action", "timeline.show"])
        #expect(shown.contains("subscriber:\(named.pseudonym)") && !shown.contains(reader.email), "\(shown)")
    }

    @Test("What was typed for nobody is found by it, and an erased reader has no events")
    func strangers() async throws {
        let sample = try Sample.current
        let absent = try await sample.gatefold(["timeline", "nobody@example.com"])
        #expect(absent.status == 1 && absent.output.isEmpty, "\(absent)")
        _ = try await sample.call("sign_in", ["email": "Typo@example.com", "password": "wrong"])
        let typed = try await reports(sample, "typo@example.com", have: "sign_in_refused")
        #expect(typed.readers.isEmpty)

        let reader = sample.newReader()
        let token = try await sample.signIn(reader)
        let known = try await reports(sample, reader.email, have: "sign_in")
        let pseudonym = try #require(known.readers.first?.pseudonym)
        try await sample.succeed(["subscribers", "delete", reader.email, "-b", "house"])
        // The session goes on, and the app does not know of the erasure.
        try await eventually("the server knows of the deletion") { try await sample.state(of: token) == "unknown" }
        // The events of this reader are written with those of the erased one, or later.
        let other = sample.newReader()
        _ = try await sample.signIn(other)
        _ = try await reports(sample, other.email, have: "sign_in")
        let text = try await sample.succeed(["timeline", "--json", pseudonym])
        let erased = try JSONDecoder().decode(Report.self, from: Data(text.utf8))
        #expect(erased.readers.isEmpty && erased.items.allSatisfy { $0.kind == "staff" }, "\(text)")
    }

    @Test("Rejects wrong names of a reader")
    func usage() async throws {
        let sample = try Sample.current
        for arguments in [
            [], ["a", "--owner", "00"], ["--owner", "00"], ["--key", "1"], ["--backend", "absent", "--key", "1"],
            ["a", "--limit", "0"], ["a", "--before", "x"],
        ] {
            let run = try await sample.gatefold(["timeline"] + arguments)
            #expect(run.status == 64 && !run.errors.isEmpty, "\(arguments) \(run)")
        }
    }
}
