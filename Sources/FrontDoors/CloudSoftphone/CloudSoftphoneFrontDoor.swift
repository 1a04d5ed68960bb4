import Commerce
public import Gatefold
import HTTPTypes
public import Hummingbird
import Logging

/// The in-app-purchase web service of one publication.
public struct SoftphoneService: Sendable {
    public let settings: CloudSoftphone
    public let authorizationService: AuthorizationService

    public init(_ settings: CloudSoftphone, authorizationService: AuthorizationService) {
        self.settings = settings
        self.authorizationService = authorizationService
    }
}

/// The in-app-purchase web service of Cloud Softphone. It receives a purchase and responds with an empty 200 or a
/// message.
///
/// It is a middleware instead of routes, because the paths are settings that a reload can change.
///
/// Source: Cloud Softphone protocol, “Responses”.
public struct CloudSoftphoneFrontDoor<Context: RequestContext>: RouterMiddleware {
    private let services: @Sendable () -> [String: SoftphoneService]
    private let onDeliveryPending: @Sendable () -> Void

    /// - Parameters:
    ///   - services: Returns the services by their paths, ``CloudSoftphone/path``, for each request, so that a
    ///     reload takes effect at once.
    ///   - onDeliveryPending: Called when there is something to deliver. Must return at once.
    public init(
        services: @escaping @Sendable () -> [String: SoftphoneService],
        onDeliveryPending: @escaping @Sendable () -> Void = {}
    ) {
        self.services = services
        self.onDeliveryPending = onDeliveryPending
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var path = request.uri.path[...]
        if path.hasSuffix("/") { path.removeLast() }
        guard let service = services()[String(path)] else { return try await next(request, context) }
        // The path is the label in logs and metrics.
        context.coreContext.endpointPath.value = service.settings.path
        return try await respond(to: request, by: service, context)
    }

    private func respond(to request: Request, by service: SoftphoneService, _ context: Context) async throws -> Response
    {
        let methods = service.settings.methods
        if request.method == .options { return Response(status: .noContent, headers: [.allow: allowed(methods)]) }
        let languages = request.headers[.acceptLanguage].map(AcceptLanguage.parse) ?? []
        let form = MessageFormat(service.settings.form, accept: request.headers[.accept])
        func failure(_ status: HTTPResponse.Status, _ key: MessageKey, retryAfter: Int? = nil) -> Response {
            let text = service.authorizationService.publication.messages.text(key, for: languages) ?? ""
            return SoftphoneResponse.failure(status, text, as: form, retryAfter: retryAfter)
        }
        guard methods.contains(request.method) else {
            var response = failure(.methodNotAllowed, .purchaseIncomplete)
            response.headers[.allow] = allowed(methods)
            return response
        }
        let fields: [String: String]
        do {
            fields = try await RequestFields.read(request, limits: .receipts)
        } catch let rejection as RequestRejection {
            return failure(rejection.status, .purchaseIncomplete)
        }
        guard let purchase = SoftphonePurchase(fields, by: service.settings) else {
            return failure(.badRequest, .purchaseIncomplete)
        }
        do {
            switch try await service.authorizationService.credit(
                purchase.receipt, from: service.settings.store, app: purchase.app, to: purchase.credit)
            {
            case .recorded:
                onDeliveryPending()
                return SoftphoneResponse.success()
            case .pending:
                // The receipt is on disk and is credited once the store can be queried. The app has nothing left to
                // do.
                return SoftphoneResponse.success()
            case .rejected(let rejection):
                return failure(rejection.status, rejection.message)
            }
        } catch {
            if !(error is Unavailable) { context.logger.unexpected(error, "Purchase failed unexpectedly") }
            return failure(
                .serviceUnavailable, .purchaseUnavailable, retryAfter: (error as? Unavailable)?.retryAfter ?? 30)
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
