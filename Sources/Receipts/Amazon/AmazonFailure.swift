import Primitives

/// An error that indicates why a call to Amazon failed. It holds no URL, because the developer's shared secret is
/// part of the URL.
enum AmazonFailure: RequestScopedFailure, Equatable {
    /// The developer's shared secret is not the secret that Amazon has.
    case wrongSharedKey
    case status(Int)
    case unrecognizedResponse

    var isRequestScoped: Bool { self == .unrecognizedResponse }

    var cause: String {
        switch self {
        case .wrongSharedKey:
            "Amazon does not know the shared secret (status 496); expected the one of the Developer Console"
        case .status(let status): "Amazon responded with status \(status)"
        case .unrecognizedResponse: "Amazon's response could not be parsed"
        }
    }
}
