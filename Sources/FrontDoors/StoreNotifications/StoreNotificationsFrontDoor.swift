public import Gatefold
import HTTPTypes
public import Hummingbird
import Logging
import NIOCore

/// Where the app stores report by themselves what became of purchases (PROTOCOLS 6.3 "Notifications V2"):
/// `POST /notifications/STORE`, where STORE is the store's name in the configuration.
///
/// A store sends again what is not answered by 200 (PROTOCOLS 6A row 23), so that 200 means that the message is on record,
/// 4xx that it will never be good as it is, and 5xx that it should come again.
public struct StoreNotificationsFrontDoor<Context: RequestContext>: Sendable {
    /// In bytes. A message with everything in it has some twenty thousand.
    static var longestBody: Int { 1 << 20 }

    private let desks: @Sendable (StoreName) -> [PurchaseDesk]

    /// - Parameter desks: those of all publications that sell in a store; asked for every request, so that a reload takes
    ///   effect at once.
    public init(desks: @escaping @Sendable (StoreName) -> [PurchaseDesk]) {
        self.desks = desks
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
        // The publications share the store and the ledger, so the message is verified and noted once, for all of them.
        let allowed = desks.reduce(into: Set<StoreEnvironment>()) { $0.formUnion($1.environments) }
        do {
            guard let receipt = try await first.receive(notification: body, of: name, allowing: allowed) else {
                return StoreNotificationAnswer.unknownStore()
            }
            return StoreNotificationAnswer.of(receipt)
        } catch let unavailable as Unavailable {
            return StoreNotificationAnswer.again(after: unavailable.retryAfter)
        } catch {
            context.logger.error(
                "A store's message failed unexpectedly",
                metadata: ["store": "\(name)", "error": "\(String(describing: type(of: error)))"])
            return StoreNotificationAnswer.again(after: 30)
        }
    }
}
