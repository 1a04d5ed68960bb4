import Foundation

/// An SMTP server of Debian's package python3-aiosmtpd, which keeps what it is sent.
public struct MailCatcher: Sendable {
    /// How it is spoken to.
    public enum Manner: String, Sendable, CaseIterable {
        case plain
        /// STARTTLS is required.
        case upgraded = "starttls"
        case implicit = "tls"
    }

    /// A letter as it came.
    public struct Caught: Sendable, Decodable {
        public let from: String
        public let to: [String]
        /// The message, each byte a character.
        public let message: String
        public let isEncrypted: Bool
        public let user: String?

        enum CodingKeys: String, CodingKey {
            case from, to, message, user
            case isEncrypted = "encrypted"
        }
    }

    public let port: Int
    /// The file with the authority's certificate, in PEM; the server's own is for `localhost`.
    public let authority: String
    private let folder: URL

    /// Runs the body while a server runs.
    ///
    /// - Parameters:
    ///   - user: the only one who may send; nil for everybody.
    ///   - answers: what is said to a letter for the address, such as `450 4.2.1 Later`; all others are taken. Two addresses
    ///     do more: to `drop@example.com` the connection is closed, to `slow@example.com` nothing is said for a minute.
    public static func with<Result>(
        _ manner: Manner = .plain, user: (name: String, password: String)? = nil, answers: [String: String] = [:],
        isolation: isolated (any Actor)? = #isolation, _ body: (MailCatcher, RestartableServer) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryFolder { folder in
            let port = try FreePort.find()
            let authority = try await TestAuthority("mail-authority", in: folder)
            let issued = try await authority.issue("mail", names: "DNS:localhost,IP:127.0.0.1")
            try Data(program.utf8).write(to: folder.appendingPathComponent("server.py"))
            try JSONEncoder().encode(answers).write(to: folder.appendingPathComponent("answers.json"))
            let launch = ServerProcess.Launch(
                "/usr/bin/python3",
                [
                    "server.py", String(port), manner.rawValue, issued.certificate, issued.key, user?.name ?? "",
                    user?.password ?? "",
                ], in: folder, until: .listening(port))
            return try await withRestartableServer(launch) {
                try await body(MailCatcher(port: port, authority: authority.certificate, folder: folder), $0)
            }
        }
    }

    /// The letters that came, in their order.
    public func caught() throws -> [Caught] {
        guard let text = try? String(contentsOf: folder.appendingPathComponent("caught"), encoding: .utf8) else {
            return []
        }
        // The last line may be being written.
        return try text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
            try JSONDecoder().decode(Caught.self, from: Data($0.utf8))
        }
    }

    /// Waits until so many letters came.
    public func caught(atLeast count: Int) async throws -> [Caught] {
        while true {
            let caught = try caught()
            if caught.count >= count { return caught }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    private static let program = """
        import asyncio, json, ssl, sys
        from aiosmtpd.smtp import SMTP, AuthResult
        port, manner, certificate, key, user, password = sys.argv[1:7]
        answers = json.load(open('answers.json'))

        class Handler:
            async def handle_RCPT(self, server, session, envelope, address, options):
                if address == 'drop@example.com':
                    server.transport.close()
                if address == 'slow@example.com':
                    await asyncio.sleep(60)
                if address in answers:
                    return answers[address]
                envelope.rcpt_tos.append(address)
                return '250 2.1.5 OK'
            async def handle_DATA(self, server, session, envelope):
                with open('caught', 'a') as file:
                    file.write(json.dumps({
                        'from': envelope.mail_from, 'to': envelope.rcpt_tos,
                        'message': envelope.original_content.decode('latin-1'),
                        'encrypted': session.ssl is not None or manner == 'tls',
                        'user': session.auth_data.login.decode() if session.authenticated else None}) + '\\n')
                return '250 2.0.0 Kept'

        def authenticate(server, session, envelope, mechanism, data):
            right = data.login.decode() == user and data.password.decode() == password
            return AuthResult(success=right, handled=False, auth_data=data if right else None)

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)

        def protocol():
            return SMTP(Handler(), hostname='mail.test', enable_SMTPUTF8=False,
                        tls_context=context if manner == 'starttls' else None, require_starttls=manner == 'starttls',
                        authenticator=authenticate, auth_required=user != '', auth_require_tls=manner == 'starttls')

        async def main():
            server = await asyncio.get_running_loop().create_server(
                protocol, '127.0.0.1', int(port), ssl=context if manner == 'tls' else None)
            async with server:
                await server.serve_forever()
        asyncio.run(main())
        """
}
