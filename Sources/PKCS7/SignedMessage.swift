package import Foundation

/// A message in the format of PKCS#7 signed data, also called CMS (RFC 5652), with what was signed inside it.
///
/// Read by OpenSSL. swift-certificates has a reader of the format, too, but as an SPI that any release may change; and it
/// knows no signer whose algorithm is called plainly `rsaEncryption`, as PKCS#7 has it (RFC 2315) and CMS allows
/// (RFC 3370 section 3.2). Receipts come in BER with indefinite lengths,
/// with SHA-1 in their first twelve years, and with chains that were valid only then.
///
/// When a certificate has to have been valid is often said by the message itself. So its contents can be read before
/// anybody vouched for them, the moment taken from there, and the message then verified at it: a moment that was
/// made up does not survive the signature.
///
/// ```swift
/// let message = try SignedMessage(bytes)
/// let moment = try created(message.unverifiedContents)
/// let contents = try message.verify(roots: roots, markers: markers, at: moment)
/// ```
package struct SignedMessage: Sendable {
    /// Larger ones are not read, in bytes.
    package static let largest = 1 << 20
    static let mostCertificates = 16

    let bytes: [UInt8]
    /// What the message says was signed; nobody has vouched for it.
    package let unverifiedContents: [UInt8]

    /// - Parameter bytes: DER or BER, and nothing after it.
    /// - Throws: ``SignedMessageError``.
    package init(_ bytes: [UInt8]) throws(SignedMessageError) {
        self.bytes = bytes
        unverifiedContents = try Self.opening(bytes) { message throws(SignedMessageError) in try message.contents() }
    }

    /// Says who signed: the one signer has a certificate that one of the roots, and none but these, leads to by one
    /// authority between them, all three valid at the moment and the lower two marked.
    ///
    /// - Parameters:
    ///   - roots: certificates in DER; the system's authorities count for nothing.
    ///   - moment: when the certificates have to have been valid.
    /// - Returns: what was signed.
    /// - Throws: ``SignedMessageError``.
    package func verify(
        roots: [[UInt8]], markers: CertificateMarkers, at moment: Date
    ) throws(SignedMessageError) -> [UInt8] {
        try Self.opening(bytes) { message throws(SignedMessageError) in
            let (signer, certificate) = try message.onlySigner()
            try message.requireChain(of: certificate, roots: roots, markers: markers, at: moment)
            try message.requireSignature(of: signer, by: certificate)
            return try message.contents()
        }
    }

    /// Says only that the message is as its signer made it, whoever that is: the certificate comes with the message.
    ///
    /// - Returns: what was signed.
    /// - Throws: ``SignedMessageError``.
    package func verifyByItsOwnCertificate() throws(SignedMessageError) -> [UInt8] {
        try Self.opening(bytes) { message throws(SignedMessageError) in
            let (signer, certificate) = try message.onlySigner()
            try message.requireSignature(of: signer, by: certificate)
            return try message.contents()
        }
    }

    /// Nothing of OpenSSL's is kept between two calls: what the message is, is its bytes.
    private static func opening(
        _ bytes: [UInt8], _ read: (OpenMessage) throws(SignedMessageError) -> [UInt8]
    ) throws(SignedMessageError) -> [UInt8] {
        guard bytes.count <= largest else { throw .tooLarge(limit: largest) }
        let functions: CryptoFunctions
        do {
            functions = try CryptoLibrary.functions()
        } catch {
            throw .library(error)
        }
        // Errors pile up per thread, and this thread is shared.
        defer { functions.clearErrors() }
        return try read(try OpenMessage(bytes, functions))
    }
}
