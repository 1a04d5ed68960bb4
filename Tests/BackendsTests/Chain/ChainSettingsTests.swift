import Settings
import Testing

@testable import Backends

@Suite("Chain settings") struct ChainSettingsTests {
    private func chain(_ yaml: String) throws -> ChainBackendKind {
        let settings = try backendSettings("kind: chain\n" + yaml)
        let kind = try #require(try BackendRegistry.read(name: "chain", settings: settings) as? ChainBackendKind)
        try settings.finish()
        return kind
    }

    @Test("A list of names suffices, and each rule can be set")
    func reading() throws {
        let short = try chain("members: [{backend: new}, {backend: legacy}]")
        #expect(short.members == ["new", "legacy"])
        let opened = try short.open(testServices(members: [FakeMember("new"), FakeMember("legacy")]))
        let plain = try #require(opened as? ChainBackend)
        #expect(plain.order == .inOrder && plain.lazyMigration == nil)
        #expect(plain.members.map(\.rule) == [ChainRule(), ChainRule()])
        #expect(ChainRule() == ChainRule(authenticated: .stop, rejected: .next, unavailable: .next))
        let long = try chain(
            """
            strategy: parallel
            members:
              - {backend: new, authenticated: next, rejected: stop, unavailable: fail}
            lazy_migration: {into: embedded}
            """)
        #expect(long.members == ["new", "embedded"])
        #expect(!long.isRemote)
        let full = try #require(try long.open(testServices(members: [FakeMember("new")])) as? ChainBackend)
        #expect(full.order == .parallel)
        #expect(
            full.members.map(\.rule)
                == [ChainRule(authenticated: .next, rejected: .stop, unavailable: .fail)])
    }

    @Test(
        "An invalid setting is rejected with its line",
        arguments: [
            (
                "strategy: random\nmembers: [{backend: a}]",
                "gatefold.yaml:2: strategy: expected one of sequential, parallel"
            ),
            ("strategy: sequential", "members: expected a list of 1 to 16 backends"),
            (
                "members: [{backend: a}, {backend: a}]",
                "gatefold.yaml:2: members[1].backend: `a` is in the chain already"
            ),
            ("members: [{authenticated: stop}]", "members[0].backend: missing; expected the name of a backend"),
            ("members: [{backend: a, authentcated: stop}]", "did you mean `authenticated`?"),
            ("members: [{backend: a, unavailable: ignore}]", "expected one of next, fail"),
            (
                "members: [{backend: a}]\nlazy_migration: {}",
                "lazy_migration.into: missing; expected the name of a backend"
            ),
        ])
    func rejected(yaml: String, message: String) {
        #expect {
            try chain(yaml)
        } throws: { "\($0)".contains(message) }
    }

    @Test("Lazy migration needs a target of kind sqlite or registry that checks a proof")
    func adopters() throws {
        let kind = try chain("members: [{backend: a}]\nlazy_migration: {into: b}")
        func sqlite(_ more: String) throws -> [String: any BackendKind] {
            let settings = try backendSettings("kind: sqlite\npath: b.sqlite\n" + more)
            return ["b": try BackendRegistry.read(name: "b", settings: settings)]
        }
        try kind.check(try sqlite(""))
        for members in [try sqlite("check_proof: false"), ["b": kind], [:]] {
            #expect {
                try kind.check(members)
            } throws: {
                "\($0)"
                    == "gatefold.yaml:3: lazy_migration.into: expected a backend of kind sqlite or registry that checks "
                    + "a proof"
            }
        }
    }
}
