public import Commerce
public import Foundation
import Synchronization

/// A store with scripted verdicts that records the submitted receipts.
public final class ScriptedStore: ReceiptVerifier {
    public let store: StoreName
    public let kind: StoreKind
    private let app: String
    private let response: Mutex<@Sendable (StoreReceipt) throws -> ReceiptVerdict>
    private let shown = Mutex<[StoreReceipt]>([])

    public init(
        _ store: StoreName, kind: StoreKind, app: String = "com.example.daily",
        response: @escaping @Sendable (StoreReceipt) throws -> ReceiptVerdict
    ) {
        self.store = store
        self.kind = kind
        self.app = app
        self.response = Mutex(response)
    }

    /// The submitted receipts in order.
    public var receipts: [StoreReceipt] { shown.withLock { $0 } }

    public func report(_ next: @escaping @Sendable (StoreReceipt) throws -> ReceiptVerdict) {
        response.withLock { $0 = next }
    }

    public func isPlausible(_ receipt: StoreReceipt) -> Bool { !receipt.isEmpty }

    public func sells(app: String) -> Bool { app == self.app }

    public func verify(
        _ receipt: StoreReceipt, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> ReceiptVerdict {
        shown.withLock { $0.append(receipt) }
        let response = response.withLock { $0 }
        guard case .genuine(let transactions) = try response(receipt) else { return try response(receipt) }
        let counting = transactions.filter { allowed.contains($0.environment) }
        return counting.isEmpty ? .rejected(ReceiptRejection(.wrongEnvironment)) : .genuine(counting)
    }
}
