public import Commerce
public import Gatefold
import HTTPTypes
public import Hummingbird
import Logging
import NIOCore
import Synchronization

/// The endpoint at which the app stores report changes of purchases: `POST /notifications/STORE`, where STORE is
/// the store's name in the configuration.
///
/// A store repeats a message until the status is 200. Therefore 200 means that the message is recorded, 4xx that it
/// will never be valid in this format, and 5xx that the store should repeat it.
///
/// Source: App Store protocol, “Notifications V2” and “Retries of notifications”.
public struct StoreNotificationsFrontDoor<Context: RequestContext>: Sendable {
    /// The maximum length of a body, in bytes. A message with all members has about 20,000 bytes.
    static var maxBodySize: Int { 1 << 20 }

    private final class Throttle: Sendable {
        let state = Mutex(NotificationThrottle())
    }

    private let purchaseServices: @Sendable (StoreName) -> [PurchaseService]
    private let client: @Sendable (Request, Context) -> ClientAddress?
    private let throttle = Throttle()

    /// - Parameters:
    ///   - purchaseServices: Returns the purchase services of all publications that sell in a store, for each request, so that
    ///     a reload takes effect at once.
    ///   - client: Returns the client whose rejected messages are counted together, or `nil` if it is not known.
    public init(
        purchaseServices: @escaping @Sendable (StoreName) -> [PurchaseService],
        client: @escaping @Sendable (Request, Context) -> ClientAddress? = { _, _ in nil }
    ) {
        self.purchaseServices = purchaseServices
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
        guard request.method == .post else { return StoreNotificationResponse.methodNotAllowed() }
        guard let name = context.parameters.get("store").flatMap({ StoreName($0) }) else {
            return StoreNotificationResponse.unknownStore()
        }
        let purchaseServices = purchaseServices(name)
        guard let first = purchaseServices.first else { return StoreNotificationResponse.unknownStore() }
        if let announced = request.headers[.contentLength].flatMap({ Int($0) }), announced > Self.maxBodySize {
            return StoreNotificationResponse.tooLarge(Self.maxBodySize)
        }
        let body: [UInt8]
        do {
            body = Array(try await request.body.collect(upTo: Self.maxBodySize).readableBytesView)
        } catch is NIOTooManyBytesError {
            return StoreNotificationResponse.tooLarge(Self.maxBodySize)
        }
        let client = client(request, context)
        switch throttle.state.withLock({ $0.enter(client, at: .now) }) {
        case .admitted: break
        case .busy: return StoreNotificationResponse.again(after: 5)
        case .throttled(let wait): return StoreNotificationResponse.tooManyRejected(retryAfter: wait)
        }
        var wasRejected = false
        defer { throttle.state.withLock { $0.finish(client, wasRejected: wasRejected, at: .now) } }
        // The publications share the store and the ledger, so the message is verified and recorded once for all of
        // them.
        let allowed = purchaseServices.reduce(into: Set<StoreEnvironment>()) { $0.formUnion($1.environments) }
        do {
            guard let receipt = try await first.receive(notification: body, of: name, allowing: allowed) else {
                return StoreNotificationResponse.unknownStore()
            }
            if case .rejected(let rejection) = receipt {
                wasRejected = [.malformed, .forged].contains(rejection.reason)
            }
            return StoreNotificationResponse.of(receipt)
        } catch let unavailable as Unavailable {
            return StoreNotificationResponse.again(after: unavailable.retryAfter)
        } catch {
            context.logger.unexpected(error, "Store notification failed unexpectedly", ["store": "\(name)"])
            return StoreNotificationResponse.again(after: 30)
        }
    }
}
