import Commerce
import Crypto
import Foundation
import JSON
import OutgoingRequests
import Primitives

/// A carrier that delivers through a request to a service of the provider.
///
/// Delivery is at least once, with a key that lets the service deliver only once. If the response is lost, Gatefold
/// cannot know whether the service acted, so it repeats the same request with the same `Idempotency-Key`.
struct WebhookDeliveryTransport: DeliveryTransport {
    private let settings: WebhookSettings
    private let http: OutgoingHTTP
    private let clock: WallClock

    init(_ settings: WebhookSettings, clock: WallClock) {
        self.settings = settings
        self.clock = clock
        http = OutgoingHTTP(settings.http)
    }

    func deliver(_ delivery: Delivery) async throws {
        let response: OutboundResponse
        do {
            response = try await http.send(request(delivery))
        } catch let failure as HTTPFailure {
            throw DeliveryFailure.retryLater(cause: failure.cause)
        }
        switch response.status {
        // 409 means that the service has delivered it already.
        case 200..<300, 409: return
        case 400, 404, 405, 410, 413, 415, 422:
            throw DeliveryFailure.rejected(cause: "the service rejected it with status \(response.status)")
        default:
            let wait = response.values("retry-after").first.flatMap { Int($0) }.map { TimeInterval(max(0, $0)) }
            throw DeliveryFailure.retryLater(cause: "the service responded with status \(response.status)", wait: wait)
        }
    }

    private func request(_ delivery: Delivery) -> OutboundRequest {
        let (type, body) = settings.form.body(DeliveryValues.of(delivery))
        let timestamp = String(Int(clock.now.timeIntervalSince1970))
        return OutboundRequest(
            method: "POST", url: settings.url,
            headers: [
                .init(name: "Content-Type", value: type),
                .init(name: "Idempotency-Key", value: Self.key(delivery.id)),
                .init(name: "X-Gatefold-Timestamp", value: timestamp),
                .init(
                    name: "X-Gatefold-Signature", value: Self.signature(of: body, at: timestamp, by: settings.secret)),
            ] + settings.headers, body: body, isRepeatable: true)
    }

    /// Returns `STORE/TRANSACTION`. Characters that a header may not contain are percent-escaped.
    static func key(_ id: Delivery.ID) -> String {
        id.description.utf8.map { byte in
            (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "%")
                ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.encode([byte]).uppercased()
        }.joined()
    }

    /// Returns the HMAC-SHA256 of the timestamp's text, a dot and the body. The timestamp prevents replays of old
    /// requests.
    static func signature(of body: [UInt8], at timestamp: String, by secret: Secret) -> String {
        var code = HMAC<SHA256>(key: SymmetricKey(data: secret.bytes))
        code.update(data: Data("\(timestamp).".utf8))
        code.update(data: Data(body))
        return "sha256=\(Hexadecimal.encode(code.finalize()))"
    }
}

/// The format of a webhook's body.
enum WebhookFormat: String, CaseIterable, Sendable {
    case json
    case form

    func body(_ values: [(name: String, value: String?)]) -> (type: String, bytes: [UInt8]) {
        switch self {
        case .json:
            let members = values.map { name, value in
                JSONValue.Member(
                    name: name,
                    value: value.map { name == "quantity" ? .number($0) : .string($0) } ?? .null)
            }
            return ("application/json", JSONWriter.bytes(.object(members)))
        case .form:
            let pairs = values.compactMap { name, value in value.map { "\(name)=\(Self.escaped($0))" } }
            return ("application/x-www-form-urlencoded", Array(pairs.joined(separator: "&").utf8))
        }
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                String(UnicodeScalar(byte))
            default: "%" + Hexadecimal.encode([byte]).uppercased()
            }
        }.joined()
    }
}
