import Backends
import Foundation
import Gatefold
import HTTPTypes
import JSON
import Primitives
import Resilience
import TestSupport
import Testing

@testable import AdminAPI
@testable import Server

@Suite("Admin API: subscription of a reader, and health of its backend") struct ReaderSubscriptionTests {
    private typealias Fixture = AdminAPIFixture

    /// The reader of the scripted backend.
    private static let ivy = Subscriber(backend: "house", key: "ivy")

    /// Passes a fixture whose backend `house` is a scripted one behind a protection.
    private func withProtected(
        _ test: (Fixture, ScriptedBackend, _ handle: String, _ token: String) async throws -> Void
    ) async throws {
        let system = ScriptedBackend(name: "house")
        try await Fixture.with(
            Fixture.remoteConfiguration, wrapping: { $0 == "house" ? system : $1 }
        ) { fixture in
            let handle = try ReaderHandle(Self.ivy, key: fixture.key).description
            try await test(fixture, system, handle, try await fixture.token(.support))
        }
    }

    private func get(_ fixture: Fixture, _ handle: String, _ token: String) async throws -> JSONValue {
        let received = await fixture.send(.get, fixture.path(handle), token)
        #expect(received.status == 200, "\(received.text)")
        let operation = try #require(AdminOperations.all.first { $0.id == "getReader" })
        #expect(operation.success.schema?.faults(of: received.json).isEmpty == true, "\(received.text)")
        return received.json
    }

    @Test("The subscription is that of the embedded database, in the dates and the editions that it has")
    func embedded() async throws {
        try await Fixture.with { fixture in
            try await fixture.add("grace@example.com,automatic,com.example.daily.2,2024-01-01/2024-01-31")
            let token = try await fixture.token(.support)
            let handle = try #require(await fixture.readers("grace@example.com", token).first).handle
            let shown = try await get(fixture, handle, token)
            #expect(shown["subscription"]?["state"] == "inactive" && shown["subscription_error"] == .null)
            #expect(shown["subscription"]?["ends"]?.text?.hasPrefix("2024-01-31") == true)
            #expect(shown["subscription"]?["editions"]?["ids"]?.items == ["com.example.daily.2"])
            #expect(shown["subscription"]?["freshness"] == "live" && shown["subscription"]?["age"] != .null)
        }
    }

    @Test("A cached subscription says so with its age, and one that is not known has the cause")
    func cached() async throws {
        try await withProtected { fixture, system, handle, token in
            #expect(try await get(fixture, handle, token)["subscription"]?["freshness"] == "live")
            let again = try await get(fixture, handle, token)
            #expect(again["subscription"]?["freshness"] == "cached" && again["subscription"]?["age"] != .null)
            #expect(system.queries == ["subscription"])
            system.startOutage()
            #expect(try await get(fixture, handle, token)["subscription"]?["state"] == "active")
            let other = try ReaderHandle(Subscriber(backend: "house", key: "noa"), key: fixture.key).description
            let unknown = try await get(fixture, other, token)
            #expect(unknown["subscription"] == .null && unknown["subscription_error"]?.text?.isEmpty == false)
        }
    }

    @Test("The list of backends has the last failed query and the time since which all fail, until one succeeds")
    func health() async throws {
        try await withProtected { fixture, system, handle, token in
            let viewer = try await fixture.token(.viewer)
            func listed() async throws -> JSONValue {
                let items = await fixture.send(.get, "/backends", viewer).json["items"]?.items
                return try #require(items?.first { $0["name"] == "house" })
            }
            _ = try await get(fixture, handle, token)
            var shown = try await listed()
            #expect(shown["last_error"] == .null && shown["unavailable_since"] == .null)
            #expect(shown["stale_results"]?.integer == 0 && shown["breaker"] == "closed")
            system.startOutage()
            let other = try ReaderHandle(Subscriber(backend: "house", key: "noa"), key: fixture.key).description
            _ = try await get(fixture, other, token)
            shown = try await listed()
            #expect(shown["last_error"]?["call"] == "subscription")
            #expect(shown["last_error"]?["cause"]?.text?.isEmpty == false)
            #expect(shown["unavailable_since"] == shown["last_error"]?["time"])
            #expect(!"\(shown)".contains("noa"))
            system.response(Subscription(state: .active))
            _ = try await get(fixture, other, token)
            shown = try await listed()
            #expect(shown["unavailable_since"] == .null && shown["last_error"]?["call"] == "subscription")
        }
    }

    @Test("A refresh discards what is cached, and shows the subscription before and after")
    func refresh() async throws {
        try await withProtected { fixture, system, handle, token in
            func refresh() async throws -> JSONValue {
                let received = await fixture.send(
                    .post, fixture.path(handle, "/refresh"), token, body: #"{"reason": "has paid"}"#, key: nil)
                #expect(received.status == 200, "\(received.text)")
                let operation = try #require(AdminOperations.all.first { $0.id == "refreshReader" })
                #expect(operation.success.schema?.faults(of: received.json).isEmpty == true, "\(received.text)")
                return received.json
            }
            system.response(Subscription(state: .inactive))
            let first = try await refresh()
            #expect(first["before"]?["subscription"] == .null)
            #expect(first["after"]?["subscription"]?["state"] == "inactive" && first["after"]?["freshness"] == "live")
            system.response(Subscription(state: .active))
            #expect(try await get(fixture, handle, token)["subscription"]?["state"] == "inactive")
            let second = try await refresh()
            #expect(second["before"]?["subscription"]?["state"] == "inactive")
            #expect(second["before"]?["freshness"] == "cached" && second["before"]?["age"] != .null)
            #expect(second["after"]?["subscription"]?["state"] == "active")
            #expect(try await get(fixture, handle, token)["subscription"]?["state"] == "active")
        }
    }

    @Test("While the subscriber system is unavailable, a refresh discards nothing, so that readers are still served")
    func refreshInOutage() async throws {
        try await withProtected { fixture, system, handle, token in
            _ = try await get(fixture, handle, token)
            system.startOutage()
            // A query that fails shows that the system is unavailable.
            let other = try ReaderHandle(Subscriber(backend: "house", key: "noa"), key: fixture.key).description
            _ = try await get(fixture, other, token)
            let received = await fixture.send(
                .post, fixture.path(handle, "/refresh"), token, body: "{}", key: nil
            ).json
            #expect(received["after"]?["subscription"] == .null)
            #expect(received["after"]?["error"]?.text?.isEmpty == false)
            #expect(try await get(fixture, handle, token)["subscription"]?["state"] == "active")
        }
    }
}
