/// A secret that only the publisher's machines know. Its description is redacted.
public struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Creates a secret from the UTF-8 bytes of the text, as every verifier of the historic formula hashes them.
    public init(_ text: String) {
        bytes = Array(text.utf8)
    }

    public var description: String { "Secret(redacted)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The current and retired secrets of a publication. The current secret signs, and all of them verify.
public struct SecretRing: Sendable {
    public let current: Secret
    public let retired: [Secret]

    public init(current: Secret, retired: [Secret] = []) {
        self.current = current
        self.retired = retired
    }

    public var all: [Secret] { [current] + retired }
}
