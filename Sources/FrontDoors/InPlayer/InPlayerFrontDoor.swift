public import Gatefold
import HTTPTypes
public import Hummingbird
import Logging

/// The REST API of InPlayer, so that apps built on its SDKs work with the publisher's own systems.
///
/// It is a middleware instead of routes, because a publication and a version may precede every path, and because an
/// unknown path below these paths needs a response in the format that SDKs read.
///
/// Source: InPlayer protocol, “Base URLs” and “Errors”.
public struct InPlayerFrontDoor<Context: RequestContext>: RouterMiddleware {
    private let directory: @Sendable () -> InPlayerDirectory
    private let client: @Sendable (Request, Context) -> ClientAddress?

    /// - Parameters:
    ///   - directory: Returns the directory for each request, so that a reload takes effect at once.
    ///   - client: Returns the address that a request comes from, as far as the listener knows.
    public init(
        directory: @escaping @Sendable () -> InPlayerDirectory,
        client: @escaping @Sendable (Request, Context) -> ClientAddress? = { _, _ in nil }
    ) {
        self.directory = directory
        self.client = client
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let directory = directory()
        guard !directory.isEmpty,
            let address = InPlayerAddress(request.uri.path, isKnown: { directory[$0] != nil })
        else { return try await next(request, context) }
        context.coreContext.endpointPath.value = address.pattern
        let origin = request.headers[.origin]
        let early = address.publication.flatMap { directory[$0] }.map { $0.settings.origins.response(to: origin) }
        if request.method == .options {
            return CrossOrigin.preflight(request, allowed: early ?? directory.origin(origin))
        }
        var allowed = early ?? directory.origin(origin)
        var response: Response
        do {
            guard let call = address.call else { throw InPlayerRejection.unknownCall }
            guard call.methods.contains(request.method) else { throw Self.wrongMethod(call) }
            if call == .keySet {
                response = InPlayerRequestHandler.keySet(directory, address.publication)
            } else {
                let handler = try await handler(request, context, call, address.publication, directory)
                allowed = handler.front.settings.origins.response(to: origin)
                response = try await handler.response(call)
            }
        } catch {
            response = InPlayerResponse.rejected(rejection(error, address.call, context))
        }
        CrossOrigin.add(allowed, to: &response)
        return response
    }

    private func handler(
        _ request: Request, _ context: Context, _ call: InPlayerCall, _ publication: PublicationID?,
        _ directory: InPlayerDirectory
    ) async throws -> InPlayerRequestHandler {
        var limits = RequestLimits()
        if case .receipt = call { limits = .receipts }
        let fields = try await InPlayerFields.read(request, limits: limits)
        let bearer = Bearer(request.headers[.authorization])
        let front = try directory.publication(
            named: publication, merchant: InPlayerRequestHandler.merchant(call, fields),
            key: bearer.text.flatMap { AccessTokenHeader($0)?.key }, needsToken: call.needsToken(request.method))
        return InPlayerRequestHandler(
            front: front, method: request.method, fields: fields, bearer: bearer, client: client(request, context),
            languages: request.headers[.acceptLanguage].map(AcceptLanguage.parse) ?? [])
    }

    private static func wrongMethod(_ call: InPlayerCall) -> InPlayerRejection {
        var rejection = InPlayerRejection(.methodNotAllowed, "Method not allowed.")
        rejection.allow = (call.methods + [.options]).map(\.rawValue).joined(separator: ", ")
        return rejection
    }

    private func rejection(_ error: any Error, _ call: InPlayerCall?, _ context: Context) -> InPlayerRejection {
        switch error {
        case let rejection as InPlayerRejection: return rejection
        case let rejection as RequestRejection: return InPlayerRejection(rejection.status, rejection.text)
        case let failure as Unavailable: return .unavailable(failure.retryAfter)
        default:
            context.logger.unexpected(error, "Call failed unexpectedly", ["call": "\(call?.pattern ?? "none")"])
            return .unavailable(30)
        }
    }
}
