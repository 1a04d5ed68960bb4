public import Foundation
public import Gatefold
import Synchronization

/// A store that says what a test wrote for it, and keeps what it was shown.
public final class ScriptedStore: ReceiptVerifier {
    public let store: StoreName
    public let kind: StoreKind
    private let app: String
    private let answer: Mutex<@Sendable (StoreReceipt) throws -> ReceiptVerdict>
    private let shown = Mutex<[StoreReceipt]>([])

    public init(
        _ store: StoreName, kind: StoreKind, app: String = "com.example.daily",
        answer: @escaping @Sendable (StoreReceipt) throws -> ReceiptVerdict
    ) {
        self.store = store
        self.kind = kind
        self.app = app
        self.answer = Mutex(answer)
    }

    /// The receipts it was shown, in their order.
    public var receipts: [StoreReceipt] { shown.withLock { $0 } }

    public func say(_ next: @escaping @Sendable (StoreReceipt) throws -> ReceiptVerdict) {
        answer.withLock { $0 = next }
    }

    public func isPlausible(_ receipt: StoreReceipt) -> Bool { !receipt.isEmpty }

    public func sells(app: String) -> Bool { app == self.app }

    public func verify(
        _ receipt: StoreReceipt, allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> ReceiptVerdict {
        shown.withLock { $0.append(receipt) }
        let answer = answer.withLock { $0 }
        guard case .genuine(let transactions) = try answer(receipt) else { return try answer(receipt) }
        let counting = transactions.filter { allowed.contains($0.environment) }
        return counting.isEmpty ? .refused(ReceiptRefusal(.wrongEnvironment)) : .genuine(counting)
    }
}
