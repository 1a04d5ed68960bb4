import Gatefold
import Protections

/// Why Amazon could not be asked. Holds no URL: the developer's shared secret is part of it.
enum AmazonFailure: AnswerFailure, Equatable {
    /// The developer's shared secret is not the one Amazon knows.
    case wrongSharedKey
    case status(Int)
    case notUnderstood

    var isOfOneAnswer: Bool { self == .notUnderstood }

    var cause: String {
        switch self {
        case .wrongSharedKey:
            "Amazon does not know the shared secret (status 496); expected the one of the Developer Console"
        case .status(let status): "Amazon answered with status \(status)"
        case .notUnderstood: "Amazon's answer was not understood"
        }
    }
}
