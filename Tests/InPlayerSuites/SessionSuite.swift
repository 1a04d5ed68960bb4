import Foundation
import InPlayer
import TestSupport
import Testing

/// Checks how a sign-out, a new password and an erasure affect sessions on other devices.
@Suite("Session on another device", .serialized) struct SessionSuite {
    @Test("survives a sign-out, which ends only its own session and refresh token")
    func signOut() async throws {
        try await InPlayerSuiteHarness.served { newsstand in
            let phone = try await newsstand.registered()
            let stored = InMemorySessionStorage()
            let tablet = try await newsstand.signedIn(InPlayerSuiteHarness.ada.password, stored)
            let before = try #require(stored.load())
            try await tablet.accounts.signOut()
            #expect(stored.load() == nil)
            #expect(try await phone.accounts.current().email == "ada@example.com")
            let thief = try newsstand.device(InMemorySessionStorage(before))
            await expectExpired("the ended session's tokens are rejected") { _ = try await thief.accounts.current() }
            let renewing = try newsstand.device()
            let rejected = await fault {
                try await renewing.accounts.signIn(refreshToken: try #require(before.refreshToken))
            }
            #expect(rejected?.status == 401)
        }
    }

    @Test("ends with a password change, while the session that changed it continues")
    func changedPassword() async throws {
        try await InPlayerSuiteHarness.served { newsstand in
            let phone = try await newsstand.registered()
            let tablet = try await newsstand.signedIn()
            #expect(
                await fault { try await phone.accounts.changePassword(from: "wrong", to: "difference engine") }?.status
                    == 422)
            _ = try await tablet.accounts.current()
            try await phone.accounts.changePassword(from: InPlayerSuiteHarness.ada.password, to: "difference engine")
            await expectExpired("the tablet's") { _ = try await tablet.accounts.current() }
            #expect(try await phone.accounts.current().email == "ada@example.com")
            let refresh = try #require(try await phone.session?.refreshToken)
            #expect(try await newsstand.device().accounts.signIn(refreshToken: refresh).account != nil)
            let old = try newsstand.device()
            #expect(
                await fault {
                    try await old.accounts.signIn(
                        InPlayerSuiteHarness.ada.email, password: InPlayerSuiteHarness.ada.password)
                }
                    != nil)
            _ = try await newsstand.signedIn("difference engine").accounts.current()
        }
    }

    @Test("ends with a password reset by a mailed token, and so does every other session")
    func forgottenPassword() async throws {
        try await InPlayerSuiteHarness.served { newsstand in
            let phone = try await newsstand.registered()
            let tablet = try await newsstand.signedIn()
            let nobody = try newsstand.device()
            try await nobody.accounts.requestForgotPasswordToken(email: "nobody@example.com")
            try await nobody.accounts.requestForgotPasswordToken(email: InPlayerSuiteHarness.ada.email)
            let emailText = try await newsstand.emailText(1)
            #expect(try newsstand.mail.caught().map(\.to) == [[InPlayerSuiteHarness.ada.email]])
            let token = String(try #require(emailText.firstMatch(of: /\r\n([A-Za-z0-9_\-]{20,})\r\n/)).1)
            #expect(
                await fault { try await nobody.accounts.setNewPassword("difference engine", token: token + "x") } != nil
            )
            #expect(await fault { try await nobody.accounts.setNewPassword("short", token: token) }?.status == 422)
            _ = try await phone.accounts.current()
            try await nobody.accounts.setNewPassword("difference engine", token: token)
            await expectExpired("the phone's") { _ = try await phone.accounts.current() }
            await expectExpired("the tablet's") { _ = try await tablet.accounts.current() }
            #expect(
                await fault { try await nobody.accounts.setNewPassword("another engine", token: token) } != nil, "once")
            _ = try await newsstand.signedIn("difference engine").accounts.current()
        }
    }

    @Test("ends with the erasure of the account, which leaves no data behind")
    func erasure() async throws {
        try await InPlayerSuiteHarness.served { newsstand in
            let phone = try await newsstand.registered()
            let tablet = try await newsstand.signedIn()
            let uuid = try await phone.accounts.current().uuid
            let item = InPlayerSuiteHarness.item(2)
            try await phone.payments.validate(
                try await newsstand.receipt(InPlayerSuiteHarness.month(2), "3001"),
                for: .fee(item: item, accessFee: InPlayerSuiteHarness.fee))
            #expect(try await tablet.assets.accessIfAny(to: item) != nil)
            #expect(await fault { try await phone.accounts.erase(password: "wrong") }?.status == 422)
            try await phone.accounts.erase(password: InPlayerSuiteHarness.ada.password)
            #expect(try await phone.session == nil)
            await expectExpired("the tablet's") { _ = try await tablet.accounts.current() }
            #expect(try await newsstand.count("SELECT count(*) FROM account", in: "state") == 0)
            #expect(try await newsstand.count("SELECT count(*) FROM subscriber", in: "house") == 0)
            let gone = try newsstand.device()
            #expect(
                await fault {
                    try await gone.accounts.signIn(
                        InPlayerSuiteHarness.ada.email, password: InPlayerSuiteHarness.ada.password)
                }
                    != nil)
            // A new registration is a new account without purchases.
            let again = try await newsstand.registered()
            #expect(try await again.accounts.current().uuid != uuid)
            #expect(try await again.assets.accessIfAny(to: item) == nil)
            #expect(try await again.assets.accessHistory().items.isEmpty)
        }
    }
}
