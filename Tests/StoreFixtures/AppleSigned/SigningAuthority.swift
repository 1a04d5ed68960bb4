package import Crypto
package import Foundation
package import JSON
import Primitives
package import SwiftASN1
package import X509

/// A test's equivalent of Apple's certificate authority: a root, an intermediate and a leaf, all P-256, with their
/// signatures.
package struct SigningAuthority: Sendable {
    /// The differences from Apple's authority.
    package struct Shape: Sendable {
        package var leafMarker: ASN1ObjectIdentifier? = [1, 2, 840, 113_635, 100, 6, 11, 1]
        package var intermediateMarker: ASN1ObjectIdentifier? = [1, 2, 840, 113_635, 100, 6, 2, 1]
        package var leafValid = TestDates.longAgo...TestDates.farAhead
        /// The URL of the leaf's revocation responder.
        package var responder: String?
        package var leafIsAuthority = false
        package var leafUsage: KeyUsage?
        package var intermediateIsAuthority = true

        package init(responder: String? = nil) { self.responder = responder }
    }

    /// A certificate and its key.
    package struct CertificateSubject: Sendable {
        package let certificate: Certificate
        package let key: P256.Signing.PrivateKey

        package var der: [UInt8] {
            get throws { try certificate.serializeAsPEM().derBytes }
        }
    }

    package let root: CertificateSubject
    package let intermediate: CertificateSubject
    package let leaf: CertificateSubject

    package init(_ shape: Shape = Shape()) throws {
        root = try Self.issue("Test Root", extensions: Self.authority(marker: nil), by: nil)
        intermediate = try Self.issue(
            "Test Developer Relations",
            extensions: shape.intermediateIsAuthority
                ? Self.authority(marker: shape.intermediateMarker)
                : Self.withMarker(Certificate.Extensions {}, shape.intermediateMarker), by: root)
        var extensions = try Certificate.Extensions {
            if shape.leafIsAuthority {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            } else {
                Critical(BasicConstraints.notCertificateAuthority)
            }
            Critical(shape.leafUsage ?? KeyUsage(digitalSignature: true))
        }
        if let responder = shape.responder {
            try extensions.append(
                AuthorityInformationAccess([
                    .init(method: .ocspServer, location: .uniformResourceIdentifier(responder))
                ]).makeCertificateExtension())
        }
        leaf = try Self.issue(
            "Test Receipt Signing", extensions: Self.withMarker(extensions, shape.leafMarker), valid: shape.leafValid,
            by: intermediate)
    }

    private static func authority(marker: ASN1ObjectIdentifier?) throws -> Certificate.Extensions {
        try withMarker(
            try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            }, marker)
    }

    private static func withMarker(
        _ extensions: Certificate.Extensions, _ marker: ASN1ObjectIdentifier?
    ) throws -> Certificate.Extensions {
        var extensions = extensions
        // ASN.1 NULL, as in Apple's certificates.
        if let marker { try extensions.append(Certificate.Extension(oid: marker, critical: false, value: [5, 0])) }
        return extensions
    }

    package static func issue(
        _ name: String, extensions: Certificate.Extensions,
        valid: ClosedRange<Date> = TestDates.longAgo...TestDates.farAhead, by issuer: CertificateSubject?
    ) throws -> CertificateSubject {
        let key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName(name) }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key.publicKey),
            notValidBefore: valid.lowerBound, notValidAfter: valid.upperBound,
            issuer: issuer?.certificate.subject ?? subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions, issuerPrivateKey: .init(issuer?.key ?? key))
        return CertificateSubject(certificate: certificate, key: key)
    }

    /// The leaf, the intermediate and the root.
    package var chain: [[UInt8]] {
        get throws { [try leaf.der, try intermediate.der, try root.der] }
    }

    /// - Parameters:
    ///   - chain: The certificates to attach. Default: the authority's own.
    ///   - header: Members that replace or extend the default ones.
    package func sign(
        _ payload: JSONValue, chain: [[UInt8]]? = nil, header: [String: JSONValue] = [:]
    ) throws -> String {
        let certificates = try (chain ?? self.chain).map { JSONValue.string(Data($0).base64EncodedString()) }
        let members = (["alg": "ES256", "x5c": .array(certificates)] as [String: JSONValue]).merging(header) { $1 }
        return try Self.jws(
            JSONWriter.bytes(.object(members.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value) })),
            JSONWriter.bytes(payload), by: leaf.key)
    }

    package static func jws(_ header: [UInt8], _ payload: [UInt8], by key: P256.Signing.PrivateKey) throws -> String {
        let input = "\(Base64URL.encode(header)).\(Base64URL.encode(payload))"
        let signature = try key.signature(for: Data(input.utf8))
        return "\(input).\(Base64URL.encode(Array(signature.rawRepresentation)))"
    }
}
