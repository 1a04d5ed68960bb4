package import Foundation
package import Gatefold
import Protections

/// What is asked of the App Store Server API.
extension SignedAppStoreData {
    package func transactions(
        id: String, allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> ReceiptVerdict {
        guard let server, Self.isIdentifier(id) else { return .refused(ReceiptRefusal(.malformed)) }
        var refusal = ReceiptRefusal(.notFound)
        // Production first, and sandbox only where it counts (PITFALLS row 18): a test purchase must not become a right.
        for environment in [StoreEnvironment.production, .sandbox]
        where allowed.contains(environment) && payloads.apps.environments.contains(environment) {
            for bundle in payloads.apps.bundles.sorted() {
                let place = AppStoreServerClient.Place(bundle: bundle, environment: environment)
                switch try await server.transaction(id, in: place) {
                case .notFound(let code): refusal = ReceiptRefusal(.notFound, code: code)
                case .refused(let code): return .refused(ReceiptRefusal(.storeRefused, code: code))
                case .found(let text):
                    let transaction = try await verified(text, in: place, at: moment)
                    let course = try await course(of: transaction, by: server, in: place, at: moment)
                    return .genuine(course)
                }
            }
        }
        return .refused(refusal)
    }

    package func current(
        _ transaction: StoreTransaction, allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> [StoreTransaction] {
        guard let server, allowed.contains(transaction.environment),
            payloads.apps.environments.contains(transaction.environment), !transaction.environment.isLocal,
            Self.isIdentifier(transaction.id)
        else { return [] }
        for bundle in payloads.apps.bundles.sorted() {
            let place = AppStoreServerClient.Place(bundle: bundle, environment: transaction.environment)
            guard case .found(let text) = try await server.transaction(transaction.id, in: place) else { continue }
            return try await course(of: verified(text, in: place, at: moment), by: server, in: place, at: moment)
        }
        return []
    }

    /// What Apple says now about a transaction that an app handed over, and about its purchase; the transaction alone where
    /// there is nothing to ask.
    ///
    /// - Throws: where Apple does not say soon, and the transaction is too old to be believed alone.
    func latest(of transaction: SignedTransaction, at moment: Date) async throws -> [StoreTransaction] {
        let alone = PurchaseCourse.transactions([transaction], of: payloads.apps.store)
        guard let server, !transaction.environment.isLocal, Self.isIdentifier(transaction.id) else { return alone }
        let place = AppStoreServerClient.Place(bundle: transaction.bundle, environment: transaction.environment)
        do {
            return try await patience.bound(
                {
                    // A subscription's history has the transaction itself.
                    guard transaction.expires == nil,
                        case .found(let text) = try await server.transaction(transaction.id, in: place)
                    else { return try await course(of: transaction, by: server, in: place, at: moment) }
                    let told = try await verified(text, in: place, at: moment)
                    return PurchaseCourse.transactions([transaction, told], of: payloads.apps.store)
                }, ended: {})
        } catch {
            // That it was taken back is the last word in any case.
            guard transaction.revoked == nil,
                moment.timeIntervalSince(transaction.signed) > Self.longestBelieved
            else { return alone }
            throw error
        }
    }

    /// One to twenty digits: nothing that could be another path.
    private static func isIdentifier(_ text: String) -> Bool {
        (1...20).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// What Apple says of itself is verified like what an app hands over.
    private func verified(
        _ text: String, in place: AppStoreServerClient.Place, at moment: Date
    ) async throws -> SignedTransaction {
        let transaction: SignedTransaction
        do {
            transaction = try await payloads.transaction(text, allowing: [place.environment], at: moment)
        } catch let refusal as ReceiptRefusal {
            throw AppStoreServerFailure.unverified(refusal.reason)
        }
        guard transaction.bundle == place.bundle else { throw AppStoreServerFailure.unverified(.wrongApp) }
        return transaction
    }

    /// The purchase that a transaction belongs to, from its beginning: a single one is the transaction itself, a
    /// subscription all of its periods.
    private func course(
        of transaction: SignedTransaction, by server: AppStoreServerClient, in place: AppStoreServerClient.Place,
        at moment: Date
    ) async throws -> [StoreTransaction] {
        var all = [transaction]
        var renewals: [SignedRenewalInfo] = []
        if transaction.expires != nil, Self.isIdentifier(transaction.original) {
            all += try await history(of: transaction.original, by: server, in: place, at: moment)
            // Only a subscription that has ended can be in its grace period.
            if all.allSatisfy({ ($0.expires ?? moment) <= moment }) {
                let standing = try await standing(of: transaction.original, by: server, in: place, at: moment)
                all += standing.transactions
                renewals = standing.renewals
            }
        }
        return PurchaseCourse.transactions(
            all.filter { $0.original == transaction.original }, renewals: renewals, of: payloads.apps.store)
    }

    private func history(
        of original: String, by server: AppStoreServerClient, in place: AppStoreServerClient.Place, at moment: Date
    ) async throws -> [SignedTransaction] {
        guard case .found(var history) = try await server.history(original, in: place) else { return [] }
        // What lies beyond the pages read is old, and matters only where it was taken back.
        if history.isCutShort, case .found(let refunds) = try await server.refunds(original, in: place) {
            history.transactions += refunds.transactions
        }
        var transactions: [SignedTransaction] = []
        for text in history.transactions {
            transactions.append(try await verified(text, in: place, at: moment))
        }
        return transactions
    }

    private func standing(
        of original: String, by server: AppStoreServerClient, in place: AppStoreServerClient.Place, at moment: Date
    ) async throws -> (transactions: [SignedTransaction], renewals: [SignedRenewalInfo]) {
        guard case .found(let all) = try await server.subscriptions(original, in: place) else { return ([], []) }
        var transactions: [SignedTransaction] = []
        var renewals: [SignedRenewalInfo] = []
        for standing in all {
            transactions.append(try await verified(standing.transaction, in: place, at: moment))
            guard let text = standing.renewal else { continue }
            do {
                renewals.append(try await payloads.renewalInfo(text, allowing: [place.environment], at: moment))
            } catch let refusal as ReceiptRefusal {
                throw AppStoreServerFailure.unverified(refusal.reason)
            }
        }
        return (transactions, renewals)
    }
}
