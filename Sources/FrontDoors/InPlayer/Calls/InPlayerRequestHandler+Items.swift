import Accounts
import Commerce
import Foundation
import Gatefold
import HTTPTypes
import Hummingbird
import JSON

extension InPlayerRequestHandler {
    func item(_ number: String) async throws -> Response { document(try await known(number)) }

    /// Returns an item by the name of the edition, or of the product in the stores.
    func item(named name: String) async throws -> Response {
        guard let item = try await front.item(named: name) else { throw InPlayerRejection.noItem }
        return document(item)
    }

    func fees(_ number: String) async throws -> Response {
        InPlayerResponse.make(
            .array(AccessFeeDocument.values(try await known(number), front.settings, site: front.downloads)))
    }

    /// Checks whether the reader may open the item, and returns its location. No access is 402, because iOS would
    /// sign the reader out after any other denial.
    ///
    /// Source: InPlayer protocol, “No access is 402” and “Statuses 401 and 403”.
    func access(_ number: String) async throws -> Response {
        let reader = try await reader()
        let item = try await known(number)
        let content =
            switch item.kind {
            case .edition(let edition): try await content(of: edition, for: reader)
            case .subscription: try await subscribed(reader)
            }
        let account = try await account(of: reader)
        let bought = try await front.transactions(of: reader.session.subscriber)
            .filter { $0.revoked == nil && item.isSold(as: $0, by: front) }
            .max { ($0.ends ?? .distantFuture, $0.purchased) < ($1.ends ?? .distantFuture, $1.purchased) }
        return InPlayerResponse.make(
            AccessDocument.value(
                ItemDocument.value(item, front.settings, site: front.downloads, content: content),
                numbered: item.number, of: account, since: bought?.purchased, until: bought?.ends))
    }

    /// Returns a JSON text with the location of the edition.
    private func content(of edition: EditionID, for reader: InPlayerReader) async throws -> String {
        let result = try await front.access.editionCredentials(
            token: reader.token, edition: edition.rawValue, inURL: true, context())
        switch result {
        case .rejected(let rejection, _):
            if let wait = rejection.retryAfter { throw InPlayerRejection.unavailable(wait, .backendUnavailable) }
            throw self.rejection(rejection.reason, rejection.message)
        case .granted(let credentials, _, _):
            var members: [JSONValue.Member] = [.init(name: "edition", value: .string(edition.rawValue))]
            if let archive = try front.itemCatalogue().catalogue.archive(of: edition, at: front.now),
                let address = front.downloads?.url(of: archive, credentials: credentials)
            {
                members.append(.init(name: "url", value: .string(address)))
            }
            return String(decoding: JSONWriter.bytes(.object(members)), as: UTF8.self)
        }
    }

    /// Checks the subscription of an item that represents one. Any active subscription opens it, because all
    /// subscription products open the same content.
    private func subscribed(_ reader: InPlayerReader) async throws -> String {
        let subscription = try await front.access.verify(token: reader.token, context()).subscription
        switch subscription.state {
        case .active: return #"{"subscription":"active"}"#
        case .unknown: throw rejection(.rejected, subscription.message)
        case .stale: throw rejection(.expired, subscription.message)
        case .inactive, .suspended: throw rejection(.notEntitled, subscription.message)
        }
    }

    private func rejection(_ reason: CredentialsRejection.Reason?, _ rejectionMessage: String?) -> InPlayerRejection {
        switch reason {
        case .rejected, .expired:
            InPlayerRejection(
                .unauthorized, rejectionMessage ?? message(.tokenRejected) ?? "Please sign in again.", .tokenUnreadable,
                errors: ["token": "Please sign in again."])
        case .notEntitled, nil:
            InPlayerRejection(
                .notEntitled, rejectionMessage ?? message(.notEntitled) ?? "You do not have access.", .notIncluded,
                errors: ["access": rejectionMessage ?? message(.notEntitled) ?? "You do not have access."])
        }
    }

    private func known(_ text: String) async throws -> InPlayerItem {
        guard let number = ItemFeeProduct.number(text), let item = try await front.item(numbered: number) else {
            throw InPlayerRejection.noItem
        }
        return item
    }

    private func document(_ item: InPlayerItem) -> Response {
        InPlayerResponse.make(ItemDocument.value(item, front.settings, site: front.downloads))
    }

    func notificationKeys() async throws -> Response {
        let reader = try await reader()
        guard let keys = front.tools.notificationKeys else { throw InPlayerRejection.notOffered }
        let account = try await account(of: reader)
        let subject = front.access.notificationSubject(of: reader.session)
        let issued = try keys.keys(for: account.uuid, subject: subject, at: front.now)
        return InPlayerResponse.make([
            "accessKey": .string(issued.accessKey), "secretKey": .string(issued.secretKey),
            "sessionToken": .string(issued.sessionToken), "region": .string(issued.region),
            "iotEndpoint": .string(issued.endpoint),
        ])
    }
}

extension InPlayerItem {
    /// Returns whether a purchase belongs to this item, which may include products that are known only by a name
    /// prefix.
    func isSold(as transaction: StoreTransaction, by front: InPlayerPublication) -> Bool {
        switch kind {
        case .edition: products.contains(transaction.product)
        case .subscription: front.authorizationService.purchases?.products.subscription(transaction.product) != nil
        }
    }
}

extension InPlayerPublication {
    /// Returns the purchases of a reader in the app stores.
    ///
    /// - Throws: ``Unavailable``.
    func transactions(of subscriber: Subscriber) async throws -> [StoreTransaction] {
        try await authorizationService.purchases?.transactions(of: authorizationService.owner(of: subscriber)) ?? []
    }
}

extension HTTPResponse.Status {
    /// The only status that apps read as "has no access".
    ///
    /// Source: InPlayer protocol, “No access is 402”.
    fileprivate static let notEntitled = HTTPResponse.Status(code: 402, reasonPhrase: "Payment Required")
}
