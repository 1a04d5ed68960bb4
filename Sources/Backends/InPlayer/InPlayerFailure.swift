import Foundation
import InPlayer
import Primitives

/// The reason for a failure of InPlayer's service, apart from the connection. It names a status and an item, and
/// nothing from the response.
enum InPlayerFailure: RequestScopedFailure, Equatable {
    /// - Parameter item: The item of the query.
    case status(Int, item: Int?)
    /// A response that is not in the service's format, or not about this query.
    case unrecognizedResponse(item: Int?)
    case historyTooLong
    case unusableTokens

    /// A Boolean value that indicates whether the failure concerns this one query. As with any service, a status of
    /// 500 or above, or one that may apply to all readers, concerns the service.
    var isRequestScoped: Bool {
        switch self {
        case .status(let status, _): (400..<500).contains(status) && ![401, 403, 407, 408, 429].contains(status)
        case .unrecognizedResponse, .historyTooLong, .unusableTokens: true
        }
    }

    var cause: String {
        switch self {
        case .status(let status, let item): "the service responded\(Self.about(item)) with status \(status)"
        case .unrecognizedResponse(let item): "the service's response\(Self.about(item)) does not follow its protocol"
        case .historyTooLong: "the account's list of purchases has more pages than are read, or does not end"
        case .unusableTokens: "the service's tokens are too long to store, or have characters invalid in a header"
        }
    }

    private static func about(_ item: Int?) -> String { item.map { " about item \($0)" } ?? "" }
}

/// An error that indicates that the account's session at the service is over.
struct InPlayerSessionExpired: Error {}

extension InPlayerError {
    /// Returns the meaning of the error to a backend: the session is over, or the service failed.
    ///
    /// - Parameter item: The item of the query.
    func meaning(item: Int? = nil) -> any Error {
        switch self {
        case .notSignedIn, .sessionEnded(nil): InPlayerSessionExpired()
        case .sessionEnded(.some(let fault)):
            fault.concernsCredentials ? InPlayerSessionExpired() : InPlayerFailure.status(fault.status, item: item)
        case .rejected(let fault): InPlayerFailure.status(fault.status, item: item)
        case .unreachable(let error): error
        case .unreadable, .storage, .invalid: InPlayerFailure.unrecognizedResponse(item: item)
        }
    }
}

extension InPlayerFault {
    /// A Boolean value that indicates whether the response to an authentication rejects the credentials or the
    /// token. It is `false` if the response concerns the configured client or merchant or anything else, or does
    /// not come from the service itself.
    var concernsCredentials: Bool {
        let ours: Set<String> = ["client_id", "client_secret", "grant_type", "merchant_uuid", "branding_id"]
        return isServiceError && [400, 401, 403, 404, 422].contains(status) && ours.isDisjoint(with: fields.keys)
    }
}
