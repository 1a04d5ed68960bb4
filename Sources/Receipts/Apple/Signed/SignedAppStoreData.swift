package import Foundation
package import Gatefold
package import Protections

/// Everything that Apple signs by itself: StoreKit 2's transactions, the App Store Server API's answers, and notifications.
package struct SignedAppStoreData: AppleSignedData {
    let payloads: SignedPayloads
    let server: AppStoreServerClient?
    private let notifications: AppStoreNotifications
    /// For what Apple adds to a transaction that is genuine as it stands, nobody waits longer.
    let patience: Deadline

    package static let longestPatience: TimeInterval = 3
    /// While Apple can not be asked, what Apple signed longer ago may have been taken back since, and is not believed. In
    /// seconds.
    package static let longestBelieved: TimeInterval = 3600

    /// - Parameters:
    ///   - revocations: whether Apple is asked if its certificates still hold.
    ///   - server: nil where the App Store Server API is not configured.
    ///   - protection: what stands around questions to that API.
    ///   - patience: in seconds, for what it adds to a transaction that is genuine as it stands.
    /// - Throws: ``UnreadableRoot``.
    package init(
        apps: AppleApps, revocations: RevocationSettings = RevocationSettings(),
        server: AppStoreServerSettings? = nil, protection: StoreProtection = StoreProtection(),
        services: StoreServices, patience: TimeInterval = Self.longestPatience,
        sleep: @escaping Sleep = { try await Task.sleep(for: .seconds($0)) }
    ) throws {
        let signatures = try AppleSignatures(roots: apps.roots, revocations: RevocationCheck(revocations))
        payloads = SignedPayloads(apps: apps, signatures: signatures)
        notifications = AppStoreNotifications(payloads)
        self.patience = Deadline(seconds: patience) { try await Task.sleep(for: .seconds($0)) }
        self.server = server.map {
            AppStoreServerClient(
                $0, protection: ProtectedStore(protection, services: services), clock: services.clock, sleep: sleep)
        }
    }

    package var asksServer: Bool { server != nil }

    /// A transaction that was taken back is genuine, too: that it was is what the ledger has to learn.
    ///
    /// An old one is as well signed as a new one, and knows nothing of a refund since, nor of the periods before. So Apple is
    /// asked for those where the App Store Server API is configured. While it can not be asked, only one that Apple signed
    /// within ``longestBelieved`` is believed as it stands.
    ///
    /// - Throws: where Apple can not be asked, or does not answer soon, about an older one.
    package func transactions(
        signed: String, allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> ReceiptVerdict {
        do {
            let transaction = try await payloads.transaction(signed, allowing: allowed, at: moment)
            return .genuine(try await latest(of: transaction, at: moment))
        } catch let refusal as ReceiptRefusal {
            return .refused(refusal)
        }
    }

    package func notification(
        _ body: [UInt8], allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> NotificationVerdict {
        try await notifications.verdict(on: body, allowing: allowed, at: moment)
    }
}
