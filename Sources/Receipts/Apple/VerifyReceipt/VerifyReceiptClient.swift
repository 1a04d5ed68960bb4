import Commerce
import Foundation
import JSON
import OutgoingRequests
import Primitives

/// A client of verifyReceipt, the service for both older receipt formats. Apple has deprecated it but still runs
/// it. The client queries production first, and the sandbox only after the status that requires it and only where
/// the sandbox is allowed.
///
/// The service is needed for receipts of iOS 6, whose signature only Apple can verify, and for later changes to a
/// purchase.
///
/// Source: App Store protocol, “Requests to verifyReceipt”.
struct VerifyReceiptClient: Sendable {
    let apps: AppleApps
    let settings: VerifyReceiptSettings
    let http: OutgoingHTTP
    let protected: ProtectedStore

    /// A receipt to query, with its values known in advance.
    struct Query: Sendable {
        let bytes: [UInt8]
        /// The unverified bundle identifier, or nil if the receipt contains none.
        var bundle: String?
        var environment: StoreEnvironment?
        /// A Boolean value that indicates whether Gatefold could read the contents. A readable receipt is not
        /// malformed.
        var isReadable: Bool
    }

    /// Returns the verdict of Apple on a receipt.
    ///
    /// - Throws: ``VerifyReceiptFailure``, `HTTPFailure` or `ProtectionError` if the call to Apple fails.
    func verdict(
        on query: Query, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> ReceiptVerdict {
        // A receipt that claims a disallowed environment is rejected without a query. A claim of an allowed
        // environment is not trusted.
        if let claimed = query.environment, !allowed.contains(claimed) {
            return .rejected(ReceiptRejection(.wrongEnvironment))
        }
        if allowed.contains(.production) {
            let response = try await perform(.production, query)
            guard response.meaning == .isSandbox else {
                return try verdict(response, of: .production, on: query, allowing: allowed, at: timestamp)
            }
        }
        guard allowed.contains(.sandbox) else { return .rejected(ReceiptRejection(.wrongEnvironment)) }
        let response = try await perform(.sandbox, query)
        return try verdict(response, of: .sandbox, on: query, allowing: allowed, at: timestamp)
    }

    private func perform(_ environment: StoreEnvironment, _ query: Query) async throws -> VerifyReceiptResponse {
        try await post(body(query), to: environment == .production ? settings.production : settings.sandbox)
    }

    private func post(_ body: [UInt8], to url: ServiceURL) async throws -> VerifyReceiptResponse {
        try await protected.perform { [http] in
            let response = try await http.send(
                OutboundRequest(
                    method: "POST", url: url,
                    headers: [OutboundRequest.Header(name: "Content-Type", value: "application/json")], body: body,
                    isRepeatable: true))
            guard response.status == 200 else { throw VerifyReceiptFailure.httpStatus(response.status) }
            let read = try VerifyReceiptResponse(response.body)
            if read.meaning == .failed { throw VerifyReceiptFailure.status(read.status) }
            return read
        }
    }

    private func body(_ query: Query) -> [UInt8] {
        var members = [
            // One line, because Apple rejects unified receipts with line breaks. Source: App Store protocol, “Line
            // breaks in receipts”.
            JSONValue.Member(name: "receipt-data", value: .string(Data(query.bytes).base64EncodedString())),
            // Earlier periods of a subscription were paid for too.
            JSONValue.Member(name: "exclude-old-transactions", value: .boolean(false)),
        ]
        if let secret = settings.secret(of: query.bundle) {
            members.append(
                JSONValue.Member(name: "password", value: .string(String(decoding: secret.bytes, as: UTF8.self))))
        }
        return JSONWriter.bytes(.object(members))
    }

    private func verdict(
        _ response: VerifyReceiptResponse, of requested: StoreEnvironment, on query: Query,
        allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) throws -> ReceiptVerdict {
        switch response.meaning {
        case .rejected(let reason): return .rejected(ReceiptRejection(reason, code: response.status))
        // The sandbox must not refer to another environment.
        case .isSandbox, .failed: throw VerifyReceiptFailure.status(response.status)
        case .ambiguous:
            // The receipt is not malformed, so Apple has a failure. The receipt is pending with the same time limit
            // as any other.
            if query.isReadable { throw VerifyReceiptFailure.status(response.status) }
            return .rejected(ReceiptRejection(.malformed, code: response.status))
        case .reported: break
        }
        guard let environment = Self.environment(response, requested), allowed.contains(environment) else {
            return .rejected(ReceiptRejection(.wrongEnvironment))
        }
        guard let bundle = response.bundle, apps.bundles.contains(bundle) else {
            return .rejected(ReceiptRejection(.wrongApp))
        }
        return .of(
            response.purchases, in: apps.store, environment: environment, reported: response.reported ?? timestamp)
    }

    /// Returns the environment in the response. A response of the sandbox is never treated as production.
    private static func environment(
        _ response: VerifyReceiptResponse, _ requested: StoreEnvironment
    ) -> StoreEnvironment? {
        guard requested == .production, let name = response.environment else { return requested }
        return AppleEnvironment.named(name)
    }
}

extension VerifyReceiptResponse {
    var meaning: VerifyReceiptOutcome { VerifyReceiptOutcome(status: status, isRetryable: isRetryable) }
}
