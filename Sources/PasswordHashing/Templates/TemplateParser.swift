import Gatefold
import Primitives

/// A parser of templates such as `sha256({salt}{password})`.
///
///     expression = item *item
///     item       = "{" ("password" / "salt" / "secret") "}" / "'" literal "'"
///                / function "(" expression *("," expression) ")"
struct TemplateParser {
    private let letters: [UInt8]
    private var position = 0
    private var depth = 0

    static let maxLength = 1024
    static let maxDepth = 16

    static func parse(_ text: String) throws(TemplateError) -> TemplateExpression {
        guard text.utf8.count <= maxLength else {
            throw TemplateError(position: maxLength, expected: "at most \(maxLength) bytes")
        }
        var parser = TemplateParser(letters: Array(text.utf8))
        let expression = try parser.expression()
        guard parser.next == nil else {
            throw parser.error("one of md5, sha1, sha256, …, {password} or a quoted string")
        }
        return expression
    }

    private init(letters: [UInt8]) { self.letters = letters }

    private var next: UInt8? { position < letters.count ? letters[position] : nil }

    private mutating func expression() throws(TemplateError) -> TemplateExpression {
        var parts: [TemplateExpression] = []
        while true {
            skipSpaces()
            guard let letter = next, letter != UInt8(ascii: ")"), letter != UInt8(ascii: ",") else { break }
            parts.append(try item(letter))
        }
        guard let first = parts.first else {
            throw error("{password}, {salt}, {secret}, a string in single quotes, or a function such as sha256(…)")
        }
        return parts.count == 1 ? first : .joined(parts)
    }

    private mutating func item(_ letter: UInt8) throws(TemplateError) -> TemplateExpression {
        switch letter {
        case UInt8(ascii: "{"):
            let start = position
            switch try until(UInt8(ascii: "}"), "a closing brace") {
            case "password": return .password
            case "salt": return .salt
            case "secret": return .secret
            default: throw TemplateError(position: start, expected: "{password}, {salt} or {secret}")
            }
        case UInt8(ascii: "'"):
            return .literal(Array(try until(UInt8(ascii: "'"), "a closing quote").utf8))
        case UInt8(ascii: "a")...UInt8(ascii: "z"):
            return try call()
        default:
            throw error("{password}, {salt}, {secret}, a string in single quotes, or a function such as sha256(…)")
        }
    }

    private mutating func call() throws(TemplateError) -> TemplateExpression {
        let start = position
        while let letter = next, (0x61...0x7A).contains(letter) || (0x30...0x39).contains(letter) || letter == 0x5F {
            position += 1
        }
        let name = String(decoding: letters[start..<position], as: UTF8.self)
        skipSpaces()
        guard next == UInt8(ascii: "(") else { throw error("( after \(name)") }
        depth += 1
        guard depth <= Self.maxDepth else { throw error("at most \(Self.maxDepth) functions within each other") }
        var arguments: [TemplateExpression] = []
        repeat {
            position += 1
            arguments.append(try expression())
        } while next == UInt8(ascii: ",")
        guard next == UInt8(ascii: ")") else { throw error("a closing parenthesis") }
        position += 1
        depth -= 1
        return try function(name, arguments, at: start)
    }

    private func function(
        _ name: String, _ arguments: [TemplateExpression], at start: Int
    ) throws(TemplateError) -> TemplateExpression {
        if name.hasPrefix("hmac_"), let function = DigestFunction(rawValue: String(name.dropFirst(5))) {
            guard arguments.count == 2 else { throw TemplateError(position: start, expected: "\(name)(key, message)") }
            return .authenticationCode(function, key: arguments[0], arguments[1])
        }
        guard arguments.count == 1, let argument = arguments.first else {
            throw TemplateError(position: start, expected: "one argument of \(name)")
        }
        if let function = DigestFunction(rawValue: name) { return .digest(function, argument) }
        switch name {
        case "raw": return .raw(argument)
        case "hex": return .hexadecimal(argument)
        case "base64": return .base64(argument)
        case "upper": return .upper(argument)
        case "lower": return .lower(argument)
        case "utf16": return .utf16(argument)
        case "unhex", "unbase64":
            guard !argument.contains(.password) else {
                throw TemplateError(position: start, expected: "no {password} in \(name)")
            }
            return name == "unhex" ? .fromHexadecimal(argument) : .fromBase64(argument)
        default:
            let digests = DigestFunction.allCases.map(\.rawValue).joined(separator: ", ")
            throw TemplateError(
                position: start,
                expected: "one of \(digests), hmac_…, raw, hex, base64, unhex, unbase64, upper, lower, utf16")
        }
    }

    private mutating func until(_ end: UInt8, _ expected: String) throws(TemplateError) -> String {
        let rest = letters[(position + 1)...]
        guard let found = rest.firstIndex(of: end) else { throw error(expected) }
        position = found + 1
        return String(decoding: rest[..<found], as: UTF8.self)
    }

    private mutating func skipSpaces() {
        while next == 0x20 { position += 1 }
    }

    private func error(_ expected: String) -> TemplateError { TemplateError(position: position, expected: expected) }
}
