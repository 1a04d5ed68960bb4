import Foundation
import Primitives

/// The expression that a template computes. A digest inside other text is lower-case hexadecimal, as in PHP and
/// SQL. `raw`, `base64` and `hex` use its bytes.
indirect enum TemplateExpression: Sendable, Equatable {
    case literal([UInt8])
    case password
    case salt
    case secret
    case joined([TemplateExpression])
    case digest(DigestFunction, TemplateExpression)
    case authenticationCode(DigestFunction, key: TemplateExpression, TemplateExpression)
    case raw(TemplateExpression)
    case hexadecimal(TemplateExpression)
    case base64(TemplateExpression)
    case fromHexadecimal(TemplateExpression)
    case fromBase64(TemplateExpression)
    case upper(TemplateExpression)
    case lower(TemplateExpression)
    /// Two bytes per letter, the lower byte first, as in .NET strings.
    case utf16(TemplateExpression)

    /// The values of `{password}`, `{salt}` and `{secret}`.
    struct Values {
        var password: [UInt8]
        var salt: [UInt8]
        var secret: [UInt8]
    }

    /// Evaluates the expression as text. Returns nil if a salt is not in its declared encoding.
    func text(_ values: Values) -> [UInt8]? {
        switch self {
        case .literal(let bytes): bytes
        case .password: values.password
        case .salt: values.salt
        case .secret: values.secret
        case .joined(let parts): Self.joined(parts, values)
        case .digest, .authenticationCode: bytes(values).map { Hexadecimal.digits($0) }
        case .raw(let inner): inner.bytes(values)
        case .hexadecimal(let inner): inner.bytes(values).map { Hexadecimal.digits($0) }
        case .base64(let inner): inner.bytes(values).map { Array(Data($0).base64EncodedString().utf8) }
        case .fromHexadecimal, .fromBase64: bytes(values)
        case .upper(let inner):
            inner.text(values)?.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
        case .lower(let inner):
            inner.text(values)?.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
        case .utf16(let inner):
            inner.text(values).map { text in
                String(decoding: text, as: UTF8.self).utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            }
        }
    }

    /// Evaluates the expression as the bytes of a digest, or as text if it is not a digest.
    func bytes(_ values: Values) -> [UInt8]? {
        switch self {
        case .digest(let function, let inner):
            return inner.text(values).map { function.digest($0) }
        case .authenticationCode(let function, let key, let message):
            guard let key = key.text(values), let message = message.text(values) else { return nil }
            return function.authenticationCode(message, key: key)
        case .fromHexadecimal(let inner):
            return inner.text(values).flatMap { Hexadecimal.decode(String(decoding: $0, as: UTF8.self)) }
        case .fromBase64(let inner):
            return inner.text(values).flatMap { Self.fromBase64(String(decoding: $0, as: UTF8.self)) }
        default:
            return text(values)
        }
    }

    func contains(_ wanted: TemplateExpression) -> Bool {
        if self == wanted { return true }
        return switch self {
        case .literal, .password, .salt, .secret: false
        case .joined(let parts): parts.contains { $0.contains(wanted) }
        case .authenticationCode(_, let key, let message): key.contains(wanted) || message.contains(wanted)
        case .digest(_, let inner), .raw(let inner), .hexadecimal(let inner), .base64(let inner),
            .fromHexadecimal(let inner), .fromBase64(let inner), .upper(let inner), .lower(let inner),
            .utf16(let inner):
            inner.contains(wanted)
        }
    }

    private static func fromBase64(_ text: String) -> [UInt8]? {
        HashEncoding.base64(text) ?? HashEncoding.unpaddedBase64(text)
    }

    private static func joined(_ parts: [TemplateExpression], _ values: Values) -> [UInt8]? {
        var text: [UInt8] = []
        for part in parts {
            guard let bytes = part.text(values) else { return nil }
            text += bytes
        }
        return text
    }
}
