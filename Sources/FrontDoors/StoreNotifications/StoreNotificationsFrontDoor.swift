public import Gatefold
import HTTPTypes
public import Hummingbird
import Logging
import NIOCore
import Synchronization

/// Where the app stores report by themselves what became of purchases (PROTOCOLS 6.3 "Notifications V2"):
/// `POST /notifications/STORE`, where STORE is the store's name in the configuration.
///
/// A store sends again what is not answered by 200 (PROTOCOLS 6A row 23), so that 200 means that the message is on record,
/// 4xx that it will never be good as it is, and 5xx that it should come again.
public struct StoreNotificationsFrontDoor<Context: RequestContext>: Sendable {
    /// In bytes. A message with everything in it has some twenty thousand.
    static var longestBody: Int { 1 << 20 }

    private final class Throttle: Sendable {
        let state = Mutex(NotificationThrottle())
    }

    private let desks: @Sendable (StoreName) -> [PurchaseDesk]
    private let client: @Sendable (Request, Context) -> ClientAddress?
    private let throttle = Throttle()

    /// - Parameters:
    ///   - desks: those of all publications that sell in a store; asked for every request, so that a reload takes effect at once.
    ///   - client: whose messages are counted together where they are no store's; nil where that can not be told.
    public init(
        desks: @escaping @Sendable (StoreName) -> [PurchaseDesk],
        client: @escaping @Sendable (Request, Context) -> ClientAddress? = { _, _ in nil }
    ) {
        self.desks = desks
        self.client = client
    }

    public func addRoutes(to router: Router<Context>) {
        for method in HTTPRequest.Method.every {
            router.on("/notifications/{store}", method: method) { request, context in
                try await respond(to: request, context)
            }
        }
    }

    private func respond(to request: Request, _ context: Context) async throws -> Response {
        guard request.method == .post else { return StoreNotificationAnswer.methodNotAllowed() }
        guard let name = context.parameters.get("store").flatMap({ StoreName($0) }) else {
            return StoreNotificationAnswer.unknownStore()
        }
        let desks = desks(name)
        guard let first = desks.first else { return StoreNotificationAnswer.unknownStore() }
        if let announced = request.headers[.contentLength].flatMap({ Int($0) }), announced > Self.longestBody {
            return StoreNotificationAnswer.tooLarge(Self.longestBody)
        }
        let body: [UInt8]
        do {
            body = Array(try await request.body.collect(upTo: Self.longestBody).readableBytesView)
        } catch is NIOTooManyBytesError {
            return StoreNotificationAnswer.tooLarge(Self.longestBody)
        }
        let client = client(request, context)
        switch throttle.state.withLock({ $0.enter(client, at: .now) }) {
        case .admitted: break
        case .busy: return StoreNotificationAnswer.again(after: 5)
        case .throttled(let wait): return StoreNotificationAnswer.tooManyRefused(retryAfter: wait)
        }
        var wasRefused = false
        defer { throttle.state.withLock { $0.finish(client, wasRefused: wasRefused, at: .now) } }
        // The publications share the store and the ledger, so the message is verified and noted once, for all of them.
        let allowed = desks.reduce(into: Set<StoreEnvironment>()) { $0.formUnion($1.environments) }
        do {
            guard let receipt = try await first.receive(notification: body, of: name, allowing: allowed) else {
                return StoreNotificationAnswer.unknownStore()
            }
            if case .refused(let refusal) = receipt { wasRefused = [.malformed, .forged].contains(refusal.reason) }
            return StoreNotificationAnswer.of(receipt)
        } catch let unavailable as Unavailable {
            return StoreNotificationAnswer.again(after: unavailable.retryAfter)
        } catch {
            context.logger.unexpected(error, "A store's message failed unexpectedly", ["store": "\(name)"])
            return StoreNotificationAnswer.again(after: 30)
        }
    }
}
