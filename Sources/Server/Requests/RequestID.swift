import HTTPTypes
import Synchronization

/// The identifier of a request, in the response, in all its log lines, and in those of the proxy that gave it.
struct RequestID: Sendable, Equatable, CustomStringConvertible {
    /// The name of the field with the identifier, in requests of proxies and in all responses.
    static let field = HTTPField.Name(known: "X-Request-Id")
    /// The maximum length of an identifier that a proxy sends, in bytes.
    private static let maxLength = 64

    let description: String

    /// Creates a new identifier. It needs no system call and no memory.
    ///
    /// The hash has a secret key of the process, so that an identifier shows neither the next ones nor the number of
    /// requests. Two requests have the same identifier with the probability of a collision of 64 bits.
    init() {
        var hasher = Hasher()
        hasher.combine(Self.counter.wrappingAdd(1, ordering: .relaxed).newValue)
        var bits = UInt64(truncatingIfNeeded: hasher.finalize())
        description = String(unsafeUninitializedCapacity: Self.length) { text in
            for index in 0..<Self.length {
                let digit = UInt8(truncatingIfNeeded: bits & 31)
                text[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                bits >>= 5
            }
            return Self.length
        }
    }

    /// Creates the identifier that a proxy sent. The result is nil unless the text is 1 to 64 characters of
    /// `A–Z a–z 0–9 . _ -`, so that it can break neither a header nor a log line.
    init?(proxy text: String) {
        guard (1...Self.maxLength).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        description = text
    }

    /// The length of a new identifier: 64 bits, 5 in each character. A string of this length needs no allocation.
    private static let length = 13
    /// The start is random, so that nodes and restarts have different identifiers.
    private static let counter = Atomic(UInt64.random(in: .min ... .max))

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension HTTPField.Name {
    /// Creates a name from a literal of this program that is known to be a token.
    fileprivate init(known name: String) {
        guard let made = HTTPField.Name(name) else { preconditionFailure("\(name) is not a header name") }
        self = made
    }
}
