import Commerce
import Foundation
import JSON

/// The header of data that Apple signs: `alg` is `ES256`, and `x5c` has exactly three certificates.
///
/// Source: App Store protocol, “Verification of signed data”.
struct AppleJWSHeader: Sendable, Equatable {
    /// The certificates in DER as they were sent: leaf, intermediate, root.
    let certificates: [[UInt8]]

    static let algorithm = "ES256"
    static let certificateCount = 3
    /// The maximum size of a certificate in bytes. Apple's have about 1000.
    static let maxCertificateSize = 8 << 10

    /// Reads a header.
    ///
    /// - Throws: ``ReceiptRejection/Reason/forged`` for another algorithm, including `none`, for another number of
    ///   certificates, and for `crit`, which lists extensions that must be understood. Gatefold supports no
    ///   extension (RFC 7515 section 4.1.11).
    init(_ header: JSONValue) throws(ReceiptRejection) {
        guard header["alg"]?.text == Self.algorithm, header["crit"] == nil,
            // RFC 7797: with `b64` the signed bytes would differ from the bytes that are read.
            header["b64"] == nil,
            let chain = header["x5c"]?.items, chain.count == Self.certificateCount
        else { throw ReceiptRejection(.forged) }
        var certificates: [[UInt8]] = []
        for item in chain {
            // RFC 7515 section 4.1.6: plain base64, not base64url.
            guard let text = item.text, text.utf8.count <= Self.maxCertificateSize * 2,
                let certificate = Data(base64Encoded: text), certificate.count <= Self.maxCertificateSize
            else { throw ReceiptRejection(.forged) }
            certificates.append(Array(certificate))
        }
        self.certificates = certificates
    }
}
