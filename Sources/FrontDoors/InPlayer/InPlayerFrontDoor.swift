public import Gatefold
import HTTPTypes
public import Hummingbird
import Logging

/// The REST API of InPlayer (PROTOCOLS 5.2, 5.3), so that apps built on its SDKs work on the publisher's own systems.
///
/// A middleware rather than routes: a publication may stand in front of every path, versions too, and an unknown path below ours is
/// answered in the form that SDKs read.
public struct InPlayerFrontDoor<Context: RequestContext>: RouterMiddleware {
    private let directory: @Sendable () -> InPlayerDirectory
    private let client: @Sendable (Request, Context) -> ClientAddress?

    /// - Parameters:
    ///   - directory: asked for every request, so that a reload takes effect at once.
    ///   - client: the address a request comes from, as far as the listener can say.
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
        let early = address.publication.flatMap { directory[$0] }.map { $0.settings.origins.answer(to: origin) }
        if request.method == .options {
            return CrossOrigin.preflight(request, allowed: early ?? directory.origin(origin))
        }
        var allowed = early ?? directory.origin(origin)
        var response: Response
        do {
            guard let call = address.call else { throw InPlayerRefusal.unknownCall }
            guard call.methods.contains(request.method) else { throw Self.wrongMethod(call) }
            if call == .keySet {
                response = InPlayerQuestion.keySet(directory, address.publication)
            } else {
                let question = try await question(request, context, call, address.publication, directory)
                allowed = question.front.settings.origins.answer(to: origin)
                response = try await question.answer(call)
            }
        } catch {
            response = InPlayerAnswer.refused(refusal(error, address.call, context))
        }
        CrossOrigin.add(allowed, to: &response)
        return response
    }

    private func question(
        _ request: Request, _ context: Context, _ call: InPlayerCall, _ publication: PublicationID?,
        _ directory: InPlayerDirectory
    ) async throws -> InPlayerQuestion {
        var limits = RequestLimits()
        if case .receipt = call { limits = .receipts }
        let fields = try await InPlayerFields.read(request, limits: limits)
        let bearer = Bearer(request.headers[.authorization])
        let front = try directory.publication(
            named: publication, merchant: InPlayerQuestion.merchant(call, fields),
            key: bearer.text.flatMap { AccessTokenHeader($0)?.key }, needsToken: call.needsToken(request.method))
        return InPlayerQuestion(
            front: front, method: request.method, fields: fields, bearer: bearer, client: client(request, context),
            languages: request.headers[.acceptLanguage].map(AcceptLanguage.parse) ?? [])
    }

    private static func wrongMethod(_ call: InPlayerCall) -> InPlayerRefusal {
        var refusal = InPlayerRefusal(.methodNotAllowed, "There is no such method.")
        refusal.allow = (call.methods + [.options]).map(\.rawValue).joined(separator: ", ")
        return refusal
    }

    private func refusal(_ error: any Error, _ call: InPlayerCall?, _ context: Context) -> InPlayerRefusal {
        switch error {
        case let refusal as InPlayerRefusal: return refusal
        case let refusal as RequestRefusal: return InPlayerRefusal(refusal.status, refusal.text)
        case let failure as Unavailable: return .unavailable(failure.retryAfter)
        default:
            context.logger.unexpected(error, "A call failed unexpectedly", ["call": "\(call?.pattern ?? "none")"])
            return .unavailable(30)
        }
    }
}
