import Foundation
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Primitives
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing

/// A fake of InPlayer's service, written from the article “InPlayer protocol”: accounts with expiring tokens, and
/// items.
final class FakeInPlayerService: Sendable {
    struct StubResponse: Sendable {
        var status = 200
        var body = #"{"code":200,"message":"ok"}"#

        static func error(_ status: Int, _ more: String = "") -> StubResponse {
            StubResponse(status: status, body: #"{"code":\#(status),"message":"No","errors":{}\#(more)}"#)
        }
    }

    struct State: Sendable {
        var passwords = ["ada@example.com": "correct horse", "bob@example.com": "battery staple"]
        /// The items that each account has access to, and the JSON entries of its purchase list.
        var items: [String: Set<Int>] = [:]
        var history: [String] = []
        var total: Int?
        /// The accounts of valid tokens, and the expiry of access tokens.
        var access: [String: (email: String, ends: Date)] = [:]
        var refresh: [String: String] = [:]
        var lifetime: TimeInterval = 3600
        var returnsRefreshToken = true
        var returnsAccount = true
        var returnsUUID = true
        /// A Boolean value that indicates whether a refresh token is valid once only.
        var rotates = true
        var requests: [String] = []
        var last = 0
        var requesting = 0
        var maxConcurrent = 0
    }

    let clock: ManualClock
    private let state = Mutex(State())
    private let override = Mutex<@Sendable (String) async -> StubResponse?>({ _ in nil })

    init(_ clock: ManualClock) { self.clock = clock }

    func with<Result: Sendable>(_ body: (inout sending State) -> sending Result) -> Result {
        state.withLock { body(&$0) }
    }

    /// Overrides the responses to requests, each named `METHOD /path`.
    func response(_ by: @escaping @Sendable (String) async -> StubResponse?) { override.withLock { $0 = by } }

    func response(_ request: String, _ response: StubResponse) {
        self.response { $0 == request ? response : nil }
    }

    var requests: [String] { state.withLock(\.requests) }
    func count(_ request: String) -> Int { requests.filter { $0 == request }.count }

    /// Invalidates all access tokens.
    func endAll(refreshTokensToo: Bool = false) {
        state.withLock {
            $0.access = [:]
            if refreshTokensToo { $0.refresh = [:] }
        }
    }

    static let uuids = [
        "ada@example.com": "c720d397-3398-4b6d-9998-b925154b4b30",
        "bob@example.com": "0ef35fae-9c27-4b3c-a4e9-51d7ac1d6d0f",
    ]

    static func item(_ id: Int) -> String {
        #"{"id":\#(id),"merchant_id":7,"is_active":true,"title":"Item","metadata":[],"content":"{}"}"#
    }

    static func grant(_ id: Int, expires: Int = 0) -> StubResponse {
        StubResponse(
            body: """
                {"id":44757,"account_id":21,"customer_id":29124,"ip_address":"203.0.113.7","country_code":"GB",\
                "created_at":1546613927,"expires_at":\(expires),"starts_at":-62135596800,"item":\(item(id))}
                """)
    }

    func respond(_ request: Request) async throws -> Response {
        let path = request.uri.path
        let line = "\(request.method.rawValue) \(path)"
        let body = String(buffer: try await request.body.collect(upTo: 1 << 20))
        state.withLock {
            $0.requests.append(line)
            $0.requesting += 1
            $0.maxConcurrent = max($0.maxConcurrent, $0.requesting)
        }
        defer { state.withLock { $0.requesting -= 1 } }
        let response: StubResponse
        if let other = await override.withLock(\.self)(line) {
            response = other
        } else if line == "POST /accounts/authenticate" {
            response = authenticate(Self.fields(body))
        } else if line.hasPrefix("GET /accounts/register-fields/") {
            response = StubResponse(body: #"{"collection":[]}"#)
        } else {
            let bearer = request.headers[.authorization]?.replacing("Bearer ", with: "") ?? ""
            response = signedIn(line, bearer, Self.fields(request.uri.query ?? ""))
        }
        return Response(
            status: .init(code: response.status), headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: response.body)))
    }

