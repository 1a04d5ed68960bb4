import Foundation
import Gatefold
import InPlayer
import Protections

/// Why InPlayer's service could not be asked, beyond the connection. Names a status and an item, and nothing of the answer.
enum InPlayerFailure: AnswerFailure, Equatable {
    /// - Parameter item: that was asked about.
    case status(Int, item: Int?)
    /// An answer that is no answer of the service's, or not to this question.
    case notUnderstood(item: Int?)
    case historyTooLong
    case unusableTokens

    /// As with any service: a status from 500 on and what may be meant for everybody speak of the service.
    var isOfOneAnswer: Bool {
        switch self {
        case .status(let status, _): (400..<500).contains(status) && ![401, 403, 407, 408, 429].contains(status)
        case .notUnderstood, .historyTooLong, .unusableTokens: true
        }
    }

    var cause: String {
        switch self {
        case .status(let status, let item): "the service answered\(Self.about(item)) with status \(status)"
        case .notUnderstood(let item): "the service's answer\(Self.about(item)) is not one of its protocol"
        case .historyTooLong: "the account's list of purchases has more pages than are read, or does not end"
        case .unusableTokens: "the service's tokens are too long to be kept, or have letters that no header carries"
        }
    }

    private static func about(_ item: Int?) -> String { item.map { " about item \($0)" } ?? "" }
}

/// The account's session at the service is over.
struct InPlayerSessionOver: Error {}

extension InPlayerError {
    /// What it means to a backend: that the session is over, or that the service could not be asked.
    ///
    /// - Parameter item: that was asked about.
    func meaning(item: Int? = nil) -> any Error {
        switch self {
        case .notSignedIn, .sessionEnded(nil): InPlayerSessionOver()
        case .sessionEnded(.some(let fault)):
            fault.isAboutCredentials ? InPlayerSessionOver() : InPlayerFailure.status(fault.status, item: item)
        case .refused(let fault): InPlayerFailure.status(fault.status, item: item)
        case .unreachable(let error): error
        case .unreadable, .storage, .invalid: InPlayerFailure.notUnderstood(item: item)
        }
    }
}

extension InPlayerFault {
    /// Whether the answer to an authentication speaks of the credentials or token in it, and not of the client or merchant in
    /// our own settings, nor of anything else. That the service itself said it is ``ServiceTransport``'s to see to.
    var isAboutCredentials: Bool {
        let ours: Set<String> = ["client_id", "client_secret", "grant_type", "merchant_uuid", "branding_id"]
        return [400, 401, 403, 404, 422].contains(status) && ours.isDisjoint(with: fields.keys)
    }
}
