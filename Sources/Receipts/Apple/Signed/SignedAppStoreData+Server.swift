package import Commerce
package import Foundation
import Resilience

/// Queries to the App Store Server API.
extension SignedAppStoreData {
    package func transactions(
        id: String, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> ReceiptVerdict {
        guard let server, Self.isIdentifier(id) else { return .rejected(ReceiptRejection(.malformed)) }
        var rejection = ReceiptRejection(.notFound)
        // Production comes first, and the sandbox only where it is allowed, because a test purchase must not become
        // a right. Source: Pitfall 18, “Store receipts that prove less than they claim”.
        for environment in [StoreEnvironment.production, .sandbox]
        where allowed.contains(environment) && payloads.apps.environments.contains(environment) {
            for bundle in payloads.apps.bundles.sorted() {
                let place = AppStoreServerClient.Place(bundle: bundle, environment: environment)
                switch try await server.transaction(id, in: place) {
                case .notFound(let code): rejection = ReceiptRejection(.notFound, code: code)
                case .rejected(let code): return .rejected(ReceiptRejection(.rejectedByStore, code: code))
                case .found(let text):
                    let transaction = try await verified(text, in: place, at: timestamp)
                    let timeline = try await timeline(of: transaction, by: server, in: place, at: timestamp)
                    return .genuine(timeline)
                }
            }
        }
        return .rejected(rejection)
    }

    package func current(
        _ transaction: StoreTransaction, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> [StoreTransaction] {
        guard let server, allowed.contains(transaction.environment),
            payloads.apps.environments.contains(transaction.environment), !transaction.environment.isLocal,
            Self.isIdentifier(transaction.id)
        else { return [] }
        for bundle in payloads.apps.bundles.sorted() {
            let place = AppStoreServerClient.Place(bundle: bundle, environment: transaction.environment)
            guard case .found(let text) = try await server.transaction(transaction.id, in: place) else { continue }
            return try await timeline(
                of: verified(text, in: place, at: timestamp), by: server, in: place, at: timestamp)
        }
        return []
    }

    /// Returns Apple's current record of a transaction that an app submitted, and of its purchase. Returns the
    /// transaction alone if no API can be queried.
    ///
    /// - Throws: An error if Apple does not respond in time and the transaction is too old to be accepted alone.
    func latest(of transaction: SignedTransaction, at timestamp: Date) async throws -> [StoreTransaction] {
        let alone = PurchaseTimeline.transactions([transaction], of: payloads.apps.store)
        guard let server, !transaction.environment.isLocal, Self.isIdentifier(transaction.id) else { return alone }
        let place = AppStoreServerClient.Place(bundle: transaction.bundle, environment: transaction.environment)
        do {
            return try await deadline.bound(
                {
                    // The history of a subscription contains the transaction itself.
                    guard transaction.expires == nil,
                        case .found(let text) = try await server.transaction(transaction.id, in: place)
                    else { return try await timeline(of: transaction, by: server, in: place, at: timestamp) }
                    let reported = try await verified(text, in: place, at: timestamp)
                    return PurchaseTimeline.transactions([transaction, reported], of: payloads.apps.store)
                }, ended: {})
        } catch {
            // A revocation is final in any case.
            guard transaction.revoked == nil,
                timestamp.timeIntervalSince(transaction.signed) > Self.maxTrustedAge
            else { return alone }
            throw error
        }
    }

    /// Returns whether the text has 1 to 20 digits. Such a text cannot form another path.
    private static func isIdentifier(_ text: String) -> Bool {
        (1...20).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Verifies a transaction of Apple's response in the same way as a transaction that an app submits.
    private func verified(
        _ text: String, in place: AppStoreServerClient.Place, at timestamp: Date
    ) async throws -> SignedTransaction {
        let transaction: SignedTransaction
        do {
            transaction = try await payloads.transaction(text, allowing: [place.environment], at: timestamp)
        } catch let rejection as ReceiptRejection {
            throw AppStoreServerFailure.unverified(rejection.reason)
        }
        guard transaction.bundle == place.bundle else { throw AppStoreServerFailure.unverified(.wrongApp) }
        return transaction
    }

    /// Returns the whole purchase that contains a transaction: the transaction itself for a single purchase, all
    /// periods for a subscription.
    private func timeline(
        of transaction: SignedTransaction, by server: AppStoreServerClient, in place: AppStoreServerClient.Place,
        at timestamp: Date
    ) async throws -> [StoreTransaction] {
        var all = [transaction]
        var renewals: [SignedRenewalInfo] = []
        if transaction.expires != nil, Self.isIdentifier(transaction.original) {
            all += try await history(of: transaction.original, by: server, in: place, at: timestamp)
            // Only a subscription that has ended can be in its grace period.
            if all.allSatisfy({ ($0.expires ?? timestamp) <= timestamp }) {
                let status = try await status(of: transaction.original, by: server, in: place, at: timestamp)
                all += status.transactions
                renewals = status.renewals
            }
        }
        return PurchaseTimeline.transactions(
            all.filter { $0.original == transaction.original }, renewals: renewals, of: payloads.apps.store)
    }

    private func history(
        of original: String, by server: AppStoreServerClient, in place: AppStoreServerClient.Place, at timestamp: Date
    ) async throws -> [SignedTransaction] {
        guard case .found(var history) = try await server.history(original, in: place) else { return [] }
        // Transactions beyond the last page read are old. They matter only if they were refunded.
        if history.isTruncated, case .found(let refunds) = try await server.refunds(original, in: place) {
            history.transactions += refunds.transactions
        }
        var transactions: [SignedTransaction] = []
        for text in history.transactions {
            transactions.append(try await verified(text, in: place, at: timestamp))
        }
        return transactions
    }

    private func status(
        of original: String, by server: AppStoreServerClient, in place: AppStoreServerClient.Place, at timestamp: Date
    ) async throws -> (transactions: [SignedTransaction], renewals: [SignedRenewalInfo]) {
        guard case .found(let all) = try await server.subscriptions(original, in: place) else { return ([], []) }
        var transactions: [SignedTransaction] = []
        var renewals: [SignedRenewalInfo] = []
        for status in all {
            transactions.append(try await verified(status.transaction, in: place, at: timestamp))
            guard let text = status.renewal else { continue }
            do {
                renewals.append(try await payloads.renewalInfo(text, allowing: [place.environment], at: timestamp))
            } catch let rejection as ReceiptRejection {
                throw AppStoreServerFailure.unverified(rejection.reason)
            }
        }
        return (transactions, renewals)
    }
}
