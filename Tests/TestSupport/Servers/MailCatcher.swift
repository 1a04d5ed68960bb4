import Foundation

/// An SMTP server of Debian's package python3-aiosmtpd that stores the received messages.
public struct MailCatcher: Sendable {
    /// The security of the connection.
    public enum SecurityMode: String, Sendable, CaseIterable {
        case plain
        /// STARTTLS is required.
        case upgraded = "starttls"
        case implicit = "tls"
    }

    /// A received message.
    public struct CaughtMessage: Sendable, Decodable {
        public let from: String
        public let to: [String]
        /// The message, with each byte as a character.
        public let message: String
        public let isEncrypted: Bool
        public let user: String?

        enum CodingKeys: String, CodingKey {
            case from, to, message, user
            case isEncrypted = "encrypted"
        }
    }

    public let port: Int
    /// The file with the authority's certificate in PEM. The server's certificate is for `localhost`.
    public let authority: String
    private let folder: URL

    /// Runs the body with a running server.
    ///
    /// - Parameters:
    ///   - user: The only user who may send, or nil for all.
    ///   - responses: The reply to a message for each address, such as `450 4.2.1 Later`. Other addresses are accepted.
    ///     For `drop@example.com` the server closes the connection, and for `slow@example.com` it waits for a minute.
    public static func with<Result>(
        _ mode: SecurityMode = .plain, user: (name: String, password: String)? = nil, responses: [String: String] = [:],
        isolation: isolated (any Actor)? = #isolation, _ body: (MailCatcher, RestartableServer) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryFolder { folder in
            let port = try FreePort.find()
            let authority = try await TestAuthority("mail-authority", in: folder)
            let issued = try await authority.issue("mail", names: "DNS:localhost,IP:127.0.0.1")
            try Data(program.utf8).write(to: folder.appendingPathComponent("server.py"))
            try JSONEncoder().encode(responses).write(to: folder.appendingPathComponent("replies.json"))
            let launch = ServerProcess.Launch(
                "/usr/bin/python3",
                [
                    "server.py", String(port), mode.rawValue, issued.certificate, issued.key, user?.name ?? "",
                    user?.password ?? "",
                ], in: folder, until: .listening(port))
            return try await withRestartableServer(launch) {
                try await body(MailCatcher(port: port, authority: authority.certificate, folder: folder), $0)
            }
        }
    }

    /// Returns the received messages in order.
    public func caught() throws -> [CaughtMessage] {
        guard let text = try? String(contentsOf: folder.appendingPathComponent("caught"), encoding: .utf8) else {
            return []
        }
        // The last line may be incomplete.
        return try text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
            try JSONDecoder().decode(CaughtMessage.self, from: Data($0.utf8))
        }
    }

    /// Waits for a number of messages.
    public func caught(atLeast count: Int) async throws -> [CaughtMessage] {
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
        replies = json.load(open('replies.json'))

        class Handler:
            async def handle_RCPT(self, server, session, envelope, address, options):
                if address == 'drop@example.com':
                    server.transport.close()
                if address == 'slow@example.com':
                    await asyncio.sleep(60)
                if address in replies:
                    return replies[address]
                envelope.rcpt_tos.append(address)
                return '250 2.1.5 OK'
            async def handle_DATA(self, server, session, envelope):
                with open('caught', 'a') as file:
                    file.write(json.dumps({
                        'from': envelope.mail_from, 'to': envelope.rcpt_tos,
                        'message': envelope.original_content.decode('latin-1'),
                        'encrypted': session.ssl is not None or manner == 'tls',
                        'user': session.auth_data.login.decode() if session.authenticated else None}) + '\\n')
                return '250 2.0.0 Stored'

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
