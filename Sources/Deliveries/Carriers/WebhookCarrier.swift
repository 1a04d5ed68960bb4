import Crypto
import Foundation
import Gatefold
import JSON
import OutgoingRequests

/// Delivers by a request to a service of the provider.
///
/// At least once, with a key by which the service delivers once: when its answer is lost, nobody here can know whether it
/// acted, so the same request comes again under the same `Idempotency-Key`.
struct WebhookCarrier: DeliveryCarrier {
    private let settings: WebhookSettings
    private let http: OutgoingHTTP
    private let clock: WallClock

    init(_ settings: WebhookSettings, clock: WallClock) {
        self.settings = settings
        self.clock = clock
        http = OutgoingHTTP(settings.http)
    }

    func deliver(_ delivery: Delivery) async throws {
        let answer: HTTPAnswer
        do {
            answer = try await http.send(question(delivery))
        } catch let failure as HTTPFailure {
            throw DeliveryFailure.notNow(cause: failure.cause)
        }
        switch answer.status {
        // 409: it was delivered before.
        case 200..<300, 409: return
        case 400, 404, 405, 410, 413, 415, 422:
            throw DeliveryFailure.refused(cause: "the service refused it with status \(answer.status)")
        default:
            let wait = answer.values("retry-after").first.flatMap { Int($0) }.map { TimeInterval(max(0, $0)) }
            throw DeliveryFailure.notNow(cause: "the service answered with status \(answer.status)", wait: wait)
        }
    }

    private func question(_ delivery: Delivery) -> HTTPQuestion {
        let (type, body) = settings.form.body(DeliveryValues.of(delivery))
        let moment = String(Int(clock.now.timeIntervalSince1970))
        return HTTPQuestion(
            method: "POST", url: settings.url,
            headers: [
                .init(name: "Content-Type", value: type),
                .init(name: "Idempotency-Key", value: Self.key(delivery.id)),
                .init(name: "X-Gatefold-Timestamp", value: moment),
                .init(name: "X-Gatefold-Signature", value: Self.signature(of: body, at: moment, by: settings.secret)),
            ] + settings.headers, body: body, isRepeatable: true)
    }

    /// `STORE/TRANSACTION`; what may not stand in a header is escaped as in a URL.
    static func key(_ id: Delivery.ID) -> String {
        id.description.utf8.map { byte in
            (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "%")
                ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.encode([byte]).uppercased()
        }.joined()
    }

    /// HMAC-SHA256 over the timestamp's text, a dot and the body, so that an old request can not be sent anew.
    static func signature(of body: [UInt8], at moment: String, by secret: Secret) -> String {
        var code = HMAC<SHA256>(key: SymmetricKey(data: secret.bytes))
        code.update(data: Data("\(moment).".utf8))
        code.update(data: Data(body))
        return "sha256=\(Hexadecimal.encode(code.finalize()))"
    }
}

/// How a webhook's body is written.
enum WebhookForm: String, CaseIterable, Sendable {
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
