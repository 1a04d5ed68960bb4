public import Gatefold
import HTTPTypes
public import Hummingbird
import Logging

/// One publication's in-app-purchase web service.
public struct SoftphoneService: Sendable {
    public let settings: CloudSoftphone
    public let proxy: PublicationProxy

    public init(_ settings: CloudSoftphone, proxy: PublicationProxy) {
        self.settings = settings
        self.proxy = proxy
    }
}

/// The in-app-purchase web service of Cloud Softphone (PROTOCOLS 4): a purchase in, an empty 200 or a message out.
///
/// A middleware rather than routes, because the paths are settings, which a reload changes.
public struct CloudSoftphoneFrontDoor<Context: RequestContext>: RouterMiddleware {
    private let services: @Sendable () -> [String: SoftphoneService]
    private let settled: @Sendable () -> Void

    /// - Parameters:
    ///   - services: by their paths, ``CloudSoftphone/path``; asked for every request, so that a reload takes effect at once.
    ///   - settled: told when there is something to deliver; must return at once.
    public init(
        services: @escaping @Sendable () -> [String: SoftphoneService], settled: @escaping @Sendable () -> Void = {}
    ) {
        self.services = services
        self.settled = settled
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var path = request.uri.path[...]
        if path.hasSuffix("/") { path.removeLast() }
        guard let service = services()[String(path)] else { return try await next(request, context) }
        // For logs and metrics.
        context.coreContext.endpointPath.value = service.settings.path
        return try await respond(to: request, by: service, context)
    }

    private func respond(to request: Request, by service: SoftphoneService, _ context: Context) async throws -> Response
    {
        let methods = service.settings.methods
        if request.method == .options { return Response(status: .noContent, headers: [.allow: allowed(methods)]) }
        let languages = request.headers[.acceptLanguage].map(AcceptLanguage.parse) ?? []
        let form = MessageForm(service.settings.form, accept: request.headers[.accept])
        func failure(_ status: HTTPResponse.Status, _ key: MessageKey, retryAfter: Int? = nil) -> Response {
            let text = service.proxy.publication.messages.text(key, for: languages) ?? ""
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
        } catch let refusal as RequestRefusal {
            return failure(refusal.status, .purchaseIncomplete)
        }
        guard let purchase = SoftphonePurchase(fields, by: service.settings) else {
            return failure(.badRequest, .purchaseIncomplete)
        }
        do {
            switch try await service.proxy.credit(
                purchase.receipt, from: service.settings.store, app: purchase.app, to: purchase.credit)
            {
            case .recorded:
                settled()
                return SoftphoneResponse.success()
            case .kept:
                // On disk, and credited when the store can be asked: nothing is left for the app to do.
                return SoftphoneResponse.success()
            case .refused(let refusal):
                return failure(refusal.status, refusal.message)
            }
        } catch {
            if !(error is Unavailable) { context.logger.unexpected(error, "A purchase failed unexpectedly") }
            return failure(
                .serviceUnavailable, .purchaseUnavailable, retryAfter: (error as? Unavailable)?.retryAfter ?? 30)
        }
    }

    private func allowed(_ methods: [HTTPRequest.Method]) -> String {
        (methods + [.options]).map(\.rawValue).joined(separator: ", ")
    }
}

extension ReceiptRefusal {
    fileprivate var status: HTTPResponse.Status { reason == .malformed ? .badRequest : .forbidden }

    fileprivate var message: MessageKey {
        switch reason {
        case .claimedByAnother: .purchaseOfAnother
        case .wrongProduct, .empty: .productRefused
        default: .purchaseRefused
        }
    }
}
