import Gatefold
import TestSupport
import Testing

@testable import Backends

@Suite("Lookups in a chain") struct ChainLookupTests {
    private struct Directory: LookupBackend {
        let name: String
        var keys: [String]?
        var supportsLookup = true

        func authenticate(_ credentials: Credentials, context: CallContext) -> Fetched<AuthenticationResult> {
            .rejected(message: nil)
        }

        func subscription(of subscriber: Subscriber, context: CallContext) -> Fetched<Subscription> {
            Fetched(Subscription(state: .unknown))
        }

        func lookUp(_ credentials: Credentials, context: CallContext) async throws -> Fetched<ReaderLookup> {
            guard let keys else { throw FakeMember.UnavailableError() }
            return Fetched(
                ReaderLookup(
                    keys.map { Subscriber(backend: name, key: $0) }, ambiguous: keys.count > 1 ? [name] : []))
        }
    }

    @Test("Every member is asked: readers of several, a member that is down, and one that cannot be searched")
    func members() async throws {
        let members: [any SubscriberBackend] = [
            Directory(name: "new", keys: ["1"]), Directory(name: "down"), FakeMember("web"),
            Directory(name: "old", keys: ["7", "8"]), Directory(name: "off", keys: [], supportsLookup: false),
        ]
        let chain = ChainBackend(
            name: "chain", members: members.map { ChainMember(backend: $0, rule: ChainRule()) }, order: .inOrder,
            lazyMigration: nil)
        let credentials = try #require(Credentials(finding: "ada@example.com", field: "email"))
        let found = try await chain.lookUp(credentials, context: CallContext()).value
        #expect(
            found
                == ReaderLookup(
                    [("new", "1"), ("old", "7"), ("old", "8")].map { Subscriber(backend: $0.0, key: $0.1) },
                    unsupported: ["web", "off"], failures: ["down": "down"], ambiguous: ["old"]))
    }

    @Test("The member of a subscriber says whether its own session is missing")
    func sessions() {
        let chain = ChainBackend(
            name: "chain",
            members: ([Directory(name: "new", keys: ["1"]), FakeMember("web")] as [any SubscriberBackend]).map {
                ChainMember(backend: $0, rule: ChainRule())
            }, order: .inOrder, lazyMigration: nil)
        #expect(!chain.resolved.lacksSession(Subscriber(backend: "new", key: "1")))
        #expect(chain.resolved.lacksSession(Subscriber(backend: "web", key: "1")))
        #expect(!chain.resolved.lacksSession(Subscriber(backend: "web", key: "1", upstreamSession: "s")))
        let linked = ChainSession(own: nil, links: [Subscriber(backend: "new", key: "1")]).upstreamSession
        #expect(chain.resolved.lacksSession(Subscriber(backend: "web", key: "1", upstreamSession: linked)))
    }
}
