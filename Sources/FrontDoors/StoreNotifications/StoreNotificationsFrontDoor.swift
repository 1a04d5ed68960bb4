package import Commerce
import Gatefold
import HTTPTypes
import Hummingbird
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
package struct StoreNotificationsFrontDoor: FrontDoor {
    package static let name = "Store notifications"
    package static let pathSegments: Set<String> = ["notifications"]

    /// The throttle, whose counts outlive a configuration.
    fileprivate final class Throttle: Sendable {
        let state = Mutex(NotificationThrottle())
    }

    private let throttle = Throttle()

    package init() {}

    package func snapshot(
        of publications: ServedPublications, using services: FrontDoorServices
    ) -> any FrontDoorSnapshot {
        snapshot(of: publications.all.sorted { $0.id < $1.id }.compactMap(\.authorizationService.purchases))
    }

    /// - Parameter purchaseServices: The purchase services of the publications that sell in stores.
    package func snapshot(of purchaseServices: [PurchaseService]) -> StoreNotificationsSnapshot {
        StoreNotificationsSnapshot(purchaseServices: purchaseServices, throttle: throttle)
    }
}

/// The endpoint for the publications of one configuration.
package struct StoreNotificationsSnapshot: FrontDoorSnapshot {
    /// The maximum length of a body, in bytes. A message with all members has about 20,000 bytes.
    private static let maxBodySize = 1 << 20

    fileprivate let purchaseServices: [PurchaseService]
    fileprivate let throttle: StoreNotificationsFrontDoor.Throttle

    package func addRoutes(to routes: inout Routes) {
        routes.on("/notifications/{store}") { [clients = routes.clients] request, context in
            try await respond(to: request, context, clients)
        }
    }

    private func respond(
        to request: Request, _ context: GatefoldRequestContext, _ clients: RequestClients
    ) async throws -> Response {
        guard request.method == .post else { return StoreNotificationResponse.methodNotAllowed() }
        func refuse(_ reason: RefusalReason) { context.refuse(Refusal(reason, .storeNotification)) }
        guard let name = request.uri.path.split(separator: "/").last.flatMap({ StoreName(String($0)) }) else {
            refuse(.unknownPublication)
            return StoreNotificationResponse.unknownStore()
        }
        let purchaseServices = purchaseServices.filter { $0.stores.contains(name) }
        guard let first = purchaseServices.first else {
            refuse(.unknownPublication)
            return StoreNotificationResponse.unknownStore()
        }
        if let announced = request.headers[.contentLength].flatMap({ Int($0) }), announced > Self.maxBodySize {
            refuse(.malformedRequest)
            return StoreNotificationResponse.tooLarge(Self.maxBodySize)
        }
        let body: [UInt8]
        do {
            body = Array(try await request.body.collect(upTo: Self.maxBodySize).readableBytesView)
        } catch is NIOTooManyBytesError {
            refuse(.malformedRequest)
            return StoreNotificationResponse.tooLarge(Self.maxBodySize)
        }
        let client = clients.unsharedAddress(request, context)
        switch throttle.state.withLock({ $0.enter(client, at: .now) }) {
        case .admitted: break
        case .busy:
            refuse(.overloaded)
            return StoreNotificationResponse.again(after: 5)
        case .throttled(let wait):
            refuse(.throttled)
            return StoreNotificationResponse.tooManyRejected(retryAfter: wait)
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
                refuse(RefusalReason(rejection.reason))
                wasRejected = [.malformed, .forged].contains(rejection.reason)
            }
            return StoreNotificationResponse.of(receipt)
        } catch let unavailable as Unavailable {
            refuse(unavailable.reason)
            return StoreNotificationResponse.again(after: unavailable.retryAfter)
        } catch {
            refuse(.internalError)
            context.logger.unexpected(error, "Store notification failed unexpectedly", ["store": "\(name)"])
            return StoreNotificationResponse.again(after: 30)
        }
    }
}
