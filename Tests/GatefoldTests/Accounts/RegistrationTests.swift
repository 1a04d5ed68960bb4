import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("A reader who registers") struct RegistrationTests {
    @Test("is signed in, and has an account with what they said of themselves")
    func registered() async throws {
        let rig = AccountRig()
        let details = AccountDetails(
            identifier: " Ada@Example.com", fullName: "Ada", dateOfBirth: "1815-12-10", referrer: "app",
            metadata: ["city": "London"])
        let token = try await rig.desk.register(
            details, password: "first password", rig.inquiry(" Ada@Example.com"))
        let account = try #require(try await rig.desk.account(of: try rig.subscriber(token)))
        var kept = details
        kept.identifier = AccountRig.ada
        #expect(account.details == kept && account.number == 1)
        #expect(
            account.uuid.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
        #expect(rig.readers.identifiers == [AccountRig.ada])
        #expect(try await rig.signIn() != nil)
    }

    @Test("is told that the identifier is taken, in whatever form, and the other's password stays")
    func taken() async throws {
        let rig = AccountRig()
        try await rig.register()
        await #expect(throws: AccountRefusal.identifierTaken) {
            try await rig.register("ADA@example.com ", "another one")
        }
        #expect(try await rig.signIn() != nil)
        #expect(try await rig.signIn(AccountRig.ada, "another one") == nil)
    }

    @Test("Of many who register at once with one identifier one does")
    func race() async throws {
        let rig = AccountRig()
        let made = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<50 {
                group.addTask { (try? await rig.register(AccountRig.ada, "password \(number)")) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(made == 1)
        #expect(try await rig.book.accounts(in: .daily, after: 0, limit: 9).count == 1)
    }

    @Test("is refused where the details name another identifier or password than the sign-in does")
    func mismatch() async throws {
        let rig = AccountRig()
        await #expect(throws: AccountRefusal.unacceptable(.identifier)) {
            try await rig.desk.register(
                AccountDetails(identifier: "bob@example.com"), password: "first password", rig.inquiry())
        }
        await #expect(throws: AccountRefusal.unacceptable(.identifier)) {
            try await rig.desk.register(
                AccountDetails(identifier: AccountRig.ada), password: "other password", rig.inquiry())
        }
        let long = String(repeating: "a", count: AccountDetails.longestText + 1)
        let cases: [(AccountDetails.Field, AccountDetails)] = [
            (.identifier, AccountDetails(identifier: long)),
            (.fullName, AccountDetails(identifier: AccountRig.ada, fullName: "A\u{0}")),
            (.fullName, AccountDetails(identifier: AccountRig.ada, fullName: "A\r\nB")),
            (.fullName, AccountDetails(identifier: AccountRig.ada, fullName: long)),
            (.dateOfBirth, AccountDetails(identifier: AccountRig.ada, dateOfBirth: "\u{7F}")),
            (.referrer, AccountDetails(identifier: AccountRig.ada, referrer: long)),
            (.metadata("b"), AccountDetails(identifier: AccountRig.ada, metadata: ["a": "", "b": "\n", "c": "\n"])),
            (.metadata(nil), AccountDetails(identifier: AccountRig.ada, metadata: ["a\n": ""])),
            (
                .metadata(nil),
                AccountDetails(
                    identifier: AccountRig.ada,
                    metadata: Dictionary(uniqueKeysWithValues: (0...AccountDetails.mostMetadata).map { ("\($0)", "") }))
            ),
        ]
        for (field, details) in cases {
            #expect(details.unacceptable == field && !details.isAcceptable)
            await #expect(throws: AccountRefusal.unacceptable(field)) {
                try await rig.desk.register(details, password: "first password", rig.inquiry())
            }
        }
        for password in ["short", long, "first\rpassword"] {
            await #expect(throws: AccountRefusal.unacceptablePassword) {
                try await rig.register(AccountRig.ada, password)
            }
        }
        #expect(rig.readers.identifiers.isEmpty)
    }

    @Test("is refused where readers are managed elsewhere, and where the address tried too often")
    func refused() async throws {
        let closed = AccountRig(readers: VolatileSubscribers(isSelfService: false))
        #expect(!closed.desk.hasRegistry)
        await #expect(throws: AccountRefusal.notOffered) { try await closed.register() }
        let limits = GuessLimits(perAddress: 3)
        let rig = AccountRig(errands: GuessLimiter(limits: limits))
        try await rig.register()
        // Looking for identifiers that are taken costs an address what wrong guesses do.
        for _ in 0..<2 {
            await #expect(throws: AccountRefusal.identifierTaken) {
                try await rig.register(AccountRig.ada, "a guess or so")
            }
        }
        let refusal = await #expect(throws: AccountRefusal.self) { try await rig.register("bob@example.com") }
        guard case .throttled(let wait) = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(wait > 0)
        // Nobody else at the address is kept out by it.
        #expect(try await rig.signIn() != nil)
        #expect(rig.readers.identifiers == [AccountRig.ada])
    }

    @Test("can sign in where the account could not be written down, and gets it then")
    func halfWay() async throws {
        let rig = AccountRig()
        await rig.book.breakDown()
        await #expect(throws: Unavailable.self) { try await rig.register() }
        await rig.book.recover()
        let token = try #require(try await rig.signIn())
        let who = try rig.subscriber(token)
        #expect(try await rig.desk.account(of: who) == nil)
        #expect(try await rig.desk.account(of: who, identifier: AccountRig.ada).number == 1)
        let down = AccountRig()
        down.readers.breakDown("register")
        await #expect(throws: Unavailable.self) { try await down.register() }
    }

    @Test("changes what they say of themselves, and never the identifier by it")
    func details() async throws {
        let rig = AccountRig()
        let who = try rig.subscriber(try await rig.register())
        let changed = try await rig.desk.change(
            AccountDetails(identifier: "bob@example.com", fullName: "Ada"), of: who)
        #expect(changed?.details == AccountDetails(identifier: AccountRig.ada, fullName: "Ada"))
        #expect(try await rig.desk.change(AccountDetails(identifier: "", fullName: "\n"), of: who) == nil)
        let stranger = Subscriber(backend: "readers", key: "9")
        #expect(try await rig.desk.change(AccountDetails(identifier: "x"), of: stranger) == nil)
    }

    @Test("have the identifier that the registry knows, whatever was typed at registration or sign-in")
    func knownIdentifier() async throws {
        let rig = AccountRig()
        let who = try rig.subscriber(try await rig.register(" Ada@EXAMPLE.com "))
        #expect(try await rig.desk.account(of: who)?.details.identifier == AccountRig.ada)
        for typed in [" ADA@EXAMPLE.COM ", "\u{C1}da@example.com", "mallory@example.com"] {
            let account = try await rig.desk.account(of: who, identifier: typed)
            #expect(account.details.identifier == AccountRig.ada, "\(typed)")
            #expect(try await rig.desk.account(of: who) == account)
        }
    }

    @Test("keep their identifier where no registry knows it, unless another one signs in as the same subscriber")
    func typedIdentifier() async throws {
        let rig = AccountRig(readers: VolatileSubscribers(isSelfService: false))
        let who = Subscriber(backend: "readers", key: "1")
        func identifier(signingInAs typed: String) async throws -> String {
            try await rig.desk.account(of: who, identifier: typed).details.identifier
        }
        #expect(try await identifier(signingInAs: " ADA@EXAMPLE.COM ") == AccountRig.ada)
        for alike in [
            "Ada@Example.com", "\u{E1}da@example.com", "a\u{301}da@example.com", "\u{FF21}DA@example.com",
            "ad\u{AD}a@example.com", "ada@example.com\u{A0}",
        ] {
            #expect(try await identifier(signingInAs: alike) == AccountRig.ada, "\(alike.debugDescription)")
        }
        // Changed in the subscriber system.
        #expect(try await identifier(signingInAs: "Ada@New.example ") == "ada@new.example")
    }
}
