public import Gatefold
public import Settings

/// The invented readers of a test publication, `kind: test`.
public struct TestUsersBackendKind: BackendKind {
    public static let name = "test"
    private let name: String

    public init(name: String, settings: SettingsSection) throws(SettingsError) {
        self.name = name
    }

    public var isForTests: Bool { true }
    public var isRemote: Bool { false }
    public var varyingFields: Set<String> { ["issue_prefix", "issue_start", "issue_end"] }

    public func open(_ services: BackendServices) -> any SubscriberBackend {
        TestUsersBackend(name: name, clock: services.clock, random: services.random)
    }

    public func tokenCodec(for publication: PublicationID) -> (any TokenCodec)? {
        TestTokenCodec(publication: publication, backend: name)
    }

    public func edgeTokens() -> [any EdgeToken] { [TestEdgeToken()] }
}
