import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("A reader who is erased") struct AccountErasureTests {
    private func erase(
        _ rig: AccountRig, _ token: String, _ password: String = "first password"
    ) async throws -> Account? {
        try await rig.desk.erase(token: token, password: password, Inquiry())
    }

    @Test("is signed out everywhere, and leaves no account, device or subscriber behind")
    func everything() async throws {
        let state = VolatileStateStore()
        let rig = AccountRig(state: state)
        let token = try await rig.register(device: "phone")
        let other = try #require(try await rig.signIn(device: "tablet"))
        let pair = try await rig.pair(other)
        let who = ReferenceKey(.one).reference(to: try rig.subscriber(token))
        // The same reader's in another publication of the same subscriber system.
        let owner = rig.proxy.owner(of: try rig.subscriber(token))
        _ = try await rig.book.openAccount(
            of: owner, in: .weekly, uuid: "0", details: AccountDetails(identifier: AccountRig.ada), at: rig.clock.now)
        #expect(try await erase(rig, token)?.details.identifier == AccountRig.ada)
        #expect(!rig.isGood(token) && !rig.isGood(other))
        #expect(try !rig.opensGate(pair))
        #expect(await state.devices(of: who, in: .daily).isEmpty)
        #expect(rig.readers.identifiers.isEmpty)
        for publication in [PublicationID.daily, .weekly] {
            #expect(try await rig.book.accounts(in: publication, after: 0, limit: 9).isEmpty)
        }
        #expect(try await rig.signIn() == nil)
        // Whoever registers with the identifier next is somebody else.
        let next = try await rig.register()
        #expect(try rig.subscriber(next).key != "1")
        #expect(try await rig.desk.account(of: try rig.subscriber(next))?.number == 3)
    }

    @Test("has to say the password")
    func proof() async throws {
        let rig = AccountRig()
        let token = try await rig.register()
        await #expect(throws: AccountRefusal.wrongPassword) { try await erase(rig, token, "a wrong one") }
        await #expect(throws: AccountRefusal.notSignedIn) { try await erase(rig, "no token") }
        #expect(rig.isGood(token) && rig.readers.identifiers == [AccountRig.ada])
    }

    @Test("half-way is signed out, and can have the rest erased after signing in again")
    func halfWay() async throws {
        let rig = AccountRig()
        let token = try await rig.register()
        rig.readers.breakDown("erase")
        await #expect(throws: Unavailable.self) { try await erase(rig, token) }
        #expect(!rig.isGood(token))
        rig.readers.breakDown()
        _ = try await erase(rig, try #require(try await rig.signIn()))
        #expect(rig.readers.identifiers.isEmpty)
        #expect(try await rig.book.accounts(in: .daily, after: 0, limit: 9).isEmpty)
    }
}
