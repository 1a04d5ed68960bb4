package import Commerce
package import Foundation
package import Primitives
import Resilience

/// The verification of everything that Apple signs: transactions of StoreKit 2, responses of the App Store Server
/// API, and notifications.
package struct SignedAppStoreData: AppleSignedData {
    let payloads: SignedPayloads
    let server: AppStoreServerClient?
    private let notifications: AppStoreNotifications
    /// The time limit for Apple's additions to a transaction that is already known to be genuine.
    let deadline: Deadline

    package static let defaultDeadline: TimeInterval = 3
    /// The maximum age in seconds of a signature that is accepted while Apple is unavailable. An older transaction
    /// may have been refunded since.
    package static let maxTrustedAge: TimeInterval = 3600

    /// Creates the verification.
    ///
    /// - Parameters:
    ///   - revocations: The settings that define whether Apple is queried about revoked certificates.
    ///   - server: The settings of the App Store Server API, or nil if it is not configured.
    ///   - protection: The limits and the circuit breaker around queries to that API.
    ///   - deadline: The time limit in seconds for the API's additions to a transaction that is already known to be
    ///     genuine.
    /// - Throws: ``UnreadableRoot``.
    package init(
        apps: AppleApps, revocations: RevocationSettings = RevocationSettings(),
        server: AppStoreServerSettings? = nil, protection: StoreProtection = StoreProtection(),
        services: StoreServices, deadline: TimeInterval = Self.defaultDeadline,
        sleep: @escaping Sleep = { try await Task.sleep(for: .seconds($0)) }
    ) throws {
        let signatures = try AppleSignatures(roots: apps.roots, revocations: RevocationCheck(revocations))
        payloads = SignedPayloads(apps: apps, signatures: signatures)
        notifications = AppStoreNotifications(payloads)
        self.deadline = Deadline(seconds: deadline) { try await Task.sleep(for: .seconds($0)) }
        self.server = server.map {
            AppStoreServerClient(
                $0, protection: ProtectedStore(protection, services: services), clock: services.clock, sleep: sleep)
        }
    }

    package var queriesServer: Bool { server != nil }

    /// Verifies a signed transaction. A revoked transaction is genuine too, because the ledger must record the
    /// revocation.
    ///
    /// An old transaction has a valid signature like a new one, but contains neither a later refund nor earlier
    /// periods. Therefore Apple is queried for these if the App Store Server API is configured. While the API is
    /// unavailable, a transaction is accepted alone only if Apple signed it within ``maxTrustedAge``.
    ///
    /// - Throws: An error if the transaction is older and Apple is unavailable or does not respond in time.
    package func transactions(
        signed: String, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> ReceiptVerdict {
        do {
            let transaction = try await payloads.transaction(signed, allowing: allowed, at: timestamp)
            return .genuine(try await latest(of: transaction, at: timestamp))
        } catch let rejection as ReceiptRejection {
            return .rejected(rejection)
        }
    }

    package func notification(
        _ body: [UInt8], allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> NotificationVerdict {
        try await notifications.verdict(on: body, allowing: allowed, at: timestamp)
    }
}
