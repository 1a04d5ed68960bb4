import Accounts
import Foundation
import InPlayer
import TestSupport
import Testing

/// Checks the library's account calls against the program (InPlayer protocol, “Account calls”).
@Suite("Account at our own front door", .serialized) struct AccountSuite {
    @Test("is registered with the merchant's fields, and signed in to with its password")
    func registers() async throws {
        try await InPlayerSuiteHarness.served { newsstand in
            let device = try newsstand.device()
            let fields = try await device.accounts.registrationFields()
            #expect(fields.map(\.name) == ["city"] && fields.first?.kind == .select)
            #expect(fields.first?.options == ["london": "London", "paris": "Paris"])
            let social = try await device.accounts.socialURLs(redirect: "app://in")
            #expect(social["facebook"]?.hasPrefix("https://login.example.com/facebook?state=ey") == true)
            let account = try await device.accounts.create(InPlayerSuiteHarness.ada)
            #expect(account.fullName == "Ada Lovelace" && account.email == "ada@example.com")
            #expect(account.metadata["city"] == "london" && account.merchantUUID == InPlayerSuiteHarness.merchant)
            #expect(try await device.session?.account == account)
            #expect(try await device.accounts.current().uuid == account.uuid)
            let other = try newsstand.device()
            let taken = await fault { try await other.accounts.create(InPlayerSuiteHarness.ada) }
            #expect(taken?.status == 422 && taken?.fields["username"] != nil)
            let wrong = await fault { try await other.accounts.signIn("ada@example.com", password: "wrong") }
            let unknown = await fault { try await other.accounts.signIn("bob@example.com", password: "wrong") }
            #expect(wrong?.isWithoutAccess == false && wrong == unknown)
            let session = try await other.accounts.signIn("ADA@example.com", password: "analytical engine")
            #expect(session.account?.uuid == account.uuid && session.refreshToken != nil)
            #expect(try #require(session.expires) > .now)
            let again = try newsstand.device()
            let byToken = try await again.accounts.signIn(refreshToken: try #require(session.refreshToken))
            #expect(byToken.account?.uuid == account.uuid)
            let program = await fault { _ = try await other.accounts.signIn(clientSecret: "nobody's") }
            #expect(program?.status == 422)
        }
    }

    @Test("is updated by its reader, exported by e-mail, and verified by a PIN")
    func changes() async throws {
        try await InPlayerSuiteHarness.served { newsstand in
            let device = try await newsstand.registered()
            let changed = try await device.accounts.update(
                AccountUpdate(fullName: "Ada King", metadata: ["city": "paris"], dateOfBirth: "1815-12-10"))
            #expect(changed.fullName == "Ada King" && changed.dateOfBirth == "1815-12-10")
            let other = try await newsstand.signedIn()
            #expect(try await other.accounts.current().metadata == ["city": "paris"])
            let rejected = await fault { try await device.accounts.exportData(password: "wrong") }
            #expect(rejected?.status == 422)
            try await device.accounts.exportData(password: "analytical engine")
            let export = try await newsstand.emailText(1)
            #expect(export.contains("Ada King") && export.contains("1815-12-10"))
            try await device.accounts.sendPIN()
            let code = try #require(try await newsstand.emailText(2).firstMatch(of: /code is ([0-9]{6})/)).1
            let wrong = code == "000000" ? "000001" : "000000"
            #expect(await fault { try await device.accounts.validatePIN(wrong) }?.status == 422)
            try await device.accounts.validatePIN(String(code))
            #expect(
                await fault { try await device.accounts.validatePIN(String(code)) }?.status == 422,
                "a PIN works only once")
        }
    }

    @Test(
        "has an expired or rejected token renewed once for five hundred parallel calls",
        arguments: [true, false])
    func renewal(hasEnded: Bool) async throws {
        try await InPlayerSuiteHarness.served { newsstand in
            let storage = InMemorySessionStorage()
            _ = try await newsstand.registered(storage)
            var session = try #require(storage.load())
            // The app renews first if it knows that the token has expired; otherwise the service rejects the token.
            if hasEnded { session.expires = .now.addingTimeInterval(-60) } else { session.accessToken += "x" }
            storage.save(session)
            let transport = CountedTransport()
            let device = try newsstand.device(storage, transport: transport)
            try await withThrowingTaskGroup(of: Account.self) { group in
                for _ in 0..<500 { group.addTask { try await device.accounts.current() } }
                for try await account in group { #expect(account.email == "ada@example.com") }
            }
            #expect(transport.renewals == 1)
        }
    }
}
