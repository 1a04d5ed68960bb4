import Crypto
import Foundation

/// The proof of a purchase that an app sends, as named parts without interpretation.
///
/// The description is redacted, because a receipt can be used by any bearer.
public struct StoreReceipt: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The possible parts. The verifier of each store decides which parts it needs.
    public enum Part: String, Sendable, CaseIterable {
        /// The receipt itself: base64 of Apple's two formats, a signed transaction (JWS), a transaction identifier,
        /// Amazon's receipt identifier, or Google's purchase data byte for byte.
        case receipt
        /// Google's signature of the purchase data, in base64.
        case signature
        /// The purchase token of Google and of the older Amazon API.
        case token
        /// The Amazon user.
        case user
        /// The product that the app reported as bought. It is needed only if a store is queried by product.
        case product
    }

    private let parts: [Part: String]

    public init(_ parts: [Part: String]) {
        self.parts = parts.filter { !$0.value.isEmpty }
    }

    public subscript(part: Part) -> String? { parts[part] }

    public var isEmpty: Bool { parts.isEmpty }

    /// The SHA-256 digest of the parts, which identifies the receipt without revealing it.
    public var digest: [UInt8] { Array(SHA256.hash(data: Data(encoded))) }

    /// The encoding of all parts as one sequence of bytes, for ``init(encoded:)``.
    public var encoded: [UInt8] {
        var writer: [UInt8] = []
        for part in Part.allCases {
            guard let value = parts[part] else { continue }
            for text in [part.rawValue, value] {
                withUnsafeBytes(of: UInt32(text.utf8.count).bigEndian) { writer.append(contentsOf: $0) }
                writer.append(contentsOf: text.utf8)
            }
        }
        return writer
    }

    /// Creates a receipt from the bytes of ``encoded``, or returns nil for other bytes. Unknown parts are ignored.
    public init?(encoded bytes: some Collection<UInt8>) {
        var rest = Array(bytes)[...]
        func text() -> String? {
            guard rest.count >= 4 else { return nil }
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return String(validating: rest.prefix(count), as: UTF8.self)
        }
        var parts: [Part: String] = [:]
        while !rest.isEmpty {
            guard let name = text(), let value = text() else { return nil }
            if let part = Part(rawValue: name) { parts[part] = value }
        }
        self.init(parts)
    }

    public var description: String { "StoreReceipt(redacted)" }
    public var debugDescription: String { description }
}
