import Foundation
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Backends

/// A stand-in for InPlayer's service, written from PROTOCOLS 5: accounts with tokens that end, and items.
final class InPlayerStandIn: Sendable {
    struct Answer: Sendable {
        var status = 200
        var body = #"{"code":200,"message":"ok"}"#

        static func error(_ status: Int, _ more: String = "") -> Answer {
            Answer(status: status, body: #"{"code":\#(status),"message":"No","errors":{}\#(more)}"#)
        }
    }

    struct State: Sendable {
        var passwords = ["ada@example.com": "correct horse", "bob@example.com": "battery staple"]
        /// What each account has access to, and what the list of purchases shows as it is.
        var items: [String: Set<Int>] = [:]
        var history: [String] = []
        var total: Int?
        /// The accounts of the tokens that are good, and the ends of access tokens.
        var access: [String: (email: String, ends: Date)] = [:]
        var refresh: [String: String] = [:]
        var lifetime: TimeInterval = 3600
        var givesRefreshToken = true
        var givesAccount = true
        var givesUUID = true
        /// Whether a refresh token is good for one time only.
        var rotates = true
        var requests: [String] = []
        var last = 0
        var asking = 0
        var mostAsking = 0
    }

    let clock: ManualClock
    private let state = Mutex(State())
    private let override = Mutex<@Sendable (String) async -> Answer?>({ _ in nil })

    init(_ clock: ManualClock) { self.clock = clock }

    func with<Result: Sendable>(_ body: (inout sending State) -> sending Result) -> Result {
        state.withLock { body(&$0) }
    }

    /// Answers these requests otherwise; each is named `METHOD /path`.
    func answer(_ by: @escaping @Sendable (String) async -> Answer?) { override.withLock { $0 = by } }

    func answer(_ request: String, _ answer: Answer) {
        self.answer { $0 == request ? answer : nil }
    }

    var requests: [String] { state.withLock(\.requests) }
    func count(_ request: String) -> Int { requests.filter { $0 == request }.count }

    /// Nobody's token is good any more.
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

    static func grant(_ id: Int, expires: Int = 0) -> Answer {
        Answer(
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
            $0.asking += 1
            $0.mostAsking = max($0.mostAsking, $0.asking)
        }
        defer { state.withLock { $0.asking -= 1 } }
        let answer: Answer
        if let other = await override.withLock(\.self)(line) {
            answer = other
        } else if line == "POST /accounts/authenticate" {
            answer = authenticate(Self.fields(body))
        } else if line.hasPrefix("GET /accounts/register-fields/") {
            answer = Answer(body: #"{"collection":[]}"#)
        } else {
            let bearer = request.headers[.authorization]?.replacing("Bearer ", with: "") ?? ""
            answer = signedIn(line, bearer, Self.fields(request.uri.query ?? ""))
        }
        return Response(
            status: .init(code: answer.status), headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: answer.body)))
    }

    private static func fields(_ form: String) -> [String: String] {
        var components = URLComponents()
        components.percentEncodedQuery = form
        return Dictionary((components.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }

    private func authenticate(_ fields: [String: String]) -> Answer {
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
            var answer =
                #"{"access_token":"access-\#(state.last)","expires":\#(Int(ends.timeIntervalSince1970))"#
            if state.givesRefreshToken {
                state.refresh["refresh-\(state.last)"] = email
                answer += #","refresh_token":"refresh-\#(state.last)""#
            }
            if state.givesAccount { answer += #","account":\#(Self.account(email, uuid: state.givesUUID))"# }
            return Answer(body: answer + "}")
        }
    }

    private static func account(_ email: String, uuid: Bool) -> String {
        """
        {"id":\(email.hasPrefix("ada") ? 21 : 22),"email":"\(email)","full_name":"A Reader","metadata":[]\
        \(uuid ? #","uuid":"\#(uuids[email] ?? "")""# : "")}
        """
    }

    private func signedIn(_ line: String, _ token: String, _ query: [String: String]) -> Answer {
        state.withLock { state in
            guard let (email, ends) = state.access[token], clock.now < ends else { return .error(401) }
            if line == "GET /accounts" { return Answer(body: Self.account(email, uuid: state.givesUUID)) }
            if line == "GET /accounts/logout" {
                state.access[token] = nil
                state.refresh = state.refresh.filter { $0.value != email }
                return Answer()
            }
            if line == "GET /items/access/customers" {
                let (page, size) = (Int(query["page"] ?? "") ?? 0, Int(query["size"] ?? "") ?? 20)
                let entries = state.history.dropFirst(page * size).prefix(size).joined(separator: ",")
                return Answer(
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

/// A stand-in that listens, and backends that ask it.
struct InPlayerBed: Sendable {
    static let merchant = "528b1b80-5868-4abc-a9b6-4d3455d719c8"

    let service: InPlayerStandIn
    let port: Int
    var clock: ManualClock { service.clock }

    static func run(_ body: @escaping @Sendable (InPlayerBed) async throws -> Void) async throws {
        let service = InPlayerStandIn(ManualClock())
        let responder = CallbackResponder<BasicRequestContext> { request, _ in try await service.respond(request) }
        try await Application(responder: responder, server: .kept).test(.live) { server in
            try await body(InPlayerBed(service: service, port: try #require(server.port)))
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
            references: ReferenceKey(Secret(Array("a secret for references".utf8))))
    }

    static func typed(_ email: String, _ password: String) -> Credentials {
        Credentials(identifier: CredentialFields.fold(email), fields: ["email": email, "password": password])
    }

    func ada(_ backend: any SubscriberBackend) async throws -> Subscriber {
        let typed = Self.typed("ada@example.com", "correct horse")
        guard case .recognised(let ada) = try await backend.recognise(typed, inquiry: Inquiry()) else {
            throw NotRecognised()
        }
        return ada
    }

    struct NotRecognised: Error {}
}

extension EditionID {
    static func test(_ text: String) throws -> EditionID { try #require(EditionID(text)) }
}
