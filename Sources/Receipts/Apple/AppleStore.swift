package import Foundation
package import Gatefold
import PKCS7
import Protections

/// Apple's App Store: knows every form of receipt that apps send, and verifies each in its own way.
///
/// | Form | Verified by |
/// | --- | --- |
/// | signed transaction (StoreKit 2) | its signature, here |
/// | unified receipt (iOS 7 and later) | its signature, here; by verifyReceipt where no roots are configured |
/// | transaction receipt (iOS 6 and before) | verifyReceipt; nobody else can |
/// | transaction identifier | nobody: where that is accepted, the App Store Server API says whose it is |
///
/// What a unified receipt can not say, renewals and refunds since it was made, is asked of the App Store Server API or of
/// verifyReceipt, whichever is configured.
package struct AppleStore: ReceiptVerifier {
    let apps: AppleApps
    let unified: UnifiedVerification?
    let verifyReceipt: VerifyReceiptClient?
    let signed: (any AppleSignedData)?
    /// Whether knowing a transaction's identifier counts as having bought: the identifier alone, or in a receipt that nobody
    /// verified. Identifiers stand in mails and can be guessed.
    let acceptsIdentifiers: Bool
    /// For what Apple adds to a receipt that is genuine as it stands, nobody waits longer.
    let patience: Deadline

    package var store: StoreName { apps.store }
    package var kind: StoreKind { .apple }

    /// - Parameters:
    ///   - verifyReceipt: nil where it is not to be asked.
    ///   - signed: nil where nothing of StoreKit 2 is known.
    ///   - patience: in seconds, for what Apple adds to a receipt that is genuine as it stands.
    init(
        apps: AppleApps, verifyReceipt: VerifyReceiptClient? = nil, signed: (any AppleSignedData)? = nil,
        acceptsIdentifiers: Bool = false, patience: TimeInterval = SignedAppStoreData.longestPatience
    ) {
        self.apps = apps
        self.patience = Deadline(seconds: patience) { try await Task.sleep(for: .seconds($0)) }
        self.acceptsIdentifiers = acceptsIdentifiers
        self.verifyReceipt = verifyReceipt
        self.signed = signed
        let canVerify = !apps.roots.isEmpty || apps.environments.allSatisfy(\.isLocal)
        unified = canVerify ? UnifiedVerification(apps: apps) : nil
    }

    package func sells(app: String) -> Bool { apps.bundles.contains(app) }

    package func isPlausible(_ receipt: StoreReceipt) -> Bool {
        receipt[.receipt].flatMap(AppleReceiptForm.init) != nil
    }

    package func verify(
        _ receipt: StoreReceipt, allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> ReceiptVerdict {
        let allowed = allowed.intersection(apps.environments)
        switch receipt[.receipt].flatMap(AppleReceiptForm.init) {
        case nil: return .refused(ReceiptRefusal(.malformed))
        case .signed(let text):
            guard let signed else { return .refused(ReceiptRefusal(.noStore)) }
            return try await signed.transactions(signed: text, allowing: allowed, at: moment)
        case .identifier(let id): return try await verify(id: id, allowing: allowed, at: moment)
        case .unified(let message, let bytes):
            return try await verify(message, bytes, allowing: allowed, at: moment)
        case .transaction(let receipt, let bytes):
            guard let verifyReceipt else {
                return try await verify(id: receipt.transaction, allowing: allowed, at: moment)
            }
            return try await verifyReceipt.verdict(on: receipt.question(bytes), allowing: allowed, at: moment)
        }
    }

    package func current(
        _ transaction: StoreTransaction, receipt: StoreReceipt?, allowing allowed: Set<StoreEnvironment>,
        at moment: Date
    ) async throws -> [StoreTransaction]? {
        let allowed = allowed.intersection(apps.environments)
        guard allowed.contains(transaction.environment), !transaction.environment.isLocal else { return nil }
        if let signed, signed.asksServer {
            return try await signed.current(transaction, allowing: allowed, at: moment)
        }
        guard let verifyReceipt, let form = receipt?[.receipt].flatMap(AppleReceiptForm.init) else { return nil }
        let question: VerifyReceiptClient.Question
        switch form {
        case .unified(let message, let bytes): question = UnifiedReceipt.question(message, bytes)
        case .transaction(let receipt, let bytes): question = receipt.question(bytes)
        case .signed, .identifier: return nil
        }
        guard case .genuine(let all) = try await verifyReceipt.verdict(on: question, allowing: allowed, at: moment)
        else {
            return []
        }
        return all
    }

    package func notification(
        _ body: [UInt8], allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> NotificationVerdict {
        guard let signed else { return .refused(ReceiptRefusal(.noStore)) }
        return try await signed.notification(body, allowing: allowed.intersection(apps.environments), at: moment)
    }

    /// Where nothing is configured that could be asked, or identifiers are not enough, the publication sells in no such store.
    func verify(
        id: String, allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> ReceiptVerdict {
        guard acceptsIdentifiers, let signed, signed.asksServer else { return .refused(ReceiptRefusal(.noStore)) }
        return try await signed.transactions(id: id, allowing: allowed, at: moment)
    }
}
