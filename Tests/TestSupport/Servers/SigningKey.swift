public import Foundation

/// An RSA key created and used by `openssl`, like Google's key of an app.
public struct SigningKey: Sendable {
    private let folder: URL
    private let name: String

    public struct Failed: Error {
        public let errors: String
    }

    public init(_ name: String, in folder: URL) async throws {
        self.folder = folder
        self.name = name
        try await Self.run(["genrsa", "-out", path("pem"), "2048"], in: folder)
        try await Self.run(["pkcs8", "-topk8", "-nocrypt", "-in", path("pem"), "-out", path("p8")], in: folder)
        try await Self.run(["rsa", "-in", path("pem"), "-pubout", "-outform", "DER", "-out", path("der")], in: folder)
        try await Self.run(["rsa", "-in", path("pem"), "-pubout", "-out", path("pub")], in: folder)
    }

    /// The key in the format of the Play Console.
    public var licence: String { get throws { try Data(contentsOf: file("der")).base64EncodedString() } }
    public var privatePEM: String { get throws { try String(contentsOf: file("p8"), encoding: .utf8) } }
    public var publicPEM: String { get throws { try String(contentsOf: file("pub"), encoding: .utf8) } }

    /// Returns the base64 of the signature with SHA-1 or another digest.
    public func sign(_ text: String, digest: String = "sha1") async throws -> String {
        let number = UInt64.random(in: .min ... .max)
        let (input, output) = (file("\(number).in"), file("\(number).out"))
        try Data(text.utf8).write(to: input)
        try await Self.run(["dgst", "-\(digest)", "-sign", path("pem"), "-out", output.path, input.path], in: folder)
        return try Data(contentsOf: output).base64EncodedString()
    }

    private func file(_ kind: String) -> URL { folder.appending(path: "\(name).\(kind)") }
    private func path(_ kind: String) -> String { file(kind).path }

    private static func run(_ arguments: [String], in folder: URL) async throws {
        let run = try await CommandRun.of("openssl", arguments, in: folder)
        guard run.status == 0 else { throw Failed(errors: run.errors) }
    }
}
