public import Foundation
public import Gatefold

/// An app store whose word on each receipt a test decides.
public final class SellingStore: ReceiptVerifier {
    public struct Unreachable: BackendFailure {
        public let cause = "the store can not be reached"
    }

    public let store: StoreName
    public let kind: StoreKind
    private let app: String
    private let verdicts = Kept<[String: ReceiptVerdict]>([:])
    private let reachable = Kept(true)
    private let count = Kept(0)

    public init(store: StoreName, kind: StoreKind = .apple, app: String = "com.example.app") {
        self.store = store
        self.kind = kind
        self.app = app
    }

    /// Whether the store answers.
    public var isReachable: Bool {
        get { reachable.withLock { $0 } }
        set { reachable.withLock { $0 = newValue } }
    }

    /// How often it was asked.
    public var asked: Int { count.withLock { $0 } }

    /// A receipt that holds one purchase.
    @discardableResult
    public func sell(
        _ product: String, receipt: String, transaction: String, quantity: Int = 1,
        at moment: Date = Date(timeIntervalSince1970: 1_793_000_000)
    ) -> StoreTransaction {
        let sold = StoreTransaction(
            store: store, id: transaction, original: transaction, product: product, purchased: moment,
            quantity: quantity, environment: .production, told: moment)
        verdicts.withLock { $0[receipt] = .genuine([sold]) }
        return sold
    }

    public func decide(_ verdict: ReceiptVerdict, on receipt: String) {
        verdicts.withLock { $0[receipt] = verdict }
    }

    public func isPlausible(_ receipt: StoreReceipt) -> Bool { !receipt.isEmpty }

    public func sells(app: String) -> Bool { app == self.app }

    public func verify(
        _ receipt: StoreReceipt, allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> ReceiptVerdict {
        count.withLock { $0 += 1 }
        guard isReachable else { throw Unreachable() }
        return verdicts.withLock { $0[receipt[.receipt] ?? ""] } ?? .refused(ReceiptRefusal(.forged))
    }
}
