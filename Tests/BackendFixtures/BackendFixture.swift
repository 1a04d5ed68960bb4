public import Gatefold

/// A real subscriber system, started for a test with the ``StandardReaders``, and its configuration for Gatefold. The
/// common suites run against every fixture in ``BackendFixtures``.
public protocol BackendFixture: Sendable {
    /// The kind in the configuration, which is also shown in test names.
    static var name: String { get }

    /// Starts the system in a temporary folder on free ports, runs the body, and stops the system in any case.
    static func run(_ body: (Self) async throws -> Void) async throws

    /// The backend's section of the configuration in YAML, without indentation, `kind` first. Its publication
    /// requires `email` and `password`, and has the policy `backend`.
    var settings: String { get }

    /// A Boolean value that indicates whether the backend queries a system outside the process, and may have settings
    /// under `protection`.
    var isRemote: Bool { get }

    /// Further backends that this one queries, such as the members of a chain.
    var members: [(name: String, settings: String, isRemote: Bool)] { get }

    /// The environment variables of the secrets in the settings.
    var environment: [String: String] { get }

    /// Changes a reader's state in the system itself.
    func set(_ state: SubscriptionState, of reader: StandardReader) async throws

    /// Changes a reader's password in the system itself.
    func setPassword(_ password: String, of reader: StandardReader) async throws

    /// Makes the system unavailable in one way, until ``recover()``.
    func fail(_ outage: Outage) async throws

    /// Restores the system.
    func recover() async throws

    /// The outages that this fixture can cause.
    static var outages: [Outage] { get }

    /// A Boolean value that indicates whether the backend verifies stored hashes in this process, so that unknown and
    /// known readers must take the same time.
    static var hasStoredHashes: Bool { get }

    /// A Boolean value that indicates whether the system treats look-alike spellings of an identifier as equal, such
    /// as `ádá` and `ada`.
    static var acceptsLookAlikes: Bool { get }
}

extension BackendFixture {
    public var environment: [String: String] { [:] }
    public var isRemote: Bool { true }
    public var members: [(name: String, settings: String, isRemote: Bool)] { [] }
    public static var hasStoredHashes: Bool { false }
    public static var acceptsLookAlikes: Bool { false }
}

/// A failure of a subscriber system.
public enum Outage: String, Sendable, CaseIterable {
    /// The process is stopped: connections are refused.
    case stopped
    /// The process is paused (SIGSTOP): connections open, but no response comes.
    case paused
    /// The system responds with its own error, such as a missing table, a busy directory or a status 500.
    case error
    /// The system responds with bytes outside its protocol, or with half a response.
    case garbage
    /// Connections are reset during a response.
    case reset
    /// The system responds correctly but too late for a reader: each direction takes ``delay``.
    case slow

    /// The delay of each direction of a slow system. The round trip exceeds the deadline of the fault tests but not
    /// the limits of the clients, so that responses arrive after their query has timed out.
    public static let delay: Duration = .milliseconds(1_500)
}

/// A reader that exists in every fixture's system.
public struct StandardReader: Sendable, Hashable {
    /// In lower case.
    public let email: String
    public let password: String
    public let state: SubscriptionState
    /// The reader's editions, or nil for all editions.
    public let editions: [String]?
}

/// The readers of every fixture's system.
public enum StandardReaders {
    public static let firstEdition = "com.example.daily.2026-11-20"
    public static let secondEdition = "com.example.daily.2026-11-21"

    /// Active, with two editions.
    public static let ada = StandardReader(
        email: "ada@example.com", password: "correct horse", state: .active, editions: [firstEdition, secondEdition])
    /// Active, with no edition at all: `<issues/>`.
    public static let bob = StandardReader(
        email: "bob@example.com", password: "battery staple", state: .active, editions: [])
    /// Inactive, still holding one edition.
    public static let cleo = StandardReader(
        email: "cleo@example.com", password: "tr0ub4dor&3", state: .inactive, editions: [firstEdition])
    public static let dan = StandardReader(
        email: "dan@example.com", password: "Dan's \"pass\"; --", state: .suspended, editions: [firstEdition])
    /// Active, with all editions as reported by the system.
    public static let eve = StandardReader(
        email: "eve@example.com", password: "pässwörd ünïcode", state: .active, editions: nil)

    public static let all = [ada, bob, cleo, dan, eve]
}
