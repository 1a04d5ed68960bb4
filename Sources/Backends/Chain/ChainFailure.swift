import Primitives

/// The reason for the failure of a chain.
enum ChainFailure: BackendFailure, Equatable, CustomStringConvertible {
    /// - Parameter members: The failed members and their causes, in the order of the configuration.
    case unavailable(members: [Cause])
    /// The reader is known in too many systems, or with sessions too long, for one token.
    case sessionTooLong

    struct Cause: Equatable, Sendable {
        let member: String
        let text: String

        init(member: String, error: any Error) {
            self.member = member
            text = BackendCause.text(of: error)
        }
    }

    var cause: String { description }

    var description: String {
        switch self {
        case .unavailable(let members): members.map { "\($0.member): \($0.text)" }.joined(separator: "; ")
        case .sessionTooLong: "the reader's memberships do not fit in a token"
        }
    }
}

/// The log text of a backend's error.
enum BackendCause {
    /// Returns the error's own cause, or only its type if it has none. The text of an arbitrary error may quote the
    /// reader's input.
    static func text(of error: any Error) -> String {
        (error as? any BackendFailure)?.cause ?? String(describing: type(of: error))
    }
}
