import Accounts
import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Account erasure") struct AccountErasureTests {
    private func erase(
        _ harness: AccountHarness, _ token: String, _ password: String = "first password"
    ) async throws -> Account? {
        try await harness.accountService.erase(token: token, password: password, CallContext())
    }

    @Test("Erasure signs the reader out everywhere and removes the account, the devices and the subscriber")
    func everything() async throws {
        let state = InMemoryStateStore()
        let harness = AccountHarness(state: state)
        let token = try await harness.register(device: "phone")
        let other = try #require(try await harness.signIn(device: "tablet"))
        let pair = try await harness.pair(other)
        let reader = PseudonymKey(.one).reference(to: try harness.subscriber(token))
        // The account of the same reader in another publication of the same subscriber system.
        let owner = harness.authorizationService.owner(of: try harness.subscriber(token))
        _ = try await harness.accountStore.openAccount(
            of: owner, in: .weekly, uuid: "0", details: AccountDetails(identifier: AccountHarness.ada),
            at: harness.clock.now)
        #expect(try await erase(harness, token)?.details.identifier == AccountHarness.ada)
        #expect(!harness.isGood(token) && !harness.isGood(other))
        #expect(try !harness.opensGate(pair))
        #expect(await state.devices(of: reader, in: .daily).isEmpty)
        #expect(harness.readers.identifiers.isEmpty)
        for publication in [PublicationID.daily, .weekly] {
            #expect(try await harness.accountStore.accounts(in: publication, after: 0, limit: 9).isEmpty)
        }
        #expect(try await harness.signIn() == nil)
        // The next registration with the identifier creates a different subscriber.
        let next = try await harness.register()
        #expect(try harness.subscriber(next).key != "1")
        #expect(try await harness.accountService.account(of: try harness.subscriber(next))?.number == 3)
    }

    @Test("Erasure signs the reader out and removes the devices in publications that share the registry")
    func sharedRegistryPublications() async throws {
        let state = InMemoryStateStore()
        let readers = InMemorySubscribers()
        let weekly = AccountHarness(.weekly, readers: readers, state: state)
        let harness = AccountHarness(readers: readers, state: state, sharedRegistryPublications: [weekly.revocations])
        let token = try await harness.register(device: "phone")
        let other = try #require(try await weekly.signIn(device: "tablet"))
        let reader = PseudonymKey(.one).reference(to: try harness.subscriber(token))
        _ = try await erase(harness, token)
        #expect(!harness.isGood(token) && !weekly.isGood(other))
        #expect(await state.devices(of: reader, in: .weekly).isEmpty)
    }

    @Test("Erasure removes an account that a concurrent call opened in the meantime")
    func reopened() async throws {
        let harness = AccountHarness()
        let token = try await harness.register()
        let reader = try harness.subscriber(token)
        harness.readers.beforeErasing { [harness] in
            _ = try await harness.accountService.account(of: reader, identifier: AccountHarness.ada)
        }
        _ = try await erase(harness, token)
        #expect(try await harness.accountStore.accounts(in: .daily, after: 0, limit: 9).isEmpty)
    }

    @Test("Erasure fails if the purchases cannot be erased, even if the publication sells nothing itself")
    func purchases() async throws {
        // A ledger that fails shows that the erasure calls it.
        let harness = AccountHarness(ledger: BrokenLedger())
        let token = try await harness.register()
        await #expect(throws: Unavailable.self) { try await erase(harness, token) }
        #expect(harness.readers.identifiers == [AccountHarness.ada])
    }

    @Test("Erasure requires a valid token and the correct password")
    func proof() async throws {
        let harness = AccountHarness()
        let token = try await harness.register()
        await #expect(throws: AccountError.wrongPassword) { try await erase(harness, token, "a wrong one") }
        await #expect(throws: AccountError.notSignedIn) { try await erase(harness, "no token") }
        #expect(harness.isGood(token) && harness.readers.identifiers == [AccountHarness.ada])
    }

    @Test("A partial erasure signs the reader out, and a retry after the next sign-in completes it")
    func halfWay() async throws {
        let harness = AccountHarness()
        let token = try await harness.register()
        harness.readers.startOutage("erase")
        await #expect(throws: Unavailable.self) { try await erase(harness, token) }
        #expect(!harness.isGood(token))
        harness.readers.startOutage()
        _ = try await erase(harness, try #require(try await harness.signIn()))
        #expect(harness.readers.identifiers.isEmpty)
        #expect(try await harness.accountStore.accounts(in: .daily, after: 0, limit: 9).isEmpty)
    }
}