    private static func fields(_ form: String) -> [String: String] {
        var components = URLComponents()
        components.percentEncodedQuery = form
        return Dictionary((components.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }

    private func authenticate(_ fields: [String: String]) -> StubResponse {
        state.withLock { state in
            let email: String
            switch fields["grant_type"] {
            case "password":
                guard let user = fields["username"], state.passwords[user] == fields["password"] else {
                    return .error(401, #","explain":"wrong""#)
                }
                email = user
            case "refresh_token":
                let token = fields["refresh_token"] ?? ""
                guard let user = state.refresh[token] else { return .error(400) }
                if state.rotates { state.refresh[token] = nil }
                email = user
            default: return .error(422, #","errors":{"grant_type":"unknown"}"#)
            }
            state.last += 1
            let ends = clock.now.addingTimeInterval(state.lifetime)
            state.access["access-\(state.last)"] = (email, ends)
            var response =
                #"{"access_token":"access-\#(state.last)","expires":\#(Int(ends.timeIntervalSince1970))"#
            if state.returnsRefreshToken {
                state.refresh["refresh-\(state.last)"] = email
                response += #","refresh_token":"refresh-\#(state.last)""#
            }
            if state.returnsAccount { response += #","account":\#(Self.account(email, uuid: state.returnsUUID))"# }
            return StubResponse(body: response + "}")
        }
    }

    private static func account(_ email: String, uuid: Bool) -> String {
        """
        {"id":\(email.hasPrefix("ada") ? 21 : 22),"email":"\(email)","full_name":"A Reader","metadata":[]\
        \(uuid ? #","uuid":"\#(uuids[email] ?? "")""# : "")}
        """
    }

    private func signedIn(_ line: String, _ token: String, _ query: [String: String]) -> StubResponse {
        state.withLock { state in
            guard let (email, ends) = state.access[token], clock.now < ends else { return .error(401) }
            if line == "GET /accounts" { return StubResponse(body: Self.account(email, uuid: state.returnsUUID)) }
            if line == "GET /accounts/logout" {
                state.access[token] = nil
                state.refresh = state.refresh.filter { $0.value != email }
                return StubResponse()
            }
            if line == "GET /items/access/customers" {
                let (page, size) = (Int(query["page"] ?? "") ?? 0, Int(query["size"] ?? "") ?? 20)
                let entries = state.history.dropFirst(page * size).prefix(size).joined(separator: ",")
                return StubResponse(
                    body: #"{"collection":[\#(entries)]\#(state.total.map { #","total":\#($0)"# } ?? "")}"#)
            }
            let parts = line.split(separator: "/")
            guard parts.count == 4, parts[..<2] == ["GET ", "items"], parts[3] == "access", let item = Int(parts[2])
            else {
                return .error(404)
            }
            return state.items[email]?.contains(item) == true ? Self.grant(item) : .error(402)
        }
    }
}

/// A running fake service, and backends that send requests to it.
struct InPlayerBackendHarness: Sendable {
    static let merchant = "528b1b80-5868-4abc-a9b6-4d3455d719c8"

    let service: FakeInPlayerService
    let port: Int
    var clock: ManualClock { service.clock }

    static func run(_ body: @escaping @Sendable (InPlayerBackendHarness) async throws -> Void) async throws {
        let service = FakeInPlayerService(ManualClock())
        let responder = CallbackResponder<BasicRequestContext> { request, _ in try await service.respond(request) }
        try await Application(responder: responder, server: .channelRetaining).test(.live) { server in
            try await body(InPlayerBackendHarness(service: service, port: try #require(server.port)))
        }
    }

    func open(
        _ settings: String = "items: {a.1: 11, a.2: 12, a.3: 11}", timeout: String = "60s"
    ) throws -> any SubscriberBackend {
        let text = "merchant: \(Self.merchant)\nurl: http://127.0.0.1:\(port)\nhttp: {timeout: \(timeout)}\n\(settings)"
        return try Self.kind(text).open(try Self.services(clock.wall))
    }

    static func kind(_ settings: String) throws -> any BackendKind {
        let section = try YAMLSettings.read(
            text: "kind: inplayer\n" + settings, name: "gatefold.yaml", folder: "/nowhere")
        let kind = try BackendRegistry.read(name: "inplayer", settings: section)
        try section.finish()
        return kind
    }

    static func services(_ clock: WallClock) throws -> BackendServices {
        BackendServices(
            clock: clock, random: .system,
            passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1),
            pseudonymKey: PseudonymKey(Secret(Array("a secret for pseudonyms".utf8))))
    }

    static func typed(_ email: String, _ password: String) -> Credentials {
        Credentials(identifier: CredentialFields.fold(email), fields: ["email": email, "password": password])
    }

    func ada(_ backend: any SubscriberBackend) async throws -> Subscriber {
        let typed = Self.typed("ada@example.com", "correct horse")
        guard case .authenticated(let ada) = try await backend.authenticate(typed, context: CallContext()).value else {
            throw NotAuthenticated()
        }
        return ada
    }

    struct NotAuthenticated: Error {}
}

extension EditionID {
    static func test(_ text: String) throws -> EditionID { try #require(EditionID(text)) }
}
