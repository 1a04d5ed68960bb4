public import Foundation

/// A test's own certificate authority.
public struct TestAuthority: Sendable {
    private let folder: URL
    private let name: String

    public struct Failed: Error {
        public let errors: String
    }

    /// The files of a server's certificate and key in PEM.
    public struct Issued: Sendable {
        public let certificate: String
        public let key: String
    }

    /// The file of the authority's certificate in PEM.
    public var certificate: String { path("\(name).pem") }
    private var key: String { path("\(name).key") }

    public init(_ name: String, in folder: URL) async throws {
        self.name = name
        self.folder = folder
        try await run([
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=\(name)", "-addext",
            "basicConstraints=critical,CA:true", "-keyout", key, "-out", certificate,
        ])
    }

    /// - Parameter names: Subject alternative names, as in `IP:127.0.0.1,DNS:localhost`.
    public func issue(_ subject: String, names: String) async throws -> Issued {
        let issued = Issued(certificate: path("\(subject).pem"), key: path("\(subject).key"))
        let request = path("\(subject).csr")
        let extensions = path("\(subject).ext")
        try Data("subjectAltName=\(names)\n".utf8).write(to: URL(fileURLWithPath: extensions))
        try await run([
            "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=\(subject)", "-keyout", issued.key, "-out", request,
        ])
        try await run([
            "x509", "-req", "-in", request, "-CA", certificate, "-CAkey", key, "-CAcreateserial", "-days", "2",
            "-extfile",
            extensions, "-out", issued.certificate,
        ])
        return issued
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    private func run(_ arguments: [String]) async throws {
        let run = try await CommandRun.of("openssl", arguments, in: folder)
        guard run.status == 0 else { throw Failed(errors: run.errors) }
    }
}
