import Crypto
import Foundation

/// A provider token as APNs verifies it: checked by hand and not by the library that created it.
public struct ProviderTokenProof {
    public struct Invalid: Error {}

    public let header: [String: String]
    public let claims: [String: String]

    /// - Throws: ``Invalid`` unless the value is `bearer` and a JWT with the key's signature.
    public init(_ authorization: String?, key: String) throws {
        guard let authorization, authorization.hasPrefix("bearer ") else { throw Invalid() }
        let parts = authorization.dropFirst(7).split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let signature = Self.bytes(parts[2]) else { throw Invalid() }
        let key = try P256.Signing.PrivateKey(pemRepresentation: key).publicKey
        guard
            key.isValidSignature(
                try P256.Signing.ECDSASignature(rawRepresentation: signature), for: Data("\(parts[0]).\(parts[1])".utf8)
            )
        else { throw Invalid() }
        header = try Self.members(parts[0])
        claims = try Self.members(parts[1])
    }

    private static func members(_ part: String) throws -> [String: String] {
        guard let bytes = bytes(part), let object = try JSONSerialization.jsonObject(with: bytes) as? [String: Any]
        else { throw Invalid() }
        return object.mapValues { "\($0)" }
    }

    private static func bytes(_ part: String) -> Data? {
        let plain = part.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.count % 4) % 4))
    }
}
