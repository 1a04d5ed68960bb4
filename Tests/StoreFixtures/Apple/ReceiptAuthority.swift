package import Foundation
import TestSupport

/// An authority that signs receipts like Apple, created by the OpenSSL program: a root, an intermediate and a signer,
/// the latter two with the markers of their purpose.
package struct ReceiptAuthority: Sendable {
    package struct Failed: Error {
        package let errors: String
    }

    /// A certificate in PEM.
    package struct Certificate: Sendable {
        package let text: String
        package let key: String

        package init(text: String, key: String) {
            self.text = text
            self.key = key
        }
    }

    package enum Marking: String, Sendable {
        case root, issuer, leaf
        case issuerUnmarked = "issuer_unmarked"
        case leafOther = "leaf_other"
    }

    package struct Dates: Sendable {
        package var from = "20200101000000Z"
        package var to = "20400101000000Z"

        package init(from: String = "20200101000000Z", to: String = "20400101000000Z") {
            self.from = from
            self.to = to
        }
    }

    package let root: Certificate
    package let issuer: Certificate
    package let signer: Certificate

    /// An authority shared by all tests, because generating keys takes time.
    package static let shared = Task { try await ReceiptAuthority() }

    package init() async throws {
        root = try await Self.certificate("Root", .root, by: nil)
        issuer = try await Self.certificate("Issuer", .issuer, by: root)
        signer = try await Self.certificate("Signer", .leaf, by: issuer)
    }

    package var rootBytes: [UInt8] { Self.bytes(root) }

    package static func bytes(_ certificate: Certificate) -> [UInt8] {
        let lines = certificate.text.split(separator: "\n").drop { !$0.hasPrefix("-----BEGIN") }
        let base64 = lines.dropFirst().prefix { !$0.hasPrefix("-----END") }.joined()
        return Array(Data(base64Encoded: base64) ?? Data())
    }

    /// - Parameters:
    ///   - issuer: The issuer, or nil for a self-signed certificate.
    ///   - key: The key of another certificate to reuse, or nil for a new one.
    package static func certificate(
        _ name: String, _ marking: Marking, by issuer: Certificate?, key: String? = nil, dates: Dates = Dates(),
        digest: String = "sha256"
    ) async throws -> Certificate {
        try await withTemporaryFolder { folder in
            try write(configuration, "ca.cnf", in: folder)
            try write("", "index.txt", in: folder)
            if let key {
                try write(key, "own.key", in: folder)
            } else {
                try await run(["genrsa", "-out", "own.key", "2048"], in: folder)
            }
            try await run(
                ["req", "-new", "-config", "ca.cnf", "-key", "own.key", "-subj", "/CN=\(name)", "-out", "own.csr"],
                in: folder)
            var arguments = [
                "ca", "-batch", "-notext", "-config", "ca.cnf", "-in", "own.csr", "-out", "own.pem",
                "-extensions", marking.rawValue, "-startdate", dates.from, "-enddate", dates.to, "-md", digest,
            ]
            if let issuer {
                try write(issuer.text, "issuer.pem", in: folder)
                try write(issuer.key, "issuer.key", in: folder)
                arguments += ["-cert", "issuer.pem", "-keyfile", "issuer.key"]
            } else {
                arguments += ["-selfsign", "-keyfile", "own.key"]
            }
            try await run(arguments, in: folder)
            return Certificate(text: try read("own.pem", in: folder), key: try read("own.key", in: folder))
        }
    }

    /// The marker identifiers of App Store protocol, “Certificates of old receipts”. The other one belongs to a
    /// developer's certificate.
    private static let configuration = """
        [req]
        distinguished_name = name
        [name]
        [ca]
        default_ca = authority
        [authority]
        database = index.txt
        new_certs_dir = .
        policy = policy
        unique_subject = no
        rand_serial = yes
        [policy]
        commonName = supplied
        [root]
        basicConstraints = critical,CA:true
        keyUsage = critical,keyCertSign,cRLSign
        subjectKeyIdentifier = hash
        [issuer]
        basicConstraints = critical,CA:true
        keyUsage = critical,keyCertSign,cRLSign
        1.2.840.113635.100.6.2.1 = ASN1:NULL
        [issuer_unmarked]
        basicConstraints = critical,CA:true
        keyUsage = critical,keyCertSign,cRLSign
        [leaf]
        basicConstraints = critical,CA:false
        keyUsage = critical,digitalSignature
        1.2.840.113635.100.6.11.1 = ASN1:NULL
        [leaf_other]
        basicConstraints = critical,CA:false
        keyUsage = critical,digitalSignature
        1.2.840.113635.100.6.1.4 = ASN1:NULL

        """

    package static func run(_ arguments: [String], in folder: URL) async throws {
        let run = try await CommandRun.of("openssl", arguments, in: folder)
        guard run.status == 0 else { throw Failed(errors: run.errors) }
    }

    package static func write(_ text: String, _ name: String, in folder: URL) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    private static func read(_ name: String, in folder: URL) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
}
