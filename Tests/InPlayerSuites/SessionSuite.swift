import Foundation
import InPlayer
import TestSupport
import Testing

/// What a sign-out, a new password and an erasure do to the sessions on other devices.
@Suite("A session on another device", .serialized) struct SessionSuite {
    @Test("outlives a sign-out, which ends the one that asks for it, with its refresh token")
    func signOut() async throws {
        try await Newsstand.served { stand in
            let phone = try await stand.registered()
            let kept = MemorySessionStorage()
            let tablet = try await stand.signedIn(Newsstand.ada.password, kept)
            let before = try #require(kept.load())
            try await tablet.accounts.signOut()
            #expect(kept.load() == nil)
            #expect(try await phone.accounts.current().email == "ada@example.com")
            let thief = try stand.device(MemorySessionStorage(before))
            await expectOver("its tokens are of no more use") { _ = try await thief.accounts.current() }
            let renewing = try stand.device()
            let refused = await fault {
                try await renewing.accounts.signIn(refreshToken: try #require(before.refreshToken))
            }
            #expect(refused?.status == 401)
        }
    }

    @Test("ends with a change of the password, and the one that asks for it lives on")
    func changedPassword() async throws {
        try await Newsstand.served { stand in
            let phone = try await stand.registered()
            let tablet = try await stand.signedIn()
            #expect(
                await fault { try await phone.accounts.changePassword(from: "wrong", to: "difference engine") }?.status
                    == 422)
            _ = try await tablet.accounts.current()
            try await phone.accounts.changePassword(from: Newsstand.ada.password, to: "difference engine")
            await expectOver("the tablet's") { _ = try await tablet.accounts.current() }
            #expect(try await phone.accounts.current().email == "ada@example.com")
            let refresh = try #require(try await phone.session?.refreshToken)
            #expect(try await stand.device().accounts.signIn(refreshToken: refresh).account != nil)
            let old = try stand.device()
            #expect(
                await fault { try await old.accounts.signIn(Newsstand.ada.email, password: Newsstand.ada.password) }
                    != nil)
            _ = try await stand.signedIn("difference engine").accounts.current()
        }
    }

    @Test("ends with a password that was set by the token from a mail, and so does every other")
    func forgottenPassword() async throws {
        try await Newsstand.served { stand in
            let phone = try await stand.registered()
            let tablet = try await stand.signedIn()
            let nobody = try stand.device()
            try await nobody.accounts.requestForgotPasswordToken(email: "nobody@example.com")
            try await nobody.accounts.requestForgotPasswordToken(email: Newsstand.ada.email)
            let letter = try await stand.letter(1)
            #expect(try stand.mail.caught().map(\.to) == [[Newsstand.ada.email]])
            let token = String(try #require(letter.firstMatch(of: /\r\n([A-Za-z0-9_\-]{20,})\r\n/)).1)
            #expect(
                await fault { try await nobody.accounts.setNewPassword("difference engine", token: token + "x") } != nil
            )
            #expect(await fault { try await nobody.accounts.setNewPassword("short", token: token) }?.status == 422)
            _ = try await phone.accounts.current()
            try await nobody.accounts.setNewPassword("difference engine", token: token)
            await expectOver("the phone's") { _ = try await phone.accounts.current() }
            await expectOver("the tablet's") { _ = try await tablet.accounts.current() }
            #expect(
                await fault { try await nobody.accounts.setNewPassword("another engine", token: token) } != nil, "once")
            _ = try await stand.signedIn("difference engine").accounts.current()
        }
    }

    @Test("ends with the account's erasure, of which nothing remains")
    func erasure() async throws {
        try await Newsstand.served { stand in
            let phone = try await stand.registered()
            let tablet = try await stand.signedIn()
            let uuid = try await phone.accounts.current().uuid
            let item = Newsstand.item(2)
            try await phone.payments.validate(
                try await stand.receipt(Newsstand.month(2), "3001"), for: .fee(item: item, accessFee: Newsstand.fee))
            #expect(try await tablet.assets.accessIfAny(to: item) != nil)
            #expect(await fault { try await phone.accounts.erase(password: "wrong") }?.status == 422)
            try await phone.accounts.erase(password: Newsstand.ada.password)
            #expect(try await phone.session == nil)
            await expectOver("the tablet's") { _ = try await tablet.accounts.current() }
            #expect(try await stand.count("SELECT count(*) FROM account", in: "state") == 0)
            #expect(try await stand.count("SELECT count(*) FROM subscriber", in: "house") == 0)
            let gone = try stand.device()
            #expect(
                await fault { try await gone.accounts.signIn(Newsstand.ada.email, password: Newsstand.ada.password) }
                    != nil)
            // Who registers anew is somebody new, who has bought nothing.
            let again = try await stand.registered()
            #expect(try await again.accounts.current().uuid != uuid)
            #expect(try await again.assets.accessIfAny(to: item) == nil)
            #expect(try await again.assets.accessHistory().items.isEmpty)
        }
    }
}
