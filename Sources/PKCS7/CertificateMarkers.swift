/// The certificate extensions that state the purpose of a certificate, as object identifiers in dotted form.
package struct CertificateMarkers: Sendable, Equatable {
    /// The extension that the signer's certificate must contain.
    package let signer: String
    /// The extension that the certificate of the issuing authority must contain.
    package let issuer: String

    package init(signer: String, issuer: String) {
        self.signer = signer
        self.issuer = issuer
    }
}
