import Accounts
import Foundation
import Gatefold
import Primitives

extension FuzzedTenant {
    /// The running publication for targets whose parsers respond in its name.
    static let authorizationService = AuthorizationService(
        publication: Publication(
            id: id, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
            rule: EntitlementRule(policy: .accessBased), messages: Messages(["de": [.active: "Willkommen"]])),
        backend: FakeSubscriberBackend(), tokens: codec, editionSecrets: secrets, state: NoStore(),
        revocations: revocations,
        loginThrottle: UnlimitedLoginAttempts(), pseudonymKey: pseudonymKey, clock: WallClock { FuzzedTenant.now },
        random: random)
}

/// The subscriber backend of ``FuzzedTenant/subscriber``: grants everything to every reader.
private struct FakeSubscriberBackend: SubscriberBackend {
    let name = "house"

    func authenticate(_ credentials: Credentials, context: CallContext) -> Fetched<AuthenticationResult> {
        .authenticated(FuzzedTenant.subscriber)
    }

    func subscription(of subscriber: Subscriber, context: CallContext) -> Fetched<Subscription> {
        Fetched(Subscription(state: .active, entitlement: .allEditions))
    }
}

/// An empty store that no parser queries.
struct NoStore: SessionStore, AccountStore, ItemNumberStore {
    private struct Unused: Error {}

    func admit(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID,
        limit: DeviceLimit, at timestamp: Date
    ) throws -> DeviceRegistration { throw Unused() }

    func devices(of subscriber: SubscriberPseudonym, in publication: PublicationID) throws -> [Device] {
        throw Unused()
    }

    func touch(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID, at timestamp: Date
    ) throws { throw Unused() }

    func remove(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID,
        usedUntil timestamp: Date
    ) throws { throw Unused() }

    func record(_ revocation: Revocation) throws { throw Unused() }

    func revocations(after position: ChangePosition, limit: Int) throws -> RevocationPage { throw Unused() }

    func revocations(numbered sequences: [Int64]) throws -> RevocationPage { throw Unused() }

    func recordKnownDevice(_ digest: [UInt8], of identifier: [UInt8]) throws -> Bool { throw Unused() }

    func isKnownDevice(_ digest: [UInt8]) throws -> Bool { throw Unused() }

    func account(of owner: PurchaseOwner, in publication: PublicationID) throws -> Account? { throw Unused() }

    func openAccount(
        of owner: PurchaseOwner, in publication: PublicationID, uuid: String, details: AccountDetails,
        at timestamp: Date
    ) throws -> Account { throw Unused() }

    func change(
        _ details: AccountDetails, of owner: PurchaseOwner, in publication: PublicationID, at timestamp: Date
    ) throws -> Account? { throw Unused() }

    func eraseAccount(of owner: PurchaseOwner, in publication: PublicationID) throws -> Bool { throw Unused() }

    func eraseAccounts(of owner: PurchaseOwner) throws -> Int { throw Unused() }

    func accounts(of owners: [PurchaseOwner], in publication: PublicationID) throws -> [Account] { throw Unused() }

    func accounts(identifiedBy identifier: String, in publication: PublicationID) throws -> [Account] {
        throw Unused()
    }

    func accounts(in publication: PublicationID, after number: Int64, limit: Int) throws -> [Account] {
        throw Unused()
    }

    func itemNumbers(of names: [String], in publication: PublicationID) throws -> [String: Int64] { throw Unused() }

    func itemName(numbered number: Int64, in publication: PublicationID) throws -> String? { throw Unused() }
}
