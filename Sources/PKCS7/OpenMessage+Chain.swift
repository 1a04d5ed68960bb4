import COpenSSL
import Foundation

extension OpenMessage {
    /// Builds the chain from a certificate to one of the roots, and checks its length, its markers and its digests.
    func requireChain(
        of certificate: OpaquePointer, roots: [[UInt8]], markers: CertificateMarkers, at timestamp: Date
    ) throws(SignedMessageError) {
        guard let store = functions.newStore() else { throw .untrusted("no memory") }
        defer { functions.freeStore(store) }
        for root in roots { try add(root, to: store) }
        guard let check = functions.newCheck() else { throw .untrusted("no memory") }
        defer { functions.freeCheck(check) }
        guard functions.startCheck(check, store, certificate, includedCertificates) == 1,
            let parameters = functions.parameters(check),
            let seconds = time_t(exactly: timestamp.timeIntervalSince1970.rounded())
        else { throw .untrusted("cannot be checked") }
        functions.setTime(parameters, seconds)
        // The markers define the permitted use of the certificate. OpenSSL's default purpose is e-mail, which a
        // certificate for receipts need not support.
        guard functions.setPurpose(parameters, X509_PURPOSE_ANY) == 1 else { throw .untrusted("cannot be checked") }
        // SHA-1 is rejected at any higher level. `digests` excludes weaker digests.
        functions.setLevel(parameters, 0)
        functions.setDepth(parameters, 2)
        guard functions.check(check) == 1 else {
            let problem = functions.problemText(Int(functions.problem(check))).map { String(cString: $0) }
            throw .untrusted(problem ?? "unknown")
        }
        let chain = functions.chain(check).map(list) ?? []
        guard chain.count == 3 else { throw .chainLength(chain.count) }
        guard has(markers.signer, chain[0]) else { throw .signerUnmarked }
        guard has(markers.issuer, chain[1]) else { throw .issuerUnmarked }
        // The root's own signature is not checked, because the caller supplied the root as trusted.
        for certificate in chain.prefix(2) {
            var digest: Int32 = 0
            guard functions.signatureInfo(certificate, &digest, nil, nil, nil) == 1, Self.digests.contains(digest)
            else {
                throw .digest
            }
        }
    }

    private func add(_ root: [UInt8], to store: OpaquePointer) throws(SignedMessageError) {
        let certificate = root.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var position = buffer.baseAddress
            return functions.readCertificate(nil, &position, buffer.count)
        }
        guard let certificate else { throw .unreadableRoot }
        defer { functions.freeCertificate(certificate) }
        guard functions.addRoot(store, certificate) == 1 else { throw .unreadableRoot }
    }

    private func has(_ marker: String, _ certificate: OpaquePointer) -> Bool {
        guard let object = functions.object(marker, 1) else { return false }
        defer { functions.freeObject(object) }
        return functions.hasExtension(certificate, object, -1) >= 0
    }
}
