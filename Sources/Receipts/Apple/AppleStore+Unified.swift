import Foundation
import Gatefold
import PKCS7
import Protections

extension AppleStore {
    /// Here first, which costs nobody anything; then what has become of it since: of subscriptions that have ended, and of
    /// what was bought so lately that it may have been refunded.
    func verify(
        _ message: SignedMessage, _ bytes: [UInt8], allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> ReceiptVerdict {
        guard let unified else {
            let question = UnifiedReceipt.question(message, bytes)
            if let verifyReceipt {
                return try await verifyReceipt.verdict(on: question, allowing: allowed, at: moment)
            }
            return .refused(ReceiptRefusal(.noStore))
        }
        let verdict = try unified.verdict(on: message, allowing: allowed, at: moment)
        guard case .genuine(let transactions) = verdict else { return verdict }
        let open = Self.open(transactions, at: moment)
        guard !open.isEmpty else { return verdict }
        let later: [StoreTransaction]
        do {
            later = try await patience.bound(
                { try await course(of: open, message, bytes, allowing: allowed, at: moment) }, ended: {})
        } catch {
            try Task.checkCancellation()
            // What a subscription that has ended did since, the later looks will find. What has no end may have been refunded
            // since an old receipt was made.
            guard open.allSatisfy({ $0.ends != nil || Self.isBelieved($0, at: moment) }) else { throw error }
            later = []
        }
        try Task.checkCancellation()
        return .genuine(Self.joined(transactions, later))
    }

    private static func isBelieved(_ transaction: StoreTransaction, at moment: Date) -> Bool {
        moment.timeIntervalSince(transaction.told) <= SignedAppStoreData.longestBelieved
    }

    /// So many purchases of one receipt are asked about.
    private static let mostAsked = 5

    /// The purchases about which a receipt does not have the last word, by the last transaction of each: subscriptions whose
    /// last period has ended or was taken back, the latest first, and then what has no end and may still be refunded.
    static func open(_ transactions: [StoreTransaction], at moment: Date) -> [StoreTransaction] {
        let subscriptions = Dictionary(grouping: transactions.filter { $0.ends != nil }, by: \.original)
        let last = subscriptions.values.compactMap { $0.max { end($0) < end($1) } }
        let ended = last.filter { $0.revoked != nil || end($0) <= moment }
        let refundable = moment.addingTimeInterval(-PurchaseTimes.usualRefundWindow)
        let singles = transactions.filter { $0.ends == nil && $0.revoked == nil && $0.purchased >= refundable }
        return Array(
            (ended.sorted { (end($0), $0.id) > (end($1), $1.id) }
                + singles.sorted { ($0.purchased, $0.id) > ($1.purchased, $1.id) }).prefix(mostAsked))
    }

    private static func end(_ transaction: StoreTransaction) -> Date { transaction.ends ?? .distantPast }

    private func course(
        of open: [StoreTransaction], _ message: SignedMessage, _ bytes: [UInt8],
        allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> [StoreTransaction] {
        guard !open.contains(where: \.environment.isLocal) else { return [] }
        if let signed, signed.asksServer {
            var later: [StoreTransaction] = []
            for transaction in open {
                later += try await signed.current(transaction, allowing: allowed, at: moment)
            }
            return later
        }
        let question = UnifiedReceipt.question(message, bytes)
        guard let verifyReceipt,
            case .genuine(let all) = try await verifyReceipt.verdict(on: question, allowing: allowed, at: moment)
        else { return [] }
        return all
    }

    /// Each transaction once, as the words about it amount to.
    static func joined(_ transactions: [StoreTransaction], _ later: [StoreTransaction]) -> [StoreTransaction] {
        let told = Dictionary(later.map { ($0.id, $0) }) { $0.joined(with: $1) }
        let known = Set(transactions.map(\.id))
        return transactions.map { transaction in told[transaction.id]?.joined(with: transaction) ?? transaction }
            + told.values.filter { !known.contains($0.id) }.sorted { ($0.purchased, $0.id) < ($1.purchased, $1.id) }
    }
}

extension UnifiedReceipt {
    /// What to ask verifyReceipt about a receipt.
    static func question(_ message: SignedMessage, _ bytes: [UInt8]) -> VerifyReceiptClient.Question {
        let claimed = try? UnifiedReceipt(message.unverifiedContents)
        return VerifyReceiptClient.Question(
            bytes: bytes, bundle: claimed?.bundle,
            environment: claimed?.environment.flatMap(AppleEnvironment.named), isReadable: claimed != nil)
    }
}

extension TransactionReceipt {
    /// What to ask verifyReceipt about a receipt.
    func question(_ bytes: [UInt8]) -> VerifyReceiptClient.Question {
        VerifyReceiptClient.Question(
            bytes: bytes, bundle: bundle, environment: environment.flatMap(AppleEnvironment.named),
            isReadable: true)
    }
}
