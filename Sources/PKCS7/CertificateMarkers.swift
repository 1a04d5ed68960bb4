/// The extensions by which an authority says what a certificate was issued for, as object identifiers in dotted form.
package struct CertificateMarkers: Sendable, Equatable {
    /// Must stand in the signer's certificate.
    package let signer: String
    /// Must stand in the certificate of the authority that issued it.
    package let issuer: String

    package init(signer: String, issuer: String) {
        self.signer = signer
        self.issuer = issuer
    }
}
