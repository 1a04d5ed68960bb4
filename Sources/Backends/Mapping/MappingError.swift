import Primitives

/// An error that makes the result of a subscriber system unusable. It is never a rejection, and never an empty
/// result. Source: Pitfall 1, “A missing issue list read as everything”.
///
/// The error names fields of the configuration only and holds no value, because a value may be a reader's.
enum MappingError: RequestScopedFailure, Equatable, CustomStringConvertible {
    case missingField(String)
    case severalValues(String)
    case severalRecords
    case emptyState
    case unmappedState
    case unreadableDate(String)
    case unreadableEdition(String)
    case unpairedPeriods

    /// Always true, because one reader's malformed row must not stop the queries for all readers.
    var isRequestScoped: Bool { true }

    var cause: String { description }

    var description: String {
        switch self {
        case .missingField(let field): "the result has no field \(field)"
        case .severalValues(let field): "the result has several values for \(field)"
        case .severalRecords: "more than one subscriber matches these credentials"
        case .emptyState: "the result has no state, and `empty` does not define what that means"
        case .unmappedState: "the result has a state that the configuration does not map"
        case .unreadableDate(let field): "the result has no readable date in \(field)"
        case .unreadableEdition(let field): "the result has no valid edition in \(field)"
        case .unpairedPeriods: "the result has several periods, and not as many starts as ends"
        }
    }
}
