import Foundation
import InPlayer
import TestSupport

/// A scripted service without a network.
final class ScriptedTransport: InPlayerTransport {
    typealias RequestHandler = @Sendable (TransportRequest) async throws -> TransportResponse

    private let response: Locked<RequestHandler>
    private let received = Locked<[TransportRequest]>([])

    init(_ response: @escaping RequestHandler) {
        self.response = Locked(response)
    }

    var requests: [TransportRequest] { received.withLock { $0 } }

    func respondWith(_ next: @escaping RequestHandler) { response.withLock { $0 = next } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        received.withLock { $0.append(request) }
        return try await response.withLock(\.self)(request)
    }
}

extension TransportRequest {
    /// The path and the query after the base URL.
    var target: String {
        let bases = ["https://services.inplayer.com", "https://staging-v2.inplayer.com"]
        return bases.reduce(url) { $0.hasPrefix($1) ? String($0.dropFirst($1.count)) : $0 }
    }
    var form: String { String(decoding: body, as: UTF8.self) }
    var bearer: String? { header("Authorization")?.replacing("Bearer ", with: "") }
}

extension TransportResponse {
    static func json(_ text: String, status: Int = 200) -> TransportResponse {
        TransportResponse(status: status, body: Array(text.utf8))
    }
}

/// Responses of the service (InPlayer protocol, “Response documents”).
enum Shapes {
    static let now = Date(timeIntervalSince1970: 1_793_534_400)

    static let account = """
        {"id":21,"email":"ada@example.com","username":"ada@example.com","full_name":"Ada Lovelace",\
        "uuid":"c720d397-3398-4b6d-9998-b925154b4b30","referrer":"https://example.com","roles":["consumer"],\
        "completed":true,"created_at":1546612165,"updated_at":1546612165,"merchant_id":7,\
        "merchant_uuid":"528b1b80-5868-4abc-a9b6-4d3455d719c8","metadata":{"city":"London"},"date_of_birth":null}
        """

    static func session(_ token: String, refresh: String? = "refresh-1", lasts: Int = 3600, account: Bool = true)
        -> String
    {
        let end = Int(now.timeIntervalSince1970) + lasts
        return """
            {"access_token":"\(token)"\(refresh.map { #","refresh_token":"\#($0)""# } ?? ""),"expires":\(end)\
            \(account ? #","account":\#(Self.account)"# : "")}
            """
    }

    static let item = """
        {"id":43929,"merchant_id":7,"merchant_uuid":"528b1b80-5868-4abc-a9b6-4d3455d719c8","is_active":true,\
        "title":"November","access_control_type":{"id":4,"name":"Paid","auth":1},"item_type":{"id":2,\
        "name":"html_asset","content_type":"html","host":"inplayer","description":"HTML"},\
        "age_restriction":{"min_age":16},"metadata":[{"id":1,"name":"preview_title","value":"Look"}],\
        "metahash":{"paywall_cover_photo":"https://cdn.example.com/1.jpg"},"content":"<p>hello</p>",\
        "created_at":1546612165,"updated_at":1546612166}
        """

    static let access = """
        {"id":44757,"account_id":21,"customer_id":29124,"customer_uuid":"c720d397-3398-4b6d-9998-b925154b4b30",\
        "ip_address":"203.0.113.7","country_code":"GB","created_at":1546613927,"expires_at":1893456000,\
        "starts_at":-62135596800,"item":\(item)}
        """

    static func error(_ code: Int, _ message: String = "No", _ more: String = "") -> TransportResponse {
        .json(#"{"code":\#(code),"message":"\#(message)"\#(more)}"#, status: code)
    }
}

/// Returns a client of a scripted service, signed in by default.
func client(
    _ transport: ScriptedTransport, signedIn: Bool = true, storage: InMemorySessionStorage? = nil,
    merchant: InPlayerMerchant = InPlayerMerchant(uuid: "merchant-1", clientID: "client-1"),
    environment: InPlayerEnvironment = .production, now: @escaping @Sendable () -> Date = { Shapes.now },
    // Pauses are short, but the timeout exceeds the time that a busy machine needs for several of them.
    sleep: @escaping @Sendable (Double) async throws -> Void = {
        try await Task.sleep(for: .milliseconds($0 < 60 ? 1 : 20_000))
    }
) -> InPlayerClient {
    let session = StoredSession(
        accessToken: "access-1", refreshToken: "refresh-1", expires: Shapes.now.addingTimeInterval(3600), account: nil)
    return InPlayerClient(
        merchant: merchant, environment: environment,
        storage: storage ?? InMemorySessionStorage(signedIn ? session : nil), transport: transport, now: now,
        sleep: sleep
    )
}
