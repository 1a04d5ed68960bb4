public import Gatefold

/// A real subscriber system, started for a test with the ``StandardReaders`` in it, and what Gatefold's configuration
/// says of it. The common suites run against every bench in ``BackendBenches``.
public protocol BackendBench: Sendable {
    /// The kind in the configuration, and what a test's name shows.
    static var name: String { get }

    /// Starts the system in a temporary folder on free ports, runs the body, and stops the system, whatever happened.
    static func run(_ body: (Self) async throws -> Void) async throws

    /// The backend's section of the configuration in YAML, without indentation, `kind` first. Its publication asks for
    /// `email` and `password`, and has the policy `backend`.
    var settings: String { get }

    /// Whether it asks something outside the process and so may have settings under `protection`.
    var isRemote: Bool { get }

    /// Further backends that it asks, as a chain does its members.
    var members: [(name: String, settings: String, isRemote: Bool)] { get }

    /// The environment variables that the settings take secrets from.
    var environment: [String: String] { get }

    /// Changes a reader's state in the system itself.
    func set(_ state: SubscriptionState, of reader: StandardReader) async throws

    /// Changes a reader's password in the system itself.
    func setPassword(_ password: String, of reader: StandardReader) async throws

    /// Makes the system unavailable in one way, until ``recover()``.
    func fail(_ outage: Outage) async throws

    /// Brings the system back as it was.
    func recover() async throws

    /// The outages this bench knows to make.
    static var outages: [Outage] { get }

    /// Whether it checks a stored hash in this process, so that the times of unknown and known readers must agree.
    static var hasStoredHashes: Bool { get }

    /// Whether it takes look-alike spellings of an identifier for one, such as `ádá` for `ada`.
    static var takesLookAlikes: Bool { get }
}

extension BackendBench {
    public var environment: [String: String] { [:] }
    public var isRemote: Bool { true }
    public var members: [(name: String, settings: String, isRemote: Bool)] { [] }
    public static var hasStoredHashes: Bool { false }
    public static var takesLookAlikes: Bool { false }
}

/// A way for a subscriber system to have a bad day.
public enum Outage: String, Sendable, CaseIterable {
    /// The process is gone: connections are refused.
    case stopped
    /// The process stands still (SIGSTOP): connections open, and nothing answers.
    case paused
    /// It answers with an error of its own, such as a missing table, a busy directory or a status 500.
    case error
    /// It answers with what is no answer of its protocol, or with half of one.
    case garbage
    /// Connections are reset while it answers.
    case reset
    /// It answers rightly, but later than a reader is made to wait: each direction takes ``delay``.
    case slow

    /// How late each direction is when a system is slow. There and back it is more than the deadline of the fault tests and
    /// less than the clients' own limits, so that answers come that nobody waits for any more.
    public static let delay: Duration = .milliseconds(1_500)
}

/// Somebody whom every bench's system knows.
public struct StandardReader: Sendable, Hashable {
    /// In lower case.
    public let email: String
    public let password: String
    public let state: SubscriptionState
    /// Nil for a reader of everything.
    public let editions: [String]?
}

/// The readers that every bench's system has.
public enum StandardReaders {
    public static let firstEdition = "com.example.daily.2026-11-20"
    public static let secondEdition = "com.example.daily.2026-11-21"

    /// Active, with two editions.
    public static let ada = StandardReader(
        email: "ada@example.com", password: "correct horse", state: .active, editions: [firstEdition, secondEdition])
    /// Active, with no edition at all: `<issues/>`.
    public static let bob = StandardReader(
        email: "bob@example.com", password: "battery staple", state: .active, editions: [])
    /// No longer paying, still holding one edition.
    public static let cleo = StandardReader(
        email: "cleo@example.com", password: "tr0ub4dor&3", state: .inactive, editions: [firstEdition])
    public static let dan = StandardReader(
        email: "dan@example.com", password: "Dan's \"pass\"; --", state: .suspended, editions: [firstEdition])
    /// Active, with everything, said so by the system.
    public static let eve = StandardReader(
        email: "eve@example.com", password: "pässwörd ünïcode", state: .active, editions: nil)

    public static let all = [ada, bob, cleo, dan, eve]
}
