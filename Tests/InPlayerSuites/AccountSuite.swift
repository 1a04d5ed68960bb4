import Foundation
import InPlayer
import TestSupport
import Testing

/// The library's calls for accounts, against the program (PROTOCOLS 5.2).
@Suite("An account of our own front door", .serialized) struct AccountSuite {
    @Test("is registered by what the merchant asks for, and signed in to by its password")
    func registers() async throws {
        try await Newsstand.served { stand in
            let device = try stand.device()
            let fields = try await device.accounts.registrationFields()
            #expect(fields.map(\.name) == ["city"] && fields.first?.kind == .select)
            #expect(fields.first?.options == ["london": "London", "paris": "Paris"])
            let social = try await device.accounts.socialURLs(redirect: "app://in")
            #expect(social["facebook"]?.hasPrefix("https://login.example.com/facebook?state=ey") == true)
            let account = try await device.accounts.create(Newsstand.ada)
            #expect(account.fullName == "Ada Lovelace" && account.email == "ada@example.com")
            #expect(account.metadata["city"] == "london" && account.merchantUUID == Newsstand.merchant)
            #expect(try await device.session?.account == account)
            #expect(try await device.accounts.current().uuid == account.uuid)
            let other = try stand.device()
            let taken = await fault { try await other.accounts.create(Newsstand.ada) }
            #expect(taken?.status == 422 && taken?.fields["username"] != nil)
            let wrong = await fault { try await other.accounts.signIn("ada@example.com", password: "wrong") }
            let unknown = await fault { try await other.accounts.signIn("bob@example.com", password: "wrong") }
            #expect(wrong?.isWithoutAccess == false && wrong == unknown)
            let session = try await other.accounts.signIn("ADA@example.com", password: "analytical engine")
            #expect(session.account?.uuid == account.uuid && session.refreshToken != nil)
            #expect(try #require(session.expires) > .now)
            let again = try stand.device()
            let byToken = try await again.accounts.signIn(refreshToken: try #require(session.refreshToken))
            #expect(byToken.account?.uuid == account.uuid)
            let secret = try String(
                contentsOf: stand.folder.appendingPathComponent("secrets/daily"), encoding: .utf8
            ).trimmingCharacters(in: .whitespacesAndNewlines)
            let program = try await stand.device().accounts.signIn(clientSecret: secret)
            #expect(program.account == nil && program.refreshToken == nil)
        }
    }

    @Test("is changed by its reader, who has all of it mailed, and shows by a PIN that the mailbox is theirs")
    func changes() async throws {
        try await Newsstand.served { stand in
            let device = try await stand.registered()
            let changed = try await device.accounts.update(
                AccountUpdate(fullName: "Ada King", metadata: ["city": "paris"], dateOfBirth: "1815-12-10"))
            #expect(changed.fullName == "Ada King" && changed.dateOfBirth == "1815-12-10")
            let other = try await stand.signedIn()
            #expect(try await other.accounts.current().metadata == ["city": "paris"])
            let refused = await fault { try await device.accounts.exportData(password: "wrong") }
            #expect(refused?.status == 422)
            try await device.accounts.exportData(password: "analytical engine")
            let export = try await stand.letter(1)
            #expect(export.contains("Ada King") && export.contains("1815-12-10"))
            try await device.accounts.sendPIN()
            let code = try #require(try await stand.letter(2).firstMatch(of: /code is ([0-9]{6})/)).1
            let wrong = code == "000000" ? "000001" : "000000"
            #expect(await fault { try await device.accounts.validatePIN(wrong) }?.status == 422)
            try await device.accounts.validatePIN(String(code))
            #expect(await fault { try await device.accounts.validatePIN(String(code)) }?.status == 422, "once only")
        }
    }

    @Test(
        "has its token renewed once for five hundred calls at a time, whether it has ended or is no longer taken",
        arguments: [true, false])
    func renewal(hasEnded: Bool) async throws {
        try await Newsstand.served { stand in
            let storage = MemorySessionStorage()
            _ = try await stand.registered(storage)
            var session = try #require(storage.load())
            // Where the app knows that it has ended it asks for another first; where it does not, the service says so.
            if hasEnded { session.expires = .now.addingTimeInterval(-60) } else { session.accessToken += "x" }
            storage.save(session)
            let transport = CountedTransport()
            let device = try stand.device(storage, transport: transport)
            try await withThrowingTaskGroup(of: Account.self) { group in
                for _ in 0..<500 { group.addTask { try await device.accounts.current() } }
                for try await account in group { #expect(account.email == "ada@example.com") }
            }
            #expect(transport.renewals == 1)
        }
    }
}
