import Foundation
import Gatefold
import PKCS7

extension AppleStore {
    /// Here first, which costs nobody anything; then what has become of it since, should its subscriptions have ended.
    func verify(
        _ message: SignedMessage, _ bytes: [UInt8], allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> ReceiptVerdict {
        guard let unified else {
            let question = UnifiedReceipt.question(message, bytes, isGenuine: false)
            if let verifyReceipt {
                return try await verifyReceipt.verdict(on: question, allowing: allowed, at: moment)
            }
            return .refused(ReceiptRefusal(.noStore))
        }
        let verdict = try unified.verdict(on: message, allowing: allowed, at: moment)
        guard case .genuine(let transactions) = verdict else { return verdict }
        let ended = Self.ended(transactions, at: moment)
        guard !ended.isEmpty else { return verdict }
        // The receipt is true whether or not Apple can be asked for more: then the later looks will.
        let later = (try? await renewals(of: ended, message, bytes, allowing: allowed, at: moment)) ?? []
        try Task.checkCancellation()
        return .genuine(Self.joined(transactions, later))
    }

    /// So many subscriptions of one receipt are asked about.
    private static let mostAsked = 5

    /// The last transaction of each subscription whose last period has ended and was not taken back.
    static func ended(_ transactions: [StoreTransaction], at moment: Date) -> [StoreTransaction] {
        let subscriptions = Dictionary(grouping: transactions.filter { $0.expires != nil }, by: \.original)
        let last = subscriptions.values.compactMap { $0.max { end($0) < end($1) } }
        let ended = last.filter { $0.revoked == nil && end($0) <= moment }
        return Array(ended.sorted { (end($0), $0.id) > (end($1), $1.id) }.prefix(mostAsked))
    }

    private static func end(_ transaction: StoreTransaction) -> Date { transaction.expires ?? .distantPast }

    private func renewals(
        of ended: [StoreTransaction], _ message: SignedMessage, _ bytes: [UInt8],
        allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> [StoreTransaction] {
        guard !ended.contains(where: \.environment.isLocal) else { return [] }
        if let signed, signed.asksServer {
            var later: [StoreTransaction] = []
            for transaction in ended {
                later += try await signed.current(transaction, allowing: allowed, at: moment)
            }
            return later
        }
        let question = UnifiedReceipt.question(message, bytes, isGenuine: true)
        guard let verifyReceipt,
            case .genuine(let all) = try await verifyReceipt.verdict(on: question, allowing: allowed, at: moment)
        else { return [] }
        return all
    }

    /// Each transaction once, the later word counting.
    static func joined(_ transactions: [StoreTransaction], _ later: [StoreTransaction]) -> [StoreTransaction] {
        let told = Dictionary(later.map { ($0.id, $0) }) { $0.told >= $1.told ? $0 : $1 }
        let known = Set(transactions.map(\.id))
        return transactions.map { transaction in
            guard let word = told[transaction.id], word.told >= transaction.told else { return transaction }
            return word
        } + told.values.filter { !known.contains($0.id) }.sorted { ($0.purchased, $0.id) < ($1.purchased, $1.id) }
    }
}

extension UnifiedReceipt {
    /// What to ask verifyReceipt about a receipt.
    static func question(_ message: SignedMessage, _ bytes: [UInt8], isGenuine: Bool) -> VerifyReceiptClient.Question {
        let claimed = try? UnifiedReceipt(message.unverifiedContents)
        return VerifyReceiptClient.Question(
            bytes: bytes, bundle: claimed?.bundle,
            environment: claimed?.environment.flatMap(AppleEnvironment.named), isGenuine: isGenuine)
    }
}

extension TransactionReceipt {
    /// What to ask verifyReceipt about a receipt.
    func question(_ bytes: [UInt8]) -> VerifyReceiptClient.Question {
        VerifyReceiptClient.Question(
            bytes: bytes, bundle: bundle, environment: environment.flatMap(AppleEnvironment.named))
    }
}
