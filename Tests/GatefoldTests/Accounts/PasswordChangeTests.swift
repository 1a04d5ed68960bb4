import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("A reader who changes the password") struct PasswordChangeTests {
    @Test("stays signed in on this device and is signed out on all others, also at the gate")
    func others() async throws {
        let rig = AccountRig()
        let tablet = try await rig.register(device: "tablet")
        let phone = try #require(try await rig.signIn(device: "phone"))
        let web = try #require(try await rig.signIn())
        let pairs = (try await rig.pair(tablet), try await rig.pair(phone), try await rig.pair(web))
        rig.clock.advance(by: 60)
        try await rig.change(phone)
        #expect(rig.isGood(phone) && !rig.isGood(tablet) && !rig.isGood(web))
        #expect(try rig.opensGate(pairs.1))
        #expect(try !rig.opensGate(pairs.0))
        #expect(try !rig.opensGate(pairs.2))
        #expect(try await rig.proxy.renew(token: phone, Inquiry()).token != nil)
        #expect(try await rig.proxy.renew(token: tablet, Inquiry()).token == nil)
        #expect(try await rig.signIn() == nil)
        // At once, and on a device that was signed out.
        let again = try #require(try await rig.signIn(AccountRig.ada, "other password", device: "tablet"))
        #expect(rig.isGood(again) && rig.isGood(phone))
        #expect(try rig.opensGate(try await rig.pair(again)))
    }

    @Test("twice, on two devices, is signed in on the last alone")
    func twice() async throws {
        let rig = AccountRig()
        let phone = try await rig.register(device: "phone")
        try await rig.change(phone)
        let tablet = try #require(try await rig.signIn(AccountRig.ada, "other password", device: "tablet"))
        #expect(rig.isGood(phone) && rig.isGood(tablet))
        try await rig.change(tablet, from: "other password", to: "third password")
        #expect(!rig.isGood(phone) && rig.isGood(tablet))
        // Not brought back by one more change.
        try await rig.change(tablet, from: "third password", to: "fourth password")
        #expect(!rig.isGood(phone) && rig.isGood(tablet))
    }

    @Test("needs the present password, a good token, and a new one that may be chosen")
    func refused() async throws {
        let rig = AccountRig()
        let token = try await rig.register()
        let other = try #require(try await rig.signIn())
        await #expect(throws: AccountRefusal.wrongPassword) { try await rig.change(token, from: "a wrong one") }
        await #expect(throws: AccountRefusal.unacceptablePassword) { try await rig.change(token, to: "short") }
        await #expect(throws: AccountRefusal.notSignedIn) { try await rig.change("no token") }
        #expect(rig.isGood(other))
        let closed = AccountRig(readers: VolatileSubscribers(isSelfService: false))
        _ = try await closed.readers.register(identifier: AccountRig.ada, password: "first password")
        let there = try #require(try await closed.signIn())
        await #expect(throws: AccountRefusal.notOffered) { try await closed.change(there) }
    }

    @Test("Whoever has a token only can guess at the password no oftener than at sign-in")
    func guessing() async throws {
        let rig = AccountRig(guesses: GuessLimiter(limits: GuessLimits(perIdentifier: 4)))
        let token = try await rig.register()
        var answers: [AccountRefusal] = []
        for number in 0..<6 {
            do {
                try await rig.change(token, from: "guess number \(number)")
            } catch let refusal as AccountRefusal {
                answers.append(refusal)
            }
        }
        #expect(answers.prefix(3).allSatisfy { $0 == .wrongPassword })
        guard case .throttled = answers.last else {
            Issue.record("\(answers)")
            return
        }
    }

    @Test("Whoever signs in with the former password while it is changed is signed out, within one second, too")
    func latecomer() async throws {
        let rig = AccountRig()
        let token = try await rig.register(device: "phone")
        let thief = Kept<String?>(nil)
        rig.readers.beforeSetting { [rig] in
            let late = try await rig.signIn()
            thief.withLock { $0 = late }
        }
        try await rig.change(token)
        let late = try #require(thief.withLock { $0 })
        #expect(!rig.isGood(late) && rig.isGood(token))
    }

    @Test("Two who change it at once from the same one do not both succeed")
    func race() async throws {
        let rig = AccountRig()
        let token = try await rig.register(device: "phone")
        let other = try #require(try await rig.signIn(device: "tablet"))
        rig.readers.beforeSetting { [rig] in
            let who = Subscriber(backend: "readers", key: "1")
            let mark = try await rig.readers.passwordMark(of: who)
            _ = try await rig.readers.setPassword("a thief's password", of: who, replacing: try #require(mark))
        }
        await #expect(throws: AccountRefusal.wrongPassword) { try await rig.change(token) }
        #expect(!rig.isGood(other))
        #expect(try await rig.signIn(AccountRig.ada, "a thief's password") != nil)
    }

    @Test(
        "Where the store can not be asked nothing is changed; where the password can not be set, others sign in again")
    func halfWay() async throws {
        let broken = AccountRig(state: BrokenStateStore())
        // Without a device nothing is asked of the store.
        let token = try await broken.register()
        await #expect(throws: Unavailable.self) { try await broken.change(token) }
        #expect(try await broken.signIn() != nil)
        let rig = AccountRig()
        let phone = try await rig.register(device: "phone")
        let tablet = try #require(try await rig.signIn(device: "tablet"))
        rig.readers.breakDown("setPassword")
        await #expect(throws: Unavailable.self) { try await rig.change(phone) }
        #expect(rig.isGood(phone) && !rig.isGood(tablet))
        #expect(try await rig.signIn(device: "tablet") != nil)
        rig.readers.breakDown()
        try await rig.change(phone)
    }
}
