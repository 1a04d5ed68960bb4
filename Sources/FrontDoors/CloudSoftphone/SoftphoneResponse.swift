import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import XML

/// The responses that the app reads: only the status after success, and a message for its user otherwise.
///
/// Source: Cloud Softphone protocol, “Responses” and “Message format”.
enum SoftphoneResponse {
    /// Returns an empty response without a content type. The app treats a body that it cannot parse as an error; an
    /// empty body needs no parsing.
    static func success() -> Response { Response(status: .ok) }

    static func failure(
        _ status: HTTPResponse.Status, _ message: String, as form: MessageFormat, retryAfter: Int? = nil
    ) -> Response {
        var headers: HTTPFields = [.contentType: form.type]
        if let retryAfter { headers[.retryAfter] = String(retryAfter) }
        return Response(
            status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: form.bytes(message))))
    }
}

/// The formats that the app can parse.
enum MessageFormat: String, CaseIterable, Sendable {
    case xml = "application/xml"
    case json = "application/json"
    case form = "application/x-www-form-urlencoded"

    /// - Parameter accept: The request's `Accept` header.
    init(_ chosen: CloudSoftphone.Format, accept: String?) {
        switch chosen {
        case .xml: self = .xml
        case .json: self = .json
        case .form: self = .form
        case .accept: self = accept.flatMap(Self.wanted) ?? .xml
        }
    }

    var type: String { self == .form ? rawValue : "\(rawValue); charset=utf-8" }

    func bytes(_ message: String) -> [UInt8] {
        switch self {
        case .xml:
            var xml = XMLWriter()
            xml.element("response") { $0.element("message") { $0.text(message) } }
            return xml.bytes
        case .json: return JSONWriter.bytes(["message": .string(message)])
        case .form: return Array("message=\(Self.escaped(message))".utf8)
        }
    }

    /// Returns the supported format with the highest weight in the header (RFC 9110 section 12.5.1), or `nil` if it
    /// names none or accepts any format.
    static func wanted(_ accept: String) -> MessageFormat? {
        var best: (form: MessageFormat, weight: Double)?
        for range in accept.utf8.prefix(4096).split(separator: UInt8(ascii: ",")) {
            let parts = String(decoding: range, as: UTF8.self).lowercased().filter { $0 != " " && $0 != "\t" }
                .split(separator: ";")
            guard let name = parts.first, let form = named(String(name)) else { continue }
            let written = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
            let weight = written ?? 1
            if weight > 0, weight <= 1, weight > best?.weight ?? 0 { best = (form, weight) }
        }
        return best?.form
    }

    private static func named(_ type: String) -> MessageFormat? {
        type == "text/xml" ? .xml : MessageFormat(rawValue: type)
    }

    private static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                String(UnicodeScalar(byte))
            default: "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }.joined()
    }
}
