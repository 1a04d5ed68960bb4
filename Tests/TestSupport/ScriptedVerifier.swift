public import Commerce
public import Foundation
import Synchronization

/// An app store with scripted results that counts its queries.
public final class ScriptedVerifier: ReceiptVerifier {
    public struct Script: Sendable {
        public var verify: @Sendable (StoreReceipt) async throws -> ReceiptVerdict
        public var current: @Sendable (StoreTransaction) async throws -> [StoreTransaction]?
        public var acknowledge: @Sendable (StoreTransaction) async throws -> Void
        public var notification: @Sendable ([UInt8]) async throws -> NotificationVerdict
    }

    public let store: StoreName
    public let kind: StoreKind
    private let apps: Set<String>
    private let script: Mutex<Script>
    private let queried = Mutex<[String]>([])

    /// Knows no receipt and no change of a purchase, and rejects every notification.
    ///
    /// - Parameter apps: The apps that the store sells.
    public init(
        _ store: StoreName = StoreName("app-store")!, kind: StoreKind = .apple,
        apps: Set<String> = ["com.example.daily"]
    ) {
        self.store = store
        self.kind = kind
        self.apps = apps
        script = Mutex(
            Script(
                verify: { _ in .rejected(ReceiptRejection(.malformed)) }, current: { _ in [] }, acknowledge: { _ in },
                notification: { _ in .rejected(ReceiptRejection(.malformed)) }))
    }

    public func verifyBy(_ response: @escaping @Sendable (StoreReceipt) async throws -> ReceiptVerdict) {
        script.withLock { $0.verify = response }
    }

    /// Makes every receipt prove these transactions.
    public func verifyPassword(_ transactions: StoreTransaction...) {
        verifyBy { _ in .genuine(transactions) }
    }

    public func reject(_ reason: ReceiptRejection.Reason) {
        verifyBy { _ in .rejected(ReceiptRejection(reason)) }
    }

    /// Scripts the current state of a purchase. Nil if no query is possible.
    public func currentBy(_ response: @escaping @Sendable (StoreTransaction) async throws -> [StoreTransaction]?) {
        script.withLock { $0.current = response }
    }

    public func acknowledgeBy(_ response: @escaping @Sendable (StoreTransaction) async throws -> Void) {
        script.withLock { $0.acknowledge = response }
    }

    public func notifyBy(_ response: @escaping @Sendable ([UInt8]) async throws -> NotificationVerdict) {
        script.withLock { $0.notification = response }
    }

    /// Makes every query fail from now on.
    public func startOutage() {
        verifyBy { _ in throw ScriptedFailure() }
        currentBy { _ in throw ScriptedFailure() }
        acknowledgeBy { _ in throw ScriptedFailure() }
        notifyBy { _ in throw ScriptedFailure() }
    }

    /// The queries so far: `verify`, `current`, `acknowledge` and `notification`.
    public var queries: [String] { queried.withLock { $0 } }

    public func isPlausible(_ receipt: StoreReceipt) -> Bool { !receipt.isEmpty }

    public func sells(app: String) -> Bool { apps.contains(app) }

    public func verify(
        _ receipt: StoreReceipt, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> ReceiptVerdict {
        queried.withLock { $0.append("verify") }
        return try await script.withLock(\.verify)(receipt)
    }

    public func current(
        _ transaction: StoreTransaction, receipt: StoreReceipt?, allowing allowed: Set<StoreEnvironment>,
        at timestamp: Date
    ) async throws -> [StoreTransaction]? {
        queried.withLock { $0.append("current") }
        return try await script.withLock(\.current)(transaction)
    }

    public func acknowledge(_ transaction: StoreTransaction, receipt: StoreReceipt?) async throws {
        queried.withLock { $0.append("acknowledge") }
        try await script.withLock(\.acknowledge)(transaction)
    }

    public func notification(
        _ body: [UInt8], allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> NotificationVerdict {
        queried.withLock { $0.append("notification") }
        return try await script.withLock(\.notification)(body)
    }

    public struct ScriptedFailure: Error {
        public init() {}
    }
}
