package import Commerce
package import Foundation
import PKCS7
import Resilience

/// Apple's App Store. It detects the format of a receipt and verifies each format in its own way.
///
/// | Format | Verified by |
/// | --- | --- |
/// | signed transaction (StoreKit 2) | its signature, locally |
/// | unified receipt (iOS 7 and later) | its signature, locally; by verifyReceipt if no roots are configured |
/// | transaction receipt (iOS 6 and before) | verifyReceipt, the only possible verifier |
/// | transaction identifier | no proof; where identifiers are accepted, the App Store Server API returns the purchase |
///
/// A unified receipt does not contain the renewals and refunds after its creation. These are queried from the App
/// Store Server API or from verifyReceipt, depending on the configuration.
package struct AppleStore: ReceiptVerifier {
    let apps: AppleApps
    let unified: UnifiedVerification?
    let verifyReceipt: VerifyReceiptClient?
    let signed: (any AppleSignedData)?
    /// A Boolean value that indicates whether a transaction's identifier counts as proof of purchase, either alone
    /// or in a receipt without verification. Identifiers appear in e-mail messages and can be guessed.
    let acceptsIdentifiers: Bool
    /// The time limit for Apple's additions to a receipt that is already known to be genuine.
    let deadline: Deadline

    package var store: StoreName { apps.store }
    package var kind: StoreKind { .apple }

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - verifyReceipt: The client of verifyReceipt, or nil to send no queries to it.
    ///   - signed: The verification of StoreKit 2 data, or nil if it is not available.
    ///   - deadline: The time limit in seconds for Apple's additions to a receipt that is already known to be
    ///     genuine.
    init(
        apps: AppleApps, verifyReceipt: VerifyReceiptClient? = nil, signed: (any AppleSignedData)? = nil,
        acceptsIdentifiers: Bool = false, deadline: TimeInterval = SignedAppStoreData.defaultDeadline
    ) {
        self.apps = apps
        self.deadline = Deadline(seconds: deadline) { try await Task.sleep(for: .seconds($0)) }
        self.acceptsIdentifiers = acceptsIdentifiers
        self.verifyReceipt = verifyReceipt
        self.signed = signed
        let canVerify = !apps.roots.isEmpty || apps.environments.allSatisfy(\.isLocal)
        unified = canVerify ? UnifiedVerification(apps: apps) : nil
    }

    package func sells(app: String) -> Bool { apps.bundles.contains(app) }

    package func isPlausible(_ receipt: StoreReceipt) -> Bool {
        receipt[.receipt].flatMap(AppleReceiptFormat.init) != nil
    }

    package func verify(
        _ receipt: StoreReceipt, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> ReceiptVerdict {
        let allowed = allowed.intersection(apps.environments)
        switch receipt[.receipt].flatMap(AppleReceiptFormat.init) {
        case nil: return .rejected(ReceiptRejection(.malformed))
        case .signed(let text):
            guard let signed else { return .rejected(ReceiptRejection(.noStore)) }
            return try await signed.transactions(signed: text, allowing: allowed, at: timestamp)
        case .identifier(let id): return try await verify(id: id, allowing: allowed, at: timestamp)
        case .unified(let message, let bytes):
            return try await verify(message, bytes, allowing: allowed, at: timestamp)
        case .transaction(let receipt, let bytes):
            guard let verifyReceipt else {
                return try await verify(id: receipt.transaction, allowing: allowed, at: timestamp)
            }
            return try await verifyReceipt.verdict(on: receipt.query(bytes), allowing: allowed, at: timestamp)
        }
    }

    package func current(
        _ transaction: StoreTransaction, receipt: StoreReceipt?, allowing allowed: Set<StoreEnvironment>,
        at timestamp: Date
    ) async throws -> [StoreTransaction]? {
        let allowed = allowed.intersection(apps.environments)
        guard allowed.contains(transaction.environment), !transaction.environment.isLocal else { return nil }
        if let signed, signed.queriesServer {
            return try await signed.current(transaction, allowing: allowed, at: timestamp)
        }
        guard let verifyReceipt, let form = receipt?[.receipt].flatMap(AppleReceiptFormat.init) else { return nil }
        let query: VerifyReceiptClient.Query
        switch form {
        case .unified(let message, let bytes): query = UnifiedReceipt.query(message, bytes)
        case .transaction(let receipt, let bytes): query = receipt.query(bytes)
        case .signed, .identifier: return nil
        }
        guard case .genuine(let all) = try await verifyReceipt.verdict(on: query, allowing: allowed, at: timestamp)
        else {
            return []
        }
        return all
    }

    package func notification(
        _ body: [UInt8], allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> NotificationVerdict {
        guard let signed else { return .rejected(ReceiptRejection(.noStore)) }
        return try await signed.notification(body, allowing: allowed.intersection(apps.environments), at: timestamp)
    }

    /// Verifies an identifier. If no API is configured for queries, or identifiers are not accepted, the
    /// publication has no such store, so the result is the rejection `noStore`.
    func verify(
        id: String, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> ReceiptVerdict {
        guard acceptsIdentifiers, let signed, signed.queriesServer else { return .rejected(ReceiptRejection(.noStore)) }
        return try await signed.transactions(id: id, allowing: allowed, at: timestamp)
    }
}
