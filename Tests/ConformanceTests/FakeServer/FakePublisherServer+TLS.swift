import Foundation
import NIOCore
import NIOSSL
import TestSupport
import Testing

extension FakePublisherServer {
    /// The fake server's certificate, with the authority that signed it.
    struct TLS: Sendable {
        let certificate: String
        let key: String
        /// The certificate of the authority.
        let roots: [NIOSSLCertificate]
        var oldest = TLSVersion.tlsv12
        var newest: TLSVersion?
        var hasHTTP2 = false
        /// The delay of a connection before its handshake.
        var delay = TimeAmount.zero

        /// Creates a certificate in the folder.
        ///
        /// - Parameters:
        /// - days: The validity in days. A negative value yields an expired certificate.
        /// - names: The subject alternative names, for example `IP:127.0.0.1`.
        init(in folder: URL, days: Int = 90, names: String = "IP:127.0.0.1") async throws {
            func openssl(_ arguments: String...) async throws {
                let run = try await CommandRun.of("openssl", arguments, in: folder)
                try #require(run.status == 0, "\(run.errors)")
            }
            let path = { (name: String) in folder.appendingPathComponent(name).path }
            try await openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "400",
                "-subj", "/CN=authority", "-addext", "basicConstraints=critical,CA:true", "-keyout",
                path("authority.key"), "-out", path("authority.pem"))
            try await openssl(
                "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=server",
                "-keyout", path("server.key"), "-out", path("server.csr"))
            try Data("subjectAltName=\(names)\n".utf8).write(to: folder.appendingPathComponent("names"))
            try await openssl(
                "x509", "-req", "-in", path("server.csr"), "-CA", path("authority.pem"), "-CAkey",
                path("authority.key"), "-CAcreateserial", "-days", "\(days)", "-extfile", path("names"), "-out",
                path("server.pem"))
            certificate = path("server.pem")
            key = path("server.key")
            roots = try NIOSSLCertificate.fromPEMFile(path("authority.pem"))
        }

        var context: NIOSSLContext {
            get throws {
                var configuration = TLSConfiguration.makeServerConfiguration(
                    certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
                    privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
                configuration.minimumTLSVersion = oldest
                configuration.maximumTLSVersion = newest
                configuration.shutdownTimeout = .milliseconds(200)
                if hasHTTP2 { configuration.applicationProtocols = ["h2", "http/1.1"] }
                return try NIOSSLContext(configuration: configuration)
            }
        }
    }
}
