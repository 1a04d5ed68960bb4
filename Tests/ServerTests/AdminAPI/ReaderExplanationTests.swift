import Foundation
import Gatefold
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import AdminAPI
@testable import Server

@Suite("Admin API: explanation of an edition") struct ReaderExplanationTests {
    private typealias Fixture = AdminAPIFixture
    private static let first = "com.example.daily.1"

    /// Asks for an explanation about a reader of the embedded database.
    private func explain(
        _ fixture: Fixture, adding row: String, _ edition: String = first, at time: String? = nil
    ) async throws -> JSONValue {
        try await fixture.add(row)
        let token = try await fixture.token(.support)
        let identifier = String(row.prefix { $0 != "," })
        let reader = try #require(await fixture.readers(identifier, token).first)
        return try await explain(fixture, reader.handle, token, edition, at: time)
    }

    private func explain(
        _ fixture: Fixture, _ handle: String, _ token: String, _ edition: String = first, at time: String? = nil
    ) async throws -> JSONValue {
        let at = time.map { #", "at": "\#($0)""# } ?? ""
        let received = await fixture.send(
            .post, fixture.path(handle, "/explanation"), token, body: #"{"edition": "\#(edition)"\#(at)}"#)
        #expect(received.status == 200, "\(received.text)")
        let operation = try #require(AdminOperations.all.first { $0.id == "explainEdition" })
        let faults = operation.success.schema?.faults(of: received.json) ?? []
        #expect(faults.isEmpty, "\(faults)")
        return received.json
    }

    @Test("An edition that opens has the verdict, the subscription of the app, and all steps")
    func opens() async throws {
        try await Fixture.with { fixture in
            let explained = try await explain(fixture, adding: "grace@example.com,active,\(Self.first),")
            #expect(explained["verdict"] == "granted" && explained["opens"] == true)
            #expect(explained["cause"] == .null && explained["is_other_time"] == false)
            #expect(explained["subscription"]?["state"] == "active")
            #expect(explained["subscription"]?["editions"]?["ids"]?.items == [.string(Self.first)])
            let steps = explained["steps"]?.items?.compactMap { $0["step"]?.text }
            #expect(steps?.first == "reader" && Set(steps ?? []).count == ExplanationStep.Code.allCases.count)
        }
    }

    @Test("An edition that does not open names the step, its reason and the remedy")
    func rejected() async throws {
        try await Fixture.with { fixture in
            let explained = try await explain(fixture, adding: "grace@example.com,inactive,,")
            #expect(explained["verdict"] == "rejected" && explained["opens"] == false)
            #expect(explained["cause"] == "subscription" && explained["reason"] == "subscription_lapsed")
            #expect(explained["remedy"]?.text?.isEmpty == false)
            let step = explained["steps"]?.items?.first { $0["step"] == "subscription" }
            #expect(step?["outcome"] == "fails" && step?["backend"] == "house" && step?["freshness"] == "live")
            let state = step?["values"]?.items?.first { $0["name"] == "state" }
            #expect(state?["value"] == "inactive")
        }
    }

    @Test("Another time is evaluated by the subscriber system too, and marks what is of the present")
    func otherTime() async throws {
        try await Fixture.with { fixture in
            try await fixture.add("grace@example.com,automatic,,2024-01-01/2024-01-31")
            let token = try await fixture.token(.support)
            let handle = try #require(await fixture.readers("grace@example.com", token).first).handle
            let now = try await explain(fixture, handle, token)
            #expect(now["verdict"] == "rejected" && now["reason"] == "subscription_lapsed")
            let then = try await explain(fixture, handle, token, at: "2024-01-15T08:00:00Z")
            #expect(then["is_other_time"] == true && then["timestamp"] == "2024-01-15T08:00:00Z")
            let steps = then["steps"]?.items ?? []
            let state = steps.first { $0["step"] == "subscription" }?["values"]?.items?.first { $0["name"] == "state" }
            #expect(state?["value"] == "active")
            #expect(steps.contains { $0["step"] == "sessions" && $0["is_of_present"] == true })
            // The other clock leaves nothing in the service of the readers.
            #expect(try await explain(fixture, handle, token)["verdict"] == "rejected")
        }
    }

    @Test("Only one explanation for another time runs at a node, because each opens backends")
    func oneAtATime() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.support)
            let path = fixture.path(fixture.ada.handle, "/explanation")
            let body = #"{"edition": "\#(Self.first)", "at": "2024-01-15T08:00:00Z"}"#
            let during = await fixture.services.otherTime.run { await fixture.send(.post, path, token, body: body) }
            #expect(during?.status == 429)
            #expect(await fixture.send(.post, path, token, body: body).status == 200)
        }
    }

    @Test("A text that is no edition is rejected before anything is queried or recorded")
    func invalid() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.support)
            for edition in ["a/b", "a:b", "..", ".hidden", ""] {
                let received = await fixture.send(
                    .post, fixture.path(fixture.ada.handle, "/explanation"), token,
                    body: String(decoding: JSONWriter.bytes(["edition": .string(edition)]), as: UTF8.self))
                #expect(received.status == 400, "\(edition)")
            }
            #expect(try await fixture.audited().isEmpty)
        }
    }

    @Test("The audit log has the explanation before the query, and the verdict")
    func audit() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.support)
            _ = try await explain(fixture, fixture.ada.handle, token)
            let entries = try await fixture.audited()
            let subject = "subscriber:\(fixture.key.reference(to: fixture.ada.subscriber))"
            #expect(entries.map(\.action) == ["reader.explain", "reader.explain"])
            #expect(entries.allSatisfy { $0.subject == subject && $0.publication == "daily" })
            #expect(entries.first?.details.contains("phase=intent") == true)
            #expect(entries.last?.details.contains("verdict=rejected") == true)
        }
    }
}
