import Accounts
import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Registration") struct RegistrationTests {
    @Test("Signs the reader in and stores the account details")
    func registered() async throws {
        let harness = AccountHarness()
        let details = AccountDetails(
            identifier: " Ada@Example.com", fullName: "Ada", dateOfBirth: "1815-12-10", referrer: "app",
            metadata: ["city": "London"])
        let token = try await harness.accountService.register(
            details, password: "first password", harness.context(" Ada@Example.com"))
        let account = try #require(try await harness.accountService.account(of: try harness.subscriber(token)))
        var stored = details
        stored.identifier = AccountHarness.ada
        #expect(account.details == stored && account.number == 1)
        #expect(
            account.uuid.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
        #expect(harness.readers.identifiers == [AccountHarness.ada])
        #expect(try await harness.signIn() != nil)
    }

    @Test("Rejects a taken identifier in any spelling and keeps the existing password")
    func taken() async throws {
        let harness = AccountHarness()
        try await harness.register()
        await #expect(throws: AccountError.identifierTaken) {
            try await harness.register("ADA@example.com ", "another one")
        }
        #expect(try await harness.signIn() != nil)
        #expect(try await harness.signIn(AccountHarness.ada, "another one") == nil)
    }

    @Test("Of 50 concurrent registrations with one identifier, exactly one succeeds")
    func race() async throws {
        let harness = AccountHarness()
        let made = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<50 {
                group.addTask { (try? await harness.register(AccountHarness.ada, "password \(number)")) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(made == 1)
        #expect(try await harness.accountStore.accounts(in: .daily, after: 0, limit: 9).count == 1)
    }

    @Test("Rejects unacceptable details, and an identifier or password that differs from the sign-in fields")
    func mismatch() async throws {
        let harness = AccountHarness()
        await #expect(throws: AccountError.invalidField(.identifier)) {
            try await harness.accountService.register(
                AccountDetails(identifier: "bob@example.com"), password: "first password", harness.context())
        }
        await #expect(throws: AccountError.invalidField(.identifier)) {
            try await harness.accountService.register(
                AccountDetails(identifier: AccountHarness.ada), password: "other password", harness.context())
        }
        let long = String(repeating: "a", count: AccountDetails.maxTextLength + 1)
        let cases: [(AccountDetails.Field, AccountDetails)] = [
            (.identifier, AccountDetails(identifier: long)),
            (.fullName, AccountDetails(identifier: AccountHarness.ada, fullName: "A\u{0}")),
            (.fullName, AccountDetails(identifier: AccountHarness.ada, fullName: "A\r\nB")),
            (.fullName, AccountDetails(identifier: AccountHarness.ada, fullName: long)),
            (.dateOfBirth, AccountDetails(identifier: AccountHarness.ada, dateOfBirth: "\u{7F}")),
            (.referrer, AccountDetails(identifier: AccountHarness.ada, referrer: long)),
            (
                .metadata("b"),
                AccountDetails(identifier: AccountHarness.ada, metadata: ["a": "", "b": "\n", "c": "\n"])
            ),
            (.metadata(nil), AccountDetails(identifier: AccountHarness.ada, metadata: ["a\n": ""])),
            (
                .metadata(nil),
                AccountDetails(
                    identifier: AccountHarness.ada,
                    metadata: Dictionary(
                        uniqueKeysWithValues: (0...AccountDetails.maxMetadataEntries).map { ("\($0)", "") }))
            ),
        ]
        for (field, details) in cases {
            #expect(details.invalidField == field && !details.isAcceptable)
            await #expect(throws: AccountError.invalidField(field)) {
                try await harness.accountService.register(details, password: "first password", harness.context())
            }
        }
        for password in ["short", long, "first\rpassword"] {
            await #expect(throws: AccountError.unacceptablePassword) {
                try await harness.register(AccountHarness.ada, password)
            }
        }
        #expect(harness.readers.identifiers.isEmpty)
    }

    @Test("Rejects registration where readers are managed elsewhere and where the address exceeded the limit")
    func rejected() async throws {
        let closed = AccountHarness(readers: InMemorySubscribers(isSelfService: false))
        #expect(!closed.accountService.hasRegistry)
        await #expect(throws: AccountError.notOffered) { try await closed.register() }
        let limits = LoginThrottleLimits(perAddress: 3)
        let harness = AccountHarness(registrationThrottle: LoginThrottle(limits: limits))
        try await harness.register()
        // A search for taken identifiers counts against the address like wrong passwords.
        for _ in 0..<2 {
            await #expect(throws: AccountError.identifierTaken) {
                try await harness.register(AccountHarness.ada, "a guess or so")
            }
        }
        let rejection = await #expect(throws: AccountError.self) { try await harness.register("bob@example.com") }
        guard case .throttled(let wait) = rejection else {
            Issue.record("\(String(describing: rejection))")
            return
        }
        #expect(wait > 0)
        // Other readers at the address are not locked out.
        #expect(try await harness.signIn() != nil)
        #expect(harness.readers.identifiers == [AccountHarness.ada])
    }

    @Test("A sign-in opens the account that could not be stored at registration")
    func halfWay() async throws {
        let harness = AccountHarness()
        await harness.accountStore.startOutage()
        await #expect(throws: Unavailable.self) { try await harness.register() }
        await harness.accountStore.recover()
        let token = try #require(try await harness.signIn())
        let subscriber = try harness.subscriber(token)
        #expect(try await harness.accountService.account(of: subscriber) == nil)
        #expect(try await harness.accountService.account(of: subscriber, identifier: AccountHarness.ada).number == 1)
        let down = AccountHarness()
        down.readers.startOutage("register")
        await #expect(throws: Unavailable.self) { try await down.register() }
    }

    @Test("Updates the details of the account but never the identifier")
    func details() async throws {
        let harness = AccountHarness()
        let subscriber = try harness.subscriber(try await harness.register())
        let changed = try await harness.accountService.change(
            AccountDetails(identifier: "bob@example.com", fullName: "Ada"), of: subscriber)
        #expect(changed?.details == AccountDetails(identifier: AccountHarness.ada, fullName: "Ada"))
        #expect(
            try await harness.accountService.change(AccountDetails(identifier: "", fullName: "\n"), of: subscriber)
                == nil)
        let unknownDevice = Subscriber(backend: "readers", key: "9")
        #expect(try await harness.accountService.change(AccountDetails(identifier: "x"), of: unknownDevice) == nil)
    }

    @Test("The account takes its identifier from the registry, in any spelling typed at registration or sign-in")
    func knownIdentifier() async throws {
        let harness = AccountHarness()
        let subscriber = try harness.subscriber(try await harness.register(" Ada@EXAMPLE.com "))
        #expect(try await harness.accountService.account(of: subscriber)?.details.identifier == AccountHarness.ada)
        for typed in [" ADA@EXAMPLE.COM ", "\u{C1}da@example.com", "mallory@example.com"] {
            let account = try await harness.accountService.account(of: subscriber, identifier: typed)
            #expect(account.details.identifier == AccountHarness.ada, "\(typed)")
            #expect(try await harness.accountService.account(of: subscriber) == account)
        }
    }

    @Test("Without a registry, the identifier is stable across look-alike spellings and follows a changed one")
    func rawIdentifier() async throws {
        let harness = AccountHarness(readers: InMemorySubscribers(isSelfService: false))
        let subscriber = Subscriber(backend: "readers", key: "1")
        func identifier(signingInAs typed: String) async throws -> String {
            try await harness.accountService.account(of: subscriber, identifier: typed).details.identifier
        }
        #expect(try await identifier(signingInAs: " ADA@EXAMPLE.COM ") == AccountHarness.ada)
        for alike in [
            "Ada@Example.com", "\u{E1}da@example.com", "a\u{301}da@example.com", "\u{FF21}DA@example.com",
            "ad\u{AD}a@example.com", "ada@example.com\u{A0}",
        ] {
            #expect(try await identifier(signingInAs: alike) == AccountHarness.ada, "\(alike.debugDescription)")
        }
        // The identifier was changed in the subscriber system.
        #expect(try await identifier(signingInAs: "Ada@New.example ") == "ada@new.example")
    }
}
