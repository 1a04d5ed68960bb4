import Foundation
import Settings
import SwiftASN1
import X509

/// Apple's root certificates as files: the key `roots`.
///
/// They do not come with Gatefold, so that whoever runs it knows where the trust comes from: Apple publishes them.
enum AppleRoots {
    static let source = "https://www.apple.com/certificateauthority/"
    /// In bytes.
    static let largest = 64 << 10

    /// - Returns: in DER; none where the key is missing.
    static func read(_ section: SettingsSection) throws(SettingsError) -> [[UInt8]] {
        var roots: [[UInt8]] = []
        for path in try section.strings("roots") ?? [] {
            let full = path.hasPrefix("/") ? path : "\(section.folder)/\(path)"
            guard let data = try? Data(contentsOf: URL(fileURLWithPath: full)), data.count <= largest else {
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

    /// Those in a file; none for anything but certificates.
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
