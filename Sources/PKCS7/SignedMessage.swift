package import Foundation

/// A message in the format of PKCS#7 signed data, also called CMS (RFC 5652), with the signed content inside it.
///
/// OpenSSL parses the message. swift-certificates also has a parser for the format, but only as an SPI, which any
/// release may change. That parser does not support a signer whose algorithm is plain `rsaEncryption`, which PKCS#7
/// uses (RFC 2315) and CMS allows (RFC 3370 section 3.2). Receipts are encoded in BER with indefinite lengths. In
/// their first twelve years they were signed with SHA-1, and with chains that were valid only then.
///
/// The message itself often states the time at which the certificate must have been valid. Therefore its contents
/// can be read before they are verified: the caller takes the timestamp from them, and then verifies the message at
/// that time. A forged timestamp invalidates the signature.
///
/// ```swift
/// let message = try SignedMessage(bytes)
/// let moment = try created(message.unverifiedContents)
/// let contents = try message.verify(roots: roots, markers: markers, at: moment)
/// ```
package struct SignedMessage: Sendable {
    /// The maximum size of a message, in bytes. Larger messages are not read.
    package static let maxSize = 1 << 20
    static let maxCertificates = 16

    let bytes: [UInt8]
    /// The signed content according to the message, not verified yet.
    package let unverifiedContents: [UInt8]

    /// - Parameter bytes: DER or BER, with nothing after it.
    /// - Throws: ``SignedMessageError``.
    package init(_ bytes: [UInt8]) throws(SignedMessageError) {
        self.bytes = bytes
        unverifiedContents = try Self.opening(bytes) { message throws(SignedMessageError) in try message.contents() }
    }

    /// Verifies the signer. The message must have exactly one signer, whose certificate chains to one of the given
    /// roots through exactly one authority. All three certificates must be valid at the given time, and the lower
    /// two must have the markers.
    ///
    /// - Parameters:
    ///   - roots: certificates in DER. The system's authorities are not trusted.
    ///   - timestamp: the time at which the certificates must have been valid.
    /// - Returns: the signed content.
    /// - Throws: ``SignedMessageError``.
    package func verify(
        roots: [[UInt8]], markers: CertificateMarkers, at timestamp: Date
    ) throws(SignedMessageError) -> [UInt8] {
        try Self.opening(bytes) { message throws(SignedMessageError) in
            let (signer, certificate) = try message.onlySigner()
            try message.requireChain(of: certificate, roots: roots, markers: markers, at: timestamp)
            try message.requireSignature(of: signer, by: certificate)
            return try message.contents()
        }
    }

    /// Verifies only that the message is unchanged since its signer made it. The identity of the signer is not
    /// verified, because the certificate comes with the message.
    ///
    /// - Returns: the signed content.
    /// - Throws: ``SignedMessageError``.
    package func verifyByItsOwnCertificate() throws(SignedMessageError) -> [UInt8] {
        try Self.opening(bytes) { message throws(SignedMessageError) in
            let (signer, certificate) = try message.onlySigner()
            try message.requireSignature(of: signer, by: certificate)
            return try message.contents()
        }
    }

    /// Parses the message for one call. No OpenSSL object is retained between two calls; only the bytes are stored.
    private static func opening(
        _ bytes: [UInt8], _ read: (OpenMessage) throws(SignedMessageError) -> [UInt8]
    ) throws(SignedMessageError) -> [UInt8] {
        guard bytes.count <= maxSize else { throw .tooLarge(limit: maxSize) }
        let functions: CryptoFunctions
        do {
            functions = try CryptoLibrary.functions()
        } catch {
            throw .library(error)
        }
        // OpenSSL collects errors per thread, and this thread is shared.
        defer { functions.clearErrors() }
        return try read(try OpenMessage(bytes, functions))
    }
}
