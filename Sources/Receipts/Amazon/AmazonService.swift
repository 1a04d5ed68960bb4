import Foundation
import Gatefold
import JSON
import OutgoingRequests

/// Amazon's Receipt Verification Service, in both its versions (PROTOCOLS 1.6).
///
/// The developer's shared secret is a segment of every path, so no URL of these ever reaches a log or an error.
struct AmazonService: Sendable {
    enum Word: Sendable {
        /// - Parameter reference: what was asked about in the end: renewing may have given another.
        case found(JSONValue, AmazonReference)
        case refused(ReceiptRefusal)
    }

    let base: ServiceURL
    let key: Secret
    let http: OutgoingHTTP
    let protected: ProtectedStore

    /// Verifies; where Amazon says that the reference has to be renewed (499), renews it and verifies again, once.
    ///
    /// - Throws: what says that Amazon could not be asked.
    func verify(_ reference: AmazonReference, of user: String) async throws -> Word {
        let first = try await put(reference.verification, reference, user)
        guard first.status == Self.mustBeRenewed else { return try word(first, reference) }
        let renewal = try await put("renew", reference, user)
        guard renewal.status == 200 else {
            // A renewal that has to be renewed has come to its end.
            if renewal.status == Self.mustBeRenewed { return .refused(ReceiptRefusal(.expired, code: renewal.status)) }
            return try word(renewal, reference)
        }
        let renewed = (try? JSONParser.parse(renewal.body))?[reference.label]?.text
        let next = renewed.map { reference.replaced(by: $0) } ?? reference
        let second = try await put(next.verification, next, user)
        if second.status == Self.mustBeRenewed { return .refused(ReceiptRefusal(.expired, code: second.status)) }
        return try word(second, next)
    }

    private static let mustBeRenewed = 499

    /// Statuses that are no verdict are thrown inside, so that they count against the service.
    private func put(_ operation: String, _ reference: AmazonReference, _ user: String) async throws -> HTTPAnswer {
        let segments = [
            "version", reference.version, operation, "developer", String(decoding: key.bytes, as: UTF8.self), "user",
            user, reference.label, reference.text,
        ]
        guard let url = base.appending(segments) else {
            return HTTPAnswer(status: 400, headers: [], body: [])
        }
        let question = HTTPQuestion(url: url, isRepeatable: true)
        return try await protected.ask {
            let answer = try await http.send(question)
            switch answer.status {
            case 200, 400, 410, 497, 498, Self.mustBeRenewed: return answer
            case 496: throw AmazonFailure.wrongSharedKey
            default: throw AmazonFailure.status(answer.status)
            }
        }
    }

    private func word(_ answer: HTTPAnswer, _ reference: AmazonReference) throws(AmazonFailure) -> Word {
        switch answer.status {
        case 200:
            guard let json = try? JSONParser.parse(answer.body) else { throw .notUnderstood }
            return .found(json, reference)
        // Nothing was bought by it, or not by this user.
        case 400, 497: return .refused(ReceiptRefusal(.notFound, code: answer.status))
        default: return .refused(ReceiptRefusal(.expired, code: answer.status))
        }
    }
}
