public import Commerce
public import Foundation
public import Primitives

/// A fake app store with a scripted verdict on each receipt.
public final class FakeSellingStore: ReceiptVerifier {
    public struct Unreachable: BackendFailure {
        public let cause = "the store cannot be reached"
    }

    public let store: StoreName
    public let kind: StoreKind
    private let app: String
    private let verdicts = Locked<[String: ReceiptVerdict]>([:])
    private let reachable = Locked(true)
    private let count = Locked(0)

    public init(store: StoreName, kind: StoreKind = .apple, app: String = "com.example.app") {
        self.store = store
        self.kind = kind
        self.app = app
    }

    /// Whether the store is reachable.
    public var isReachable: Bool {
        get { reachable.withLock { $0 } }
        set { reachable.withLock { $0 = newValue } }
    }

    /// The number of queries.
    public var queried: Int { count.withLock { $0 } }

    /// Adds a receipt with one purchase.
    @discardableResult
    public func sell(
        _ product: String, receipt: String, transaction: String, quantity: Int = 1,
        at timestamp: Date = Date(timeIntervalSince1970: 1_793_000_000)
    ) -> StoreTransaction {
        let sold = StoreTransaction(
            store: store, id: transaction, original: transaction, product: product, purchased: timestamp,
            quantity: quantity, environment: .production, reported: timestamp)
        verdicts.withLock { $0[receipt] = .genuine([sold]) }
        return sold
    }

    public func decide(_ verdict: ReceiptVerdict, on receipt: String) {
        verdicts.withLock { $0[receipt] = verdict }
    }

    public func isPlausible(_ receipt: StoreReceipt) -> Bool { !receipt.isEmpty }

    public func sells(app: String) -> Bool { app == self.app }

    public func verify(
        _ receipt: StoreReceipt, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> ReceiptVerdict {
        count.withLock { $0 += 1 }
        guard isReachable else { throw Unreachable() }
        return verdicts.withLock { $0[receipt[.receipt] ?? ""] } ?? .rejected(ReceiptRejection(.forged))
    }
}
