import Foundation
import Settings
import SwiftASN1
import X509

/// A reader of Apple's root certificates, which are files named by the key `roots`.
///
/// Gatefold does not include them, so that the operator knows where the trust comes from. Apple publishes them.
enum AppleRoots {
    static let source = "https://www.apple.com/certificateauthority/"
    /// The maximum size of a file in bytes.
    static let maxSize = 64 << 10

    /// Reads the certificates.
    ///
    /// - Returns: The certificates in DER. The array is empty if the key is missing.
    static func read(_ section: SettingsSection) throws(SettingsError) -> [[UInt8]] {
        var roots: [[UInt8]] = []
        for path in try section.strings("roots") ?? [] {
            let full = path.hasPrefix("/") ? path : "\(section.folder)/\(path)"
            guard let data = try? Data(contentsOf: URL(fileURLWithPath: full)), data.count <= maxSize else {
                throw section.error(
                    "roots", expected: "expected a readable file at \(full): one of Apple's roots from \(source)")
            }
            let found = certificates(Array(data))
            guard !found.isEmpty else {
                throw section.error("roots", expected: "expected certificates in PEM or DER in \(full)")
            }
            roots += found
        }
        return roots
    }

    /// Returns the certificates in a file, or an empty array if the file contains anything but certificates.
    private static func certificates(_ bytes: [UInt8]) -> [[UInt8]] {
        // The identifier of SEQUENCE in ASN.1.
        if bytes.first == 0x30 { return (try? Certificate(derEncoded: bytes)) == nil ? [] : [bytes] }
        guard let text = String(validating: bytes, as: UTF8.self),
            let documents = try? PEMDocument.parseMultiple(pemString: text),
            documents.allSatisfy({ (try? Certificate(pemDocument: $0)) != nil })
        else { return [] }
        return documents.map(\.derBytes)
    }
}
