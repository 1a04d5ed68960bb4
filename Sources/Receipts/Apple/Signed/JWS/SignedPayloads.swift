package import Foundation
package import Gatefold
package import JSON

/// Reads what Apple signed, of the publisher's apps and of environments that count, and refuses everything else
/// (PITFALLS row 18).
package struct SignedPayloads: Sendable {
    package let apps: AppleApps
    private let signatures: AppleSignatures

    package init(apps: AppleApps, signatures: AppleSignatures) {
        self.apps = apps
        self.signatures = signatures
    }

    /// The payload of a JWS, once it is known to be genuine.
    ///
    /// Xcode and LocalTesting sign with a developer's own key, which proves nothing. Such a payload is believed only where
    /// nothing else is: with production or sandbox anywhere in sight it is refused, whatever it proves. One that claims
    /// production or sandbox is never believed without Apple's signature.
    ///
    /// - Parameters:
    ///   - allowed: the environments that count for whoever asks.
    ///   - environment: finds the payload's own claim of its environment; nil where it makes none.
    /// - Throws: ``ReceiptRefusal``, or what says that Apple could not be asked.
    package func payload(
        _ text: some StringProtocol, allowing allowed: Set<StoreEnvironment>, at moment: Date,
        environment: (JSONValue) -> StoreEnvironment?
    ) async throws -> JSONValue {
        let jws = try CompactJWS(text)
        if let claimed = environment(jws.payload), claimed.isLocal {
            guard allowed.union(apps.environments).allSatisfy(\.isLocal) else {
                throw ReceiptRefusal(.wrongEnvironment)
            }
            return jws.payload
        }
        try await signatures.verify(jws, at: moment)
        return jws.payload
    }

    /// The environment a transaction or a subscription's renewal names.
    package static func environment(of payload: JSONValue) -> StoreEnvironment? {
        payload["environment"]?.text.flatMap(AppleEnvironment.named)
    }

    package func transaction(
        _ text: some StringProtocol, allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> SignedTransaction {
        let transaction = try SignedTransaction(
            await payload(text, allowing: allowed, at: moment, environment: Self.environment(of:)))
        guard apps.bundles.contains(transaction.bundle) else { throw ReceiptRefusal(.wrongApp) }
        try requireCounting(transaction.environment, allowed)
        return transaction
    }

    func renewalInfo(
        _ text: some StringProtocol, allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> SignedRenewalInfo {
        let info = try SignedRenewalInfo(
            await payload(text, allowing: allowed, at: moment, environment: Self.environment(of:)))
        try requireCounting(info.environment, allowed)
        return info
    }

    func requireCounting(
        _ environment: StoreEnvironment?, _ allowed: Set<StoreEnvironment>
    ) throws(ReceiptRefusal) {
        guard let environment, allowed.contains(environment), apps.environments.contains(environment) else {
            throw ReceiptRefusal(.wrongEnvironment)
        }
    }
}
