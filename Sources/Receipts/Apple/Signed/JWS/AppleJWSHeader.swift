import Foundation
import Gatefold
import JSON

/// The header of what Apple signs (PROTOCOLS 6.3): `alg` is `ES256`, and `x5c` has exactly three certificates.
struct AppleJWSHeader: Sendable, Equatable {
    /// The certificates in DER as they were sent: leaf, intermediate, root.
    let certificates: [[UInt8]]

    static let algorithm = "ES256"
    static let certificateCount = 3
    /// In bytes. Apple's are of about a thousand.
    static let longestCertificate = 8 << 10

    /// - Throws: ``ReceiptRefusal/Reason/forged`` for another algorithm, `none` among them, another number of certificates,
    ///   and for `crit`: extensions that must be understood, of which none is (RFC 7515 section 4.1.11).
    init(_ header: JSONValue) throws(ReceiptRefusal) {
        guard header["alg"]?.text == Self.algorithm, header["crit"] == nil,
            // RFC 7797: with `b64` something else would be signed than what is read.
            header["b64"] == nil,
            let chain = header["x5c"]?.items, chain.count == Self.certificateCount
        else { throw ReceiptRefusal(.forged) }
        var certificates: [[UInt8]] = []
        for item in chain {
            // RFC 7515 section 4.1.6: base64 of its own, not base64url.
            guard let text = item.text, text.utf8.count <= Self.longestCertificate * 2,
                let certificate = Data(base64Encoded: text), certificate.count <= Self.longestCertificate
            else { throw ReceiptRefusal(.forged) }
            certificates.append(Array(certificate))
        }
        self.certificates = certificates
    }
}
