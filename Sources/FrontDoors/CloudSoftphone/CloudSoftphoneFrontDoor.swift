import Commerce
package import Gatefold
import HTTPTypes
import Hummingbird
import Logging
package import Settings

/// The front door for Cloud Softphone apps, each with a path of its own.
///
/// Source: Cloud Softphone protocol, “Overview”.
package struct CloudSoftphoneFrontDoor: FrontDoor {
    package typealias PublicationSettings = CloudSoftphone

    package static let name = "Cloud Softphone"

    package init() {}

    package static func settings(
        in publication: SettingsSection, of outline: PublicationOutline
    ) throws(SettingsError) -> CloudSoftphone? {
        let settings = try CloudSoftphone.read(publication, of: outline)
        guard (settings == nil) == !publication.has("deliveries") else {
            throw publication.error(
                settings == nil ? "deliveries" : "cloud_softphone",
                expected: "expected `cloud_softphone` and `deliveries` together: purchases must be delivered")
        }
        return settings
    }

    package func snapshot(
        of publications: ServedPublications, using services: FrontDoorServices
    ) -> any FrontDoorSnapshot {
        CloudSoftphoneSnapshot(
            publications.all.compactMap { publication in
                publication.settings[CloudSoftphoneFrontDoor.self].map {
                    SoftphoneService($0, authorizationService: publication.authorizationService)
                }
            })
    }
}

/// The in-app-purchase web services of the publications of one configuration.
package struct CloudSoftphoneSnapshot: FrontDoorSnapshot {
    private let services: [SoftphoneService]

    package init(_ services: [SoftphoneService]) {
        self.services = services
    }

    package func addRoutes(to routes: inout Routes) {
        for service in services {
            let path = service.settings.path
            routes.on(RoutePattern(path), methods: .all) { request, context in
                // The router accepts more spellings than a cache between may treat as the same path.
                guard request.uri.path == path || request.uri.path == path + "/" else { return nil }
                return try await service.respond(to: request, context)
            }
        }
    }
}

/// The in-app-purchase web service of one publication. It receives a purchase and responds with an empty 200 or a
/// message.
///
/// Source: Cloud Softphone protocol, “Responses”.
package struct SoftphoneService: Sendable {
    let settings: CloudSoftphone
    let authorizationService: AuthorizationService

    package init(_ settings: CloudSoftphone, authorizationService: AuthorizationService) {
        self.settings = settings
        self.authorizationService = authorizationService
    }

    func respond(to request: Request, _ context: GatefoldRequestContext) async throws -> Response {
        let methods = settings.methods
        if request.method == .options { return Response(status: .noContent, headers: [.allow: allowed(methods)]) }
        let languages = request.headers[.acceptLanguage].map(AcceptLanguage.parse) ?? []
        let form = MessageFormat(settings.form, accept: request.headers[.accept])
        func failure(
            _ status: HTTPResponse.Status, _ key: MessageKey, _ reason: RefusalReason, retryAfter: Int? = nil
        ) -> Response {
            context.refuse(authorizationService.refusal(reason, .purchase))
            let text = authorizationService.publication.messages.text(key, for: languages) ?? ""
            return SoftphoneResponse.failure(status, text, as: form, retryAfter: retryAfter)
        }
        guard methods.contains(request.method) else {
            var response = failure(.methodNotAllowed, .purchaseIncomplete, .malformedRequest)
            response.headers[.allow] = allowed(methods)
            return response
        }
        let fields: [String: String]
        do {
            fields = try await RequestFields.read(request, limits: .receipts)
        } catch let rejection as RequestRejection {
            return failure(rejection.status, .purchaseIncomplete, .malformedRequest)
        }
        guard let purchase = SoftphonePurchase(fields, by: settings) else {
            return failure(.badRequest, .purchaseIncomplete, .malformedRequest)
        }
        do {
            switch try await authorizationService.credit(
                purchase.receipt, from: settings.store, app: purchase.app, to: purchase.credit)
            {
            case .recorded, .pending:
                // A pending receipt is on disk and is credited once the store can be queried. The app has nothing left
                // to do.
                return SoftphoneResponse.success()
            case .rejected(let rejection):
                return failure(rejection.status, rejection.message, RefusalReason(rejection.reason))
            }
        } catch {
            if !(error is Unavailable) { context.logger.unexpected(error, "Purchase failed unexpectedly") }
            return failure(
                .serviceUnavailable, .purchaseUnavailable, RefusalReason(error),
                retryAfter: (error as? Unavailable)?.retryAfter ?? 30)
        }
    }

    private func allowed(_ methods: [HTTPRequest.Method]) -> String {
        (methods + [.options]).map(\.rawValue).joined(separator: ", ")
    }
}

extension ReceiptRejection {
    fileprivate var status: HTTPResponse.Status { reason == .malformed ? .badRequest : .forbidden }

    fileprivate var message: MessageKey {
        switch reason {
        case .claimedByAnother: .purchaseOfAnother
        case .wrongProduct, .empty: .productRejected
        default: .purchaseRejected
        }
    }
}
