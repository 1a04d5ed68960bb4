import Primitives

/// The address of a directory: `ldap://host:389`, `ldaps://host:636`, or `ldapi://%2Frun%2Fslapd%2Fldapi` for a
/// Unix socket.
public struct DirectoryURL: Sendable, Hashable, CustomStringConvertible {
    public enum Scheme: String, Sendable {
        case ldap, ldaps, ldapi
    }

    public let scheme: Scheme
    /// A host name or address without brackets, or the path of the socket.
    public let host: String
    /// The port, or zero for a Unix socket.
    public let port: UInt16

    /// Parses scheme, host and port. Returns nil for anything else, including a URL with a base or a filter.
    public init?(_ text: String) {
        guard let colon = text.firstRange(of: "://"),
            let scheme = Scheme(rawValue: text[..<colon.lowerBound].lowercased())
        else { return nil }
        var rest = text[colon.upperBound...]
        if rest.last == "/" { rest = rest.dropLast() }
        self.scheme = scheme
        if scheme == .ldapi {
            guard let path = Self.decode(rest), path.hasPrefix("/"), path.utf8.count < 108 else { return nil }
            host = path
            port = 0
            return
        }
        var name = rest
        var number: Substring?
        if rest.first == "[" {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            name = rest[rest.index(after: rest.startIndex)..<end]
            let tail = rest[rest.index(after: end)...]
            guard tail.isEmpty || tail.first == ":" else { return nil }
            number = tail.isEmpty ? nil : tail.dropFirst()
            guard name.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return nil }
        } else {
            if let colon = rest.lastIndex(of: ":") {
                name = rest[..<colon]
                number = rest[rest.index(after: colon)...]
            }
            guard name.utf8.allSatisfy(Self.isHostLetter) else { return nil }
        }
        guard !name.isEmpty, name.utf8.count <= 253 else { return nil }
        if let number {
            guard let port = UInt16(number), port > 0, !number.hasPrefix("+") else { return nil }
            self.port = port
        } else {
            port = scheme == .ldaps ? 636 : 389
        }
        host = String(name)
    }

    public var description: String {
        switch scheme {
        case .ldapi: "ldapi://" + host.utf8.map(Self.encode).joined()
        case .ldap, .ldaps: "\(scheme.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        }
    }

    private static func isHostLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._".utf8.contains(byte)
        }
    }

    private static func encode(_ byte: UInt8) -> String {
        isHostLetter(byte) ? String(Unicode.Scalar(byte)) : "%" + Hexadecimal.encode([byte])
    }

    private static func decode(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let value = Hexadecimal.byte(rest.prefix(2)), value != 0 else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
