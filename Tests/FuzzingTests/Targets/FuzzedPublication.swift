import Foundation
import Gatefold

extension FuzzedTenant {
    /// The publication at work, for targets whose parsers answer in its name.
    static let proxy = PublicationProxy(
        publication: Publication(
            id: id, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
            rule: EntitlementRule(policy: .accessBased), messages: Messages(["de": [.active: "Willkommen"]])),
        backend: House(), tokens: codec, editionSecrets: secrets, state: NoStore(), revocations: revocations,
        guesses: UnlimitedGuesses(), references: references, clock: WallClock { FuzzedTenant.now }, random: random)
}

/// The subscriber system of ``FuzzedTenant/subscriber``: everybody has everything, and that is remembered.
private struct House: SubscriberBackend {
    let name = "house"

    func recognise(_ credentials: Credentials, inquiry: Inquiry) -> Recognition {
        .recognised(FuzzedTenant.subscriber)
    }

    func subscription(of subscriber: Subscriber, inquiry: Inquiry) -> Subscription {
        Subscription(state: .active, entitlement: .allEditions)
    }

    func rememberedSubscription(of subscriber: Subscriber, inquiry: Inquiry) -> Remembered<Subscription>? {
        Remembered(subscription(of: subscriber, inquiry: inquiry))
    }

    func rememberedVerdict(
        on edition: EditionID, for subscriber: Subscriber, inquiry: Inquiry
    ) -> Remembered<RememberedVerdict>? { Remembered(RememberedVerdict.none) }
}

/// Keeps nothing, and knows of nothing: no parser asks it.
struct NoStore: SessionStore, AccountBook {
    private struct Unused: Error {}

    func admit(
        _ device: DeviceReference, of subscriber: SubscriberReference, in publication: PublicationID,
        limit: DeviceLimit, at moment: Date
    ) throws -> DeviceRegistration { throw Unused() }

    func devices(of subscriber: SubscriberReference, in publication: PublicationID) throws -> [Device] {
        throw Unused()
    }

    func touch(
        _ device: DeviceReference, of subscriber: SubscriberReference, in publication: PublicationID, at moment: Date
    ) throws { throw Unused() }

    func remove(
        _ device: DeviceReference, of subscriber: SubscriberReference, in publication: PublicationID
    ) throws { throw Unused() }

    func record(_ revocation: Revocation) throws { throw Unused() }

    func note(_ bounds: TokenBounds, of publication: PublicationID) throws { throw Unused() }

    func revocations(after sequence: Int64, limit: Int) throws -> RevocationPage { throw Unused() }

    func maintain() throws -> [PublicationID: Date] { throw Unused() }

    func rememberAcquaintance(_ digest: [UInt8], of identifier: [UInt8]) throws { throw Unused() }

    func isAcquainted(_ digest: [UInt8]) throws -> Bool { throw Unused() }

    func health() throws { throw Unused() }

    func account(of owner: PurchaseOwner, in publication: PublicationID) throws -> Account? { throw Unused() }

    func openAccount(
        of owner: PurchaseOwner, in publication: PublicationID, uuid: String, details: AccountDetails, at moment: Date
    ) throws -> Account { throw Unused() }

    func change(
        _ details: AccountDetails, of owner: PurchaseOwner, in publication: PublicationID, at moment: Date
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
