import Commerce
import Foundation
import Primitives
import TestSupport

/// An app store that confirms the receipts a test made up: base64 of a few words.
final class FakeReceiptStore: ReceiptVerifier {
    struct Unreachable: Error {}

    let store = StoreName("app-store")!
    let kind = StoreKind.apple
    let apps: Set<String>
    private let verdicts = Locked<[String: ReceiptVerdict]>([:])
    private let reachable = Locked(true)

    init(apps: Set<String>) {
        self.apps = apps
    }

    var isReachable: Bool {
        get { reachable.withLock { $0 } }
        set { reachable.withLock { $0 = newValue } }
    }

    /// Returns a receipt whose base64 contains `+` and `/`.
    static func receipt(_ text: String) -> String {
        Data([0xFB, 0xEF, 0xFF] + Array("receipt of \(text)".utf8)).base64EncodedString()
    }

    /// Confirms a receipt with these purchases.
    @discardableResult
    func accept(_ text: String, _ transactions: StoreTransaction...) -> String {
        decide(text, .genuine(transactions))
    }

    @discardableResult
    func decide(_ text: String, _ verdict: ReceiptVerdict) -> String {
        let receipt = Self.receipt(text)
        verdicts.withLock { $0[receipt] = verdict }
        return receipt
    }

    func purchase(
        _ product: String, id: String, at purchased: String = "2026-10-15", until expires: String? = nil,
        revoked: String? = nil, _ environment: StoreEnvironment = .production
    ) -> StoreTransaction {
        StoreTransaction(
            store: store, id: id, original: id, product: product, purchased: CivilTime.date(purchased)!,
            expires: expires.flatMap { CivilTime.date($0) }, revoked: revoked.flatMap { CivilTime.date($0) },
            environment: environment, reported: CivilTime.date("2026-10-31")!)
    }

    func sells(app: String) -> Bool { apps.contains(app) }

    func isPlausible(_ receipt: StoreReceipt) -> Bool { receipt[.receipt] != nil }

    func verify(
        _ receipt: StoreReceipt, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> ReceiptVerdict {
        guard isReachable else { throw Unreachable() }
        let verdict = verdicts.withLock { $0[receipt[.receipt] ?? ""] } ?? .rejected(ReceiptRejection(.forged))
        if case .genuine(let transactions) = verdict, !transactions.allSatisfy({ allowed.contains($0.environment) }) {
            return .rejected(ReceiptRejection(.wrongEnvironment))
        }
        return verdict
    }
}
