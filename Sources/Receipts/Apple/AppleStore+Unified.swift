import Commerce
import Foundation
import PKCS7
import Resilience

extension AppleStore {
    /// Verifies a unified receipt, first locally at no cost. Then queries Apple about later changes: to
    /// subscriptions that have ended, and to recent purchases, because they may have been refunded.
    func verify(
        _ message: SignedMessage, _ bytes: [UInt8], allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> ReceiptVerdict {
        guard let unified else {
            let query = UnifiedReceipt.query(message, bytes)
            if let verifyReceipt {
                return try await verifyReceipt.verdict(on: query, allowing: allowed, at: timestamp)
            }
            return .rejected(ReceiptRejection(.noStore))
        }
        let verdict = try unified.verdict(on: message, allowing: allowed, at: timestamp)
        guard case .genuine(let transactions) = verdict else { return verdict }
        let open = Self.open(transactions, at: timestamp)
        guard !open.isEmpty else { return verdict }
        let later: [StoreTransaction]
        do {
            later = try await deadline.bound(
                { try await timeline(of: open, message, bytes, allowing: allowed, at: timestamp) }, ended: {})
        } catch {
            try Task.checkCancellation()
            // Later reverifications find the renewals of a subscription that has ended. A purchase without an end
            // may have been refunded since an old receipt was created.
            guard open.allSatisfy({ $0.ends != nil || Self.isRecentlySigned($0, at: timestamp) }) else { throw error }
            later = []
        }
        try Task.checkCancellation()
        return .genuine(Self.joined(transactions, later))
    }

    private static func isRecentlySigned(_ transaction: StoreTransaction, at timestamp: Date) -> Bool {
        timestamp.timeIntervalSince(transaction.reported) <= SignedAppStoreData.maxTrustedAge
    }

    /// The maximum number of purchases of one receipt that are queried.
    private static let maxLookups = 5

    /// Returns the last transaction of each purchase that may have changed since the receipt was created: first the
    /// subscriptions whose last period has ended or was refunded, the latest first, then the purchases without an
    /// end that may still be refunded.
    static func open(_ transactions: [StoreTransaction], at timestamp: Date) -> [StoreTransaction] {
        let subscriptions = Dictionary(grouping: transactions.filter { $0.ends != nil }, by: \.original)
        let last = subscriptions.values.compactMap { $0.max { end($0) < end($1) } }
        let ended = last.filter { $0.revoked != nil || end($0) <= timestamp }
        let refundable = timestamp.addingTimeInterval(-ReverificationSchedule.defaultRefundWindow)
        let singles = transactions.filter { $0.ends == nil && $0.revoked == nil && $0.purchased >= refundable }
        return Array(
            (ended.sorted { (end($0), $0.id) > (end($1), $1.id) }
                + singles.sorted { ($0.purchased, $0.id) > ($1.purchased, $1.id) }).prefix(maxLookups))
    }

    private static func end(_ transaction: StoreTransaction) -> Date { transaction.ends ?? .distantPast }

    private func timeline(
        of open: [StoreTransaction], _ message: SignedMessage, _ bytes: [UInt8],
        allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> [StoreTransaction] {
        guard !open.contains(where: \.environment.isLocal) else { return [] }
        if let signed, signed.queriesServer {
            var later: [StoreTransaction] = []
            for transaction in open {
                later += try await signed.current(transaction, allowing: allowed, at: timestamp)
            }
            return later
        }
        let query = UnifiedReceipt.query(message, bytes)
        guard let verifyReceipt,
            case .genuine(let all) = try await verifyReceipt.verdict(on: query, allowing: allowed, at: timestamp)
        else { return [] }
        return all
    }

    /// Returns each transaction once, with all statements about it combined.
    static func joined(_ transactions: [StoreTransaction], _ later: [StoreTransaction]) -> [StoreTransaction] {
        let reported = Dictionary(later.map { ($0.id, $0) }) { $0.joined(with: $1) }
        let known = Set(transactions.map(\.id))
        return transactions.map { transaction in reported[transaction.id]?.joined(with: transaction) ?? transaction }
            + reported.values.filter { !known.contains($0.id) }.sorted { ($0.purchased, $0.id) < ($1.purchased, $1.id) }
    }
}

extension UnifiedReceipt {
    /// Returns the query to verifyReceipt for a receipt.
    static func query(_ message: SignedMessage, _ bytes: [UInt8]) -> VerifyReceiptClient.Query {
        let claimed = try? UnifiedReceipt(message.unverifiedContents)
        return VerifyReceiptClient.Query(
            bytes: bytes, bundle: claimed?.bundle,
            environment: claimed?.environment.flatMap(AppleEnvironment.named), isReadable: claimed != nil)
    }
}

extension TransactionReceipt {
    /// Returns the query to verifyReceipt for a receipt.
    func query(_ bytes: [UInt8]) -> VerifyReceiptClient.Query {
        VerifyReceiptClient.Query(
            bytes: bytes, bundle: bundle, environment: environment.flatMap(AppleEnvironment.named),
            isReadable: true)
    }
}
