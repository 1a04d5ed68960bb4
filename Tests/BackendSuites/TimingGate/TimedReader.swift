import BackendFixtures

/// The kinds of readers whose rejected sign-ins are compared. All give a wrong password, and the time must not reveal
/// the kind.
enum TimedReader: String, CaseIterable, Sendable {
    case unknown, active, lapsed, blocked

    /// The kinds that are compared with unknown readers.
    static let known = allCases.filter { $0 != .unknown }

    /// - Parameter attempt: a text that makes the identifier of an unknown reader differ each time.
    func identifier(_ attempt: String) -> String {
        switch self {
        case .unknown: "stranger-\(attempt)@example.com"
        case .active: StandardReaders.ada.email
        case .lapsed: StandardReaders.cleo.email
        case .blocked: StandardReaders.dan.email
        }
    }
}

/// The use of Gatefold's cache by the attempts.
enum TimedCache: String, CaseIterable, Sendable {
    /// Each attempt has another wrong password, so the subscriber system is queried.
    case cold
    /// The same reader repeats the same wrong password, so the cache of rejections responds if there is one.
    case warm

    /// Returns a value that no attempt had before, or always the same.
    func suffix(_ attempt: Int) -> String { self == .cold ? "\(attempt)" : "again" }
}
