import COpenSSL

/// A message that OpenSSL has parsed into memory.
final class OpenMessage {
    let functions: CryptoFunctions
    private let message: OpaquePointer
    private let certificates: OpaquePointer?

    init(_ bytes: [UInt8], _ functions: CryptoFunctions) throws(SignedMessageError) {
        let read = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            guard let start = buffer.baseAddress else { return nil }
            var position: UnsafePointer<UInt8>? = start
            guard let message = functions.readMessage(nil, &position, buffer.count) else { return nil }
            guard position == start + buffer.count else {
                functions.freeMessage(message)
                return nil
            }
            return message
        }
        guard let read else { throw .malformed }
        guard functions.number(functions.messageType(read)) == NID_pkcs7_signed,
            // RFC 5652 section 5.3 allows a signature over the content alone only for this content type.
            functions.number(functions.contentType(read)) == NID_pkcs7_data
        else {
            functions.freeMessage(read)
            throw .malformed
        }
        self.functions = functions
        message = read
        certificates = functions.certificates(read)
    }

    deinit {
        if let certificates { functions.freeAll(certificates, functions.freeListedCertificate) }
        functions.freeMessage(message)
    }

    /// Returns the signed content, with its pieces joined where it was sent in pieces.
    func contents() throws(SignedMessageError) -> [UInt8] {
        guard let content = functions.content(message)?.pointee?.pointee else { throw .detached }
        guard content.length > 0, let data = content.data else { return [] }
        return Array(UnsafeBufferPointer(start: data, count: Int(content.length)))
    }

    /// Returns the only signer and its certificate.
    func onlySigner() throws(SignedMessageError) -> (signer: OpaquePointer, certificate: OpaquePointer) {
        guard let signers = functions.signers(message) else { throw .signers(0) }
        guard functions.count(signers) == 1, let signer = functions.item(signers, 0).map(OpaquePointer.init) else {
            throw .signers(Int(functions.count(signers)))
        }
        guard let certificates else { throw .noCertificate }
        guard functions.count(certificates) <= SignedMessage.maxCertificates else {
            throw .tooManyCertificates(limit: SignedMessage.maxCertificates)
        }
        for certificate in list(certificates) where functions.isSigner(signer, certificate) == 0 {
            return (signer, certificate)
        }
        throw .noCertificate
    }

    func requireSignature(
        of signer: OpaquePointer, by certificate: OpaquePointer
    ) throws(SignedMessageError) {
        // Uses the certificate that was checked, even when others have the same name.
        functions.setSigner(signer, certificate)
        var digest: UnsafeMutablePointer<X509_ALGOR>?
        functions.signerAlgorithms(signer, nil, nil, &digest, nil)
        guard Self.digests.contains(functions.number(digest?.pointee.algorithm)) else { throw .digest }
        let flags = UInt32(CMS_NO_SIGNER_CERT_VERIFY | CMS_BINARY)
        guard functions.verifyMessage(message, nil, nil, nil, nil, flags) == 1 else { throw .signature }
    }

    /// The accepted digests. SHA-1 is included because receipts were signed with it until January 2025. Source: App
    /// Store protocol, “Certificates of old receipts”.
    static let digests: Set<Int32> = [NID_sha1, NID_sha256, NID_sha384, NID_sha512]

    func list(_ stack: OpaquePointer) -> [OpaquePointer] {
        (0..<max(0, functions.count(stack))).compactMap { functions.item(stack, $0).map(OpaquePointer.init) }
    }

    /// The certificates inside the message, used to build a chain.
    var includedCertificates: OpaquePointer? { certificates }
}
