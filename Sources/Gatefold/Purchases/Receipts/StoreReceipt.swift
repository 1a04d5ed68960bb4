import Crypto
import Foundation

/// What an app hands over as proof of a purchase, as its named parts, unread.
///
/// Has no description of its own on purpose: whoever has a receipt can use it.
public struct StoreReceipt: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The parts there are; which of them a store needs, its verifier says.
    public enum Part: String, Sendable, CaseIterable {
        /// The receipt itself: base64 of Apple's two forms, a signed transaction (JWS), a transaction identifier, Amazon's
        /// receipt identifier, Google's purchase data byte for byte.
        case receipt
        /// Google's signature of the purchase data, in base64.
        case signature
        /// Google's and the older Amazon's purchase token.
        case token
        /// Amazon's user.
        case user
        /// The product the app says was bought; needed only where a store asks by product.
        case product
    }

    private let parts: [Part: String]

    public init(_ parts: [Part: String]) {
        self.parts = parts.filter { !$0.value.isEmpty }
    }

    public subscript(part: Part) -> String? { parts[part] }

    public var isEmpty: Bool { parts.isEmpty }

    /// Names the receipt without telling it: SHA-256 over its parts.
    public var digest: [UInt8] { Array(SHA256.hash(data: Data(encoded))) }

    /// One sequence of bytes for all parts, read by ``init(encoded:)``.
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

    /// Returns nil when the bytes were not written by ``encoded``. Parts it does not know are passed over.
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
