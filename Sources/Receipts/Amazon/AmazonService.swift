import Commerce
import Foundation
import JSON
import OutgoingRequests
import Primitives

/// Amazon's Receipt Verification Service, in both versions.
///
/// The developer's shared secret is a segment of every path. Therefore no URL of this service reaches a log or an
/// error.
///
/// Source: Store receipts in the Pugpig style, “Amazon verification URLs”.
struct AmazonService: Sendable {
    enum Reply: Sendable {
        /// - Parameter reference: The reference of the last call. It differs from the first if Amazon renewed it.
        case found(JSONValue, AmazonReference)
        case rejected(ReceiptRejection)
    }

    let base: ServiceURL
    let key: Secret
    let http: OutgoingHTTP
    let protected: ProtectedStore

    /// Verifies a reference. If Amazon requires a renewal of the reference (499), renews it and verifies once more.
    ///
    /// - Throws: An error if the call to Amazon fails.
    func verify(_ reference: AmazonReference, of user: String) async throws -> Reply {
        let first = try await put(reference.verification, reference, user)
        guard first.status == Self.mustBeRenewed else { return try reply(first, reference) }
        let renewal = try await put("renew", reference, user)
        guard renewal.status == 200 else {
            // A renewal that itself requires a renewal means that the purchase has expired.
            if renewal.status == Self.mustBeRenewed {
                return .rejected(ReceiptRejection(.expired, code: renewal.status))
            }
            return try reply(renewal, reference)
        }
        let renewed = (try? JSONParser.parse(renewal.body))?[reference.label]?.text
        let next = renewed.map { reference.replaced(by: $0) } ?? reference
        let second = try await put(next.verification, next, user)
        if second.status == Self.mustBeRenewed { return .rejected(ReceiptRejection(.expired, code: second.status)) }
        return try reply(second, next)
    }

    private static let mustBeRenewed = 499

    /// Sends a request. Statuses that are no verdict are thrown inside the protection, so that they count as
    /// failures of the service.
    private func put(_ operation: String, _ reference: AmazonReference, _ user: String) async throws -> OutboundResponse
    {
        let segments = [
            "version", reference.version, operation, "developer", String(decoding: key.bytes, as: UTF8.self), "user",
            user, reference.label, reference.text,
        ]
        guard let url = base.appending(segments) else {
            return OutboundResponse(status: 400, headers: [], body: [])
        }
        let request = OutboundRequest(url: url, isRepeatable: true)
        return try await protected.perform {
            let response = try await http.send(request)
            switch response.status {
            case 200, 400, 410, 497, 498, Self.mustBeRenewed: return response
            case 496: throw AmazonFailure.wrongSharedKey
            default: throw AmazonFailure.status(response.status)
            }
        }
    }

    private func reply(_ response: OutboundResponse, _ reference: AmazonReference) throws(AmazonFailure) -> Reply {
        switch response.status {
        case 200:
            guard let json = try? JSONParser.parse(response.body) else { throw .unrecognizedResponse }
            return .found(json, reference)
        // The reference names no purchase, or a purchase of another user.
        case 400, 497: return .rejected(ReceiptRejection(.notFound, code: response.status))
        default: return .rejected(ReceiptRejection(.expired, code: response.status))
        }
    }
}
