public import Gatefold
import HTTPTypes
public import Hummingbird

/// The services that a Basispress reader calls. They translate HTTP requests to use cases and results to JSON.
///
/// Source: Basispress protocol, “Overview”.
public struct BasispressFrontDoor<Context: RequestContext>: Sendable {
    private let storefronts: @Sendable () -> Storefronts
    private let client: @Sendable (Request, Context) -> ClientAddress?

    /// - Parameters:
    ///   - storefronts: Returns the storefronts for each request, so that a reload takes effect at once.
    ///   - client: Returns the address that a request comes from, as far as the listener knows.
    public init(
        storefronts: @escaping @Sendable () -> Storefronts,
        client: @escaping @Sendable (Request, Context) -> ClientAddress? = { _, _ in nil }
    ) {
        self.storefronts = storefronts
        self.client = client
    }

    /// Adds a route for every call and every method.
    public func addRoutes(to router: Router<Context>) {
        for call in BasispressCall.allCases {
            for method in HTTPRequest.Method.every {
                router.on(RouterPath(call.rawValue), method: method) { request, context in
                    await call.respond(request, context) { try await respond(to: call, request, context) }
                }
            }
        }
    }

    private func respond(to call: BasispressCall, _ request: Request, _ context: Context) async throws -> Response {
        switch call {
        case .pushTokens:
            let registration = try await BasispressRegistration(request)
            guard let front = front(registration.app) else { return Self.unknown(registration.app) }
            return try await BasispressRequestHandler(front: front, app: registration.app, context: CallContext())
                .register(registration)
        case .document, .receipt:
            let fields = try await RequestFields.read(request, limits: .receipts)
            let app = fields["id"] ?? ""
            guard let front = front(app) else { return Self.unknown(app) }
            let handler = BasispressRequestHandler(
                front: front, app: app,
                context: CallContext(fields: fields.filter { $0.key != "data" }, client: client(request, context)))
            return call == .document ? try handler.document(request) : try await handler.receipt(fields)
        }
    }

    private func front(_ app: String) -> Storefront? {
        storefronts()[app].flatMap { $0.servesBasispress ? $0 : nil }
    }

    private static func unknown(_ app: String) -> Response {
        app.isEmpty ? JSONResponse.error(.badRequest, "id is missing") : JSONResponse.error(.notFound, "unknown id")
    }
}

/// The calls, by their paths.
enum BasispressCall: String, CaseIterable, Sendable, JSONCall {
    case document = "/api/protocol.json"
    case receipt = "/api/receipt.json"
    case pushTokens = "/push_tokens.json"

    var methods: [HTTPRequest.Method] {
        switch self {
        case .document: [.get, .head]
        case .receipt: [.get, .head, .post]
        case .pushTokens: [.post]
        }
    }
}

/// The first segments of the call paths.
public enum BasispressPathSegments {
    public static let all: Set<String> = ["api", "push_tokens.json"]
}
