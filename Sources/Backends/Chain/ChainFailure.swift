import Gatefold

/// Why a chain could not be asked.
enum ChainFailure: BackendFailure, Equatable, CustomStringConvertible {
    /// - Parameter members: who could not be asked and why, in the order of the configuration.
    case unavailable(members: [Cause])
    /// The reader is in so many systems, with such long sessions, that no token has room for them.
    case sessionTooLong

    struct Cause: Equatable, Sendable {
        let member: String
        let words: String

        init(member: String, error: any Error) {
            self.member = member
            words = BackendCause.words(of: error)
        }
    }

    var cause: String { description }

    var description: String {
        switch self {
        case .unavailable(let members): members.map { "\($0.member): \($0.words)" }.joined(separator: "; ")
        case .sessionTooLong: "the reader's memberships take more room than a token has"
        }
    }
}

/// The words for the log of a backend's error.
enum BackendCause {
    /// The type alone where it has no words of its own: an error's text may quote what the reader typed.
    static func words(of error: any Error) -> String {
        (error as? any BackendFailure)?.cause ?? String(describing: type(of: error))
    }
}
