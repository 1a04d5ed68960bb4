public import Foundation
public import Gatefold
import Synchronization

/// An app store that answers what a test wrote for it, and counts how often it was asked.
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
    private let asked = Mutex<[String]>([])

    /// Knows no receipt and no change of a purchase, and takes no message.
    ///
    /// - Parameter apps: those it sells.
    public init(
        _ store: StoreName = StoreName("app-store")!, kind: StoreKind = .apple,
        apps: Set<String> = ["com.example.daily"]
    ) {
        self.store = store
        self.kind = kind
        self.apps = apps
        script = Mutex(
            Script(
                verify: { _ in .refused(ReceiptRefusal(.malformed)) }, current: { _ in [] }, acknowledge: { _ in },
                notification: { _ in .refused(ReceiptRefusal(.malformed)) }))
    }

    public func verifyBy(_ answer: @escaping @Sendable (StoreReceipt) async throws -> ReceiptVerdict) {
        script.withLock { $0.verify = answer }
    }

    /// Every receipt proves these.
    public func prove(_ transactions: StoreTransaction...) {
        verifyBy { _ in .genuine(transactions) }
    }

    public func refuse(_ reason: ReceiptRefusal.Reason) {
        verifyBy { _ in .refused(ReceiptRefusal(reason)) }
    }

    /// Nil where nobody is asked.
    public func currentBy(_ answer: @escaping @Sendable (StoreTransaction) async throws -> [StoreTransaction]?) {
        script.withLock { $0.current = answer }
    }

    public func acknowledgeBy(_ answer: @escaping @Sendable (StoreTransaction) async throws -> Void) {
        script.withLock { $0.acknowledge = answer }
    }

    public func notifyBy(_ answer: @escaping @Sendable ([UInt8]) async throws -> NotificationVerdict) {
        script.withLock { $0.notification = answer }
    }

    /// Every question from now on can not be asked.
    public func breakDown() {
        verifyBy { _ in throw BrokenDown() }
        currentBy { _ in throw BrokenDown() }
        acknowledgeBy { _ in throw BrokenDown() }
        notifyBy { _ in throw BrokenDown() }
    }

    /// The questions asked so far: `verify`, `current`, `acknowledge` and `notification`.
    public var questions: [String] { asked.withLock { $0 } }

    public func isPlausible(_ receipt: StoreReceipt) -> Bool { !receipt.isEmpty }

    public func sells(app: String) -> Bool { apps.contains(app) }

    public func verify(
        _ receipt: StoreReceipt, allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> ReceiptVerdict {
        asked.withLock { $0.append("verify") }
        return try await script.withLock(\.verify)(receipt)
    }

    public func current(
        _ transaction: StoreTransaction, receipt: StoreReceipt?, allowing allowed: Set<StoreEnvironment>,
        at moment: Date
    ) async throws -> [StoreTransaction]? {
        asked.withLock { $0.append("current") }
        return try await script.withLock(\.current)(transaction)
    }

    public func acknowledge(_ transaction: StoreTransaction, receipt: StoreReceipt?) async throws {
        asked.withLock { $0.append("acknowledge") }
        try await script.withLock(\.acknowledge)(transaction)
    }

    public func notification(
        _ body: [UInt8], allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> NotificationVerdict {
        asked.withLock { $0.append("notification") }
        return try await script.withLock(\.notification)(body)
    }

    public struct BrokenDown: Error {
        public init() {}
    }
}
