public import Gatefold
import HTTPTypes
public import Hummingbird

/// The services that a Basispress reader calls (PROTOCOLS section 3): HTTP in, use cases asked, JSON out.
public struct BasispressFrontDoor<Context: RequestContext>: Sendable {
    private let storefronts: @Sendable () -> Storefronts
    private let client: @Sendable (Request, Context) -> ClientAddress?

    /// - Parameters:
    ///   - storefronts: asked for every request, so that a reload takes effect at once.
    ///   - client: the address a request comes from, as far as the listener can say.
    public init(
        storefronts: @escaping @Sendable () -> Storefronts,
        client: @escaping @Sendable (Request, Context) -> ClientAddress? = { _, _ in nil }
    ) {
        self.storefronts = storefronts
        self.client = client
    }

    /// Adds a route for every call, for every method.
    public func addRoutes(to router: Router<Context>) {
        for call in BasispressCall.allCases {
            for method in HTTPRequest.Method.every {
                router.on(RouterPath(call.rawValue), method: method) { request, context in
                    await call.answer(request, context) { try await respond(to: call, request, context) }
                }
            }
        }
    }

    private func respond(to call: BasispressCall, _ request: Request, _ context: Context) async throws -> Response {
        switch call {
        case .pushTokens:
            let registration = try await BasispressRegistration(request)
            guard let front = front(registration.app) else { return Self.unknown(registration.app) }
            return try await BasispressQuestion(front: front, app: registration.app, inquiry: Inquiry())
                .register(registration)
        case .document, .receipt:
            let fields = try await RequestFields.read(request, limits: .receipts)
            let app = fields["id"] ?? ""
            guard let front = front(app) else { return Self.unknown(app) }
            let question = BasispressQuestion(
                front: front, app: app,
                inquiry: Inquiry(fields: fields.filter { $0.key != "data" }, client: client(request, context)))
            return call == .document ? try question.document(request) : try await question.receipt(fields)
        }
    }

    private func front(_ app: String) -> Storefront? {
        storefronts()[app].flatMap { $0.servesBasispress ? $0 : nil }
    }

    private static func unknown(_ app: String) -> Response {
        app.isEmpty ? JSONAnswer.error(.badRequest, "id is missing") : JSONAnswer.error(.notFound, "unknown id")
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

/// The first segments of those paths.
public enum BasispressWords {
    public static let all: Set<String> = ["api", "push_tokens.json"]
}
