import BackendBenches

/// Whose refused sign-ins are compared: everybody gives a wrong password, and nobody may learn from the time who is who.
enum TimedReader: String, CaseIterable, Sendable {
    case unknown, active, lapsed, blocked

    /// Those that are compared with somebody unknown.
    static let known = allCases.filter { $0 != .unknown }

    /// - Parameter attempt: of somebody unknown, another one each time.
    func identifier(_ attempt: String) -> String {
        switch self {
        case .unknown: "stranger-\(attempt)@example.com"
        case .active: StandardReaders.ada.email
        case .lapsed: StandardReaders.cleo.email
        case .blocked: StandardReaders.dan.email
        }
    }
}

/// What Gatefold may remember of an attempt.
enum TimedMemory: String, CaseIterable, Sendable {
    /// Each attempt has another wrong password, and so is asked of the subscriber system.
    case cold
    /// The same reader with the same wrong password again and again: answered from the memory of refusals where there is one.
    case warm

    /// A word that no attempt had before, or the same as ever.
    func word(_ attempt: Int) -> String { self == .cold ? "\(attempt)" : "again" }
}
