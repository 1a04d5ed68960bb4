import Foundation
import TestSupport
import Testing

@Suite("gatefold mail", .timeLimit(.minutes(5)))
struct MailCommandTests {
    private func send(
        to address: String, _ mail: String, in folder: URL
    ) async throws -> CommandRun {
        let files = [
            "pseudonyms": "vS3nq0sYb2uT7kDx", "daily": "Kq7wN2vR8tYx4mZp", "password": "s3cret-of-mail",
            "gatefold.yaml": """
            state: {path: state.sqlite, pseudonym_secret: {file: pseudonyms}}
            backends: {house: {kind: sqlite, path: house.sqlite}}
            publications: {daily: {backend: house, secrets: {file: daily}}}
            \(mail)
            """,
        ]
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        return try await GatefoldProgram.run(["mail", "send-test", address], in: folder)
    }

    @Test("`send-test` sends one message and prints the server's response")
    func sends() async throws {
        try await MailCatcher.with(
            .upgraded, user: ("gatefold", "s3cret-of-mail"),
            responses: ["gone@example.com": "550 5.1.1 Nobody of that name"]
        ) { catcher, server in
            try await withTemporaryFolder { folder in
                let mail = """
                    mail:
                      server: smtp://localhost:\(catcher.port)
                      from: The Daily <news@daily.example>
                      tls: required
                      ca: \(catcher.authority)
                      user: gatefold
                      password: {file: password}
                    """
                let sent = try await send(to: "ada@example.com", mail, in: folder)
                #expect(sent.status == 0, "\(sent.errors)")
                #expect(sent.output == "Accepted by the mail server: 250 2.0.0 Stored\n")
                let caught = try #require(try catcher.caught().first)
                #expect(caught.to == ["ada@example.com"] && caught.isEncrypted)

                let rejected = try await send(to: "gone@example.com", mail, in: folder)
                #expect(rejected.status == 1)
                #expect(rejected.errors.contains("550 5.1.1 Nobody of that name"))
                let audited = try await GatefoldProgram.run(["audit", "list"], in: folder)
                #expect(audited.lines.count == 4 && !audited.output.contains("example.com"), "\(audited)")
                #expect(audited.output.contains("mail.send-test\tidentifier:"), "\(audited)")
                await server.stop(SIGKILL)
                let unreachable = try await send(to: "ada@example.com", mail, in: folder)
                #expect(unreachable.status == 69)
                #expect(unreachable.errors == "gatefold: the mail server cannot be reached\n")
                let wrong = try await send(to: "nobody", mail, in: folder)
                #expect(wrong.status == 64)
                let none = try await send(to: "ada@example.com", "", in: folder)
                #expect(none.status == 78)
                for run in [sent, rejected, unreachable, wrong, none] {
                    #expect(!"\(run.output)\(run.errors)".contains("s3cret-of-mail"))
                }
            }
        }
    }
}
