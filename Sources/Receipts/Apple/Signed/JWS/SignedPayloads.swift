package import Commerce
package import Foundation
package import JSON

/// A reader of signed data of the publisher's apps in allowed environments. It rejects everything else.
///
/// Source: Pitfall 18, “Store receipts that prove less than they claim”.
package struct SignedPayloads: Sendable {
    package let apps: AppleApps
    private let signatures: AppleSignatures

    package init(apps: AppleApps, signatures: AppleSignatures) {
        self.apps = apps
        self.signatures = signatures
    }

    /// Returns the payload of a JWS after its verification.
    ///
    /// Xcode and LocalTesting sign with a developer's own key, which proves nothing. Such a payload is accepted
    /// only if no other environment is configured or allowed. If production or sandbox is configured or allowed,
    /// the payload is rejected. A payload that claims production or sandbox is never accepted without Apple's
    /// signature.
    ///
    /// - Parameters:
    ///   - allowed: The environments that the caller allows.
    ///   - environment: A closure that returns the environment that the payload claims, or nil if it claims none.
    /// - Throws: ``ReceiptRejection``, or another error if Apple is unavailable.
    package func payload(
        _ text: some StringProtocol, allowing allowed: Set<StoreEnvironment>, at timestamp: Date,
        environment: (JSONValue) -> StoreEnvironment?
    ) async throws -> JSONValue {
        let jws = try CompactJWS(text)
        if let claimed = environment(jws.payload), claimed.isLocal {
            guard allowed.union(apps.environments).allSatisfy(\.isLocal) else {
                throw ReceiptRejection(.wrongEnvironment)
            }
            return jws.payload
        }
        try await signatures.verify(jws, at: timestamp)
        return jws.payload
    }

    /// Returns the environment in the payload of a transaction or a renewal.
    package static func environment(of payload: JSONValue) -> StoreEnvironment? {
        payload["environment"]?.text.flatMap(AppleEnvironment.named)
    }

    package func transaction(
        _ text: some StringProtocol, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> SignedTransaction {
        let transaction = try SignedTransaction(
            await payload(text, allowing: allowed, at: timestamp, environment: Self.environment(of:)))
        guard apps.bundles.contains(transaction.bundle) else { throw ReceiptRejection(.wrongApp) }
        try requireAllowedEnvironment(transaction.environment, allowed)
        return transaction
    }

    func renewalInfo(
        _ text: some StringProtocol, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> SignedRenewalInfo {
        let info = try SignedRenewalInfo(
            await payload(text, allowing: allowed, at: timestamp, environment: Self.environment(of:)))
        try requireAllowedEnvironment(info.environment, allowed)
        return info
    }

    func requireAllowedEnvironment(
        _ environment: StoreEnvironment?, _ allowed: Set<StoreEnvironment>
    ) throws(ReceiptRejection) {
        guard let environment, allowed.contains(environment), apps.environments.contains(environment) else {
            throw ReceiptRejection(.wrongEnvironment)
        }
    }
}
